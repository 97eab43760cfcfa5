//! What `report`, `annotate` and `diff` print for a profile of known content, character by character.
//!
//! `LINEHEAT_BLESS=1 cargo test` writes the golden files anew; look at them before they are committed.

use std::path::Path;
use std::process::{Command, Output};

use profile::run::{Exit, Loss, Repetition, Source};
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, RunInfo, save};

const SOURCE: &str = "int fib(int n) {\n\tif (n < 2) return n;\n\treturn fib(n - 1) + fib(n - 2);\n}\n\nint main() { return fib(40); }\n";

/// (samples, stack leaf first) of the profile, which takes `factor` times as long in `fib`.
fn profile(factor: u64) -> Profile {
    profile_of(&[None], factor)
}

/// Four repetitions in one file, which differ by a percent or two.
fn repeated(factor: u64) -> Profile {
    profile_of(&[Some(0), Some(19), Some(8), Some(27)], factor)
}

/// Of each repetition the samples that it has more than the others.
fn profile_of(repetitions: &[Option<u64>], factor: u64) -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    builder.set_time(1_795_269_600_000_000_000, 2_000_000_000);
    let program = builder.add_mapping(MappingOf {
        filename: "/project/app",
        symbolized: true,
        ..MappingOf::default()
    });
    let kernel = builder.add_mapping(MappingOf {
        filename: "[kernel]",
        symbolized: true,
        ..MappingOf::default()
    });
    let fib = builder.add_function("fib(int)", "_Z3fibi", "/project/src/fib.c", 1);
    let main = builder.add_function("main", "main", "/project/src/fib.c", 6);
    let fault = builder.add_function("asm_exc_page_fault", "asm_exc_page_fault", "", 0);
    let line = |function, line| LineOf {
        function,
        line,
        column: 0,
    };
    let compare = builder.add_location(Some(program), 0x10, &[line(fib, 2)]);
    let call = builder.add_location(Some(program), 0x20, &[line(fib, 3)]);
    let start = builder.add_location(Some(program), 0x30, &[line(main, 6)]);
    let inlined = builder.add_location(Some(program), 0x40, &[line(fib, 2), line(main, 6)]);
    let in_kernel = builder.add_location(Some(kernel), 0, &[line(fault, 0)]);
    for (number, more) in (1..).zip(repetitions) {
        let label = more.map(|_| ("repetition", LabelValue::Number(number, "")));
        let more = more.unwrap_or(0);
        for (count, stack) in [
            ((1200 + more) * factor, vec![compare, call, call, start]),
            (640 + more / 2, vec![call, start]),
            (95 + more / 4, vec![inlined]),
            (7, vec![in_kernel, start]),
        ] {
            builder.add_sample(&stack, &[count, count * 1_001_001], label.as_slice());
        }
    }
    let is_repeated = repetitions.len() > 1;
    let executions = repetitions
        .iter()
        .filter(|_| is_repeated)
        .map(|_| Repetition {
            wall_ns: 2_000_000_000 * factor,
            ..Repetition::default()
        });
    builder.set_run(RunInfo {
        format: 1,
        command: vec!["/project/app".into(), "40".into()],
        cwd: "/project".into(),
        wall_ns: 2_000_000_000,
        exit: Some(Exit { code: 0, signal: 0 }),
        end_reason: profile::run::EndReason::Exited.into(),
        event: "cpu-clock".into(),
        asked_hz: 999.0,
        samples_taken: 1950,
        losses: vec![Loss {
            cause: "ring-full".into(),
            count: 8,
        }],
        git_commit: "0123456789abcdef0123456789abcdef01234567".into(),
        git_dirty: true,
        sources: vec![Source {
            path: "/project/src/fib.c".into(),
            text: SOURCE.into(),
            ..Source::default()
        }],
        problems: vec!["libc.so.6 has no debug information.".into()],
        repetitions: executions.collect(),
        ..RunInfo::default()
    });
    builder.finish()
}

fn lineheat(folder: &Path, arguments: &[&str]) -> Output {
    (Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .current_dir(folder)
        .args(arguments))
    .env_remove("CLICOLOR_FORCE")
    .output()
    .expect("lineheat runs")
}

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("LINEHEAT_BLESS").is_some() {
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, wanted, "{name} is not what {} holds", path.display());
}

#[test]
fn text_and_json_of_each_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    save(&profile(1), &folder.path().join("base.pb.gz")).expect("saved");
    save(&profile(2), &folder.path().join("new.pb.gz")).expect("saved");
    save(&repeated(1), &folder.path().join("base-4.pb.gz")).expect("saved");
    save(&repeated(2), &folder.path().join("new-4.pb.gz")).expect("saved");
    let mut again = repeated(1);
    again.run.as_mut().expect("a run").started_unix_ns += 3_600_000_000_000;
    save(&again, &folder.path().join("again-4.pb.gz")).expect("saved");
    for (name, arguments) in [
        ("report-functions.txt", "report base.pb.gz"),
        ("report-lines.txt", "report base.pb.gz --lines --limit 2"),
        ("report-tree.txt", "report base.pb.gz --tree"),
        ("report-functions.json", "report base.pb.gz --json"),
        (
            "report-lines.json",
            "report base.pb.gz --json --lines --limit 1",
        ),
        ("annotate.annotated", "annotate base.pb.gz fib.c"),
        (
            "annotate-context.annotated",
            "annotate base.pb.gz src/fib.c --context 0",
        ),
        (
            "annotate-color.txt",
            "annotate base.pb.gz fib.c --color always",
        ),
        ("annotate.json", "annotate base.pb.gz fib.c --json"),
        (
            "diff-functions.txt",
            "diff base-4.pb.gz --against new-4.pb.gz",
        ),
        (
            "diff-color.txt",
            "diff base-4.pb.gz --against new-4.pb.gz --color always",
        ),
        (
            "diff-lines.txt",
            "diff base-4.pb.gz base.pb.gz --against new-4.pb.gz --lines",
        ),
        (
            "diff-explain.txt",
            "diff base-4.pb.gz --against new-4.pb.gz --explain",
        ),
        (
            "diff-markdown.md",
            "diff base-4.pb.gz --against new-4.pb.gz --markdown",
        ),
        ("diff-same.txt", "diff base-4.pb.gz --against again-4.pb.gz"),
        (
            "diff-one-run-each.txt",
            "diff base.pb.gz --against new.pb.gz",
        ),
        (
            "diff-functions.json",
            "diff base-4.pb.gz --against new-4.pb.gz --json --limit 1",
        ),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = lineheat(folder.path(), &arguments);
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{arguments:?}: {output:?}"
        );
        golden(name, &String::from_utf8(output.stdout).expect("UTF-8"));
    }
}

#[test]
fn exit_statuses_are_those_of_the_contract() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    save(&profile(1), &folder.path().join("base.pb.gz")).expect("saved");
    save(&profile(2), &folder.path().join("new.pb.gz")).expect("saved");
    save(&repeated(1), &folder.path().join("base-4.pb.gz")).expect("saved");
    save(&repeated(2), &folder.path().join("new-4.pb.gz")).expect("saved");
    std::fs::write(folder.path().join("text.pb.gz"), "no profile\n").expect("written");
    std::fs::copy(
        folder.path().join("new-4.pb.gz"),
        folder.path().join("copy-4.pb.gz"),
    )
    .expect("copied");
    for (wanted, arguments) in [
        (0, "diff base-4.pb.gz --against new-4.pb.gz"),
        (
            1,
            "diff base-4.pb.gz --against new-4.pb.gz --fail-on-slower",
        ),
        (
            1,
            "diff base-4.pb.gz --against new-4.pb.gz --fail-on-slower --by 50%",
        ),
        (
            0,
            "diff base-4.pb.gz --against new-4.pb.gz --fail-on-slower --by 70",
        ),
        (
            0,
            "diff new-4.pb.gz --against base-4.pb.gz --fail-on-slower",
        ),
        (0, "diff base.pb.gz --against new.pb.gz --fail-on-slower"),
        (
            3,
            "diff base-4.pb.gz --against base-4.pb.gz --fail-on-slower --json",
        ),
        (3, "diff base-4.pb.gz --against new-4.pb.gz copy-4.pb.gz"),
        (2, "diff base.pb.gz --against new.pb.gz --by 2"),
        (
            2,
            "diff base.pb.gz --against new.pb.gz --fail-on-slower --by -2",
        ),
        (2, "diff base.pb.gz --against new.pb.gz --explain --json"),
        (3, "diff base.pb.gz --against new.pb.gz --per work"),
        (2, "diff base.pb.gz"),
        (2, "report"),
        (2, "report base.pb.gz --lines --tree"),
        (3, "report text.pb.gz"),
        (3, "report none.pb.gz"),
        (3, "annotate base.pb.gz other.c"),
        (3, "diff base.pb.gz --against text.pb.gz"),
    ] {
        let output = lineheat(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(
            output.status.code(),
            Some(wanted),
            "{arguments}: {output:?}"
        );
        assert_eq!(
            output.stderr.is_empty(),
            wanted < 2,
            "{arguments}: {output:?}"
        );
    }
}

/// Escapes, C1 controls, a bell, changes of direction, ends of lines.
const EVIL: &str = "a\x1b[31mb\u{9b}2Jc\x07d\u{202e}e\u{2066}f\ng\rh\u{200b}\x7f";

#[test]
fn evil_names_reach_the_terminal_as_visible_escapes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut builder = ProfileBuilder::new(&[(EVIL, EVIL)]);
    let module = builder.add_mapping(MappingOf {
        filename: EVIL,
        ..MappingOf::default()
    });
    let function = builder.add_function(EVIL, EVIL, EVIL, 1);
    let line = LineOf {
        function,
        line: 1,
        column: 0,
    };
    let location = builder.add_location(Some(module), 1, &[line]);
    builder.add_sample(&[location], &[100], &[]);
    builder.set_run(RunInfo {
        format: 1,
        name: EVIL.into(),
        command: vec![EVIL.into()],
        event: EVIL.into(),
        git_commit: EVIL.into(),
        problems: vec![EVIL.into()],
        sources: vec![Source {
            path: EVIL.into(),
            text: EVIL.into(),
            ..Source::default()
        }],
        ..RunInfo::default()
    });
    save(&builder.finish(), &folder.path().join("evil.pb.gz")).expect("saved");
    for arguments in [
        vec!["report", "evil.pb.gz"],
        vec!["report", "evil.pb.gz", "--lines"],
        vec!["report", "evil.pb.gz", "--tree"],
        vec!["report", "evil.pb.gz", "--json"],
        vec!["annotate", "evil.pb.gz", EVIL],
        vec!["annotate", "evil.pb.gz", "other"],
        vec!["diff", "evil.pb.gz", "--against", "evil.pb.gz"],
        vec!["diff", "evil.pb.gz", "--against", "evil.pb.gz", "--lines"],
        vec!["diff", "evil.pb.gz", "--against", "evil.pb.gz", "--explain"],
        vec![
            "diff",
            "evil.pb.gz",
            "--against",
            "evil.pb.gz",
            "--markdown",
        ],
    ] {
        let output = lineheat(folder.path(), &arguments);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert!(text.len() > 40, "{arguments:?}: {text}");
        let bad = text.chars().find(|&c| {
            let is_json_safe = arguments.contains(&"--json") && c >= '\u{7f}';
            c != '\n'
                && !is_json_safe
                && (c.is_control() || ('\u{200b}'..='\u{202e}').contains(&c) || c == '\u{2066}')
        });
        assert_eq!(bad, None, "{arguments:?}: {text:?}");
    }
}

#[test]
fn no_samples_is_a_sentence_and_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]).finish();
    save(&empty, &folder.path().join("empty.pb.gz")).expect("saved");
    for what in ["--functions", "--lines", "--tree"] {
        let output = lineheat(folder.path(), &["report", "empty.pb.gz", what]);
        assert!(output.status.success());
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("No samples: the target"),
            "{output:?}"
        );
    }
    let output = lineheat(folder.path(), &["annotate", "empty.pb.gz", "x.c"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn files_of_callgrind_are_shown_with_what_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("mill.c");
    std::fs::write(&source, "int grind() {\n  return crush();\n}\n").unwrap();
    let costs = |line: u64| {
        format!(
            "version: 1\ncmd: ./mill 20\nevents: Ir Dr\nob=/bin/mill\nfl={}\nfn=grind\n1 2\ncfn=crush\ncalls=7 3\n2 900\n2 {line} 5\ntotals: {} 5\n",
            source.display(),
            line + 2
        )
    };
    for (name, line) in [("callgrind.out.1", 38), ("callgrind.out.2", 58)] {
        std::fs::write(folder.path().join(name), costs(line)).unwrap();
    }
    let shown = |arguments: &[&str]| {
        let output = lineheat(folder.path(), arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = shown(&["report", "callgrind.out.1", "--lines"]);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_eq!(
        lines[..4],
        [
            "run      callgrind.out.1",
            "target   mill",
            "counted  40 Ir exactly, without sampling",
            "note     Callgrind files have no call stacks, only the cost of each line: totals equal self, and functions in the flame graph have no callers. The inclusive cost of 1 call is left out; how often each function was called is the measure calls.",
        ]
    );
    let shares: Vec<_> = (lines[6..].iter())
        .map(|line| {
            line.split_whitespace()
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(shares, ["95.0 % 38", "5.0 % 2"], "none is marked: {text}");
    assert!(!text.contains("add up"), "{text}");
    let text = shown(&["report", "callgrind.out.1", "--measure", "calls"]);
    assert!(text.contains("counted  7 calls exactly"), "{text}");
    let text = shown(&["annotate", "callgrind.out.1", "mill.c"]);
    assert!(
        text.contains("95.0 %    95.0 %                 2 |   return crush();"),
        "{text}"
    );
    let text = shown(&["diff", "callgrind.out.2", "--against", "callgrind.out.1"]);
    assert!(
        text.contains("method   Ir is counted exactly, but these profiles do not show how much it varies from one execution to the next"),
        "{text}"
    );
    assert!(text.contains("untested  mill"), "{text}");
    let text = shown(&["convert", "callgrind.out.1", "mill.pb.gz"]);
    assert!(
        text.contains("\nnote     The new file does not say: Callgrind files have no call stacks"),
        "{text}"
    );
}

#[test]
fn a_journal_is_called_so_and_its_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run.pb.gz");
    let run_file = profile::RunFile::new(&run).unwrap();
    let _journal = profile::Journal::create(&run_file.into()).unwrap();
    let journal = profile::journal_path(&run);
    let other = folder.path().join("moved");
    std::fs::copy(&journal, &other).unwrap();
    let (run, journal) = (run.to_str().unwrap(), journal.to_str().unwrap());
    let other = other.to_str().unwrap();
    for arguments in [
        vec!["report", journal],
        vec!["annotate", journal, "main.c"],
        vec!["diff", journal, "--against", journal],
    ] {
        let output = lineheat(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            format!(
                "lineheat: {journal}: The file is the journal of a recording that was not saved, not a run. \
                 Open {run} instead: the run is recovered from the journal.\n"
            )
        );
    }
    let renamed = String::from_utf8(lineheat(folder.path(), &["report", other]).stderr).unwrap();
    assert!(
        renamed.contains(&format!("Rename it to {other}.journal and open {other}")),
        "{renamed}"
    );
}
