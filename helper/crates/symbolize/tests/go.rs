//! Go programs: by their debug information, and by the table of the runtime when that was left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{code_addresses, program, run};
use symbolize::{Frame, Language, ModuleFile, ModuleSymbols, symbolize_module};

/// The go command builds for each without anything else.
const MACHINES: [&str; 2] = ["amd64", "arm64"];

fn built(folder: &Path, machine: &str, flags: &[&str]) -> PathBuf {
    let output = folder.join("program");
    run(Command::new("go")
        .arg("build")
        .args(flags)
        .arg("-o")
        .arg(&output)
        .arg(".")
        .current_dir(program("go"))
        .env("GOARCH", machine)
        .env("GOFLAGS", "-buildvcs=false")
        .env("CGO_ENABLED", "0"));
    output
}

fn shown(chain: &[Frame]) -> Vec<String> {
    let file = |frame: &Frame| {
        let file = frame.file.as_deref().unwrap_or("?");
        file.rsplit('/').next().unwrap().to_owned()
    };
    (chain.iter())
        .map(|frame| {
            let inlined = if frame.inlined { " inlined" } else { "" };
            format!("{} {}:{}{inlined}", frame.name, file(frame), frame.line)
        })
        .collect()
}

const INLINED: [&str; 3] = [
    "main.add main.go:7 inlined",
    "main.twice main.go:11 inlined",
    "main.sumTo main.go:18",
];

fn check(flags: &[&str], is_stripped: bool) {
    for machine in MACHINES {
        check_on(machine, flags, is_stripped);
    }
}

fn check_on(machine: &str, flags: &[&str], is_stripped: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = built(folder.path(), machine, flags);
    let symbols: ModuleSymbols =
        symbolize_module(&ModuleFile::at_path(&path), &code_addresses(&path, 1));
    let mut chains: Vec<Vec<String>> = (symbols.chains.iter())
        .filter(|chain| chain.last().is_some_and(|frame| frame.name == "main.sumTo"))
        .map(|chain| shown(chain))
        .collect();
    chains.sort();
    chains.dedup();
    assert!(
        chains.iter().any(|chain| chain == &INLINED),
        "{machine} {flags:?}: {chains:#?}"
    );
    assert!(symbols.has_lines);
    assert_eq!(symbols.language, Language::Go);
    assert_eq!(symbols.problem, None);
    assert_eq!(symbols.producers.is_empty(), is_stripped);
    // Nearly all of a Go program is Go.
    let known = symbols
        .chains
        .iter()
        .filter(|chain| !chain.is_empty())
        .count();
    assert!(
        known * 100 > symbols.chains.len() * 95,
        "{machine} {flags:?}: {known} known"
    );
}

#[test]
fn with_debug_information() {
    check(&[], false);
}

#[test]
fn without_debug_information() {
    check(&["-ldflags=-w"], true);
    check(&["-ldflags=-s -w"], true);
    check(&["-ldflags=-s -w", "-trimpath"], true);
}

#[test]
fn position_independent() {
    check(&["-ldflags=-s -w", "-buildmode=pie"], true);
}
