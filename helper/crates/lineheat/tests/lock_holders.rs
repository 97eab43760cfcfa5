//! Who held the lock that others waited for, of small programs with a known answer, under real BPF.

mod support;

use serde_json::Value;
use support::{Program, can_record, lineheat};

fn locks_of(program: &Program) -> Vec<Value> {
    program.record(&[]);
    let run = program.run_path();
    let run = run.to_str().expect("UTF-8");
    let shown = lineheat(&["report", run, "--locks", "--json", "--schema", "2"]).output();
    let shown = shown.expect("lineheat runs");
    assert!(shown.status.success(), "{shown:?}");
    let report: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    report["locks"].as_array().expect("locks").clone()
}

/// Waiting time and number of the rows for which this holds.
fn sum(rows: &[Value], holds: impl Fn(&Value) -> bool) -> (u64, u64) {
    let of = |row: &Value, key| row[key].as_u64().expect(key);
    rows.iter()
        .filter(|row| holds(row))
        .fold((0, 0), |sum, row| {
            (sum.0 + of(row, "waitedNs"), sum.1 + of(row, "waits"))
        })
}

#[test]
fn a_lock_whose_holder_sleeps_is_held_at_the_line_of_the_sleep() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    let rows = locks_of(&program);
    let [lock, sleep] = ["the lock", "the sleep"].map(|marker| program.line_of(marker));
    let (ns, waits) = sum(&rows, |_| true);
    assert!(waits > 100 && ns > 1_000_000_000, "{rows:#?}");
    let (known_ns, _) = sum(&rows, |row| {
        let at = &row["holder"]["at"];
        row["waiting"]["line"] == lock && at["function"] == "hold" && at["line"] == sleep
    });
    assert!(known_ns * 10 > ns * 9, "{known_ns} of {ns}: {rows:#?}");
    let longest = &rows[0];
    assert_eq!(longest["threads"], 4, "{longest:#}");
    assert_eq!(longest["holder"]["thread"], "convoy");
    let longest_ns = longest["longestNs"].as_u64().expect("a time");
    // Nobody gets the lock before another one has slept.
    assert!((900_000..ns).contains(&longest_ns), "{longest:#}");
}

#[test]
fn a_lock_whose_holder_computes_is_held_where_samples_find_it() {
    if !can_record() {
        return;
    }
    let program = Program::compile("held");
    let rows = locks_of(&program);
    let (ns, waits) = sum(&rows, |_| true);
    assert!(waits > 100 && ns > 500_000_000, "{rows:#?}");
    let held = program.line_of("the lock") + 1..=program.line_of("the release");
    let work = 1..program.line_of("the lock");
    let (known_ns, _) = sum(&rows, |row| {
        let line = row["holder"]["at"]["line"].as_u64().unwrap_or(0) as u32;
        held.contains(&line) || work.contains(&line)
    });
    assert!(known_ns * 10 > ns * 9, "{known_ns} of {ns}: {rows:#?}");
}

#[test]
fn a_run_without_waits_or_without_locks_says_so() {
    if !can_record() {
        return;
    }
    let program = Program::compile("sleeper");
    let report = |options: &[&str]| {
        program.record(options);
        let shown = lineheat(&["report", "--locks"])
            .arg(program.run_path())
            .output();
        shown.expect("lineheat runs")
    };
    let text = String::from_utf8(report(&[]).stdout).expect("UTF-8");
    assert!(text.contains("No thread waited for a lock."), "{text}");
    let refused = report(&["--no-waiting"]);
    assert!(!refused.status.success());
    let why = String::from_utf8(refused.stderr).expect("UTF-8");
    assert!(why.contains("has no waiting time"), "{why}");
}
