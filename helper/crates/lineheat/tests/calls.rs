//! Calls of functions that are called a known number of times, under real BPF.

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use profile::run::{CallCounts, CalledFunction};

fn counts_of(profile: &Profile) -> &CallCounts {
    let run = profile.run.as_ref().expect("a run");
    run.calls.as_ref().expect("calls were counted")
}

fn problems_of(profile: &Profile) -> String {
    profile.run.as_ref().expect("a run").problems.join("\n")
}

fn function<'a>(counts: &'a CallCounts, name: &str) -> &'a CalledFunction {
    let mut named = counts.functions.iter().filter(|of| of.name == name);
    let found = named
        .next()
        .unwrap_or_else(|| panic!("no {name}: {counts:?}"));
    assert!(named.next().is_none(), "one {name}");
    found
}

/// By process, those of its threads in ascending order.
fn calls_by_process(counts: &CallCounts, name: &str) -> Vec<Vec<u64>> {
    let number = counts.functions.iter().position(|of| of.name == name);
    let of_it = |of: &&profile::run::ThreadCalls| Some(of.function as usize) == number;
    let mut by_process = std::collections::BTreeMap::<u32, Vec<u64>>::new();
    for of in counts.threads.iter().filter(of_it) {
        by_process.entry(of.pid).or_default().push(of.calls);
    }
    let sorted = by_process.into_values().map(|mut calls| {
        calls.sort_unstable();
        calls
    });
    sorted.collect()
}

/// What the program prints, without and with a recording.
fn prints_the_same(program: &Program, options: &[&str]) -> Profile {
    let alone = std::process::Command::new(&program.path).output();
    let alone = alone.expect("it runs");
    let (profile, output) = program.record(options);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("exited with 0"), "{told}");
    assert_eq!(output.stdout, alone.stdout, "{told}");
    assert!(!alone.stdout.is_empty());
    profile
}

#[test]
fn each_call_of_each_thread_and_child_is_counted() {
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let (profile, output) = program.record(&["--calls", "add_odd"]);
    let told = String::from_utf8_lossy(&output.stderr);
    let counts = counts_of(&profile);
    let of = function(counts, "add_odd");
    assert_eq!(of.calls, 1_000_003 + 1_000 + 1_001, "{told}");
    assert_eq!(
        (of.inlined, of.may_be_inlined, &*of.not_counted),
        (0, false, "")
    );
    let mut threads = vec![125_000; 5];
    threads.extend([125_001; 3]);
    let by_process = calls_by_process(counts, "add_odd");
    assert_eq!(by_process, [threads, vec![1_000], vec![1_001]]);
    let problems = problems_of(&profile);
    assert!(
        problems.contains("times per second (more than 100,000 from"),
        "so many calls cost the program time: {problems}"
    );
    let report = lineheat(&["report", "--calls", "--json"])
        .arg(program.run_path())
        .output();
    let report: serde_json::Value =
        serde_json::from_slice(&report.expect("it runs").stdout).expect("JSON");
    let row = &report["calls"][0];
    assert_eq!(row["calls"], 1_002_004);
    let each = &row["perCall"];
    let [low, value, high] = ["low", "value", "high"].map(|key| each[key].as_f64().expect("known"));
    let total = row["totalNs"].as_f64().expect("a time");
    assert!((value - total / 1_002_004.0).abs() < 1e-6, "{row}");
    assert!(low < value && value < high, "{row}");
}

#[test]
fn calls_are_a_sample_type_with_the_line_of_each_function() {
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let (profile, _) = program.record(&["--calls", "/^(add_odd|first|second|twice)$/"]);
    let counts = counts_of(&profile);
    let column = profile
        .find_sample_type("calls", "count")
        .expect("a column");
    let mut sampled = std::collections::BTreeMap::new();
    for sample in 0..profile.samples.len() {
        let calls = profile.value(sample, column);
        if calls == 0 {
            continue;
        }
        let stack = profile.samples.stack(sample);
        assert_eq!(stack.len(), 1, "no callers are known");
        let [line] = profile.locations.lines_of(stack[0]) else {
            panic!("one line")
        };
        let of = &profile.functions[line.function as usize];
        assert_eq!(line.line, of.start_line);
        let place = (profile.text(of.filename).to_owned(), line.line);
        let name = profile.text(of.name).to_owned();
        assert_eq!(sampled.insert(name, (calls, place)), None, "one of each");
    }
    let counted = counts.functions.iter().filter(|of| of.calls > 0);
    let expected = counted.map(|of| (of.name.clone(), (of.calls, (of.file.clone(), of.line))));
    assert_eq!(sampled, expected.collect());
    assert_eq!(sampled["add_odd"].0, 1_002_004);
    let source = std::fs::read_to_string(&sampled["add_odd"].1.0).expect("the source");
    let line = source.lines().nth(sampled["add_odd"].1.1 as usize - 1);
    assert!(line.expect("a line").contains("add_odd("), "{line:?}");
    let go = std::process::Command::new("go")
        .args(["tool", "pprof", "-sample_index=calls", "-raw"])
        .arg(program.run_path())
        .output();
    if let Ok(raw) = go {
        let raw = String::from_utf8_lossy(&raw.stdout);
        assert!(
            raw.contains("calls/count") && raw.contains("1002004"),
            "{raw}"
        );
    }
}

#[test]
fn what_is_not_counted_is_said() {
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let (profile, output) = program.record(&["--calls", "/^(twice|first|second|leaf)$/"]);
    let counts = counts_of(&profile);
    assert_eq!(
        ["first", "second"].map(|name| function(counts, name).calls),
        [1, 1]
    );
    let twice = function(counts, "twice");
    let inlined = twice.inlined_calls.iter().map(|of| (&*of.caller, of.calls));
    assert_eq!((twice.calls, twice.inlined), (2, 2));
    assert_eq!(inlined.collect::<Vec<_>>(), [("first", 1), ("second", 1)]);
    let leaf = function(counts, "leaf");
    assert!(leaf.not_counted.contains("25 us more"), "{leaf:?}");
    let problems = problems_of(&profile);
    assert!(problems.contains("1 of the 4 functions"), "{problems}");
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(told.contains("1 of the 4 functions"), "at once: {told}");
    let report = lineheat(&["report", "--calls"])
        .arg(program.run_path())
        .output();
    let text = String::from_utf8(report.expect("it runs").stdout).expect("UTF-8");
    assert!(
        text.contains("not counted") && text.contains("leaf: It has no instruction"),
        "{text}"
    );
}

#[test]
fn a_function_has_its_time_under_any_of_its_names() {
    if !can_record() {
        return;
    }
    let program = Program::compile("two_names");
    let (profile, _) = program.record(&["--calls", "spin"]);
    let spin = function(counts_of(&profile), "spin");
    assert_eq!(spin.calls, 400);
    assert_eq!(spin.same_code, ["burn"]);
    let report = lineheat(&["report", "--calls", "--json"])
        .arg(program.run_path())
        .output();
    let text = String::from_utf8(report.expect("it runs").stdout).expect("UTF-8");
    assert!(text.contains("\"perCall\": {"), "{text}");
}

#[test]
fn a_go_program_whose_stacks_grow_prints_the_same_and_each_call_counts_once() {
    if !can_record() {
        return;
    }
    let program = Program::compile_go("growing");
    let profile = prints_the_same(&program, &["--calls", "main.descend"]);
    let truth: u64 = (0..200).map(|i| 501 + i).sum();
    assert_eq!(function(counts_of(&profile), "main.descend").calls, truth);
}

#[test]
fn exceptions_leave_through_counted_functions() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("exceptions");
    let profile = prints_the_same(&program, &["--calls", "Ledger::*"]);
    let counts = counts_of(&profile);
    let calls = ["Ledger::book", "Ledger::check"].map(|name| function(counts, name).calls);
    assert_eq!(calls, [3000, 3000], "{counts:?}");
}

#[test]
fn a_pattern_without_a_function_or_with_too_many_is_refused_before_the_program_runs() {
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let refusal = |pattern: &str| {
        let run = program.run_path();
        let output = lineheat(&["record", "--calls", pattern, "--output"]);
        let output = { output }.arg(&run).arg("--").arg(&program.path).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        assert!(!run.exists());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let unknown = refusal("ad_odd");
    assert!(
        unknown
            .contains("cannot count calls: no function is called ad_odd. Similar names: add_odd"),
        "{unknown}"
    );
    let many = refusal("*");
    assert!(many.contains("at most 4096 can be counted"), "{many}");
    assert!(many.contains("Use a narrower pattern"), "{many}");
    let leaf = refusal("leaf");
    assert!(leaf.contains("25 us more"), "{leaf}");
    assert!(refusal("/(/").contains("is no regular expression"));
}

#[test]
fn comparing_commands_counts_calls_and_refuses_what_only_record_has() {
    let commands = ["compare-commands", "--latency", "--", "true", ":::", "true"];
    let output = lineheat(&commands).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let refusal = String::from_utf8_lossy(&output.stderr);
    assert!(
        refusal.contains("compare-commands has no option --latency"),
        "{refusal}"
    );
    if !can_record() {
        return;
    }
    let program = Program::compile("calls");
    let path = program.path.to_str().expect("UTF-8");
    let runs = ["base.pb.gz", "new.pb.gz"].map(|name| program.directory.path().join(name));
    let mut command = lineheat(&["compare-commands", "--repeat", "2", "--calls", "add_odd"]);
    let command = command
        .arg("--output-base")
        .arg(&runs[0])
        .arg("--output-new")
        .arg(&runs[1]);
    let output = command
        .args(["--", path, ":::", path])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    for run in &runs {
        let profile = Profile::open(run).expect("a run");
        assert_eq!(
            function(counts_of(&profile), "add_odd").calls,
            2 * 1_002_004
        );
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_nop_of_five_bytes_inside_of_a_function_is_not_probed_and_values_are_kept() {
    if !can_record() {
        return;
    }
    let program = Program::compile("red_zone");
    let profile = prints_the_same(&program, &["--calls", "/^keeps_/"]);
    let counts = counts_of(&profile);
    let calls = ["keeps_after_push", "keeps_after_nop"].map(|name| function(counts, name).calls);
    assert_eq!(calls, [100_000, 100_000]);
    let refused = &function(counts, "keeps_inside").not_counted;
    assert!(
        refused.contains("no instruction where a count costs little"),
        "{refused}"
    );
}
