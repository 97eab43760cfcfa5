//! What a comparison of one execution each learns from the runs beside them. Under real BPF.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Program, can_record, lineheat};

fn method(base: &[PathBuf], new: &[PathBuf]) -> String {
    let mut command = lineheat(&["diff", "--json"]);
    let output = command.args(base).arg("--against").args(new).output();
    let output = output.unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}\n{told}"));
    json["method"].as_str().unwrap().to_owned()
}

#[test]
fn earlier_recordings_of_the_program_tell_how_much_it_varies() {
    if !can_record() {
        return;
    }
    let program = Program::compile("three_parts");
    let folder = program.directory.path();
    let runs: Vec<_> = (0..8)
        .map(|run| {
            let path = folder.join(format!("{run}.pb.gz"));
            let mut command = lineheat(&["record", "--output"]);
            command.arg(&path).arg("--").arg(&program.path).arg("60");
            assert!(command.output().unwrap().status.success());
            path
        })
        .collect();
    // Whatever else lies there is passed over.
    std::fs::copy(&runs[0], folder.join("copy.pb.gz")).unwrap();
    std::fs::write(folder.join("broken.pb.gz"), b"\x1f\x8b nothing").unwrap();
    let fifo = folder.join("fifo.pb.gz");
    assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let known = method(&runs[6..7], &runs[7..]);
    assert!(known.contains("in 6 earlier recordings"), "{known}");

    let few = method(&runs[4..6], &runs[6..]);
    assert!(
        few.contains("in 4 earlier recordings") && few.contains("at least as much"),
        "{few}"
    );
    let in_turns = [4, 6].map(|run| runs[run].clone());
    let in_turns = method(&in_turns, &[runs[5].clone(), runs[7].clone()]);
    assert!(
        in_turns.contains("alternately") && !in_turns.contains("earlier"),
        "{in_turns}"
    );
    let not_enough = method(&runs[2..5], &runs[5..]);
    assert!(!not_enough.contains("earlier"), "{not_enough}");

    let elsewhere = tempfile::tempdir().unwrap();
    let alone = [6, 7].map(|run| {
        let path = elsewhere.path().join(format!("{run}.pb.gz"));
        std::fs::copy(&runs[run], &path).unwrap();
        path
    });
    let unknown = method(&alone[..1], &alone[1..]);
    assert!(unknown.contains("is unknown; 9 % is assumed"), "{unknown}");
}
