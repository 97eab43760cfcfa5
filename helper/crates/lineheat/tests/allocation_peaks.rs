//! Memory in use over time, of a program whose peak, leak and temporary blocks are known, under real BPF.

use std::process::Output;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use serde_json::Value;

fn peaking(program: &Program, numbers: [&str; 3], interval: &str, before: &[&str]) -> Output {
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(program.run_path())
        .args(before)
        .arg(&program.path)
        .args(numbers)
        .env("LINEHEAT_ALLOC_INTERVAL", interval)
        .output()
        .expect("lineheat runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("exited with 0"), "{told}");
    output
}

fn report(program: &Program, args: &[&str]) -> String {
    let output = lineheat(&["report"])
        .arg(program.run_path())
        .args(args)
        .output()
        .expect("lineheat runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(program: &Program) -> Value {
    let text = report(program, &["--alloc", "--json", "--schema", "2"]);
    serde_json::from_str(&text).expect("JSON")
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("no number: {of}"))
}

/// The row of the line with this marker.
fn site(program: &Program, report: &Value, marker: &str) -> Value {
    let line = program.line_of(marker);
    let rows = report["allocations"].as_array().expect("rows");
    let row = rows.iter().find(|row| {
        let file = row["file"].as_str().expect("a path");
        file.ends_with("peak.c") && row["line"] == line
    });
    row.unwrap_or_else(|| panic!("no row of {marker}: {report:#}"))
        .clone()
}

/// Bytes and objects, by kind of memory.
fn exactly(row: &Value) -> [[u64; 2]; 4] {
    ["allocated", "inUse", "peak", "temporary"].map(|kind| {
        let of = &row[kind];
        ["bytes", "objects"].map(|what| of[what].as_u64().expect("a count"))
    })
}

#[test]
fn with_each_byte_sampled_peak_leak_and_temporary_blocks_are_exact() {
    if !can_record() {
        return;
    }
    let program = Program::compile("peak");
    peaking(&program, ["1000", "16", "4096"], "1", &["--"]);
    let report = json(&program);
    let row = |marker| exactly(&site(&program, &report, marker));
    assert_eq!(
        row("/* the leak"),
        [[64_000, 1000], [64_000, 1000], [32_000, 500], [0, 0]]
    );
    // The last of them is freed before the thread allocates again.
    assert_eq!(
        row("/* held for a while"),
        [[65_536, 16], [0, 0], [65_536, 16], [4096, 1]]
    );
    assert_eq!(
        row("/* the brief one"),
        [[400_000, 2000], [0, 0], [0, 0], [400_000, 2000]]
    );
    let memory = &report["memory"];
    assert_eq!(memory["peak"]["bytes"], 97_536);
    assert_eq!(memory["inUse"]["bytes"], 64_000);
    assert_eq!(memory["peak"]["relativeError"], 0.0);
    let profile = Profile::open(&program.run_path()).expect("a run");
    assert_eq!(profile.problems, Vec::<String>::new());
    let run = profile.run.as_ref().expect("a run");
    let in_time = run.memory_in_time.as_ref().expect("memory in time");
    let long = |bytes: u64| {
        let parts = in_time.highest_bytes.iter().filter(|of| **of == bytes);
        parts.count() as u64 * in_time.part_ns
    };
    let held_ns = long(97_536);
    assert!((300_000_000..600_000_000).contains(&held_ns), "{held_ns}");
    assert_eq!(in_time.highest_bytes.iter().max(), Some(&97_536));
}

#[test]
fn an_estimated_peak_is_where_most_was_in_use_and_within_its_error() {
    if !can_record() {
        return;
    }
    let program = Program::compile("peak");
    peaking(&program, ["1000000", "1600", "65536"], "524288", &["--"]);
    let report = json(&program);
    let memory = &report["memory"];
    for (kind, truth) in [
        ("allocated", 464e6 + 104_857_600.0),
        ("inUse", 64e6),
        ("peak", 32e6 + 104_857_600.0),
    ] {
        let (bytes, error) = (
            number(&memory[kind]["bytes"]),
            number(&memory[kind]["relativeError"]),
        );
        let off = (bytes - truth).abs() / truth;
        assert!((0.02..0.2).contains(&error), "{kind}: {error}");
        assert!(off < 4.0 * error, "{kind}: {bytes} of {truth}, ± {error}");
    }
    let held = site(&program, &report, "/* held for a while");
    assert!(number(&held["peak"]["bytes"]) > 0.5 * number(&memory["peak"]["bytes"]));
    assert_eq!(held["inUse"]["bytes"], 0);
    let brief = site(&program, &report, "/* the brief one");
    assert_eq!(brief["temporary"], brief["allocated"]);
    let shown = self::report(&program, &["--alloc"]);
    let first = |start| shown.lines().find(|line| line.starts_with(start));
    let head = first("memory").expect("a head");
    assert!(
        head.contains("in use at end") && head.contains(" ms,"),
        "{head}"
    );
    assert_eq!(head.matches("(± ").count(), 4, "{head}");
    let titles = shown.lines().find(|line| line.contains("allocated  "));
    let titles: Vec<_> = titles.expect("titles").split_whitespace().collect();
    let wanted = [
        "allocated",
        "in",
        "use",
        "peak",
        "temporary",
        "line",
        "function",
    ];
    assert_eq!(titles, wanted);
    let sorted = self::report(
        &program,
        &["--alloc", "--measure", "inuse_space", "--limit", "1"],
    );
    assert!(
        sorted
            .lines()
            .any(|line| line.contains("peak.c:") && line.ends_with("kept")),
        "{sorted}"
    );
}

#[test]
fn processes_that_follow_each_other_are_not_in_use_together() {
    if !can_record() {
        return;
    }
    let program = Program::compile("peak");
    let shell = [
        "--",
        "sh",
        "-c",
        "\"$0\" \"$@\"; \"$0\" \"$@\"; \"$0\" \"$@\"",
    ];
    peaking(&program, ["1000", "1", "100"], "1", &shell);
    let report = json(&program);
    let leak = exactly(&site(&program, &report, "/* the leak"));
    assert_eq!(leak[1], [192_000, 3000], "of all three");
    assert_eq!(leak[2], [64_000, 1000], "of one");
    let shown = self::report(&program, &[]);
    assert!(shown.contains("less than in use at end"), "{shown}");
}

#[test]
fn executions_have_a_peak_each_and_what_has_no_memory_is_refused() {
    if !can_record() {
        return;
    }
    let program = Program::compile("peak");
    peaking(
        &program,
        ["1000", "16", "4096"],
        "1",
        &["--repeat", "3", "--"],
    );
    let report = json(&program);
    let held = exactly(&site(&program, &report, "/* held for a while"));
    assert_eq!(held[2], [3 * 65_536, 48]);
    assert_eq!(report["memory"]["peak"]["bytes"], 3 * 97_536);
    assert_eq!(report["memory"]["peakAtNs"], Value::Null);
    let profile = Profile::open(&program.run_path()).expect("a run");
    assert_eq!(profile.problems, Vec::<String>::new());
    program.record(&[]);
    let refused = lineheat(&["report"])
        .arg(program.run_path())
        .arg("--alloc")
        .output();
    let refused = refused.expect("lineheat runs");
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("no allocated memory. Record it with"), "{why}");
}
