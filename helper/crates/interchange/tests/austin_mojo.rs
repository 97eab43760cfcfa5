//! Austin's binary recordings have the times of their lines.

use crate::support::{fixture, lines, measures, mutants, names, open, opened, refusal};

#[test]
fn a_file_of_austin_has_its_times_on_their_lines() {
    let profile = open(&fixture("churn.austin.mojo")).unwrap();
    assert_eq!(measures(&profile), ["samples count", "wall nanoseconds"]);
    // As a second decoder, written for this, adds them up; the metadata says 3,980,344 us of the whole run.
    assert_eq!([profile.total(0), profile.total(1)], [248, 3_976_936_000]);
    assert_eq!(profile.default_measure(), 1);
    let lines = lines(&profile, 1);
    let of = |line: u32| lines[&format!("/src/mill/churn.py:{line}")];
    assert_eq!([6, 5, 7].map(of), [1_810_245_000, 567_015_000, 488_939_000]);
    let labels: Vec<i64> = (profile.samples.labels_of(0).iter())
        .map(|label| label.number)
        .collect();
    assert_eq!(labels, [7757, 7757]);
    assert_eq!(profile.problems, Vec::<String>::new());
}

/// Of a text in the file.
fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn file(mode: &str, events: &[&[u8]]) -> Vec<u8> {
    let head = [b"MOJ\x03\x01", &text("mode")[..], &text(mode)].concat();
    let tables = [
        b"\x0b\x05",
        &text("a.py")[..],
        b"\x0b\x06",
        &text("f"),
        b"\x03\x07\x05\x06\x0c\x0c\x03\x04",
    ]
    .concat();
    [head, tables, events.concat()].concat()
}

const STACK: &[u8] = b"\x02\x0c\x001f\x00\x05\x07";

#[test]
fn every_mode_has_its_measures() {
    // 70 us, idle, 200 bytes; then 5 us, 9 bytes freed, in the collector, called from the kernel.
    let events = [
        STACK,
        b"\x09\x86\x01\x08\x0a\x88\x03",
        STACK,
        b"\x06",
        b"sys_read\x00",
        b"\x07\x09\x05\x0a\x49",
    ];
    let profile = opened(file("full", &events)).unwrap();
    assert_eq!(
        measures(&profile),
        [
            "samples count",
            "memory bytes",
            "cpu nanoseconds",
            "wall nanoseconds"
        ]
    );
    let totals: Vec<u64> = (0..4).map(|measure| profile.total(measure)).collect();
    assert_eq!(totals, [2, 200, 5_000, 75_000]);
    assert_eq!(names(&profile, 1), [":GC:", "sys_read", "f"]);
    assert_eq!(lines(&profile, 3)["a.py:12"], 70_000);
    assert!(
        profile
            .problems
            .iter()
            .any(|of| of.starts_with("1 samples freed memory")),
        "{:?}",
        profile.problems
    );
    assert_eq!(
        measures(&opened(file("cpu", &events)).unwrap()),
        ["samples count", "cpu nanoseconds"]
    );
    assert_eq!(
        measures(&opened(file("memory", &events)).unwrap()),
        ["samples count", "memory bytes"]
    );
}

#[test]
fn what_is_damaged_is_named_and_what_is_cut_is_said() {
    let whole = file("wall", &[STACK, b"\x09\x05", STACK, b"\x09\x86"]);
    let profile = opened(whole).unwrap();
    assert_eq!(profile.total(1), 5_000);
    assert!(
        profile.problems[0].contains("ends in the middle of a sample"),
        "{:?}",
        profile.problems
    );
    assert_eq!(
        refusal(b"MOJ\x04"),
        "The Austin recording has version 4 of its format, where 3 is expected. Record without -b: Lineheat opens Austin's text."
    );
    assert!(refusal(b"MOJ").contains("version no"), "an empty one");
    assert!(refusal(file("wall", &[])).contains("has no samples"));
    assert!(
        refusal(file("wall", &[STACK, b"\x05\x09"]))
            .contains("names the frame 9, which is not there")
    );
    assert!(refusal(file("wall", &[b"\x09\x05"])).contains("is before the first stack"));
    assert!(refusal(file("wall", &[b"\x20"])).contains("is of the kind 32, which is unknown"));
    assert!(
        refusal(file("wall", &[b"\x03\x07\x09\x06\x0c\x0c\x03\x04"])).contains("names the text 9")
    );
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    mutants(
        &[std::fs::read(fixture("churn.austin.mojo")).unwrap()],
        &[0, 1, 5, 9, 0x80],
    );
}
