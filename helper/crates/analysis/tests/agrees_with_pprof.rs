//! Self and total of every function and line are those of `go tool pprof`, to the sample.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Chance, profile_of};
use analysis::{Amounts, Analyzed, function_table, line_table};
use profile::{Profile, save};

/// Where Go's own installer puts it, when PATH does not have it.
const GO_PLACES: [&str; 2] = ["go", "/usr/local/go/bin/go"];

/// Without Go there is nothing to agree with: said aloud, and an error on a build machine.
fn go() -> Option<&'static str> {
    let found = GO_PLACES
        .into_iter()
        .find(|go| Command::new(go).arg("version").output().is_ok());
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "Go is not installed, so agreement with pprof cannot be tested"
        );
        eprintln!(
            "NOT TESTED: Go is not installed, so agreement with `go tool pprof` is not known"
        );
    }
    found
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn pprof(go: &str, arguments: &[&str], file: &Path) -> String {
    output(
        Command::new(go)
            .args([
                "tool",
                "pprof",
                "-symbolize=none",
                "-nodecount=0",
                "-nodefraction=0",
                "-edgefraction=0",
            ])
            .args(["-sample_index=samples"])
            .args(arguments)
            .arg(file),
    )
}

/// By function name: (self, total) samples, as `-top` prints them.
fn tops(text: &str) -> BTreeMap<String, (u64, u64)> {
    (text.lines())
        .skip_while(|line| !line.contains("flat%"))
        .skip(1)
        .map(|line| {
            let mut words = line.split_whitespace();
            let number =
                |word: Option<&str>| word.expect("a number").parse::<u64>().expect("samples");
            let flat = number(words.next());
            let cum = number(words.nth(2));
            words.next();
            let name: Vec<&str> = words.collect();
            (
                name.join(" ")
                    .trim_end_matches(" (inline)")
                    .trim_end_matches(" (partial-inline)")
                    .to_owned(),
                (flat, cum),
            )
        })
        .collect()
}

fn samples(amounts: Amounts) -> (u64, u64) {
    (amounts.self_.samples, amounts.total.samples)
}

fn our_functions(analyzed: &Analyzed) -> BTreeMap<String, (u64, u64)> {
    (function_table(analyzed, analyzed.default_measure()).iter())
        .map(|row| {
            let name = analyzed.text(analyzed.function(row.function).name);
            (
                name.split_whitespace().collect::<Vec<_>>().join(" "),
                samples(row.amounts),
            )
        })
        .collect()
}

/// By file name and line: (self, total) samples, as `-list` prints them; "." is none.
fn listed(text: &str) -> BTreeMap<(String, u32), (u64, u64)> {
    let mut lines = BTreeMap::new();
    let mut file = "";
    for line in text.lines() {
        if let Some(routine) = line.strip_prefix("ROUTINE") {
            file = routine.rsplit([' ', '/']).next().expect("a path");
            continue;
        }
        let Some((numbers, _)) = line.split_once(':') else {
            continue;
        };
        let words: Vec<&str> = numbers.split_whitespace().collect();
        if let [flat, cum, line] = words[..]
            && let Ok(line) = line.parse::<u32>()
        {
            let number = |word: &str| word.parse::<u64>().unwrap_or(0);
            if number(cum) > 0 {
                lines.insert((file.to_owned(), line), (number(flat), number(cum)));
            }
        }
    }
    lines
}

#[test]
fn functions_and_lines_of_profiles_made_by_chance() {
    let Some(go) = go() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in 0..3 {
        let text: String = (1..=100).map(|line| format!("line {line}\n")).collect();
        fs::write(folder.path().join(format!("{file}.c")), text).expect("written");
    }
    for seed in 1..=5 {
        let profile = profile_of(&Chance(seed * 77_777).profile_text(seed * 40));
        let path = folder.path().join(format!("{seed}.pb.gz"));
        save(&profile, &path).expect("saved");
        let analyzed = Analyzed::new(profile);

        let theirs = tops(&pprof(go, &["-top"], &path));
        assert!(
            theirs.len() >= 15,
            "pprof listed {} functions",
            theirs.len()
        );
        assert_eq!(our_functions(&analyzed), theirs);

        let source_path = format!("-source_path={}", folder.path().display());
        let theirs = listed(&pprof(
            go,
            &["-list=.", &source_path, "-trim_path=/src"],
            &path,
        ));
        let ours: BTreeMap<(String, u32), (u64, u64)> = (line_table(&analyzed, 1).iter())
            .map(|row| {
                let file = analyzed
                    .file_path(row.place.file)
                    .rsplit('/')
                    .next()
                    .expect("a path");
                ((file.to_owned(), row.place.line), samples(row.amounts))
            })
            .collect();
        assert!(theirs.len() >= 20, "pprof listed {} lines", theirs.len());
        assert_eq!(ours, theirs);
    }
}

const PROGRAM: &str = r#"package main

import (
	"os"
	"runtime/pprof"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(file)
	for start := time.Now(); time.Since(start) < time.Second; {
		fib(25)
	}
	pprof.StopCPUProfile()
	file.Close()
}
"#;

#[test]
fn a_profile_that_go_wrote() {
    let Some(go) = go() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path: PathBuf = folder.path().join("cpu.pprof");
    fs::write(folder.path().join("main.go"), PROGRAM).expect("written");
    output(
        Command::new(go)
            .current_dir(folder.path())
            .args(["run", "main.go"])
            .arg(&path),
    );

    let analyzed = Analyzed::new(Profile::open(&path).expect("a valid profile"));
    assert!(analyzed.profile().is_foreign());
    assert_eq!(analyzed.value_name(analyzed.default_measure()), "cpu");
    assert!(analyzed.total(1).samples > 0);
    let ours = our_functions(&analyzed);
    assert_eq!(ours, tops(&pprof(go, &["-top"], &path)));
    assert!(ours["main.fib"].0 > 0, "{ours:?}");
}
