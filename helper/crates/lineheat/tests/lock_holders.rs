//! Who held the lock that others waited for, of small programs with a known answer, under real BPF.

use crate::support::{Program, can_record, lineheat};
use serde_json::Value;

fn locks_of(program: &Program) -> Vec<Value> {
    program.record(&[]);
    rows_of(&report(program, "--locks"), "locks")
}

/// What `report` has of a program that was recorded.
fn report(program: &Program, flag: &str) -> Value {
    let run = program.run_path();
    let run = run.to_str().expect("UTF-8");
    let options = ["--measure", "wait", "--json", "--schema", "2"];
    let shown = lineheat(&["report", run, flag]).args(options).output();
    let shown = shown.expect("lineheat runs");
    assert!(shown.status.success(), "{shown:?}");
    serde_json::from_slice(&shown.stdout).expect("JSON")
}

fn rows_of(report: &Value, table: &str) -> Vec<Value> {
    let rows = report[table].as_array();
    rows.unwrap_or_else(|| panic!("{report:#}")).clone()
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
fn waiting_in_a_convoy_is_blamed_on_the_line_that_holds_the_lock() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    let locks = locks_of(&program);
    let report = report(&program, "--blame");
    let blamed = rows_of(&report, "blame");
    let (locks_ns, _) = sum(&locks, |_| true);
    let sleep = program.line_of("the sleep");
    let (at_sleep_ns, _) = sum(&blamed, |row| {
        row["cause"] == "holder" && row["at"]["function"] == "hold" && row["at"]["line"] == sleep
    });
    assert!(at_sleep_ns * 100 >= locks_ns * 95, "{blamed:#?}");
    assert!(at_sleep_ns <= locks_ns, "{blamed:#?}");
    // The main thread waits for the others all the time.
    let (idle_ns, _) = sum(&blamed, |row| row["cause"] == "idle" && row["at"].is_null());
    assert!(idle_ns > 0, "{blamed:#?}");
    let (all_ns, _) = sum(&blamed, |_| true);
    let reasons = rows_of(&report, "reasons");
    let of = |row: &Value| row["total"].as_u64().expect("a sum");
    assert_eq!(all_ns, reasons.iter().map(of).sum::<u64>(), "{reasons:#?}");
}

#[test]
fn waits_of_a_convoy_are_rows_by_line_and_reason_that_add_up() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    program.record(&[]);
    let report = report(&program, "--waits");
    let rows = rows_of(&report, "waits");
    for (reason, marker) in [("lock", "the lock"), ("sleep", "the sleep")] {
        let line = program.line_of(marker);
        let is_there = |row: &Value| row["reason"] == reason && row["at"]["line"] == line;
        let (there_ns, _) = sum(&rows, is_there);
        let (all_ns, waits) = sum(&rows, |row| row["reason"] == reason);
        assert!(waits > 100 && there_ns * 100 >= all_ns * 99, "{rows:#?}");
        let there: Vec<_> = rows.iter().filter(|row| is_there(row)).collect();
        assert_eq!(there.len(), 1, "{rows:#?}");
        assert_eq!(there[0]["threads"], 4);
        assert_eq!(there[0]["idle"], false);
    }
    // The main thread waits for the others all the time.
    let (idle_ns, _) = sum(&rows, |row| {
        row["idle"] == true && row["at"]["function"] == "main"
    });
    assert!(idle_ns > 0, "{rows:#?}");
    for reason in rows_of(&report, "reasons") {
        let (ns, waits) = sum(&rows, |row| row["reason"] == reason["reason"]);
        let sums = [&reason["total"], &reason["waits"]].map(|of| of.as_u64().expect("a sum"));
        assert_eq!([ns, waits], sums, "{reason:#}");
    }
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
