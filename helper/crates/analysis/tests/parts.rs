//! Parts of one run against each other.

use std::sync::Arc;

use crate::support::{Chance, PERIOD_NS, recorded_run};
use analysis::{Analyzed, Comparison, Normalisation, Selection, Side, Verdict, compared_functions};
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder};

/// One sample a millisecond, of functions by chance: by function, how many of a thousand samples of each second it has; and the thread.
fn recorded(seconds: &[&[(&str, u64)]], threads: u32, chance: &mut Chance) -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let mapping = builder.add_mapping(MappingOf {
        filename: "/bin/app",
        symbolized: true,
        ..MappingOf::default()
    });
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in seconds.iter().copied().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut drawn: Vec<(usize, u32)> = Vec::new();
    for parts in seconds {
        for _ in 0..1000 {
            let mut at = chance.below(1000);
            let name = parts.iter().find(|(_, part)| {
                let is_it = at < *part;
                at = at.saturating_sub(*part);
                is_it
            });
            let name = name.map_or(parts[0].0, |(name, _)| name);
            let number = names.iter().position(|known| *known == name).unwrap_or(0);
            drawn.push((number, 1 + chance.below(u64::from(threads)) as u32));
        }
    }
    let mut kinds = drawn.clone();
    kinds.sort_unstable();
    kinds.dedup();
    for (name, thread) in &kinds {
        let function = builder.add_function(names[*name], names[*name], "/src/m.c", 1);
        let line = LineOf {
            function,
            line: 10 + *name as u32,
            column: 0,
        };
        let location = builder.add_location(Some(mapping), 0x1000 + 16 * *name as u64, &[line]);
        let count = drawn
            .iter()
            .filter(|kind| **kind == (*name, *thread))
            .count() as u64;
        let thread_name = format!("worker-{thread}");
        let labels = [
            ("pid", LabelValue::Number(7, "")),
            ("tid", LabelValue::Number(i64::from(*thread), "")),
            ("process", LabelValue::Text("app")),
            ("thread", LabelValue::Text(&thread_name)),
        ];
        builder.add_sample(&[location], &[count, count * PERIOD_NS], &labels);
    }
    let mut profile = builder.finish();
    let mut run = recorded_run("");
    run.wall_ns = 1_000_000_000 * seconds.len() as u64;
    run.time_delta_ns = vec![PERIOD_NS; drawn.len()];
    run.time_delta_ns[0] = 0;
    let number =
        |kind: &(usize, u32)| kinds.iter().position(|known| known == kind).unwrap_or(0) as u32;
    run.time_sample = drawn.iter().map(number).collect();
    profile.run = Some(run);
    profile
}

fn during(from_ms: u64, to_ms: u64) -> Selection {
    let range = from_ms * PERIOD_NS..to_ms * PERIOD_NS;
    Selection {
        times: vec![range],
        ..Selection::default()
    }
}

fn of_thread(name: &str) -> Selection {
    Selection {
        threads: vec![name.to_owned()],
        ..Selection::default()
    }
}

fn compared(profile: &Profile, base: &Selection, new: &Selection) -> Result<Comparison, String> {
    let [base, new] = Side::parts(profile.clone(), [base, new])?;
    Comparison::new(base, new, None)
}

const STEADY: &[(&str, u64)] = &[("parse", 500), ("hash", 300), ("write", 200)];
const HASHES_MORE: &[(&str, u64)] = &[("parse", 250), ("hash", 600), ("write", 150)];

fn verdict_of(comparison: &Comparison, name: &str) -> Verdict {
    let rows = compared_functions(comparison);
    let row = rows.iter().find(|row| row.name == name);
    row.unwrap_or_else(|| panic!("{name}: no row")).verdict
}

#[test]
fn a_function_that_doubles_its_share_in_a_phase_is_named() {
    let mut chance = Chance(3);
    let profile = recorded(
        &[STEADY, STEADY, HASHES_MORE, HASHES_MORE, STEADY],
        1,
        &mut chance,
    );
    let phase = during(2000, 4000);
    let against_rest = compared(&profile, &phase.inverted(), &phase).expect("parts");
    assert_eq!(verdict_of(&against_rest, "hash"), Verdict::Slower);
    assert_eq!(verdict_of(&against_rest, "parse"), Verdict::Faster);
    assert_eq!(against_rest.names().words(), ["rest", "selection"]);
    let ranges = compared(&profile, &during(0, 2000), &phase).expect("parts");
    assert_eq!(verdict_of(&ranges, "hash"), Verdict::Slower);
    assert_eq!(ranges.names().words(), ["first range", "second range"]);
    let sentence = &ranges.whole().sentence;
    assert!(
        sentence.starts_with(
            "The second range uses 0.0 % more CPU time per wall second than the first range"
        ),
        "{sentence}"
    );
    let swapped = compared(&profile, &phase, &during(0, 2000)).expect("parts");
    assert_eq!(verdict_of(&swapped, "hash"), Verdict::Faster);
    assert_eq!(swapped.names().words(), ["second range", "first range"]);
}

#[test]
fn halves_of_a_steady_program_do_not_differ() {
    let mut chance = Chance(11);
    let (mut rows, mut marked) = (0, 0);
    for _ in 0..40 {
        let profile = recorded(&[STEADY; 4], 1, &mut chance);
        let comparison = compared(&profile, &during(0, 2000), &during(2000, 4000)).expect("parts");
        for row in compared_functions(&comparison) {
            rows += 1;
            marked += u32::from(row.effects.self_.p < 0.05);
        }
    }
    // 5 % are expected; 120 rows reach 15 once in ten thousand times.
    assert!(rows == 120 && marked < 15, "{marked} of {rows}");
}

#[test]
fn a_thread_is_compared_with_the_others_in_the_same_windows() {
    let mut chance = Chance(5);
    let profile = recorded(&[STEADY; 4], 3, &mut chance);
    let thread = of_thread("worker-1");
    let comparison = compared(&profile, &thread.inverted(), &thread).expect("parts");
    let whole = comparison.whole();
    // A third of the samples against two thirds, which the machine may have given them.
    assert!(!whole.verdict.has_direction(), "{}", whole.sentence);
    assert!(
        whole.sentence.starts_with("The selection uses "),
        "{}",
        whole.sentence
    );
    assert!(
        whole
            .sentence
            .contains("less CPU time per wall second than the rest"),
        "{}",
        whole.sentence
    );
    assert!(
        whole
            .method
            .contains("16 windows of time that both sides share"),
        "{}",
        whole.method
    );
    // Their functions take the same shares.
    assert_eq!(verdict_of(&comparison, "hash"), Verdict::Noise);
    let [base, new] = Side::parts(profile, [&thread.inverted(), &thread]).expect("parts");
    let rates = Comparison::new(base, new, Some(Normalisation::Wall)).expect("rates");
    assert!(
        (-0.6..-0.4).contains(&rates.whole().change),
        "{}",
        rates.whole().sentence
    );
    assert!(
        !rates.whole().verdict.has_direction(),
        "{}",
        rates.whole().sentence
    );
    assert!(!verdict_of(&rates, "hash").has_direction());
}

#[test]
fn a_part_of_the_time_of_a_thread_is_compared_by_what_it_is_made_of() {
    let mut chance = Chance(29);
    let of_time = |from_ms: u64, to_ms: u64| Selection {
        times: during(from_ms, to_ms).times,
        ..of_thread("worker-1")
    };
    let part = of_time(2000, 4000);
    for (seconds, base, expected) in [
        // A sixth of the samples against all others, which says nothing of what they are.
        (
            [STEADY; 4],
            part.inverted(),
            [Verdict::Noise, Verdict::Noise],
        ),
        (
            [STEADY, STEADY, HASHES_MORE, HASHES_MORE],
            of_time(0, 2000),
            [Verdict::Slower, Verdict::Faster],
        ),
    ] {
        let seconds: Vec<&[(&str, u64)]> = seconds.to_vec();
        let profile = recorded(&seconds, 3, &mut chance);
        let comparison = compared(&profile, &base, &part).expect("parts");
        let whole = comparison.whole();
        assert!(!whole.verdict.has_direction(), "{}", whole.sentence);
        let found = ["hash", "parse"].map(|name| verdict_of(&comparison, name));
        assert_eq!(found, expected, "{}", whole.method);
    }
}

#[test]
fn a_selection_and_its_rest_add_up_to_the_run() {
    let mut chance = Chance(17);
    let profile = recorded(&[STEADY, HASHES_MORE, STEADY], 3, &mut chance);
    let whole = Analyzed::new(profile);
    for _ in 0..200 {
        let at = |chance: &mut Chance| chance.below(3500);
        let mut selection = Selection::default();
        for _ in 0..chance.below(4) {
            let (a, b) = (at(&mut chance), at(&mut chance));
            selection
                .times
                .push(a.min(b) * PERIOD_NS..a.max(b) * PERIOD_NS + 1);
        }
        if chance.below(2) == 0 || selection.times.is_empty() {
            selection
                .threads
                .push(format!("worker-{}", 1 + chance.below(3)));
        }
        let [part, rest] =
            [&selection, &selection.inverted()].map(|of| whole.selected(of).expect("a selection"));
        for measure in 0..2 {
            let [all, part, rest] = [&whole, &part, &rest].map(|of| of.total(measure));
            assert_eq!(
                (all.samples, all.value),
                (part.samples + rest.samples, part.value + rest.value),
                "{selection:?}"
            );
        }
        let saved = rest.to_profile("the rest");
        let again = Analyzed::new(saved.clone());
        assert_eq!(again.total(1), rest.total(1));
        let times = saved.run.map_or(0, |run| run.time_sample.len());
        assert_eq!(times as u64, rest.total(0).samples, "{selection:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let mut chance = Chance(23);
    let profile = recorded(&[STEADY; 3], 2, &mut chance);
    let error = |base: &Selection, new: &Selection| match compared(&profile, base, new) {
        Ok(comparison) => comparison.whole().sentence.clone(),
        Err(message) => message,
    };
    let overlap = "Both sides hold some of the same samples";
    assert!(error(&during(0, 2000), &during(1000, 3000)).starts_with(overlap));
    assert!(error(&during(0, 2000), &of_thread("worker-1")).starts_with(overlap));
    let everything = Selection::default();
    assert!(error(&everything, &during(0, 1000)).starts_with(overlap));
    assert!(error(&everything.inverted(), &everything).starts_with("Nothing is left out"));
    assert_eq!(
        error(&during(0, 1000), &during(5000, 6000)),
        "The second range has no samples, so there is nothing to compare."
    );
    let short = compared(&profile, &during(0, 1000), &during(2000, 2100)).expect("figures");
    assert!(
        short.whole().method.starts_with("The second range covers 0.10 s of time, which is too little to distinguish a difference from noise: at least 0.20 s are needed."),
        "{}",
        short.whole().method
    );
    let sentence = &short.whole().sentence;
    assert!(
        sentence.starts_with("The second range ")
            && sentence.ends_with("more than noise is unknown."),
        "{sentence}"
    );
    assert_eq!(verdict_of(&short, "hash"), Verdict::TooFew);
}

#[test]
fn without_times_threads_are_compared_by_figures_alone() {
    let mut chance = Chance(29);
    let mut profile = recorded(&[STEADY; 3], 2, &mut chance);
    profile.run = None;
    let thread = of_thread("worker-1");
    let comparison = compared(&profile, &thread.inverted(), &thread).expect("figures");
    let method = &comparison.whole().method;
    assert!(
        method.starts_with("This file does not say when its samples were taken"),
        "{method}"
    );
    assert_eq!(
        comparison.whole().sentence,
        "Shares give no overall verdict."
    );
    assert!(compared(&profile, &during(0, 1000), &during(1000, 2000)).is_err());
}

#[test]
fn sides_of_selections_are_the_selected_samples() {
    let mut chance = Chance(31);
    let profile = recorded(&[STEADY, HASHES_MORE], 2, &mut chance);
    let (base, new) = (during(0, 1000), during(1000, 2000));
    let comparison = compared(&profile, &base, &new).expect("parts");
    let whole = Analyzed::new(profile);
    for (side, selection) in [(comparison.base(), &base), (comparison.new_run(), &new)] {
        let alone = Arc::new(whole.selected(selection).expect("a selection"));
        assert_eq!(side.total(1), alone.total(1));
    }
}

#[test]
fn executions_of_a_repeated_command_are_the_units_of_their_parts() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/runs/repeats.format-1.pb.gz"
    );
    let profile = profile::Opener::default()
        .open(path.as_ref())
        .expect("a run of three executions");
    let two = Selection {
        executions: vec![1, 3],
        ..Selection::default()
    };
    let comparison = compared(&profile, &two.inverted(), &two).expect("parts");
    let counts = comparison.executions().map(|side| side.len());
    assert_eq!(counts, [1, 2]);
    assert_eq!(comparison.per(), "execution");
    // Each took 40 to 45 ms.
    for total in [comparison.base_total(), comparison.new_total()] {
        assert!((30_000_000..55_000_000).contains(&total.value), "{total:?}");
    }
    let method = &comparison.whole().method;
    assert!(
        method.contains(
            "The rest has only one execution and is assumed to vary as much as the selection."
        ),
        "{method}"
    );
}
