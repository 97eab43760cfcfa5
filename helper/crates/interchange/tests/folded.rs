//! Folded stacks of real tools have their known totals; damaged and hostile ones are shown or refused with their cause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use profile::{ErrorKind, Profile, ProfileError};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/exchange")
        .join(name)
}

fn opened(text: &[u8]) -> Result<Profile, ProfileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stacks.txt");
    std::fs::write(&path, text).unwrap();
    interchange::open(&path, |_| Vec::new())
}

fn measures(profile: &Profile) -> Vec<(String, String)> {
    (profile.measures().into_iter())
        .map(|of| (of.name, of.unit))
        .collect()
}

/// By "name file:line" of the innermost frame.
fn leaves(profile: &Profile, measure: usize) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for sample in 0..profile.samples.len() {
        let leaf = profile.samples.stack(sample).first().map(|&location| {
            let line = profile.locations.lines_of(location)[0];
            let function = profile.functions[line.function as usize];
            let [name, file] = [function.name, function.filename].map(|id| profile.text(id));
            format!("{name} {file}:{}", line.line)
        });
        *sums.entry(leaf.unwrap_or_default()).or_default() += profile.value(sample, measure);
    }
    sums
}

#[test]
fn a_file_of_py_spy_has_its_samples_on_their_lines() {
    let profile = interchange::open(&fixture("churn.py-spy.folded.txt"), |_| Vec::new()).unwrap();
    assert_eq!(
        measures(&profile),
        [("samples".to_owned(), "count".to_owned())]
    );
    assert_eq!(profile.total(0), 142);
    let leaves = leaves(&profile, 0);
    assert_eq!(leaves["turn churn.py:6"], 69);
    assert_eq!(leaves["turn churn.py:7"], 25);
}

#[test]
fn a_file_of_austin_has_its_times_on_their_lines_and_threads() {
    let profile = interchange::open(&fixture("churn.austin.txt"), |_| Vec::new()).unwrap();
    let names: Vec<String> = measures(&profile).into_iter().map(|of| of.0).collect();
    assert_eq!(names, ["samples", "wall"]);
    assert_eq!(profile.default_measure(), 1);
    assert_eq!(profile.total(1), 3_824_353_000);
    let leaf = |line: &str| -> u64 {
        (leaves(&profile, 1).iter())
            .filter(|(place, _)| place.starts_with("turn ") && place.ends_with(line))
            .map(|(_, time)| time)
            .sum()
    };
    assert_eq!(leaf(":6"), 1_833_148_000);
    let labels = profile.samples.labels_of(0);
    let pid = labels.iter().find(|label| profile.text(label.key) == "pid");
    assert_eq!(pid.map(|label| label.number), Some(7596));
}

#[test]
fn counts_marks_and_comments_are_understood() {
    let profile = opened(b"# made by hand\nmain;f(int, char);add_[i];twice_[i] 3\n\nmain;read;sys_read_[k] 4\r\nmain;f(int, char);add_[i];twice_[i] 5\n 2\n").unwrap();
    assert_eq!(profile.total(0), 14);
    assert_eq!(profile.samples.len(), 3, "equal stacks are one");
    let inlined = profile.locations.lines_of(profile.samples.stack(0)[0]);
    let names: Vec<&str> = (inlined.iter())
        .map(|line| profile.text(profile.functions[line.function as usize].name))
        .collect();
    assert_eq!(names, ["twice", "add", "f(int, char)"]);
    let kernel = profile.samples.stack(1)[0];
    let mapping = profile.locations.mapping[kernel as usize];
    assert_eq!(
        profile.text(profile.mappings[mapping as usize].filename),
        "[kernel]"
    );
    assert!(profile.samples.stack(2).is_empty());
}

#[test]
fn a_differential_file_has_both_counts() {
    let profile = opened(b"main;f 10 12\nmain;g 0 4\n").unwrap();
    let names: Vec<String> = measures(&profile).into_iter().map(|of| of.0).collect();
    assert_eq!(names, ["before", "samples"]);
    assert_eq!([profile.total(0), profile.total(1)], [10, 16]);
}

#[test]
fn what_is_no_list_of_stacks_is_not_taken_for_one() {
    for text in [
        "int main(void) { return 0; }\n",
        "a line;\nwith no number\n",
        "fl=a.c\nfn=main\n12 400\n",
        "alone 12\n",
        "{\"a\": \"b;c 1\"}\n",
    ] {
        let error = opened(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotAProfile, "{text}: {error}");
    }
}

#[test]
fn a_damaged_line_is_named_and_too_much_is_refused() {
    let mut text = "main;f 1\n".repeat(60);
    text.push_str("main;g 1.5\n");
    let error = opened(text.as_bytes()).unwrap_err();
    assert!(
        error.message.ends_with("Line 61 of the folded stacks has no whole number behind its last space: \"main;g 1.5\"."),
        "{error}"
    );
    let error = opened(b"main;f 1.5\nmain;g 2\n").unwrap_err();
    assert!(
        error
            .message
            .contains("Line 1 of the folded stacks has no whole number"),
        "{error}"
    );
    let error = opened(b"main;f 9007199254740991\nmain;g 1\n").unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    assert!(error.message.contains("up to line 2"), "{error}");

    let deep = format!("{}leaf 7\n", "f;".repeat(5000));
    let profile = opened(deep.as_bytes()).unwrap();
    assert_eq!(profile.samples.stack(0).len(), 2048);
    assert_eq!(leaves(&profile, 0)["leaf :0"], 7);
    assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % limit
    };
    let files = ["churn.py-spy.folded.txt", "churn.austin.txt"]
        .map(|name| std::fs::read(fixture(name)).unwrap());
    let (mut shown, mut refused) = (0, 0);
    for round in 0..500 {
        let mut bytes = files[round % 2].clone();
        for _ in 0..=below(4) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.drain(at..(at + 1 + below(200)).min(bytes.len()))),
                _ => bytes.insert(at, [b';', b' ', b'\n', b'9', 0xff][below(5)]),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        match opened(&bytes) {
            Ok(profile) => {
                shown += 1;
                let sum: u64 = leaves(&profile, 0).values().sum();
                assert_eq!(sum, profile.total(0));
            }
            Err(error) => {
                refused += 1;
                assert!(error.message.len() > 30, "{error}");
            }
        }
    }
    assert!(
        shown > 50 && refused > 50,
        "{shown} shown, {refused} refused"
    );
}
