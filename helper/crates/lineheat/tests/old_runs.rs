//! Runs that earlier builds wrote open with the figures that those builds gave.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs")
}

fn report(run: &Path, rows: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .arg("report")
        .arg(run)
        .args([&format!("--{rows}"), "--json"])
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Paths of source files are left out of what was kept.
fn without_files(mut report: Value, rows: &str) -> Value {
    for row in report[rows].as_array_mut().expect("rows") {
        row.as_object_mut().expect("a row").remove("file");
    }
    report
}

#[test]
fn runs_of_earlier_builds_have_the_figures_of_then() {
    let mut tried = 0;
    for entry in std::fs::read_dir(folder()).expect("the runs") {
        let expected = entry.expect("a file").path();
        if expected
            .extension()
            .is_none_or(|extension| extension != "json")
        {
            continue;
        }
        let text = std::fs::read_to_string(&expected).expect("readable");
        let then: Value = serde_json::from_str(&text).expect("JSON");
        for rows in ["functions", "lines", "tree"] {
            let now = report(&expected.with_extension("pb.gz"), rows);
            let now = without_files(now, rows);
            assert_eq!(now, then[rows], "{rows} of {}", expected.display());
            tried += 1;
        }
    }
    assert_eq!(tried, 6);
}
