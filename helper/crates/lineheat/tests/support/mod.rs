//! Compiles the programs of known answer, records them for real, and looks into the run.
#![allow(dead_code)] // Each test program uses a part.

pub mod cpu_time;
pub mod executables;
pub mod halves;
pub mod libraries;
pub mod memory;
pub mod memory_group;
pub mod sleeping_files;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use profile::Profile;

/// Records under real BPF. When this machine truly cannot, says so and gives None; under CI that is a failure.
pub fn can_record() -> bool {
    let output = lineheat(&["doctor", "--json"]).output();
    let output = output.expect("lineheat runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks");
    if checks
        .iter()
        .any(|c| c["id"] == "recording" && c["state"] == "ok")
    {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "recording must work in CI:\n{report:#}"
    );
    eprintln!("SKIPPED: this machine cannot record, so nothing was tested.\n{report:#}");
    false
}

pub fn lineheat(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineheat"));
    command.args(args);
    command
}

pub struct Program {
    pub path: PathBuf,
    source: String,
    pub directory: tempfile::TempDir,
}

impl Program {
    /// gcc -O2, no frame pointers, line tables.
    pub fn compile(name: &str) -> Program {
        let mut compiler = Command::new("gcc");
        compiler.args(["-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o"]);
        Program::compile_by(compiler, name, "c")
    }

    pub fn compile_go(name: &str) -> Program {
        let mut compiler = Command::new("go");
        compiler.args(["build", "-o"]).env("CGO_ENABLED", "0");
        Program::compile_by(compiler, name, "go")
    }

    /// By another `go`, with other arguments.
    pub fn compile_go_by(go: &Path, name: &str, arguments: &[&str]) -> Program {
        let mut compiler = Command::new(go);
        compiler.arg("build").args(arguments).arg("-o");
        compiler.env("CGO_ENABLED", "0").env("GOTOOLCHAIN", "local");
        Program::compile_by(compiler, name, "go")
    }

    pub fn compile_cpp(name: &str) -> Program {
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-O2", "-g", "-fomit-frame-pointer", "-o"]);
        Program::compile_by(compiler, name, "cpp")
    }

    pub fn compile_rust(name: &str) -> Program {
        let mut compiler = Command::new("rustc");
        compiler.args(["--edition", "2024", "-O", "-g", "-o"]);
        Program::compile_by(compiler, name, "rs")
    }

    /// The compiler's arguments end before the program and its source.
    pub fn compile_by(mut compiler: Command, name: &str, extension: &str) -> Program {
        let source_path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../tests/programs/{name}.{extension}"));
        let source_path = source_path
            .canonicalize()
            .expect("the program's source exists");
        let directory = tempfile::tempdir().expect("a temporary folder");
        let path = directory.path().join(name);
        let compiled = compiler
            .args([&path, &source_path])
            .output()
            .expect("the compiler is installed");
        assert!(
            compiled.status.success(),
            "{}",
            String::from_utf8_lossy(&compiled.stderr)
        );
        let source = std::fs::read_to_string(&source_path).expect("readable");
        Program {
            path,
            source,
            directory,
        }
    }

    /// The 1-based line that holds the marker comment.
    pub fn line_of(&self, marker: &str) -> u32 {
        let at = self.source.lines().position(|l| l.contains(marker));
        at.unwrap_or_else(|| panic!("no line with {marker:?}")) as u32 + 1
    }

    pub fn run_path(&self) -> PathBuf {
        self.directory.path().join("run.pb.gz")
    }

    /// Runs `lineheat record` with these options on the program.
    pub fn record(&self, options: &[&str]) -> (Profile, Output) {
        let run = self.run_path();
        let output = lineheat(&["record", "--output"])
            .arg(&run)
            .args(options)
            .arg("--")
            .arg(&self.path)
            .output()
            .expect("lineheat runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"));
        (profile, output)
    }
}

/// A frame by name and line, inlined frames included.
pub type NamedFrame<'a> = (&'a str, u32);

/// Count, frames from the leaf, labels.
pub type NamedSample<'a> = (u64, Vec<NamedFrame<'a>>, Vec<(&'a str, String)>);

/// Every sample of a run: small programs only.
pub fn samples(profile: &Profile) -> Vec<NamedSample<'_>> {
    let count = profile
        .find_sample_type("samples", "count")
        .expect("counted");
    (0..profile.samples.len())
        .map(|sample| {
            let lines = profile
                .samples
                .stack(sample)
                .iter()
                .flat_map(|l| profile.locations.lines_of(*l));
            let frames = lines
                .map(|l| {
                    (
                        profile.text(profile.functions[l.function as usize].name),
                        l.line,
                    )
                })
                .collect();
            let labels = profile.samples.labels_of(sample).iter();
            let labels = labels.map(|l| {
                let value = if l.text == 0 {
                    l.number.to_string()
                } else {
                    profile.text(l.text).to_owned()
                };
                (profile.text(l.key), value)
            });
            (profile.value(sample, count), frames, labels.collect())
        })
        .collect()
}

/// Share of the samples for which the test on their frames holds.
pub fn share(profile: &Profile, holds: impl Fn(&[NamedFrame<'_>]) -> bool) -> f64 {
    let samples = samples(profile);
    let total: u64 = samples.iter().map(|(n, ..)| n).sum();
    let matching: u64 = samples
        .iter()
        .filter(|(_, frames, _)| holds(frames))
        .map(|(n, ..)| n)
        .sum();
    matching as f64 / total as f64
}
