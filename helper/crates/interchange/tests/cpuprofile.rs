//! CPU profiles of V8 have the ticks of their lines and the sum of their times.

use crate::support::{fixture, functions, lines, measures, mutants, names, open, opened, refusal};

#[test]
fn a_file_of_node_has_its_ticks_on_their_lines() {
    let profile = open(&fixture("sieve.cpuprofile")).unwrap();
    assert_eq!(measures(&profile), ["samples count", "wall nanoseconds"]);
    assert_eq!([profile.total(0), profile.total(1)], [349, 1_513_998_000]);
    assert_eq!(profile.default_measure(), 1);
    let of = functions(&profile, 0);
    // The file has a sample more of it than ticks: that one is on no line.
    assert_eq!(
        [of["sift"], of["(garbage collector)"], of["shake"]],
        [215, 65, 51]
    );
    let lines = lines(&profile, 0);
    let of_line = |line: u32| lines[&format!("/src/mill/sieve.js:{line}")];
    assert_eq!([4, 5, 10, 11].map(of_line), [26, 189, 29, 21]);
    let sift = profile
        .functions
        .iter()
        .find(|of| profile.text(of.name) == "sift");
    assert_eq!(sift.map(|of| of.start_line), Some(2));
}

/// main (line 1) → f (line 4), which ran on lines 5 and 6.
const NODES: &str = r#""nodes": [
    {"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2, 4]},
    {"id": 2, "callFrame": {"functionName": "", "url": "file:///a%20b/m.js", "lineNumber": 0}, "children": [3]},
    {"id": 3, "callFrame": {"functionName": "f", "url": "file:///a%20b/m.js", "lineNumber": 3}, "hitCount": 3,
     "positionTicks": [{"line": 5, "ticks": 2}, {"line": 6, "ticks": 1}]},
    {"id": 4, "callFrame": {"functionName": "(idle)", "url": "", "lineNumber": -1}, "hitCount": 1}]"#;

#[test]
fn time_is_divided_by_ticks_and_samples_are_put_into_order() {
    let text = format!(
        r#"{{{NODES}, "startTime": 100, "endTime": 1100, "samples": [3, 4, 3, 3], "timeDeltas": [100, 300, -100, 400]}}"#
    );
    let profile = opened(text).unwrap();
    assert_eq!([profile.total(0), profile.total(1)], [4, 700_000]);
    assert_eq!(profile.duration_nanos, 1_000_000);
    let samples = lines(&profile, 0);
    assert_eq!(
        [
            samples["/a b/m.js:5"],
            samples["/a b/m.js:6"],
            samples[":0"]
        ],
        [2, 1, 1]
    );
    // In order: f until 100, f until 300, idle until 400, f until 700.
    let times = lines(&profile, 1);
    assert_eq!(
        [times["/a b/m.js:5"], times["/a b/m.js:6"], times[":0"]],
        [400_000, 200_000, 100_000]
    );
    assert_eq!(names(&profile, 0), ["f", "(anonymous)"]);
    let problems = profile.problems.join("\n");
    assert!(
        problems.contains("1 samples were not in the order of their times"),
        "{problems}"
    );
    assert!(problems.contains("divided among its lines"), "{problems}");
}

#[test]
fn without_a_list_of_samples_hits_are_counted() {
    let profile = opened(format!("{{{NODES}}}")).unwrap();
    assert_eq!(measures(&profile), ["samples count"]);
    assert_eq!(profile.total(0), 4);
}

#[test]
fn what_is_damaged_is_named() {
    let of = |more: &str| refusal(format!("{{{NODES}, {more}}}"));
    assert_eq!(
        of(r#""samples": [9], "timeDeltas": [1]"#),
        "The cpuprofile file has a sample 0 of node 9, which it does not have."
    );
    assert_eq!(
        of(r#""samples": [3, 3], "timeDeltas": [1]"#),
        "The cpuprofile file has 2 samples and 1 times, where as many are expected."
    );
    assert!(
        of(r#""samples": [3], "timeDeltas": [9007199254740993]"#).contains("beyond a hundred days")
    );
    let twice = NODES.replace("\"children\": [3]", "\"children\": [3, 4]");
    assert_eq!(
        refusal(format!("{{{twice}}}")),
        "The cpuprofile file says that node 4 has two callers."
    );
    let circle = NODES
        .replace("\"hitCount\": 3,", "\"hitCount\": 3, \"children\": [2],")
        .replace("[2, 4]", "[4]");
    let profile = opened(format!("{{{circle}}}")).unwrap();
    assert_eq!(profile.samples.stack(0).len(), 2048);
    assert!(
        profile
            .problems
            .iter()
            .any(|of| of.contains("more than 2048 frames")),
        "{:?}",
        profile.problems
    );
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    mutants(
        &[std::fs::read(fixture("sieve.cpuprofile")).unwrap()],
        b"0123456789 []",
    );
}
