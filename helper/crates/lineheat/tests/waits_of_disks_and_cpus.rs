//! Waiting time of a program that reads from the disk, and of one that goes to another CPU each time.

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use serde_json::Value;

/// The report of its waits, by line.
fn waits_of(program: &Program, arguments: &[&str]) -> Option<Value> {
    let run = program.run_path();
    let mut command = lineheat(&["record", "--output"]);
    command.arg(&run).arg("--").arg(&program.path);
    let recorded = command.args(arguments).output().expect("it runs");
    let said = String::from_utf8_lossy(&recorded.stderr).into_owned();
    if said.contains("exited with 2") {
        return None;
    }
    assert!(said.contains("exited with 0"), "{said}");
    let mut command = lineheat(&["report", "--measure", "wait", "--lines", "--json"]);
    let report = command.args(["--schema", "2"]).arg(&run).output();
    let text = report.expect("it runs").stdout;
    Some(serde_json::from_slice(&text).expect("JSON"))
}

/// Waits for a reason below a line.
fn waits_at(profile: &Profile, line: u32, reason: &str) -> u64 {
    let waits = profile.find_sample_type("waits", "count").expect("waits");
    let is_there = |sample: &usize| {
        let mut labels = profile.samples.labels_of(*sample).iter();
        let of_reason =
            labels.any(|of| profile.text(of.key) == "wait" && profile.text(of.text) == reason);
        let stack = profile.samples.stack(*sample).iter();
        let mut lines = stack.flat_map(|at| profile.locations.lines_of(*at));
        of_reason && lines.any(|of| of.line == line)
    };
    let samples = (0..profile.samples.len()).filter(is_there);
    samples.map(|sample| profile.value(sample, waits)).sum()
}

/// Number and nanoseconds of the waits for a reason.
fn waits_for(report: &Value, reason: &str) -> (u64, u64) {
    let mut reasons = report["reasons"].as_array().expect("reasons").iter();
    let found = reasons.find(|of| of["reason"] == reason);
    let of = |key| found.and_then(|of| of[key].as_u64()).unwrap_or(0);
    (of("waits"), of("total"))
}

#[test]
fn each_read_from_the_disk_is_a_wait_for_it() {
    if !can_record() {
        return;
    }
    let program = Program::compile("direct_reads");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let file = folder.path().join("pieces");
    let Some(report) = waits_of(&program, &[file.to_str().expect("UTF-8")]) else {
        eprintln!("skipped: files here cannot be read past the kernel's memory of them");
        return;
    };
    let line = program.line_of("the read");
    let profile = Profile::open(&program.run_path()).expect("a run");
    let disk = waits_at(&profile, line, "disk");
    assert_eq!(disk, 40, "{:#}", report["reasons"]);
}

#[test]
fn waits_of_a_thread_that_goes_to_another_cpu_each_time_are_no_longer_than_its_life() {
    if !can_record() {
        return;
    }
    let program = Program::compile("moved");
    let Some(report) = waits_of(&program, &[]) else {
        eprintln!("skipped: there is only one CPU");
        return;
    };
    let (sleeps, ns) = waits_for(&report, "sleep");
    assert_eq!(sleeps, 300, "{report:#}");
    // 1 ms each, and the timer's slack.
    assert!((300_000_000..360_000_000).contains(&ns), "{ns}");
    let wall_ns = report["wallTime"]["wallNs"].as_u64().expect("its life");
    let waited_ns = report["total"].as_u64().expect("a sum");
    assert!(waited_ns <= wall_ns, "{waited_ns} of {wall_ns}");
}
