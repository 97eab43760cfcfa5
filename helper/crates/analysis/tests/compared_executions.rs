//! Comparisons of several executions of each side, and what is said of sides that are unlike.

use crate::support::comparisons::{compare, functions, run_of, sides};
use crate::support::{Chance, PERIOD_NS, executions, profile_of, recorded_run};
use analysis::{
    Comparison, Normalisation, Side, Verdict, compared_flame_graph, compared_functions,
};
use profile::run::{EndReason, Loss};

#[test]
fn several_runs_of_a_side_are_shown_per_run() {
    let runs = |count: usize, samples: u64| {
        Side::of(vec![profile_of(&format!("main@m.c:1 {samples}")); count]).expect("alike")
    };
    let comparison = Comparison::new(runs(3, 100), runs(2, 100), None).expect("the same values");
    assert_eq!(functions(&comparison), ["main 100>100 noise"]);
    assert_eq!(
        (
            comparison.base_total().samples,
            comparison.new_total().samples
        ),
        (300, 200)
    );
}

/// Twenty functions of 400 samples and one that is said.
fn program(special: &str) -> String {
    let others: String = (0..20)
        .map(|n| format!("main@m.c:1 f{n}@m.c:{} 400\n", n + 10))
        .collect();
    format!("{others}{special}")
}

#[test]
fn repeated_runs_name_the_function_that_grew_and_no_other() {
    let mut chance = Chance(11);
    let mut side = |special: &str| {
        Side::of(executions(&program(special), 6, 0.01, &mut chance)).expect("alike")
    };
    let comparison = Comparison::new(
        side("main@m.c:1 hot@m.c:5 2000"),
        side("main@m.c:1 hot@m.c:5 2600"),
        None,
    )
    .expect("the same values");
    let whole = comparison.whole();
    assert_eq!(whole.verdict, Verdict::Slower, "{}", whole.sentence);
    // 600 of 10,000.
    assert!(whole.low < 0.06 && 0.06 < whole.high, "{whole:?}");
    assert!(whole.smallest_detectable < 0.05);
    assert!(
        whole.sentence.starts_with("New is ")
            && whole.sentence.contains("% slower than base (")
            && whole
                .sentence
                .contains("in CPU time per execution; 1 function explains "),
        "{}",
        whole.sentence
    );
    let rows = compared_functions(&comparison);
    assert_eq!(
        (rows[0].name.as_str(), rows[0].verdict),
        ("hot", Verdict::Slower)
    );
    let effect = rows[0].effects.self_;
    assert!(
        effect.low < 0.3 && 0.3 < effect.high && effect.q < 0.01,
        "{effect:?}"
    );
    let others: Vec<&str> = (rows[1..].iter())
        .filter(|row| row.effects.self_.verdict != Verdict::Noise && row.name != "main")
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(others, [] as [&str; 0]);
    let graph = compared_flame_graph(&comparison)
        .compared
        .expect("both columns");
    let slower = (graph.total_effects.iter()).filter(|effect| effect.verdict == Verdict::Slower);
    // The root, main, and the function.
    assert_eq!(slower.count(), 3);
}

#[test]
fn executions_that_do_not_vary_by_chance_alone_are_named() {
    let side = |samples: &dyn Fn(usize) -> u64| {
        let run = |order| profile_of(&format!("main@m.c:1 {}", samples(order)));
        Side::of((0..12).map(run).collect()).expect("alike")
    };
    let wobble = |order: usize| 1000 + (order as u64 * 7) % 5;
    let growing = side(&|order| wobble(order) + 20 * order as u64);
    let of_two_kinds = side(&|order| wobble(order) + if order % 3 == 0 { 200 } else { 0 });
    let comparison = Comparison::new(growing, of_two_kinds, None).expect("the same values");
    let warnings = comparison.warnings().join("\n");
    let told = |words: &str| assert!(warnings.contains(words), "{warnings}");
    told("The executions of the base became 15 % slower from first to last.");
    told(
        "The executions of the new run form two groups: 8 faster ones and 4 that are 20 % slower.",
    );
    let one_off = side(&|order| wobble(order) * if order == 4 { 2 } else { 1 });
    let comparison = Comparison::new(one_off, side(&wobble), None).expect("the same values");
    let warnings = comparison.warnings().join("\n");
    assert!(
        warnings.contains("Execution 5 of the base was 100 % slower than the mean of the others."),
        "{warnings}"
    );
    assert!(!warnings.contains("new run form"), "{warnings}");
}

#[test]
fn runs_of_one_program_differ_by_noise_and_what_would_have_been_seen_is_said() {
    let mut chance = Chance(3);
    let mut side = || Side::of(executions(&program(""), 5, 0.02, &mut chance)).expect("alike");
    let comparison = Comparison::new(side(), side(), None).expect("the same values");
    let whole = comparison.whole();
    assert_eq!(whole.verdict, Verdict::Noise);
    assert!(
        whole
            .sentence
            .starts_with("Not distinguishable from noise: the change is ")
            && whole.sentence.contains("these runs would have shown "),
        "{}",
        whole.sentence
    );
    let rows = compared_functions(&comparison);
    assert!(rows.iter().all(|row| row.verdict == Verdict::Noise));
}

#[test]
fn repetitions_in_one_file_are_its_executions_and_a_cut_one_is_left_out() {
    let mut builder = profile::ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let function = builder.add_function("main", "main", "/src/m.c", 1);
    let line = profile::LineOf {
        function,
        line: 1,
        column: 0,
    };
    let place = builder.add_location(None, 1, &[line]);
    for (repetition, samples) in [(1, 300), (2, 310), (3, 305), (4, 7)] {
        let label = ("repetition", profile::LabelValue::Number(repetition, ""));
        builder.add_sample(&[place], &[samples, samples * PERIOD_NS], &[label]);
    }
    let repetition = |work: f64, warm_up: bool| profile::run::Repetition {
        wall_ns: 400_000_000,
        work,
        warm_up,
        ..profile::run::Repetition::default()
    };
    builder.set_run(profile::RunInfo {
        repetitions: vec![
            repetition(0.0, true),
            repetition(1000.0, false),
            repetition(1000.0, false),
            repetition(1000.0, false),
            profile::run::Repetition {
                cut: true,
                ..repetition(1000.0, false)
            },
        ],
        ..recorded_run("")
    });
    let profile = builder.finish();
    let side = || Side::of(vec![profile.clone()]).expect("one file");
    let comparison = Comparison::new(side(), side(), None).expect("the same values");
    assert_eq!(comparison.base_total().samples, 915);
    assert_eq!(comparison.normalisation(), Normalisation::Work);
    // 305 ms for 1000 units.
    assert_eq!(comparison.per(), "thousand units of work");
    assert_eq!(comparison.base_total().value, 305 * PERIOD_NS);
    let [base, _] = comparison.executions();
    let values: Vec<(bool, f64)> = base
        .iter()
        .map(|(one, value)| (one.warm_up, *value))
        .collect();
    assert_eq!(
        values,
        [(true, 0.0), (false, 3e8), (false, 3.1e8), (false, 3.05e8)]
    );
    assert_eq!(comparison.whole().verdict, Verdict::Noise);

    let per_run = Comparison::new(side(), side(), Some(Normalisation::Run)).expect("as asked");
    assert_eq!(
        (per_run.per(), per_run.base_total().value),
        ("execution", 305 * PERIOD_NS)
    );
    let no_work = || Side::of(vec![run_of("main@m.c:1 50", "")]).expect("one file");
    let error = Comparison::new(no_work(), no_work(), Some(Normalisation::Work)).err();
    assert!(error.expect("refused").contains("--work"));
}

#[test]
fn twice_the_work_in_twice_the_time_is_no_change_per_unit_of_work() {
    let mut chance = Chance(8);
    let mut side = |factor: u64| {
        let text = format!("main@m.c:1 work@m.c:5 {}", 50_000 * factor);
        let mut profiles = executions(&text, 4, 0.01, &mut chance);
        for run in profiles
            .iter_mut()
            .filter_map(|profile| profile.run.as_mut())
        {
            run.repetitions = vec![profile::run::Repetition {
                work: 25_000.0 * factor as f64,
                wall_ns: 1_000_000_000,
                ..profile::run::Repetition::default()
            }];
        }
        Side::of(profiles).expect("alike")
    };
    let comparison = Comparison::new(side(1), side(2), None).expect("the same values");
    assert_eq!(
        comparison.whole().verdict,
        Verdict::Noise,
        "{}",
        comparison.whole().sentence
    );
    assert!(comparison.whole().change.abs() < 0.05);
}

#[test]
fn when_shares_are_compared_what_did_not_change_stays_noise() {
    let mut chance = Chance(21);
    let mut side = |special: &str| {
        Side::of(executions(&program(special), 6, 0.01, &mut chance)).expect("alike")
    };
    let comparison = Comparison::new(
        side("main@m.c:1 hot@m.c:5 2000"),
        side("main@m.c:1 hot@m.c:5 4000"),
        Some(Normalisation::Share),
    )
    .expect("the same values");
    let changed: Vec<String> = (compared_functions(&comparison).into_iter())
        .filter(|row| row.effects.self_.verdict.is_significant())
        .map(|row| row.name)
        .collect();
    assert_eq!(changed, ["hot"]);
}

#[test]
fn a_single_run_against_several_varies_as_they_do() {
    let mut chance = Chance(31);
    let mut side = |runs: usize, hot: u64| {
        let text = program(&format!("main@m.c:1 hot@m.c:5 {hot}"));
        Side::of(executions(&text, runs, 0.01, &mut chance)).expect("alike")
    };
    let comparison = Comparison::new(side(6, 2000), side(1, 3000), None).expect("alike");
    let whole = comparison.whole();
    assert_eq!(whole.verdict, Verdict::Slower, "{}", whole.sentence);
    assert!(
        whole.method.contains("The new side has only one execution"),
        "{}",
        whole.method
    );
}

#[test]
fn one_run_each_tells_only_what_no_noise_explains_and_without_a_timeline_nothing() {
    let comparison = compare("main@m.c:1 1000", "main@m.c:1 1100");
    assert_eq!(comparison.whole().verdict, Verdict::Noise);
    assert!(
        comparison
            .whole()
            .sentence
            .starts_with("Not distinguishable from noise: the change is +10.0 % (")
            && comparison.whole().smallest_detectable > 0.3,
        "{:?}",
        comparison.whole()
    );
    // The headline and its rows follow one rule.
    assert_eq!(functions(&comparison), ["main 1000>1100 noise"]);
    let comparison = compare("main@m.c:1 1000", "main@m.c:1 121");
    assert_eq!(comparison.whole().verdict, Verdict::Faster);
    assert!(comparison.whole().high < -0.7, "{:?}", comparison.whole());
    assert_eq!(functions(&comparison), ["main 1000>121 faster"]);
    let untimed = sides(profile_of("main@m.c:1 1000"), profile_of("main@m.c:1 2000"));
    assert_eq!(functions(&untimed), ["main 1000>2000 too-few total"]);
    assert!(untimed.warnings()[0].contains("timeline"));
}

#[test]
fn a_side_without_samples_tests_nothing() {
    let comparison = compare("main@m.c:1 1000", "");
    assert_eq!(functions(&comparison), ["main 1000>0 too-few total"]);
    assert_eq!(
        comparison.whole().sentence,
        "One side has no samples, so there is nothing to compare."
    );
}

#[test]
fn executions_without_samples_or_cut_off_are_left_out_and_counted() {
    let whole = || run_of("main@m.c:1 100", "");
    let mut cut = run_of("main@m.c:1 60", "");
    cut.run
        .as_mut()
        .expect("a run")
        .set_end_reason(EndReason::Duration);
    let base = vec![whole(), run_of("", ""), whole(), cut.clone()];
    let base = Side::of(base).expect("alike");
    assert_eq!(base.executions().len(), 2);
    let new = Side::of(vec![whole(), whole(), whole()]).expect("alike");
    let comparison = Comparison::new(base, new, None).expect("alike");
    assert_eq!(functions(&comparison), ["main 100>100 noise"]);
    let warnings = comparison.warnings().join(" ");
    for part in [
        "1 of 4 executions has no samples and is left out.",
        "1 of 3 executions did not run to its end and is left out.",
    ] {
        assert!(warnings.contains(part), "{warnings}");
    }
    // Nothing but cut ones: they did less work than the others.
    let comparison = sides(whole(), cut);
    assert_eq!(functions(&comparison), ["main 100>60 too-few total"]);
    assert!(
        (comparison.warnings()[0]).contains("The new run was stopped before its program ended"),
        "{:?}",
        comparison.warnings()
    );
}

#[test]
fn files_of_one_side_may_have_different_rates() {
    // Twice the rate: each sample stands for half the time.
    let at = |samples: u64, period: u64| {
        let mut profile = run_of(&format!("main@m.c:1 {samples}"), "");
        for value in profile.samples.values.chunks_exact_mut(2) {
            value[1] = value[0] * period;
        }
        profile
    };
    let side = |files: [(u64, u64); 3]| {
        Side::of(files.map(|(samples, period)| at(samples, period)).to_vec()).expect("alike")
    };
    let (base, new) = (
        side([(1000, 10), (2000, 5), (1010, 10)]),
        side([(1005, 10), (995, 10), (2010, 5)]),
    );
    let comparison = Comparison::new(base, new, None).expect("alike");
    let row = &compared_functions(&comparison)[0];
    assert_eq!(row.verdict, Verdict::Noise);
    assert!(
        row.effects.self_.low > -0.03 && row.effects.self_.high < 0.03,
        "{row:?}"
    );
}

#[test]
fn unlike_runs_are_told() {
    let base = run_of("main@m.c:1 50", "");
    let mut new = run_of("main@m.c:1 50", "");
    let run = new.run.as_mut().expect("a run");
    run.asked_hz = 4999.0;
    run.event = "cycles".into();
    run.losses = vec![Loss {
        cause: "ring-full".into(),
        count: 6,
    }];
    let warnings = sides(base, new).warnings();
    for part in [
        "event differs: cpu-clock in the base",
        "4999 Hz",
        "lost 6.0 %",
    ] {
        assert!(
            warnings.iter().any(|warning| warning.contains(part)),
            "{part}: {warnings:?}"
        );
    }

    let other = profile::ProfileBuilder::new(&[("inuse_space", "bytes")]).finish();
    let side = |profile| Side::of(vec![profile]).expect("one file");
    let error = Comparison::new(side(other), side(profile_of("main@m.c:1 50")), None)
        .err()
        .expect("refused");
    assert!(
        error.contains("inuse_space/bytes") && error.contains("cpu/nanoseconds"),
        "{error}"
    );
}
