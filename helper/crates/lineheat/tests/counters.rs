//! Events that happen a known number of times, counted under real BPF.

mod support;

use profile::run::EventCounter;
use support::{Program, can_record, lineheat};

#[test]
fn events_are_counted_and_their_samples_stand_for_all_of_them() {
    if !can_record() {
        return;
    }
    let program = Program::compile("counters");
    let (profile, output) = program.record(&["--counters", "faults,context-switches"]);
    let told = String::from_utf8_lossy(&output.stderr);
    let run = profile.run.as_ref().expect("a run");
    let [faults, switches] = &run.counters[..] else {
        panic!("{:?}: {told}", run.counters);
    };
    let names = [&*faults.name, &*switches.name];
    assert_eq!(names, ["page-faults", "context-switches"]);
    assert!((20_000..21_000).contains(&faults.count), "{faults:?}");
    assert!(switches.count >= 200, "{switches:?}");
    for of in [faults, switches] {
        assert_eq!(of.sampled + of.lost + of.hidden, of.count, "{of:?}");
        let column = profile
            .find_sample_type(&of.name, "count")
            .expect("a measure");
        let samples = 0..profile.samples.len();
        let sum: u64 = samples.map(|sample| profile.value(sample, column)).sum();
        assert_eq!(sum, of.sampled, "{of:?}");
    }
}

#[test]
fn an_unknown_event_is_answered_with_those_that_are_known() {
    let output = lineheat(&["record", "--counters", "cycle", "--", "true"]).output();
    let output = output.expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        told.contains("\"cycle\"") && told.contains("cycles, instructions"),
        "{told}"
    );
}

#[test]
fn a_counter_that_the_machine_lacks_is_named_and_the_others_count() {
    if !can_record() {
        return;
    }
    let program = Program::compile("counters");
    let (profile, _) = program.record(&["--counters", "LLC-load-misses,page-faults"]);
    let run = profile.run.as_ref().expect("a run");
    let of = |name: &str| -> &EventCounter {
        let mut all = run.counters.iter();
        all.find(|of| of.name == name).expect("it was asked for")
    };
    assert!(of("page-faults").count >= 20_000);
    let misses = of("LLC-load-misses");
    match misses.refused.is_empty() {
        true => assert!(misses.enabled_ns > 0, "{misses:?}"),
        false => assert!(run.problems.join("\n").contains(&misses.refused)),
    }
}
