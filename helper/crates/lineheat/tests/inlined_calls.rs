//! Calls that were inlined, by real compilers and counted under real BPF: as many as the program itself has counted.

use std::process::Command;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use profile::run::{CallCounts, CalledFunction};

fn counts_of(profile: &Profile) -> &CallCounts {
    let run = profile.run.as_ref().expect("a run");
    run.calls.as_ref().expect("calls were counted")
}

fn function<'a>(counts: &'a CallCounts, name: &str) -> &'a CalledFunction {
    let found = counts.functions.iter().find(|of| of.name == name);
    found.unwrap_or_else(|| panic!("no {name}: {counts:?}"))
}

/// By caller.
fn inlined_calls(of: &CalledFunction) -> Vec<(&str, u64)> {
    let places = of.inlined_calls.iter();
    let mut by_caller: Vec<(&str, u64)> = { places }
        .map(|place| (&*place.caller, place.calls))
        .collect();
    by_caller.sort_unstable();
    by_caller
}

fn printed(stdout: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(stdout);
    text.trim()
        .parse()
        .unwrap_or_else(|_| panic!("a number: {text}"))
}

fn compiled_c(compiler: &str) -> Program {
    let mut command = Command::new(compiler);
    command.args(["-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o"]);
    Program::compile_by(command, "inlined_calls", "c")
}

#[test]
fn each_inlined_call_of_each_thread_and_child_is_counted() {
    if !can_record() {
        return;
    }
    for compiler in ["gcc", "clang"] {
        let program = compiled_c(compiler);
        let (profile, output) = program.record(&["--calls", "/^(step|squares?)$/"]);
        let counts = counts_of(&profile);
        let step = function(counts, "step");
        let all = 1_000_003 + 1_000 + 1_001;
        assert_eq!(step.calls, printed(&output.stdout), "{compiler}: {step:?}");
        assert_eq!(step.calls, all + 10, "{compiler}");
        assert_eq!(
            (step.inlined, step.uncounted_places.len()),
            (2, 0),
            "{compiler}: {step:?}"
        );
        // Each thread and child begins with an even number.
        let odd: u64 = [125_000; 5]
            .iter()
            .chain(&[125_001; 3])
            .chain(&[1_000, 1_001])
            .map(|n| n / 2)
            .sum();
        let by_caller = [("first", odd), ("second", all - odd)];
        assert_eq!(inlined_calls(step), by_caller, "{compiler}");
        let lines = step.inlined_calls.iter().map(|place| place.line);
        let source = std::fs::read_to_string(&step.inlined_calls[0].file).expect("the source");
        for line in lines {
            let line = source.lines().nth(line as usize - 1).expect("a line");
            assert!(line.contains("step("), "{compiler}: {line}");
        }

        let number = counts.functions.iter().position(|of| of.name == "step");
        let threads = counts
            .threads
            .iter()
            .filter(|of| Some(of.function as usize) == number);
        let mut threads: Vec<u64> = threads.map(|of| of.calls).collect();
        threads.sort_unstable();
        let mut expected = vec![10, 1_000, 1_001];
        expected.extend([125_000; 5].iter().chain(&[125_001; 3]));
        assert_eq!(
            threads, expected,
            "{compiler}: by thread, of own code and inlined"
        );

        let square = function(counts, "square");
        if compiler == "gcc" {
            assert_eq!((square.calls, square.inlined_calls.len()), (1024, 1));
        } else {
            // A vectorized loop holds several calls: nothing is counted, and this is said.
            assert_eq!(
                (square.calls, square.inlined_calls.len()),
                (0, 0),
                "{square:?}"
            );
            assert!(
                square.not_counted.contains("inlined") && square.uncounted_places.len() == 1,
                "{square:?}"
            );
        }
        assert_eq!(function(counts, "squares").calls, 1, "{compiler}");
        let report = lineheat(&["report", "--calls"])
            .arg(program.run_path())
            .output();
        let report = String::from_utf8_lossy(&report.expect("it runs").stdout).into_owned();
        let note = "1,002,004 of the calls were counted at 2 places where it was inlined";
        assert!(report.contains(note), "{report}");
        let left_out = report.contains("Calls at 1 place where it was inlined are not counted");
        assert_eq!(left_out, compiler == "clang", "{report}");
    }
}

#[test]
fn inlined_calls_of_rust_are_counted_and_have_a_time_each() {
    if !can_record() {
        return;
    }
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition", "2024", "-C", "opt-level=3", "-g", "-o"]);
    let program = Program::compile_by(compiler, "inlined_calls", "rs");
    let (profile, output) = program.record(&["--calls", "inlined_calls::mix"]);
    let mix = function(counts_of(&profile), "inlined_calls::mix");
    assert_eq!(mix.calls, printed(&output.stdout), "{mix:?}");
    assert_eq!(mix.calls, 40_000);
    let calls: Vec<u64> = mix.inlined_calls.iter().map(|place| place.calls).collect();
    assert_eq!(calls, [10_000; 4], "{mix:?}");
    let source = std::fs::read_to_string(&mix.file).expect("its definition is known");
    let line = source.lines().nth(mix.line as usize - 1).expect("a line");
    assert!(line.contains("fn mix("), "{line}");
}

#[test]
fn functions_that_are_inlined_into_one_another_share_an_instruction_and_count_both() {
    if !can_record() {
        return;
    }
    let program = compiled_c("gcc");
    let (profile, _) = program.record(&["--calls", "/^(step|first)$/"]);
    let counts = counts_of(&profile);
    let [step, first] = ["step", "first"].map(|name| function(counts, name));
    let in_first = step
        .inlined_calls
        .iter()
        .find(|place| place.caller == "first");
    assert_eq!(in_first.expect("inlined there").calls, first.calls);
    assert!(first.calls > 500_000, "{first:?}");
}

#[test]
fn inlined_calls_are_not_timed_and_this_is_said() {
    if !can_record() {
        return;
    }
    let program = compiled_c("gcc");
    let (profile, _) = program.record(&["--calls", "step", "--latency"]);
    let step = function(counts_of(&profile), "step");
    let times = step.times.as_ref().expect("its own code is timed");
    assert_eq!(times.calls.iter().sum::<u64>(), 10, "{times:?}");
    let report = lineheat(&["report", "--calls"])
        .arg(program.run_path())
        .output();
    let report = String::from_utf8_lossy(&report.expect("it runs").stdout).into_owned();
    let note = "Not timed: 1,002,004 calls: 1,002,004 that were inlined.";
    assert!(report.contains(note), "{report}");
}

#[test]
fn a_function_whose_inlined_calls_cannot_be_counted_is_refused_with_the_reason() {
    if !can_record() {
        return;
    }
    let program = compiled_c("clang");
    let run = program.run_path();
    let output = lineheat(&["record", "--calls", "square", "--output"]);
    let output = { output }.arg(&run).arg("--").arg(&program.path).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(!run.exists());
    let refusal = String::from_utf8_lossy(&output.stderr);
    assert!(refusal.contains("Every call was inlined"), "{refusal}");
    assert!(
        refusal.contains("Where it was inlined, the co"),
        "{refusal}"
    );
}

#[test]
fn comparators_in_the_rotated_loops_of_a_sort_are_all_counted() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("inlined_sort");
    let (profile, output) = program.record(&["--calls", "/^(ByPrice::operator.*|Sum::add)$/"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let printed: Vec<u64> = (printed.split_whitespace().take(2))
        .map(|number| number.parse().expect("a number"))
        .collect();
    let counts = counts_of(&profile);
    let both = ["ByPrice::operator()", "Sum::add"].map(|name| function(counts, name));
    assert!(printed[0] > 100_000 && printed[1] > 20_000, "{printed:?}");
    for (of, printed) in both.into_iter().zip(printed) {
        match of.inlined as usize == of.inlined_calls.len() {
            true => assert_eq!(of.calls, printed, "{of:?}"),
            // Another compiler may have mixed some of them with their surroundings.
            false => assert!(
                of.calls < printed && !of.uncounted_places.is_empty(),
                "{of:?}"
            ),
        }
    }
    assert!(both[0].inlined_calls.len() > 5, "{both:?}");
}
