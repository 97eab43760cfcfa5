//! Each way to contradict the format is refused with its cause; what is merely unusual is read.

use crate::support::{base, message, number, text, with};
use profile::{ErrorKind, Limits, Profile};

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

/// However a file writes it, and however often: each sample has its stack, is cut and counts for itself.
#[test]
fn samples_that_repeat_a_stack_are_samples_like_others() {
    let sample = |stack: &[Vec<u8>]| message(2, &[&[number(2, 5)], stack].concat());
    let three = text(1, &[1; 3]);
    let more = [
        sample(std::slice::from_ref(&three)),
        sample(&[text(1, &[1]), text(1, &[1, 1])]),
        sample(&[text(1, &[1]), number(1, 1)]),
        sample(std::slice::from_ref(&three)),
        sample(&[text(1, &[1, 0x81])]),
    ];
    let file = |samples: &[Vec<u8>]| with("sample", samples.concat());
    let profile = read(&file(&more[..4])).expect("valid");
    let depths: Vec<usize> = (0..4).map(|s| profile.samples.stack(s).len()).collect();
    assert_eq!(depths, [3, 3, 2, 3]);
    assert_eq!(profile.total(0), 20);
    let stacks = &profile.samples.stacks;
    assert_eq!((stacks.kept(), stacks.frames()), (3, 11), "{stacks:?}");
    assert_eq!(stacks.numbers()[0], stacks.numbers()[3]);
    let damaged = read(&file(&more)).expect_err("a list that ends inside a number");
    assert_eq!(damaged.kind, ErrorKind::Damaged);

    let limits = Limits {
        stack_depth: 2,
        ..Limits::default()
    };
    let cut = Profile::read(&file(&more[..4]), &limits).expect("valid");
    assert!(
        cut.problems[0].starts_with("3 samples"),
        "{:?}",
        cut.problems
    );
    let limits = Limits {
        frames: 10,
        ..Limits::default()
    };
    let error = Profile::read(&file(&more[..4]), &limits).expect_err("11 frames");
    assert_eq!(error.kind, ErrorKind::TooLarge);
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
            "several concatenated profiles",
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
            "run description is damaged",
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

/// One more than fits is refused with the limit's own number; exactly as many are read.
#[test]
fn each_limit_holds_at_its_boundary() {
    let function = |id: u64| message(5, &[number(1, id), number(2, 4)]);
    let location = |id: u64, lines: usize| {
        let line = message(4, &[number(1, 1), number(2, 1)]);
        message(4, &[number(1, id), line.repeat(lines)])
    };
    let sample = |more: &[Vec<u8>]| message(2, &[number(1, 1), number(2, 1), more.concat()]);
    let label = message(3, &[number(1, 1), number(2, 2)]);
    let types = |count: usize| {
        let types = message(1, &[number(1, 1), number(2, 2)]).repeat(count);
        let values = number(2, 1).repeat(count);
        [types, message(2, &[number(1, 1), values])].concat()
    };
    let tight = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        limits
    };
    let base_types = || {
        base()
            .into_iter()
            .filter(|(name, _)| *name != "type" && *name != "sample")
    };
    let without_types = |part: Vec<u8>| -> Vec<u8> {
        let rest = base_types().flat_map(|(_, bytes)| bytes);
        part.into_iter().chain(rest).collect()
    };
    let depth = |count: usize| sample(&[text(1, &vec![1; count])]);
    let rows: Vec<(&str, Limits, Vec<u8>, Vec<u8>)> = vec![
        (
            "strings",
            tight(|l| l.strings = 7),
            with("more", text(6, b"a").repeat(2)),
            with("more", text(6, b"a").repeat(3)),
        ),
        (
            "at most 9",
            tight(|l| l.string_bytes = 9),
            with("more", text(6, &[b'a'; 9])),
            with("more", text(6, &[b'a'; 10])),
        ),
        (
            "samples",
            tight(|l| l.records = 3),
            with("more", sample(&[]).repeat(2)),
            with("more", sample(&[]).repeat(3)),
        ),
        (
            "functions",
            tight(|l| l.records = 3),
            with("more", [2, 3].map(function).concat()),
            with("more", [2, 3, 4].map(function).concat()),
        ),
        (
            "locations",
            tight(|l| l.records = 3),
            with("more", [2, 3].map(|id| location(id, 0)).concat()),
            with("more", [2, 3, 4].map(|id| location(id, 0)).concat()),
        ),
        (
            "mappings",
            tight(|l| l.mappings = 2),
            with("more", message(3, &[number(1, 2)])),
            with(
                "more",
                [2, 3].map(|id| message(3, &[number(1, id)])).concat(),
            ),
        ),
        (
            "frames in all stacks",
            tight(|l| l.frames = 9),
            with("more", depth(7)),
            with("more", depth(8)),
        ),
        (
            "lines in one location",
            Limits::default(),
            with("more", location(2, 1024)),
            with("more", location(2, 1025)),
        ),
        (
            "lines",
            tight(|l| l.lines = 9),
            with("more", location(2, 8)),
            with("more", location(2, 9)),
        ),
        (
            "sample types",
            Limits::default(),
            without_types(types(64)),
            without_types(types(65)),
        ),
        (
            "labels in one sample",
            Limits::default(),
            with("more", sample(&[label.repeat(256)])),
            with("more", sample(&[label.repeat(257)])),
        ),
        (
            "labels",
            tight(|l| l.labels = 4),
            with("more", sample(&[label.repeat(4)])),
            with("more", sample(&[label.repeat(5)])),
        ),
        (
            "comments",
            tight(|l| l.comments = 2),
            with("more", number(13, 1).repeat(2)),
            with("more", number(13, 1).repeat(3)),
        ),
        (
            "MiB",
            tight(|l| l.inflated_bytes = 4 << 20),
            filled_to(4 << 20),
            filled_to((4 << 20) + 1),
        ),
    ];
    for (name, limits, fits, exceeds) in rows {
        let read = Profile::read(&fits, &limits);
        assert!(read.is_ok(), "{name}: {:?}", read.err());
        let error = Profile::read(&exceeds, &limits).expect_err(name);
        assert_eq!(error.kind, ErrorKind::TooLarge, "{name}: {error}");
        assert!(error.message.contains(name), "{name}: {error}");
    }
}

/// A valid profile of exactly so many bytes, the last of them in a field that nobody knows.
fn filled_to(bytes: usize) -> Vec<u8> {
    let profile = with("more", vec![]);
    let around = message(20, &[vec![0; bytes]]).len() - bytes;
    let filled = [
        profile.clone(),
        text(20, &vec![0; bytes - profile.len() - around]),
    ]
    .concat();
    assert_eq!(filled.len(), bytes);
    filled
}

#[test]
fn the_limits_are_those_that_are_promised() {
    let limits = Limits::default();
    assert_eq!(limits.inflated_bytes, 256 << 20);
    assert_eq!((limits.strings, limits.string_bytes), (2_000_000, 1 << 20));
    assert_eq!((limits.records, limits.frames), (2_000_000, 64_000_000));
    assert_eq!(
        (limits.stack_depth, limits.lines_per_location),
        (2048, 1024)
    );
    assert_eq!((limits.sample_types, limits.labels_per_sample), (64, 256));
}
