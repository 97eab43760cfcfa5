//! Runs every example of the help texts and of the README, as a reader would: through a shell, in a folder that has
//! what the example names. An example that stands in no table here fails.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::support::can_record;
use crate::support::executables::copy_executable;
use profile::{Profile, save};

/// The example, and what its output or its file must hold. After the file's name comes `:`.
const HELP: [(&str, &str); 41] = [
    ("lineheat doctor", "recording"),
    ("lineheat record -- ./program ARGUMENTS", "lineheat: saved"),
    ("lineheat report RUN", "book"),
    ("lineheat annotate RUN file.cpp", "int main"),
    ("lineheat diff OLD-RUN --against NEW-RUN", "book"),
    (
        "lineheat compare-commands -- ./old ::: ./new",
        "by function",
    ),
    ("lineheat sweep --set size=1,2,4 -- ./prog {size}", "size"),
    (
        "lineheat record -- ./build/orders --orders 9",
        "lineheat: saved",
    ),
    ("lineheat record --freq 4999 -- make -j2", "at 4999 Hz"),
    (
        "lineheat record --repeat 100 -- ./build/parse",
        "from 100 executions",
    ),
    (
        r"lineheat record --repeat 9 --work-from 'items: (\d+)' -- ./bench",
        "per unit",
    ),
    (
        "lineheat record --pid 4242 --duration 10",
        "the time limit was reached",
    ),
    ("lineheat record --process postgres", "lineheat: saved"),
    (
        "lineheat sweep --set threads=1,2,4 --set chunk=5000,20000 -- ./prog {threads} {chunk}",
        "20000",
    ),
    (
        "lineheat sweep --set size=1,2,4 --repeat 3 --env RAYON_NUM_THREADS={size} -- ./prog",
        "size",
    ),
    (
        "lineheat sweep --show .lineheat/runs/20261122-*-*.pb.gz --csv table.csv",
        "table.csv:size",
    ),
    ("lineheat report RUN --lines", "ledger.hpp:"),
    ("lineheat report RUN --tree", "calls"),
    ("lineheat report RUN --threads", "thread"),
    (
        "lineheat report RUN --time 2.7-3.1",
        "selected 2.7 to 3.1 s",
    ),
    ("lineheat report RUN --waits", "waiting at"),
    ("lineheat report RUN --json | jq .", "\"functions\""),
    ("lineheat annotate RUN ledger.hpp", "book"),
    ("lineheat annotate RUN ledger.hpp --context 2", "book"),
    ("lineheat diff before.pb.gz --against after.pb.gz", "book"),
    (
        "lineheat diff before.pb.gz --against after.pb.gz --explain",
        "book",
    ),
    (
        "lineheat diff old1 old2 old3 --against new1 new2 new3 --lines",
        "ledger.hpp",
    ),
    (
        "lineheat diff old --against new --fail-on-slower --by 2",
        "book",
    ),
    (
        "lineheat diff old --against new --hide-kernel",
        "kernel hidden",
    ),
    ("lineheat diff RUN --time 2-3 --rest", "all but 2 to 3 s"),
    (
        "lineheat diff RUN --time 2-3 --base-time 0-1",
        "first range",
    ),
    (
        "lineheat convert RUN part.pb.gz --time 2.7-3.1",
        "written to part.pb.gz",
    ),
    (
        "lineheat convert RUN user.pb.gz --hide-kernel",
        "written to user.pb.gz",
    ),
    (
        "lineheat diff old --against new --markdown > comment.md",
        "comment.md:###",
    ),
    (
        "lineheat compare-commands --repeat 10 --warm-up 1 -- ./old input ::: ./new input",
        "by function",
    ),
    (
        "lineheat compare-commands --until 2% -- ./old ::: ./new",
        "by function",
    ),
    (
        "lineheat compare-commands --fail-on-slower -- ./old ::: ./new",
        "by function",
    ),
    (
        "lineheat compare-commands --alloc --measure alloc_space -- ./old ::: ./new",
        "by function",
    ),
    (
        "lineheat completions bash > lineheat.bash",
        "lineheat.bash:compare-commands",
    ),
    (
        "lineheat completions fish > lineheat.fish",
        "lineheat.fish:compare-commands",
    ),
    (
        "lineheat completions zsh > _lineheat",
        "_lineheat:compare-commands",
    ),
];

/// In this order, in one folder.
const README: [(&str, &str); 4] = [
    (
        "lineheat record --output run.pb.gz -- build/orders",
        "the command exited with 0",
    ),
    ("lineheat annotate run.pb.gz src/ledger.hpp", "book"),
    (
        "lineheat report run.pb.gz --limit 3",
        "std::string::compare",
    ),
    (
        "lineheat compare-commands --repeat 3 --output-base tree.pb.gz --output-new hash.pb.gz -- build/orders ::: build/orders --index hash",
        "by function",
    ),
];

/// Spends its time in `book`, of the header; for as many rounds as its first argument says.
const HEADER: &str = "\
#pragma once
__attribute__((noinline)) static double book(double amount) {
  for (int i = 0; i < 1000; i++) amount = amount * 1.0000001 + 0.5;
  return amount;
}
";
const SOURCE: &str = "\
#include \"ledger.hpp\"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int argc, char** argv) {
  int rounds = argc > 2 && argv[1][0] == 'r' ? atoi(argv[2]) : 8000;
  double sum = 0;
  for (int i = 0; i < rounds; i++) sum = book(sum);
  usleep(5000);
  puts(\"items: 100\");
  return sum < 0;
}
";
/// And `old` and `new`, which are programs to other examples.
const RUNS: [&str; 11] = [
    "RUN",
    "OLD-RUN",
    "NEW-RUN",
    "before.pb.gz",
    "after.pb.gz",
    "old1",
    "old2",
    "old3",
    "new1",
    "new2",
    "new3",
];

#[test]
fn every_example_of_the_help_texts_works() {
    if !can_record() {
        return;
    }
    let made = Made::compile();
    let mut seen = BTreeSet::new();
    for command in [
        "",
        "record",
        "sweep",
        "report",
        "annotate",
        "diff",
        "compare-commands",
        "convert",
        "doctor",
        "serve",
        "completions",
    ] {
        for example in examples(&help_of(command)) {
            let known = HELP.iter().find(|(text, _)| *text == example);
            let (_, wanted) = known.unwrap_or_else(|| {
                panic!("`{example}` of `lineheat {command} --help` stands in no table of this test")
            });
            check(&made, &made.folder(), &example, wanted);
            seen.insert(example);
        }
    }
    assert_eq!(
        seen.len(),
        HELP.len(),
        "the table has examples that no help text has"
    );
}

#[test]
fn every_example_of_the_readme_works() {
    if !can_record() {
        return;
    }
    let made = Made::compile();
    let folder = made.folder();
    // The sample that the README records, so what it prints can be found again.
    let sample = root()
        .join("samples/cpp-orders/src")
        .canonicalize()
        .expect("the sample");
    symlink(&sample, folder.path().join("src")).expect("a link");
    let sources = ["main.cpp", "feed.cpp", "pricing.cpp"].map(|name| sample.join(name));
    let program = folder.path().join("build/orders");
    std::fs::remove_file(&program).expect("removed");
    compile(folder.path(), &sources, &program);
    let text = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let found: Vec<&str> = (text.lines())
        .filter_map(|l| l.strip_prefix("$ "))
        .collect();
    assert_eq!(
        found,
        README.map(|(text, _)| text),
        "the table is the README's"
    );
    for (example, wanted) in README {
        check(&made, &folder, example, wanted);
    }
}

/// What clap or a terminal makes of a help text must still be the text: `{n}` would be a line break.
#[test]
fn no_example_is_broken_into_lines() {
    for command in [
        "",
        "record",
        "sweep",
        "report",
        "annotate",
        "diff",
        "compare-commands",
        "completions",
    ] {
        let narrow = Command::new(env!("CARGO_BIN_EXE_lineheat"))
            .args(Some(command).filter(|c| !c.is_empty()))
            .arg("--help")
            .env_remove("COLUMNS")
            .output()
            .expect("lineheat runs");
        let narrow = String::from_utf8(narrow.stdout).expect("UTF-8");
        assert_eq!(examples(&narrow), examples(&help_of(command)));
        assert!(!examples(&narrow).is_empty(), "{command}");
    }
}

/// Commands below `Examples:` and the like, without the remarks behind them.
fn examples(help: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_within = false;
    for line in help.lines() {
        match line {
            "First steps:" | "Example:" | "Examples:" => is_within = true,
            "" => is_within = false,
            line if is_within => {
                let example = line.trim_start();
                assert!(example.starts_with("lineheat "), "{line:?} is no example");
                found.push(example.split("  ").next().expect("one part").to_owned());
            }
            _ => {}
        }
    }
    found
}

fn help_of(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(Some(command).filter(|c| !c.is_empty()))
        .arg("--help")
        .env("COLUMNS", "1000")
        .output()
        .expect("lineheat runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn check(made: &Made, folder: &tempfile::TempDir, example: &str, wanted: &str) {
    let mut other: Option<Child> = None;
    let mut command = example.to_owned();
    if example.contains("--pid") {
        let child = made.start(folder.path(), "program");
        command = command.replace("4242", &child.id().to_string());
        command = command.replace("--duration 10", "--duration 1");
        other = Some(child);
    }
    if example.contains("--process") {
        // A name that no other process has.
        let name = format!("heat{}", std::process::id());
        copy_executable(&made.program, &folder.path().join(&name));
        command = command.replace("postgres", &name);
        // The Ctrl+C of the remark.
        command = format!("timeout --preserve-status -s INT 2 {command}");
        other = Some(made.start(folder.path(), &name));
    }
    if example.contains(" diff ") {
        for name in ["old", "new"] {
            made.copy_run(folder.path(), name);
        }
    }
    if example.contains("--show") {
        shell(
            made,
            folder.path(),
            "lineheat sweep --set size=1,2 -- ./prog {size}",
        );
        command = command.replace("20261122-*-*", "*");
    }
    let output = shell(made, folder.path(), &command);
    if let Some(mut child) = other {
        let _ = child.kill();
        let _ = child.wait();
    }
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    // 1: a slowdown was found, which the example says.
    let statuses: &[i32] = if example.contains("--fail-on-slower") {
        &[0, 1]
    } else {
        &[0]
    };
    let status = output.status.code();
    assert!(
        status.is_some_and(|code| statuses.contains(&code)),
        "`{command}`: {status:?}\n{told}"
    );
    // What an example writes is its last word.
    let file = example.rsplit(' ').next().expect("a name");
    let (text, wanted) = match wanted.split_once(':').filter(|(name, _)| *name == file) {
        Some((_, wanted)) => (
            std::fs::read_to_string(folder.path().join(file)).expect(file),
            wanted,
        ),
        None => (told, wanted),
    };
    assert!(
        text.contains(wanted),
        "`{command}` without {wanted:?}:\n{text}"
    );
}

fn shell(made: &Made, folder: &Path, command: &str) -> Output {
    let path = std::env::var("PATH").expect("PATH");
    Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", made.bin.display()))
        .output()
        .expect("sh runs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// What the examples name, made once.
struct Made {
    /// Has the engine by its name.
    bin: PathBuf,
    program: PathBuf,
    /// Of the program, the second thrice as long.
    runs: [PathBuf; 2],
    /// Goes with the test.
    _place: tempfile::TempDir,
}

impl Made {
    fn compile() -> Made {
        let place = tempfile::tempdir().expect("a temporary folder");
        let bin = place.path().join("bin");
        std::fs::create_dir(&bin).expect("a folder");
        symlink(env!("CARGO_BIN_EXE_lineheat"), bin.join("lineheat")).expect("a link");
        std::fs::write(place.path().join("ledger.hpp"), HEADER).expect("written");
        std::fs::write(place.path().join("file.cpp"), SOURCE).expect("written");
        let program = place.path().join("program");
        compile(place.path(), &["file.cpp".into()], &program);
        let runs = ["8000", "24000"].map(|rounds| {
            let run = place.path().join(rounds);
            let recorded = Command::new(bin.join("lineheat"))
                .args(["record", "--output"])
                .args([&run, Path::new("--"), &program])
                .args(["rounds", rounds])
                .output()
                .expect("lineheat runs");
            assert!(recorded.status.success(), "{recorded:?}");
            run
        });
        Made {
            bin,
            program,
            runs,
            _place: place,
        }
    }

    /// A new folder with all that the help texts name.
    fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("build")).expect("a folder");
        for name in [
            "program",
            "old",
            "new",
            "prog",
            "bench",
            "build/orders",
            "build/parse",
        ] {
            copy_executable(&self.program, &folder.path().join(name));
        }
        for name in RUNS {
            self.copy_run(folder.path(), name);
        }
        std::fs::write(folder.path().join("Makefile"), "all:\n\t./program\n").expect("written");
        folder
    }

    fn copy_run(&self, folder: &Path, name: &str) {
        let is_new = ["NEW", "after", "new"]
            .iter()
            .any(|new| name.starts_with(new));
        let run = &self.runs[usize::from(is_new)];
        let Some(number) = name.strip_prefix("old").or(name.strip_prefix("new")) else {
            std::fs::copy(run, folder.join(name)).expect("copied");
            return;
        };
        // As another recording of the same.
        let mut profile = Profile::open(run).expect("it opens");
        profile.run.as_mut().expect("a run").started_unix_ns +=
            number.parse::<i64>().unwrap_or(0) * 1_000_000_000;
        save(&profile, &folder.join(name)).expect("saved");
    }

    fn start(&self, folder: &Path, name: &str) -> Child {
        Command::new(folder.join(name))
            .args(["rounds", "1000000000"])
            .stdout(Stdio::null())
            .spawn()
            .expect("started")
    }
}

fn compile(folder: &Path, sources: &[PathBuf], program: &Path) {
    let compiled = Command::new("g++")
        .args(["-O2", "-g", "-o"])
        .arg(program)
        .args(sources)
        .current_dir(folder)
        .output()
        .expect("g++ is installed");
    assert!(compiled.status.success(), "{compiled:?}");
}
