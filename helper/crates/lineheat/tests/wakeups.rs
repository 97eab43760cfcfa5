//! Who ended waits, of a small program with a known answer, under real BPF.

use crate::support::{Program, can_record, lineheat};
use profile::{Profile, WAIT, Waker};
use serde_json::Value;

/// Waiting time and number of the waits for this reason for which it holds; then of all of them.
fn waits(
    profile: &Profile,
    reason: &str,
    holds: impl Fn(Waker) -> bool,
) -> ((u64, u64), (u64, u64)) {
    let column = |name, unit| profile.find_sample_type(name, unit).expect("waits");
    let (ns, count) = (column("wait", "nanoseconds"), column("waits", "count"));
    let (mut found, mut all) = ((0, 0), (0, 0));
    for sample in 0..profile.samples.len() {
        let mut labels = profile.samples.labels_of(sample).iter();
        let is_reason = labels
            .any(|label| profile.text(label.key) == WAIT && profile.text(label.text) == reason);
        if !is_reason {
            continue;
        }
        let amount = (profile.value(sample, ns), profile.value(sample, count));
        let add = |sum: &mut (u64, u64)| *sum = (sum.0 + amount.0, sum.1 + amount.1);
        add(&mut all);
        if Waker::of_sample(profile, sample).is_some_and(&holds) {
            add(&mut found);
        }
    }
    (found, all)
}

/// At least 95 % of the time of the waits for this reason, and of their number.
fn nearly_all(profile: &Profile, reason: &str, least: u64, holds: impl Fn(Waker) -> bool) {
    let (found, all) = waits(profile, reason, holds);
    assert!(all.1 >= least, "{reason}: {all:?}");
    assert!(
        found.0 * 100 >= all.0 * 95,
        "{reason}: {found:?} of {all:?}"
    );
    assert!(
        found.1 * 100 >= all.1 * 95,
        "{reason}: {found:?} of {all:?}"
    );
}

#[test]
fn each_wait_is_ended_at_the_line_that_hands_over_what_was_waited_for() {
    if !can_record() {
        return;
    }
    let program = Program::compile("woken");
    let (profile, _) = program.record(&["--wakeups"]);
    let is_at = |function: &'static str, marker: &str| {
        let line = program.line_of(marker);
        move |by: Waker| {
            let place = (by.kind, by.thread, by.function, by.line);
            place == ("thread", "woken", function, line) && by.file.ends_with("woken.c")
        }
    };
    let end = |by: Waker| by.kind == "exit" && by.thread == "woken" && by.function.is_empty();
    let signal = is_at("put", "/* the signal */");
    // The first thread waits for the end of the two others, if that comes later.
    nearly_all(&profile, "condition", 30, |by| signal(by) || end(by));
    let (signalled, _) = waits(&profile, "condition", signal);
    assert!(signalled.1 >= 30, "{signalled:?}");
    nearly_all(
        &profile,
        "pipe",
        50,
        is_at("put_into_pipe", "/* the write */"),
    );
    nearly_all(&profile, "poll", 30, is_at("put_event", "/* the event */"));
    nearly_all(&profile, "sleep", 90, |by| {
        by.kind == "timer" && by.tid == 0 && by.thread.is_empty()
    });
    nearly_all(&profile, "child", 15, end);
    // It asks what time it is all the time. The kernel's code for that has no lines on any machine.
    let problems = &profile.run.as_ref().expect("a run").problems;
    assert!(!problems.join("\n").contains("[vdso]"), "{problems:?}");
}

#[test]
fn waiting_is_blamed_on_the_line_that_ends_it() {
    if !can_record() {
        return;
    }
    let program = Program::compile("woken");
    let (profile, _) = program.record(&["--wakeups"]);
    let run = program.run_path();
    let shown = lineheat(&["report", "--blame", "--json", "--schema", "2"])
        .arg(&run)
        .output()
        .expect("lineheat runs");
    assert!(shown.status.success(), "{shown:?}");
    let report: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    let rows = report["blame"].as_array().expect("rows");
    let ns_of = |row: &Value| row["waitedNs"].as_u64().expect("a time");
    let at = |function: &str| {
        let is_there = |row: &&Value| row["cause"] == "waker" && row["at"]["function"] == function;
        rows.iter().filter(is_there).map(ns_of).sum::<u64>()
    };
    for (reason, function) in [("pipe", "put_into_pipe"), ("poll", "put_event")] {
        let (_, (all_ns, _)) = waits(&profile, reason, |_| true);
        let ns = at(function);
        assert!(ns * 100 >= all_ns * 95 && ns <= all_ns, "{rows:#?}");
    }
    let slept = rows.iter().find(|row| row["cause"] == "sleep");
    let slept = slept.unwrap_or_else(|| panic!("{rows:#?}"));
    assert_eq!(
        (&slept["at"], &slept["endedBy"]),
        (&Value::Null, &"timer".into())
    );
    let wait = profile
        .find_sample_type("wait", "nanoseconds")
        .expect("waits");
    let all_ns: u64 = (0..profile.samples.len())
        .map(|sample| profile.value(sample, wait))
        .sum();
    assert_eq!(rows.iter().map(ns_of).sum::<u64>(), all_ns);
}

#[test]
fn nobody_asked_so_nobody_is_named() {
    if !can_record() {
        return;
    }
    let (profile, _) = Program::compile("woken").record(&[]);
    for reason in ["condition", "sleep", "child"] {
        let (named, all) = waits(&profile, reason, |_| true);
        assert!(all.1 > 0, "{reason}");
        assert_eq!(named, (0, 0), "{reason}");
    }
}
