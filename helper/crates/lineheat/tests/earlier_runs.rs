//! What a comparison of one execution each learns from the runs beside them. Under real BPF.

mod support;

use std::path::Path;
use std::process::Command;

use support::{Program, can_record, lineheat};

fn method(base: &Path, new: &Path) -> String {
    let mut command = lineheat(&["diff", "--json"]);
    let output = command.arg(base).arg("--against").arg(new).output();
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
    let runs: Vec<_> = (0..4)
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
    let known = method(&runs[2], &runs[3]);
    assert!(known.contains("in 2 earlier recordings"), "{known}");

    let elsewhere = tempfile::tempdir().unwrap();
    let alone = [2, 3].map(|run| {
        let path = elsewhere.path().join(format!("{run}.pb.gz"));
        std::fs::copy(&runs[run], &path).unwrap();
        path
    });
    let unknown = method(&alone[0], &alone[1]);
    assert!(unknown.contains("is unknown; 9 % is assumed"), "{unknown}");
}
