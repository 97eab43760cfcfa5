//! Which line of a server leaks, found in many recordings of it: how often it is missed, and how often another line is taken for it.

use crate::support::memory::{at_line, points_at, samples_of};
use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use serde_json::Value;

const RUNS: usize = 24;
/// Bytes at the leak's line when the server ends.
const LEAKED: f64 = 8_000_000.0;
/// Ends of the parts of a run, as shares of it.
const MOMENTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
const LEAK: &str = "/* the leak */";
const OTHERS: [&str; 3] = ["/* a session */", "/* an entry */", "/* an answer */"];

/// Bytes in use at a line, and on how many samples they rest.
#[derive(Clone, Copy, Default)]
struct InUse {
    bytes: f64,
    samples: f64,
}

/// By line.
type Report = Vec<(u64, InUse)>;

fn record(program: &Program) -> Profile {
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(program.run_path())
        .arg("--")
        .arg(&program.path)
        .env("LINEHEAT_ALLOC_INTERVAL", "8192")
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("exited with 0"), "{said}");
    Profile::open(&program.run_path()).expect("a run")
}

/// What is in use at a moment, as `report` says it of the time before.
fn in_use_at(program: &Program, moment_ms: f64) -> Report {
    let time = format!("0-{moment_ms:.0}ms");
    let output = lineheat(&[
        "report", "--alloc", "--json", "--schema", "2", "--time", &time,
    ])
    .arg(program.run_path())
    .output()
    .expect("lineheat runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = report["allocations"].as_array().expect("rows").iter();
    let number = |of: &Value| of.as_f64().expect("a number");
    rows.map(|row| {
        let of = &row["inUse"];
        let in_use = InUse {
            bytes: number(&of["bytes"]),
            samples: number(&of["samples"]),
        };
        (row["line"].as_u64().unwrap_or(0), in_use)
    })
    .collect()
}

/// A line leaks if what is in use there rises from each moment to the next, each time by more than two standard errors of both.
fn leaks(reports: &[Report], line: u32) -> bool {
    let at = |report: &Report| {
        let mut rows = report.iter();
        let found = rows.find(|(of, _)| *of == u64::from(line));
        found.map_or(InUse::default(), |(_, in_use)| *in_use)
    };
    reports.windows(2).all(|pair| {
        let [before, after] = [at(&pair[0]), at(&pair[1])];
        let samples = before.samples + after.samples;
        let a_sample = (before.bytes + after.bytes) / samples;
        after.bytes - before.bytes > 2.0 * a_sample * samples.sqrt()
    })
}

#[test]
fn of_a_server_only_the_line_that_leaks_grows_in_each_of_many_runs() {
    if !can_record() {
        return;
    }
    let program = Program::compile("leaking_server");
    let (mut missed, mut mistaken) = (0, 0);
    let (mut estimates, mut samples_of_leak) = (Vec::new(), 0);
    for _ in 0..RUNS {
        let profile = record(&program);
        let wall_ms = profile.run.as_ref().expect("a run").wall_ns as f64 / 1e6;
        let reports = MOMENTS.map(|share| in_use_at(&program, share * wall_ms));
        missed += usize::from(!leaks(&reports, program.line_of(LEAK)));
        let others = OTHERS.iter().map(|marker| program.line_of(marker));
        mistaken += others.filter(|line| leaks(&reports, *line)).count();
        let samples = samples_of(&profile);
        let (_, in_use) = at_line(&samples, program.line_of(LEAK));
        estimates.push(in_use.0 as f64 / LEAKED);
        samples_of_leak += points_at(&samples, program.line_of(LEAK))[1];
    }
    let mean = estimates.iter().sum::<f64>() / RUNS as f64;
    let error = 1.0 / (samples_of_leak as f64).sqrt();
    eprintln!(
        "{missed} of {RUNS} missed, {mistaken} of {} other lines taken for it; mean {mean:.4}, its error {error:.4}",
        RUNS * OTHERS.len()
    );
    assert_eq!((missed, mistaken), (0, 0));
    assert!(error < 0.0075, "{samples_of_leak} samples: {error}");
    assert!((mean - 1.0).abs() < 4.0 * error, "{mean} ± {error}");
}
