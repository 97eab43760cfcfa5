//! Each way to contradict the format is refused with its cause; what is merely unusual is read.

use profile::{ErrorKind, Limits, Profile};
use prost::encoding::encode_varint;

/// A field of a message: number, then a varint or bytes.
fn number(field: u64, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(field << 3, &mut bytes);
    encode_varint(value, &mut bytes);
    bytes
}

fn message(field: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let mut bytes = Vec::new();
    encode_varint(field << 3 | 2, &mut bytes);
    encode_varint(content.len() as u64, &mut bytes);
    bytes.extend(content);
    bytes
}

fn text(field: u64, text: &[u8]) -> Vec<u8> {
    message(field, &[text.to_vec()])
}

/// One sample of one function at one location.
fn base() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("type", message(1, &[number(1, 1), number(2, 2)])),
        ("sample", message(2, &[number(1, 1), number(2, 5)])),
        ("mapping", message(3, &[number(1, 1), number(5, 3)])),
        (
            "location",
            message(
                4,
                &[
                    number(1, 1),
                    number(2, 1),
                    message(4, &[number(1, 1), number(2, 7)]),
                ],
            ),
        ),
        (
            "function",
            message(5, &[number(1, 1), number(2, 4), number(4, 3)]),
        ),
        (
            "strings",
            [&b""[..], b"cpu", b"ns", b"app", b"work"]
                .map(|t| text(6, t))
                .concat(),
        ),
    ]
}

/// The base with one part replaced (or added).
fn with(name: &'static str, part: Vec<u8>) -> Vec<u8> {
    let mut parts = base();
    match parts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = part,
        None => parts.push((name, part)),
    }
    parts.into_iter().flat_map(|(_, bytes)| bytes).collect()
}

fn read(bytes: &[u8]) -> Result<Profile, profile::ProfileError> {
    Profile::read(bytes, &Limits::default())
}

#[test]
fn the_base_is_valid_and_packed_numbers_are_the_same() {
    let profile = read(&with("more", vec![])).expect("valid");
    assert_eq!(
        (profile.total(0), profile.samples.stack(0)),
        (5, &[0u32][..])
    );
    let packed = message(2, &[text(1, &[1, 1]), text(2, &[5])]);
    assert_eq!(
        read(&with("sample", packed))
            .expect("valid")
            .samples
            .stack(0),
        [0, 0]
    );
}

#[test]
fn what_is_unusual_is_read() {
    let cases = [
        (
            "a sample without a stack",
            with("sample", message(2, &[number(2, 5)])),
        ),
        (
            "a sparse id",
            with("more", message(5, &[number(1, u64::MAX), number(2, 4)])),
        ),
        (
            "an unknown field",
            with(
                "more",
                [
                    number(999, 1),
                    text(1000, b"\xff"),
                    vec![0xa5, 0x01, 0, 0, 0, 0],
                ]
                .concat(),
            ),
        ),
        ("no samples", with("sample", vec![])),
        (
            "a location without mapping",
            with("location", message(4, &[number(1, 1)])),
        ),
    ];
    for (what, bytes) in cases {
        assert!(read(&bytes).is_ok(), "{what}: {:?}", read(&bytes).err());
    }
}

#[test]
fn each_contradiction_is_refused_with_its_cause() {
    let minus_one = u64::MAX;
    let sample = |parts: &[Vec<u8>]| with("sample", message(2, parts));
    let location = |parts: &[Vec<u8>]| with("location", message(4, parts));
    let label = |parts: &[Vec<u8>]| sample(&[number(1, 1), number(2, 5), message(3, parts)]);
    let twice = |name: &str| {
        let part = base()
            .into_iter()
            .find(|(known, _)| *known == name)
            .expect("a part")
            .1;
        with("more", part)
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("no sample types", with("type", vec![])),
        (
            "more values than the 1 sample types",
            sample(&[number(1, 1), number(2, 5), number(2, 5)]),
        ),
        (
            "fewer values than the 1 sample types",
            sample(&[number(1, 1)]),
        ),
        (
            "the value -1",
            sample(&[number(1, 1), number(2, minus_one)]),
        ),
        ("2^53", sample(&[number(1, 1), number(2, 1 << 53)])),
        (
            "location 9, which is not in the file",
            sample(&[number(1, 9), number(2, 5)]),
        ),
        (
            "location 0, which is not in the file",
            sample(&[number(1, 0), number(2, 5)]),
        ),
        (
            "both a text and a number",
            label(&[number(1, 1), number(2, 1), number(3, 4)]),
        ),
        ("entry 99 of the string table", label(&[number(1, 99)])),
        ("Two mappings have the same id 1", twice("mapping")),
        ("Two functions have the same id 1", twice("function")),
        ("Two locations have the same id 1", twice("location")),
        (
            "function number 1 has the id 0",
            with("function", message(5, &[number(2, 4)])),
        ),
        ("location number 1 has the id 0", location(&[number(2, 1)])),
        (
            "mapping number 1 has the id 0",
            with("mapping", message(3, &[number(5, 3)])),
        ),
        (
            "mapping 8, which is not in the file",
            location(&[number(1, 1), number(2, 8)]),
        ),
        (
            "function 8, which is not in the file",
            location(&[number(1, 1), message(4, &[number(1, 8)])]),
        ),
        (
            "function 0, which is not in the file",
            location(&[number(1, 1), message(4, &[number(2, 7)])]),
        ),
        (
            "line or column number -1",
            location(&[
                number(1, 1),
                message(4, &[number(1, 1), number(2, minus_one)]),
            ]),
        ),
        (
            "entry 99 of the string table",
            with("function", message(5, &[number(1, 1), number(2, 99)])),
        ),
        (
            "entry -1 of the string table",
            with(
                "function",
                message(5, &[number(1, 1), number(2, minus_one)]),
            ),
        ),
        (
            "entry 99 of the string table",
            with("type", message(1, &[number(1, 99)])),
        ),
        (
            "before its start",
            with(
                "mapping",
                message(3, &[number(1, 1), number(2, 9), number(3, 8)]),
            ),
        ),
        (
            "not valid UTF-8 after 2 bytes",
            with("more", text(6, b"ab\xff")),
        ),
        (
            "does not start with the empty string",
            with("strings", text(6, b"cpu")),
        ),
        ("no string table", with("strings", vec![])),
        (
            "Several profiles",
            with("more", [number(9, 1), number(9, 2)].concat()),
        ),
        ("something else than a number", location(&[text(1, b"x")])),
        ("something else than a message", with("more", number(5, 1))),
        ("unknown wire type", with("more", vec![0x0b])),
        ("field number 0", with("more", vec![0x00, 0x00])),
        ("ends early", with("more", vec![0x2a, 0x7f])),
        (
            "larger than 64 bits",
            with("more", [vec![0x48], vec![0xff; 10]].concat()),
        ),
        (
            "saved about the run is damaged",
            with("more", text(7001, &[0x12, 0x01, 0xff])),
        ),
    ];
    for (cause, bytes) in cases {
        let error = read(&bytes).expect_err(cause);
        assert!(
            error.message.contains(cause) && error.message.ends_with('.'),
            "wanted {cause:?}, got {error}"
        );
    }
}

#[test]
fn limits_hold_before_memory_is_taken() {
    let limits = Limits {
        strings: 6,
        records: 2,
        string_bytes: 100,
        frames: 3,
        run_entries: 10,
        ..Limits::default()
    };
    let cases = [
        ("more than 6 strings", vec![text(6, b"a"); 2].concat()),
        (
            "more than 2 functions",
            [2, 3].map(|id| message(5, &[number(1, id)])).concat(),
        ),
        (
            "more than 2 samples",
            vec![message(2, &[number(2, 1)]); 2].concat(),
        ),
        ("101 bytes", text(6, &[b'a'; 101])),
        (
            "more than 3 frames",
            message(2, &[text(1, &[1; 3]), number(2, 1)]),
        ),
        (
            "more than 10 entries",
            message(7001, &vec![text(29, b""); 11]),
        ),
        (
            "more than 10 entries",
            message(7001, &[message(25, &vec![text(3, b""); 11])]),
        ),
    ];
    for (cause, more) in cases {
        let error = Profile::read(&with("more", more), &limits).expect_err(cause);
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert!(
            error.message.contains(cause),
            "wanted {cause:?}, got {error}"
        );
    }
}

#[test]
fn a_stack_too_deep_is_cut_at_its_root_and_a_wrong_timeline_left_out_each_with_a_note() {
    let limits = Limits {
        stack_depth: 2,
        ..Limits::default()
    };
    let deep = with("sample", message(2, &[text(1, &[1; 5]), number(2, 5)]));
    let profile = Profile::read(&deep, &limits).expect("valid");
    assert_eq!(
        (profile.samples.stack(0).len(), profile.problems.len()),
        (2, 1)
    );

    let timeline = with("more", message(7001, &[number(27, 4), number(28, 1)]));
    let profile = read(&timeline).expect("valid");
    assert_eq!(profile.run.expect("a run").time_sample, []);
    assert!(profile.problems[0].contains("timeline"));
}
