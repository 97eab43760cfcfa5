//! Profiles in speedscope's format have the totals that their writers report.

use crate::support::{fixture, functions, lines, measures, mutants, names, open, opened, refusal};
use profile::ErrorKind;

#[test]
fn a_file_of_py_spy_has_its_times_on_their_lines() {
    let profile = open(&fixture("churn.py-spy.speedscope.json")).unwrap();
    assert_eq!(measures(&profile), ["samples count", "time nanoseconds"]);
    assert_eq!([profile.total(0), profile.total(1)], [216, 2_160_000_000]);
    assert_eq!(profile.default_measure(), 1);
    let lines = lines(&profile, 1);
    for (line, milliseconds) in [(6, 1030), (7, 370), (5, 290)] {
        let at = lines
            .iter()
            .find(|(at, _)| at.ends_with(&format!("churn.py:{line}")));
        assert_eq!(
            at.map(|(_, time)| *time),
            Some(milliseconds * 1_000_000),
            "line {line}"
        );
    }
    let samples = 0..profile.samples.len();
    let empty = samples.filter(|sample| profile.samples.stack(*sample).is_empty());
    assert_eq!(empty.map(|sample| profile.value(sample, 0)).sum::<u64>(), 1);
    assert_eq!(profile.problems, Vec::<String>::new());
}

fn file(frames: &str, profiles: &str) -> String {
    format!(
        r#"{{"shared": {{"frames": [{frames}]}}, "profiles": [{profiles}], "$schema": "https://www.speedscope.app/file-format-schema.json"}}"#
    )
}

const FRAMES: &str = r#"{"name": "main"}, {"name": "f", "file": "a.c", "line": 7, "col": 3}, {"name": "g", "line": null}"#;

#[test]
fn events_are_the_time_between_them() {
    let events = r#"{"type": "evented", "name": "one", "unit": "milliseconds", "startValue": 10, "endValue": 20, "events": [
        {"type": "O", "frame": 0, "at": 10}, {"type": "O", "frame": 1, "at": 12}, {"type": "C", "frame": 1, "at": 15},
        {"type": "O", "frame": 2, "at": 15}, {"type": "C", "frame": 2, "at": 16.5}]}"#;
    let profile = opened(file(FRAMES, events)).unwrap();
    assert_eq!(measures(&profile), ["time nanoseconds"]);
    let of = functions(&profile, 0);
    assert_eq!(
        [of["main"], of["f"], of["g"]],
        [5_500_000, 3_000_000, 1_500_000]
    );
    assert_eq!(lines(&profile, 0)["a.c:7"], 3_000_000);
    let problems = profile.problems.join("\n");
    assert!(problems.contains("no samples to count"), "{problems}");
    assert!(problems.contains("1 frames are never closed"), "{problems}");
}

#[test]
fn several_profiles_of_several_units_are_threads_and_measures_of_one() {
    let parts = r#"
        {"type": "sampled", "name": "a", "unit": "bytes", "samples": [[0, 1], []], "weights": [100, 3]},
        {"type": "sampled", "name": "b", "unit": "none", "samples": [[0, 1], [0, 1]], "weights": [1, 2]},
        {"type": "sampled", "name": "b", "unit": "microseconds", "samples": [[0]], "weights": [0.5]}"#;
    let profile = opened(file(FRAMES, parts)).unwrap();
    assert_eq!(
        measures(&profile),
        [
            "samples count",
            "space bytes",
            "value count",
            "time nanoseconds"
        ]
    );
    assert_eq!(profile.default_measure(), 1);
    let totals: Vec<u64> = (0..4).map(|measure| profile.total(measure)).collect();
    assert_eq!(totals, [5, 103, 3, 500]);
    assert_eq!(names(&profile, 0), ["f", "main"]);
    let thread = profile.samples.labels_of(0)[0];
    assert_eq!(
        [thread.key, thread.text].map(|id| profile.text(id)),
        ["thread", "a"]
    );
    let second = file(FRAMES, parts).replacen("{", r#"{"activeProfileIndex": 2, "#, 1);
    assert_eq!(opened(second).unwrap().default_measure(), 3);
}

#[test]
fn what_is_damaged_is_named() {
    let sampled = |samples: &str, weights: &str| {
        let part = format!(
            r#"{{"type": "sampled", "name": "a", "unit": "none", "samples": {samples}, "weights": {weights}}}"#
        );
        refusal(file(FRAMES, &part))
    };
    assert_eq!(
        sampled("[[3]]", "[1]"),
        "The profile \"a\" of the speedscope file names frame 3, but the file has 3 frames."
    );
    assert_eq!(
        sampled("[[0], [1]]", "[1]"),
        "The profile \"a\" of the speedscope file has 2 samples and 1 weights, where as many are expected."
    );
    assert!(
        sampled("[[0]]", "[-1]")
            .starts_with("Sample 0 of the profile \"a\" has the weight -1, where")
    );
    assert!(sampled("[]", "[]").contains("has no samples"));
    assert!(
        sampled("[[0.5]]", "[1]")
            .starts_with("The speedscope file cannot be read: invalid type: floating point `0.5`")
    );
    let crossed = r#"{"type": "evented", "name": "a", "unit": "none", "events": [
        {"type": "O", "frame": 0, "at": 1}, {"type": "O", "frame": 1, "at": 2}, {"type": "C", "frame": 0, "at": 3}]}"#;
    assert_eq!(
        refusal(file(FRAMES, crossed)),
        "Event 2 of the profile \"a\" of the speedscope file closes a frame that is not the innermost one."
    );
    assert!(
        refusal(file(FRAMES, &crossed.replace("\"at\": 2", "\"at\": 0")))
            .contains("is before the one above it")
    );
    let deep = file(FRAMES, &"[".repeat(100_000));
    assert!(
        refusal(deep).contains("cannot be read"),
        "no overflow of the stack"
    );
    let others = r#"{"a": {"b": 1}, "profiles": []}"#;
    assert_eq!(opened(others).unwrap_err().kind, ErrorKind::NotAProfile);
}

#[test]
fn many_samples_are_refused_before_they_take_memory() {
    let samples = "[],".repeat(2_000_001);
    let part = format!(
        r#"{{"type": "sampled", "name": "a", "unit": "none", "samples": [{samples}[]], "weights": [1]}}"#
    );
    let error = opened(file(FRAMES, &part)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    assert!(
        error.message.contains("more than 2000000 entries"),
        "{error}"
    );
}

#[test]
fn a_deep_stack_keeps_its_innermost_frames() {
    let open: String = (0..5000)
        .map(|at| format!(r#"{{"type":"O","frame":0,"at":{at}}},"#))
        .collect();
    let part = format!(
        r#"{{"type": "evented", "name": "a", "unit": "none", "events": [{open}{{"type":"O","frame":1,"at":5000}}], "endValue": 5007}}"#
    );
    let profile = opened(file(FRAMES, &part)).unwrap();
    assert_eq!(functions(&profile, 0)["f"], 7);
    assert_eq!(profile.total(0), 5007);
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
        &[std::fs::read(fixture("churn.py-spy.speedscope.json")).unwrap()],
        b"0123456789 []",
    );
}
