//! A note that concerns one measure is in the report of that measure; other reports say how to see it, and JSON has all.

use std::path::Path;
use std::process::Command;

use profile::{ProfileBuilder, RunInfo, note_of_measure, save};

const WAITS: &str = "94.3 % of the 312189 waits were too frequent to find the stack of each.";
const BUILD: &str = "app was built without optimization.";

fn report(run: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .arg("report")
        .arg(run)
        .args(arguments)
        .output()
        .expect("lineheat runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn notes(text: &str) -> Vec<&str> {
    (text.lines())
        .filter_map(|line| line.strip_prefix("note "))
        .map(str::trim)
        .collect()
}

#[test]
fn a_note_is_shown_with_its_measure_and_never_lost() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.pb.gz");
    let types = [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
        ("wait", "nanoseconds"),
        ("waits", "count"),
    ];
    let mut builder = ProfileBuilder::new(&types);
    builder.add_sample(&[], &[900, 900_900_900, 0, 0], &[]);
    builder.add_sample(&[], &[0, 0, 5_000_000, 3], &[]);
    let mut run = RunInfo {
        samples_taken: 900,
        samples_kept: 900,
        problems: vec![WAITS.to_owned(), BUILD.to_owned()],
        ..RunInfo::default()
    };
    note_of_measure(&mut run, "wait", WAITS);
    builder.set_run(run);
    save(&builder.finish(), &path).expect("saved");

    let elsewhere = "1 note on another measure is shown with --measure wait.";
    assert_eq!(notes(&report(&path, &[])), [BUILD, elsewhere]);
    for measure in ["wait", "waits"] {
        let text = report(&path, &["--measure", measure]);
        assert_eq!(notes(&text), [WAITS, BUILD], "{measure}");
    }
    for arguments in [&["--json"][..], &["--json", "--schema", "2"]] {
        let json: serde_json::Value =
            serde_json::from_str(&report(&path, arguments)).expect("JSON");
        assert_eq!(json["problems"], serde_json::json!([WAITS, BUILD]));
    }
}
