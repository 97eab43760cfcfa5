//! Samples that are taken while a program is at a probe, and what a probe costs it, under real BPF.

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use profile::run::CallPrice;
use serde_json::Value;

/// A report of it, as JSON.
fn report(program: &Program, what: &[&str]) -> Value {
    let output = lineheat(&["report", "--json", "--schema", "2"])
        .args(what)
        .arg(program.run_path())
        .output();
    serde_json::from_slice(&output.expect("lineheat runs").stdout).expect("JSON")
}

/// Records the program with these numbers.
fn record(program: &Program, options: &[&str], numbers: &[&str]) -> Profile {
    let run = program.run_path();
    let output = lineheat(&["record", "--freq", "4999", "--calls", "step", "--output"])
        .arg(&run)
        .args(options)
        .arg("--")
        .arg(&program.path)
        .args(numbers)
        .output();
    let told = String::from_utf8_lossy(&output.expect("lineheat runs").stderr).into_owned();
    Profile::open(&run).unwrap_or_else(|e| panic!("{e}: {told}"))
}

fn price_of(profile: &Profile) -> CallPrice {
    let run = profile.run.as_ref().expect("a run");
    let calls = run.calls.as_ref().expect("calls were counted");
    calls.price.expect("it is known")
}

/// Of 1000 stacks, how many do not reach the thread's start; and whether there are many.
fn broken_per_mille(report: &Value) -> u64 {
    let whole = report["stacksWhole"].as_u64().expect("a number");
    let others = report["stacksNotWhole"].as_object().expect("by cause");
    let others: u64 = others.values().map(|n| n.as_u64().expect("a number")).sum();
    assert!(whole + others > 500, "{report:#}");
    1000 * others / (whole + others)
}

#[test]
fn most_of_the_time_at_breakpoints_and_the_stacks_are_whole() {
    if !can_record() {
        return;
    }
    let program = Program::compile("probed");
    record(&program, &[], &[]);
    // Half of them did not when the program counter was taken as the breakpoint leaves it.
    let broken = broken_per_mille(&report(&program, &[]));
    assert!(broken < 20, "{broken} of 1000");
    let functions = report(&program, &["--functions"]);
    let rows = functions["functions"].as_array().expect("rows");
    let total = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name);
        row.map_or(0, |row| row["total"].as_u64().expect("a time"))
    };
    assert!(total("step") * 10 > total("main") * 8, "{rows:#?}");
    assert!(total("outer") * 100 > total("main") * 98, "{rows:#?}");
}

#[test]
fn stacks_are_whole_while_returns_are_stepped() {
    if !can_record() {
        return;
    }
    let program = Program::compile("probed");
    record(&program, &["--latency"], &["4000", "200000"]);
    let broken = broken_per_mille(&report(&program, &[]));
    assert!(broken < 5, "{broken} of 1000");
}

#[test]
fn what_counting_and_timing_cost_on_this_machine_is_measured_before_and_said() {
    if !can_record() {
        return;
    }
    let program = Program::compile("probed");
    let price = price_of(&record(&program, &[], &["1000", "1000"]));
    // A breakpoint costs more than a call, and less than what no machine takes.
    assert!((50..100_000).contains(&price.counted_ns), "{price:?}");
    assert_eq!(price.timed_ns, 0, "nothing was timed");
    let both = price_of(&record(&program, &["--latency"], &["1000", "1000"]));
    assert!((50..1_000_000).contains(&both.timed_ns), "{both:?}");
    let json = &report(&program, &["--calls"]);
    assert_eq!(json["callPrice"]["countedNs"], both.counted_ns);
    assert_eq!(json["callPrice"]["timedNs"], both.timed_ns);
    assert_eq!(json["calls"][0]["calls"], 1000, "{json:#}");
    assert_eq!(json["calls"][0]["times"]["calls"], 1000, "{json:#}");
    let text = lineheat(&["report", "--calls"])
        .arg(program.run_path())
        .output()
        .expect("it runs")
        .stdout;
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(
        text.contains("On this machine, counting a call took about"),
        "{text}"
    );
    assert!(text.contains("and timing it"), "{text}");
}
