//! Compiles the programs of `tests/programs` with the machine's own compilers and asks other tools what they see.
#![allow(dead_code)] // Each test program uses a part.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object, ObjectSection};

pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

pub fn run(command: &mut Command) -> String {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds `source` into `folder` and gives the program's path.
pub fn compiled(folder: &Path, compiler: &str, source: &str, flags: &[&str]) -> PathBuf {
    let output = folder.join("program");
    run(Command::new(compiler)
        .arg(program(source))
        .args(flags)
        .arg("-o")
        .arg(&output));
    output
}

/// Addresses spread over the program's code.
pub fn code_addresses(path: &Path, step: usize) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let text = file.section_by_name(".text").unwrap();
    (text.address()..text.address() + text.size())
        .step_by(step)
        .collect()
}

#[derive(Clone, Copy)]
pub enum Peer {
    Binutils,
    Llvm,
}

/// What `addr2line -i -f` says: of each address, `(function, file, line)` from the innermost frame on.
pub fn peer(peer: Peer, path: &Path, vaddrs: &[u64]) -> Vec<Vec<(String, String, u32)>> {
    let mut child = Command::new(match peer {
        Peer::Binutils => "addr2line",
        Peer::Llvm => "llvm-addr2line",
    })
    .args(["-a", "-i", "-f", "-e"])
    .arg(path)
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut input = child.stdin.take().unwrap();
    let asked: String = vaddrs.iter().map(|vaddr| format!("{vaddr:#x}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut chains: Vec<Vec<(String, String, u32)>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            chains.push(Vec::new());
            continue;
        }
        let place = lines.next().unwrap();
        let place = place.split(" (discriminator").next().unwrap();
        let (file, number) = place.rsplit_once(':').unwrap();
        chains.last_mut().unwrap().push((
            line.to_owned(),
            file.to_owned(),
            number.parse().unwrap_or(0),
        ));
    }
    assert_eq!(chains.len(), vaddrs.len());
    chains
}
