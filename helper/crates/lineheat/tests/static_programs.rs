//! Statically linked programs load no library, so what they allocate is not sampled: the run says why, and what helps.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::memory::{problems_of, samples_of};
use crate::support::{can_record, lineheat};
use profile::Profile;

const IN_C: &str = "#include <stdlib.h>\nstatic void *volatile sink;\n\
    int main(void) { for (int i = 0; i < 100000; i++) sink = malloc(1000); return 0; }\n";
const IN_RUST: &str = "fn main() { let all: Vec<Vec<u8>> = (0..100_000).map(|_| vec![1; 1000]).collect();\n\
    std::process::exit(i32::from(all.len() != 100_000)); }\n";

/// None: the compiler is not there.
fn compile(folder: &Path, name: &str, compiler: &[&str], source: &str) -> Option<PathBuf> {
    let extension = if compiler[0] == "rustc" { "rs" } else { "c" };
    let (program, file) = (
        folder.join(name),
        folder.join(format!("{name}.{extension}")),
    );
    std::fs::write(&file, source).expect("written");
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).arg("-o").arg(&program);
    let Ok(compiled) = command.arg(&file).output() else {
        eprintln!("SKIPPED: {} is not installed.", compiler[0]);
        return None;
    };
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    Some(program)
}

#[test]
fn static_programs_of_each_c_library_say_why_and_what_helps() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, compiler, source) in [
        ("of-glibc", &["gcc", "-O1", "-static"][..], IN_C),
        ("of-glibc-pie", &["gcc", "-O1", "-static-pie"], IN_C),
        ("of-musl", &["musl-gcc", "-O1", "-static"], IN_C),
        (
            "of-rust",
            &["rustc", "-O", "-Ctarget-feature=+crt-static"],
            IN_RUST,
        ),
    ] {
        let Some(program) = compile(folder.path(), name, compiler, source) else {
            continue;
        };
        let run = folder.path().join("run.pb.gz");
        let recorded = lineheat(&["record", "--alloc", "--output"])
            .arg(&run)
            .arg("--")
            .arg(&program)
            .output()
            .expect("lineheat runs");
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert!(said.contains("exited with 0"), "{said}");
        let profile = Profile::open(&run).expect("a run");
        let problems = problems_of(&profile);
        let why = format!(
            "What {name} allocates was not recorded: it is statically linked and cannot load the library that samples it."
        );
        for part in [why.as_str(), "Link it dynamically", "otel_memory:alloc"] {
            assert!(problems.contains(part), "{name}: {problems}");
            assert!(said.contains(part), "{name}, at once: {said}");
        }
        assert_eq!(samples_of(&profile).len(), 0, "{name}: nothing is guessed");
    }
}
