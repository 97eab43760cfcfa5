//! Files of the Firefox Profiler, and of samply, which have addresses only. mill.fxprof.json has the samples of mill.gperf-cpu.prof,
//! written by the crate that samply writes its files with.

use crate::support::{
    fixture, functions, lines, lines_of_google_pprof, measures, mutants, names, open, opened,
    refusal, with_program,
};

#[test]
fn addresses_get_the_names_of_the_program_with_the_same_build_id() {
    let (folder, path) = with_program("mill.fxprof.json");
    let profile = open(&path).unwrap();
    assert_eq!(measures(&profile), ["samples count", "cpu nanoseconds"]);
    assert_eq!([profile.total(0), profile.total(1)], [164, 656_000_000]);
    assert_eq!(lines(&profile, 0), lines_of_google_pprof());
    let said = profile.problems.join("\n");
    assert!(
        said.contains("not found here: /nowhere/libc.so.6."),
        "{said}"
    );
    assert!(!said.contains("build-ids"), "{said}");
    let labels: Vec<&str> = (profile.samples.labels_of(0).iter())
        .map(|label| profile.text(label.key))
        .collect();
    assert_eq!(labels.len(), 4, "{labels:?}");

    let mut other = std::fs::read(folder.path().join("mill")).unwrap();
    let build_id = [0x7b, 0xdc, 0x7b, 0xdb, 0x40];
    let at = other.windows(5).position(|part| part == build_id).unwrap();
    other[at] ^= 1;
    std::fs::write(folder.path().join("mill"), other).unwrap();
    let profile = open(&path).unwrap();
    assert_eq!(profile.total(0), 164);
    assert_eq!(functions(&profile, 0)[""], 164);
    let said = profile.problems.join("\n");
    assert!(
        said.contains("of another build here: /src/mill/mill."),
        "{said}"
    );
}

/// main → f, into which g is inlined, and a JavaScript function; `tables` are in the thread or shared.
fn file(samples: &str, is_shared: bool) -> String {
    let tables = r#""stringArray": ["main", "f", "g", "/a/b.c", "js", "git:github.com/x/y:src/z.js:12"],
        "resourceTable": {"length": 0, "lib": []},
        "funcTable": {"length": 4, "name": [0, 1, 2, 4], "fileName": [3, 3, 3, 5], "resource": [-1, -1, -1, -1], "lineNumber": [1, 10, 20, 3]},
        "frameTable": {"length": 4, "func": [0, 1, 2, 3], "address": [4096, 8192, 8192, -1], "inlineDepth": [0, 0, 1, 0],
            "line": [2, 12, 22, 4], "column": [null, 3, null, 5]},
        "stackTable": {"length": 4, "frame": [0, 1, 2, 3], "prefix": [null, 0, 1, 0]}"#;
    let (shared, own) = match is_shared {
        true => (tables, ""),
        false => ("", tables),
    };
    let comma = if is_shared { "" } else { "," };
    format!(
        r#"{{"meta": {{"preprocessedProfileVersion": 57, "symbolicated": true, "sampleUnits": {{"threadCPUDelta": "ns"}}}}, "libs": [],
        "shared": {{{shared}}},
        "threads": [{{"name": "T", "processName": "P", "pid": "12.1", "tid": 13, "samples": {samples}{comma} {own}}}]}}"#
    )
}

#[test]
fn names_inlined_functions_and_weights_are_those_of_the_file() {
    let samples = r#"{"length": 3, "stack": [2, 3, null], "weight": [2, 1, 1], "weightType": "samples", "threadCPUDelta": [5, null, 7]}"#;
    for is_shared in [false, true] {
        let profile = opened(file(samples, is_shared)).unwrap();
        assert_eq!(measures(&profile), ["samples count", "cpu nanoseconds"]);
        assert_eq!([profile.total(0), profile.total(1)], [4, 12]);
        assert_eq!(names(&profile, 0), ["g", "f", "main"]);
        assert_eq!(profile.samples.stack(0).len(), 2, "one is inlined");
        let lines = lines(&profile, 0);
        assert_eq!(
            [lines["/a/b.c:22"], lines["src/z.js:4"], lines[""]],
            [2, 1, 1]
        );
        let said = profile.problems.join("\n");
        assert!(said.contains("version 57 of the format"), "{said}");
    }
    let bytes = r#"{"stack": [1, 1], "weight": [100, -3], "weightType": "bytes"}"#;
    let profile = opened(file(bytes, false)).unwrap();
    assert_eq!(measures(&profile), ["space bytes"]);
    assert_eq!(profile.total(0), 100);
    assert!(
        profile
            .problems
            .iter()
            .any(|of| of.starts_with("1 samples have a weight below 0")),
        "{:?}",
        profile.problems
    );
}

#[test]
fn what_is_damaged_is_named() {
    let of = |samples: &str| refusal(file(samples, true));
    assert_eq!(
        of(r#"{"stack": [9]}"#),
        "Row 9 of a stack table of the Firefox Profiler file names a frame that is not there."
    );
    assert!(of(r#"{"stack": []}"#).contains("has no samples"));
    assert!(of(r#"{"stack": [-2]}"#).contains("-2 where a number from 0 to 2^32 is expected"));
    let circle = file(r#"{"stack": [0]}"#, true).replace("[null, 0, 1, 0]", "[0, 0, 1, 0]");
    assert!(refusal(circle).contains("names a caller that is not there"));
    let none = file(r#"{"stack": [0]}"#, true).replace("stackTable", "stacksOfLaterVersions");
    assert_eq!(
        refusal(none),
        "The thread \"T\" of the Firefox Profiler file has no stackTable, in version 57 of the format."
    );
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    mutants(
        &[std::fs::read(fixture("mill.fxprof.json")).unwrap()],
        b"0123456789 []",
    );
}
