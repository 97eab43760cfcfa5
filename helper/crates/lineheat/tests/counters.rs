//! Events that happen a known number of times, counted under real BPF.

use crate::support::{Program, can_record, lineheat};
use profile::run::EventCounter;
use profile::{LineOf, ProfileBuilder, RunInfo, save};
use serde_json::Value;

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
fn an_unknown_event_is_answered_with_similar_names_and_how_to_list_them() {
    let output = lineheat(&["record", "--counters", "cycle", "--", "true"]).output();
    let output = output.expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    let similar = "no counter is called cycle. Similar names: cycles, bus-cycles, ref-cycles";
    assert!(
        told.contains(similar) && told.contains("`lineheat doctor`"),
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

/// A machine with hardware counters is not needed for what reports make of them.
#[test]
fn reports_have_instructions_per_cycle_of_functions_lines_and_the_whole() {
    let types = [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
        ("cycles_samples", "count"),
        ("cycles", "count"),
        ("instructions_samples", "count"),
        ("instructions", "count"),
    ];
    let mut builder = ProfileBuilder::new(&types);
    let mut location = |name: &str, line| {
        let function = builder.add_function(name, name, "/project/loop.c", line);
        let column = 0;
        let of = LineOf {
            function,
            line,
            column,
        };
        builder.add_location(None, u64::from(line), &[of])
    };
    let (slow, main) = (location("chase", 4), location("main", 9));
    builder.add_sample(&[slow, main], &[10, 10_000_000, 0, 0, 0, 0], &[]);
    builder.add_sample(&[slow, main], &[0, 0, 10, 10_000_000, 0, 0], &[]);
    builder.add_sample(&[slow, main], &[0, 0, 0, 0, 10, 5_000_000], &[]);
    let counter = |name: &str, count, running_ns| EventCounter {
        name: name.to_owned(),
        count,
        sampled: count - 1,
        samples: 10,
        enabled_ns: 100,
        running_ns,
        ..EventCounter::default()
    };
    builder.set_run(RunInfo {
        format: 1,
        counters: vec![
            counter("cycles", 10_000_123, 100),
            counter("instructions", 4_000_100, 80),
        ],
        ..RunInfo::default()
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.pb.gz");
    save(&builder.finish(), &path).expect("it is written");
    let path = path.to_str().expect("a name");
    let printed = |options: &[&str]| {
        let output = lineheat(&[&["report", path], options].concat()).output();
        String::from_utf8(output.expect("it runs").stdout).expect("text")
    };
    let text = printed(&["--lines"]);
    assert!(text.contains("0.50  0.19 to 1.34"), "{text}");
    let whole = "cycles 10,000,123 (samples: 10,000,122), instructions 4,000,100 (samples: 4,000,099, counted in 80.0 % of the time), IPC 0.50";
    assert!(text.contains(whole), "{text}");
    assert!(printed(&[]).contains("0.50  0.19 to 1.34"));
    let json: Value = serde_json::from_str(&printed(&["--json"])).expect("JSON");
    let of = |row: usize| &json["functions"][row]["instructionsPerCycle"];
    assert_eq!(of(0)["self"]["value"], 0.5);
    assert_eq!(
        (&of(1)["self"], &of(1)["total"]["value"]),
        (&Value::Null, &0.5.into())
    );
    assert_eq!(json["counters"][1]["count"], 4_000_100);
    assert_eq!(json["counters"][1]["countedShare"], 0.8);
}
