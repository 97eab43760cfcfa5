//! Go keeps how far the stack pointer has moved beside the debug information, too: a stripped program's rows are those of the whole one.

use std::path::{Path, PathBuf};
use std::process::Command;

use unwind::{Row, rows_of_elf};

/// The go command builds for each without anything else.
const MACHINES: [&str; 2] = ["amd64", "arm64"];

fn rows(machine: &str, flags: &[&str], folder: &Path) -> Vec<Row> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/stacks.go");
    let program: PathBuf = folder.join("program");
    let output = Command::new("go")
        .arg("build")
        .args(flags)
        .arg("-o")
        .args([&program, &source])
        .env("GOARCH", machine)
        .env("CGO_ENABLED", "0")
        .output()
        .expect("go is installed");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    rows_of_elf(&std::fs::read(program).unwrap()).unwrap()
}

/// The row that holds at an address.
fn row_at(rows: &[Row], address: u64) -> Option<&Row> {
    rows[..rows.partition_point(|row| row.vaddr <= address)].last()
}

#[test]
fn rows_of_a_stripped_program_are_those_of_the_whole_one() {
    for machine in MACHINES {
        let folder = tempfile::tempdir().unwrap();
        let whole = rows(machine, &[], folder.path());
        let stripped = rows(machine, &["-ldflags=-s -w"], folder.path());
        assert!(whole.len() > 5000, "{machine}: {}", whole.len());
        let differ: Vec<_> = (whole.iter())
            .map(|row| (row, row_at(&stripped, row.vaddr)))
            .filter(|(row, other)| other.is_none_or(|other| other.rule != row.rule))
            .collect();
        let few: Vec<_> = differ.iter().take(5).collect();
        assert!(
            differ.len() * 1000 < whole.len(),
            "{machine}: {} of {} differ: {few:x?}",
            differ.len(),
            whole.len()
        );
    }
}
