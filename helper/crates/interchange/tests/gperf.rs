//! Profiles of gperftools have the samples and lines of `google-pprof --text --lines`, if the program is at hand.

use std::collections::BTreeMap;

use crate::support::{
    fixture, functions, lines, lines_of_google_pprof, measures, mutants, open, opened, refusal,
    with_program,
};
use profile::Profile;

fn problems(profile: &Profile) -> String {
    profile.problems.join("\n")
}

#[test]
fn a_cpu_profile_has_the_lines_of_google_pprof() {
    let (_folder, path) = with_program("mill.gperf-cpu.prof");
    let profile = open(&path).unwrap();
    assert_eq!(measures(&profile), ["samples count", "cpu nanoseconds"]);
    assert_eq!([profile.total(0), profile.total(1)], [164, 656_000_000]);
    let expected = [("grind".to_owned(), 132), ("sift".to_owned(), 32)];
    assert_eq!(functions(&profile, 0), BTreeMap::from(expected));
    assert_eq!(lines(&profile, 0), lines_of_google_pprof());
    assert_eq!(profile.text(profile.mappings[0].filename), "/src/mill/mill");
    let said = problems(&profile);
    assert!(said.contains("no build-ids to compare"), "{said}");
    assert!(said.contains("/src/mill/mill (as "), "{said}");
}

#[test]
fn without_the_program_addresses_are_shown_and_said_to_lack_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alone.prof");
    std::fs::copy(fixture("mill.gperf-cpu.prof"), &path).unwrap();
    let profile = open(&path).unwrap();
    assert_eq!(profile.total(0), 164);
    assert_eq!(
        functions(&profile, 0),
        BTreeMap::from([(String::new(), 164)])
    );
    let said = problems(&profile);
    assert!(
        said.starts_with("The file has addresses only, and these programs or libraries are not found here: /src/mill/mill"),
        "{said}"
    );
    assert!(
        said.contains("put the one that was profiled beside the profile"),
        "{said}"
    );
}

#[test]
fn a_heap_profile_has_what_is_in_use_and_what_was_allocated() {
    let (_folder, path) = with_program("mill.gperf-heap.0001.heap");
    let profile = open(&path).unwrap();
    assert_eq!(
        measures(&profile),
        [
            "alloc_objects count",
            "alloc_space bytes",
            "inuse_objects count",
            "inuse_space bytes"
        ]
    );
    assert_eq!(profile.default_measure(), 3);
    let totals: Vec<u64> = (0..4).map(|measure| profile.total(measure)).collect();
    assert_eq!(totals, [1001, 20_096, 1001, 20_096]);
    assert_eq!(functions(&profile, 3)["fetch_grain"], 16_000);
    assert_eq!(lines(&profile, 3)["/src/mill/mill.c:18"], 16_000);
    assert!(
        !problems(&profile).contains("add up"),
        "{}",
        problems(&profile)
    );
}

#[test]
fn a_program_that_was_built_since_is_said_to_be_newer() {
    let (programs, _) = with_program("mill.gperf-heap.0001.heap");
    let program = programs.path().join("mill");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.heap");
    let text = std::fs::read_to_string(fixture("mill.gperf-heap.0001.heap")).unwrap();
    std::fs::write(
        &path,
        text.replace("/src/mill/mill", program.to_str().unwrap()),
    )
    .unwrap();
    let file = std::fs::File::open(&program).unwrap();
    let now = std::time::SystemTime::now();
    for (hours, is_newer) in [(0, false), (2, true)] {
        let built = now - std::time::Duration::from_secs(3600)
            + std::time::Duration::from_secs(3600 * hours);
        file.set_modified(built).unwrap();
        let profile = open(&path).unwrap();
        assert_eq!(functions(&profile, 3)["fetch_grain"], 16_000);
        let said = problems(&profile);
        assert_eq!(said.contains("these are newer than it"), is_newer, "{said}");
    }
}

#[test]
fn a_sampled_heap_profile_is_an_estimate_of_the_whole() {
    let text = "heap profile: 10: 5242880 [ 20: 10485760] @ heap_v2/524288\n    10: 5242880 [ 20: 10485760] @ 0x1001 0x2001\n\nMAPPED_LIBRARIES:\n00001000-00003000 r-xp 00000000 00:00 5   /nowhere/prog\n";
    let profile = opened(text).unwrap();
    let totals: Vec<u64> = (0..4).map(|measure| profile.total(measure)).collect();
    assert_eq!(totals, [32, 16_588_228, 16, 8_294_114]);
    let said = problems(&profile);
    assert!(said.contains("One allocation in 524288 bytes"), "{said}");
    assert!(said.contains("not found here: /nowhere/prog."), "{said}");
    assert_eq!(
        profile.locations.address[..2],
        [0x1000, 0x2000],
        "inside the call"
    );
    let other = text.replace("heap profile: 10:", "heap profile: 11:");
    let said = problems(&opened(other).unwrap());
    assert!(said.contains("add up to 10 objects and 5242880 bytes in use, but the first line of the file says 11 and 5242880"), "{said}");
}

/// As a machine of four-byte words writes it, in either order.
#[test]
fn word_size_and_byte_order_are_those_of_the_header() {
    let words = [
        0u32, 3, 0, 10_000, 0, 2, 2, 0x1004, 0x2001, 3, 1, 0x1004, 0, 1, 0,
    ];
    let maps = b"00001000-00003000 r-xp 00000000 00:00 5   /nowhere/prog\n";
    for is_big in [false, true] {
        let order = |word: &u32| {
            if is_big {
                word.to_be_bytes()
            } else {
                word.to_le_bytes()
            }
        };
        let mut bytes: Vec<u8> = words.iter().flat_map(order).collect();
        bytes.extend_from_slice(maps);
        let profile = opened(&bytes).unwrap();
        assert_eq!([profile.total(0), profile.total(1)], [5, 50_000_000]);
        assert_eq!(profile.locations.address, [0x1004, 0x2000]);
    }
}

#[test]
fn what_is_damaged_is_named_and_what_is_cut_is_said() {
    let bytes = std::fs::read(fixture("mill.gperf-cpu.prof")).unwrap();
    let said = problems(&opened(&bytes[..400]).unwrap());
    assert!(
        said.contains("ends before its list of mapped files"),
        "{said}"
    );
    let mut deep = bytes.clone();
    deep[50] = 1;
    assert_eq!(
        refusal(&deep),
        "Word 5 of the gperftools CPU profile says that a stack has 65542 frames, where 1 to 65536 are expected."
    );
    assert!(
        refusal(&bytes[..40]).contains("has no samples"),
        "header only"
    );
    assert_eq!(
        refusal("heap profile: 1: 2 [1: 2] @ growthz\n"),
        "Line 1 of the gperftools heap profile is \"heap profile: 1: 2 [1: 2] @ growthz\", where the kind heapprofile or heap_v2/RATE behind the @ is expected."
    );
    assert_eq!(
        refusal("heap profile: 1: 2 [1: 2] @ heapprofile\n 1: 2 [1: 2] @ 0xzz\n"),
        "Line 2 of the gperftools heap profile is \" 1: 2 [1: 2] @ 0xzz\", where an address such as 0x1f is expected."
    );
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    for (name, inserted) in [
        ("mill.gperf-cpu.prof", &[0, 1, 6, 0xff][..]),
        ("mill.gperf-heap.0001.heap", b"[]@: \n0x9"),
    ] {
        // Without the libraries of this machine, whose reading takes most of the time.
        let text = std::fs::read(fixture(name)).unwrap();
        let text: Vec<u8> = text
            .split(|byte| *byte == b'/')
            .collect::<Vec<_>>()
            .join(&b"//nowhere"[..]);
        mutants(&[text], inserted);
    }
}
