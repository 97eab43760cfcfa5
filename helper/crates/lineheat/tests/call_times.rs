//! How long calls take, under real BPF, compared with what the program measures of itself.

use std::process::Output;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use profile::run::{CallTimes, CalledFunction};

fn function<'a>(profile: &'a Profile, name: &str) -> &'a CalledFunction {
    let run = profile.run.as_ref().expect("a run");
    let counts = run.calls.as_ref().expect("calls were counted");
    let mut named = counts.functions.iter().filter(|of| of.name == name);
    named
        .next()
        .unwrap_or_else(|| panic!("no {name}: {counts:?}"))
}

fn times<'a>(profile: &'a Profile, name: &str) -> &'a CallTimes {
    let of = function(profile, name);
    of.times.as_ref().unwrap_or_else(|| panic!("{of:?}"))
}

fn record(program: &Program, names: &str) -> (Profile, Output) {
    let (profile, output) = program.record(&["--calls", &format!("/^({names})$/"), "--latency"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("exited with 0"), "{told}");
    (profile, output)
}

/// What a probe itself takes of a call, on a machine that does much else.
const PROBE_NS: f64 = 20_000.0;

#[test]
fn times_are_those_that_the_program_measures() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("call_times");
    let recorded = || {
        let (profile, output) = record(&program, "spin_for");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        let line = printed
            .lines()
            .find(|line| line.starts_with("spin_for "))
            .expect("it prints");
        let figures: Vec<f64> = line
            .split(' ')
            .skip(1)
            .map(|figure| figure.parse().expect("a number"))
            .collect();
        let figures: [f64; 6] = figures.try_into().expect("six figures");
        (times(&profile, "spin_for").clone(), figures)
    };
    let (of, [calls, sum, shortest, p50, p99, longest]) = recorded();
    assert_eq!(
        (of.measured(), calls, of.unfinished, of.no_room),
        (1000, 1000.0, 0, 0)
    );
    let near = |measured: f64, truth: f64, part: f64| {
        let high = truth * (1.0 + part) + PROBE_NS;
        assert!(
            (truth * (1.0 - part)..high).contains(&measured),
            "{measured} for {truth}: {of:?}"
        );
    };
    near(of.shortest_ns as f64, shortest, 0.0);
    near(of.quantile(0.5).expect("calls"), p50, 0.125);
    near(of.quantile(0.99).expect("calls"), p99, 0.125);
    near(of.sum_ns as f64 / calls, sum / calls, 0.0);
    // Who interrupts the program between its clock and the probe's makes one call longer: not in each of three recordings.
    let is_longest =
        |measured: u64, truth: f64| (truth..truth + PROBE_NS).contains(&(measured as f64));
    let mut others = (0..2).map(|_| recorded());
    assert!(
        is_longest(of.longest_ns, longest)
            || others.any(|(of, figures)| is_longest(of.longest_ns, figures[5])),
        "{} for {longest}: {of:?}",
        of.longest_ns
    );
}

#[test]
fn calls_of_threads_children_and_recursion_are_all_timed() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("call_times");
    let (profile, _) = record(&program, "in_thread|in_child|descend|forward|target");
    let all = ["in_thread", "in_child", "descend", "forward", "target"].map(|name| {
        let of = times(&profile, name);
        (
            function(&profile, name).calls,
            of.measured(),
            of.unfinished,
            of.no_room,
        )
    });
    let exactly = |calls| (calls, calls, 0, 0);
    assert_eq!(all, [1000, 100, 1000, 100, 100].map(exactly));
    let descend = times(&profile, "descend");
    assert!(
        descend.shortest_ns >= 20_000,
        "the innermost spins: {descend:?}"
    );
    assert!(
        times(&profile, "forward").shortest_ns < 41_000,
        "up to its jump to the other function"
    );
}

#[test]
fn calls_that_are_cut_off_have_no_time() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("call_times");
    let (profile, output) = record(&program, "may_throw|may_leap");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(printed.contains("thrown 67 leapt 50\n"), "{printed}");
    for (name, cut) in [("may_throw", 67), ("may_leap", 50)] {
        let (of, calls) = (times(&profile, name), function(&profile, name).calls);
        assert_eq!(
            (calls, of.measured(), of.unfinished),
            (200, 200 - cut, cut),
            "{of:?}"
        );
    }
    let report = lineheat(&["report", "--calls"])
        .arg(program.run_path())
        .output();
    let text = String::from_utf8(report.expect("it runs").stdout).expect("UTF-8");
    let note = "may_leap: Not timed: 50 calls: 50 that an exception, longjmp or the end of their thread cut off.";
    assert!(text.contains(note), "{text}");
}

#[test]
fn what_is_called_too_often_is_timed_at_first_and_counted_to_the_end() {
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let (profile, _) = record(&program, "add_odd");
    let (calls, of) = (
        function(&profile, "add_odd").calls,
        times(&profile, "add_odd"),
    );
    assert_eq!((calls, of.unfinished, of.no_room), (1_002_004, 0, 0));
    assert!(
        of.ended_ns > 0 && (1..calls).contains(&of.measured()),
        "{of:?}"
    );
    let problems = profile.run.as_ref().expect("a run").problems.join("\n");
    assert!(
        problems.contains("Calls of add_odd were timed until"),
        "{problems}"
    );
}

#[test]
fn go_is_counted_and_not_timed() {
    if !can_record() {
        return;
    }
    let program = Program::compile_go("growing");
    let (profile, output) = record(&program, "main.descend");
    let descend = function(&profile, "main.descend");
    assert_eq!(
        (descend.calls, &descend.times),
        ((0..200).map(|i| 501 + i).sum(), &None)
    );
    assert!(descend.not_timed.contains("Go moves stacks"), "{descend:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("Calls of 1 of the 1 counted functions were not timed"),
        "{told}"
    );
}
