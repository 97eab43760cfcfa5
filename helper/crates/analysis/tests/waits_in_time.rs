//! Waits in selections of time: each part has what was waited in it, and parts add up to the whole.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::support::selections::{functions_by, lines_by, sums, threaded};
use crate::support::{Chance, PERIOD_NS};
use analysis::{Analyzed, Selection, Shows, TimelineOf, hottest_stack, timeline};
use profile::{Limits, Profile, ValueType, WaitTime, run::WaitTimes};

const WAIT: usize = 2;
const WAITS: usize = 3;
const END_NS: u64 = 200 * PERIOD_NS;

/// Some of the samples are of waits: a few, or many that share an entry. Also these waits.
fn a_run(seed: u64) -> (Profile, Vec<WaitTime>, Chance) {
    let mut chance = Chance(seed * 0x9e37_79b9);
    let text = chance.profile_text(4 + seed % 30);
    let mut profile = threaded(&text, &mut chance);
    for (name, unit) in [("wait", "nanoseconds"), ("waits", "count")] {
        let mut text = |text: &str| profile.strings.push(text).expect("room");
        let (kind, unit) = (text(name), text(unit));
        profile.sample_types.push(ValueType { kind, unit });
    }
    let mut waits = Vec::new();
    let before = std::mem::take(&mut profile.samples.values);
    for (sample, row) in before.chunks_exact(2).enumerate() {
        if chance.below(2) == 0 {
            profile.samples.values.extend([row[0], row[1], 0, 0]);
            continue;
        }
        let mut sum = (0, 0);
        for _ in 0..=chance.below(4) {
            let length_ns = chance.below(END_NS / 2);
            let (waited_ns, waits_of_it) = match chance.below(3) {
                0 => (chance.below(length_ns + 1), chance.below(9) as u32),
                1 => (length_ns, 0),
                _ => (length_ns, 1),
            };
            waits.push(WaitTime {
                sample: sample as u32,
                start_ns: chance.below(END_NS),
                length_ns,
                waited_ns,
                waits: waits_of_it,
            });
            sum = (sum.0 + waited_ns, sum.1 + u64::from(waits_of_it));
        }
        profile.samples.values.extend([0, 0, sum.0, sum.1]);
    }
    waits.sort_by_key(|wait| wait.start_ns);
    let values = &profile.samples.values;
    let run = profile.run.as_mut().expect("a run");
    run.time_sample
        .retain(|sample| values[*sample as usize * 4] > 0);
    run.time_delta_ns = vec![PERIOD_NS; run.time_sample.len()];
    run.wait_times = (!waits.is_empty()).then(|| WaitTimes::of(waits.iter().copied()));
    (profile, waits, chance)
}

fn cut(chance: &mut Chance) -> Vec<Range<u64>> {
    let mut edges: Vec<u64> = (0..chance.below(6))
        .map(|_| chance.below(2 * END_NS))
        .collect();
    edges.extend([0, 2 * END_NS]);
    edges.sort_unstable();
    edges.windows(2).map(|edge| edge[0]..edge[1]).collect()
}

fn during(times: impl IntoIterator<Item = Range<u64>>) -> Selection {
    Selection {
        times: times.into_iter().collect(),
        ..Selection::default()
    }
}

#[test]
fn parts_of_the_time_add_up_to_all_waits_in_every_view() {
    for seed in 1..=60 {
        let (profile, _, mut chance) = a_run(seed);
        let run = Analyzed::new(profile);
        let parts: Vec<Analyzed> = (cut(&mut chance).into_iter())
            .map(|part| run.selected(&during(Some(part))).expect("it has times"))
            .collect();
        for measure in [WAIT, WAITS] {
            let total: u64 = parts.iter().map(|part| part.total(measure).value).sum();
            assert_eq!(total, run.total(measure).value, "{seed}");
            for view in [functions_by, lines_by] {
                let values =
                    |table: BTreeMap<String, analysis::Amounts>| -> Vec<(String, u64, u64)> {
                        (table.into_iter())
                            .map(|(key, of)| (key, of.self_.value, of.total.value))
                            .filter(|(_, self_, total)| (*self_, *total) != (0, 0))
                            .collect()
                    };
                let summed = values(sums(&parts, |part| view(part, measure)));
                assert_eq!(summed, values(view(&run, measure)), "{seed}");
            }
        }
    }
}

#[test]
fn a_part_has_the_time_that_its_waits_have_in_common_with_it() {
    for seed in 1..=60 {
        let (profile, waits, mut chance) = a_run(seed);
        let run = Analyzed::new(profile);
        let times: Vec<Range<u64>> = cut(&mut chance).into_iter().step_by(2).collect();
        let selected = run.selected(&during(times.clone())).expect("it has times");
        let common = |wait: &WaitTime| -> f64 {
            let ends = wait.start_ns + wait.length_ns;
            let lengths = times.iter().map(|range| {
                range
                    .end
                    .min(ends)
                    .saturating_sub(range.start.max(wait.start_ns)) as f64
            });
            let share = lengths.sum::<f64>() / wait.length_ns.max(1) as f64;
            share * wait.waited_ns as f64
        };
        let slowly: f64 = waits.iter().map(common).sum();
        let off = (selected.total(WAIT).value as f64 - slowly).abs();
        assert!(
            off <= (waits.len() * times.len()) as f64,
            "{seed}: off by {off} ns"
        );
        let rest = Selection {
            rest: true,
            ..during(times)
        };
        let rest = run.selected(&rest).expect("there is a rest");
        for measure in [WAIT, WAITS] {
            let both = [&selected, &rest].map(|part| part.total(measure).value);
            assert_eq!(both[0] + both[1], run.total(measure).value, "{seed}");
        }
        assert_eq!(selected.selection_notice(), "", "nothing is left out");
    }
}

#[test]
fn a_part_that_is_saved_says_when_its_waits_were() {
    for seed in 1..=40 {
        let (profile, _, mut chance) = a_run(seed);
        let run = Analyzed::new(profile);
        let parts = cut(&mut chance);
        let inside = parts[0].start..parts[parts.len() / 2].end;
        let selected = run
            .selected(&during(Some(inside.clone())))
            .expect("it has times");
        let mut bytes = Vec::new();
        selected
            .to_profile("a part")
            .write(&mut bytes)
            .expect("memory");
        let read = Profile::read(&bytes, &Limits::default()).expect("a profile");
        assert_eq!(read.problems, [""; 0], "its times fit");
        let again = Analyzed::new(read);
        let outside = again
            .selected(&during(Some(inside.end..u64::MAX)))
            .expect("it has times");
        assert_eq!(outside.total(WAIT).value, 0, "{seed}");
        let all = again.selected(&during(Some(inside))).expect("it has times");
        for measure in [WAIT, WAITS] {
            assert_eq!(all.total(measure), selected.total(measure), "{seed}");
        }
    }
}

#[test]
fn times_that_do_not_add_up_to_the_waits_are_omitted_and_the_waits_are_not() {
    let (mut profile, _, _) = a_run(3);
    let total = profile.total(WAIT);
    let times = profile.run.as_mut().and_then(|run| run.wait_times.as_mut());
    times.expect("waits").waits[0] += 1;
    let mut bytes = Vec::new();
    profile.write(&mut bytes).expect("memory");
    let read = Profile::read(&bytes, &Limits::default()).expect("a profile");
    assert_eq!(read.run.as_ref().expect("a run").wait_times, None);
    assert_eq!(read.total(WAIT), total);
    let problems = read.problems.join("\n");
    assert!(problems.contains("All waits are present"), "{problems}");
}

#[test]
fn tracks_of_a_timeline_have_all_waits_of_their_threads() {
    for seed in 1..=40 {
        let (profile, waits, mut chance) = a_run(seed);
        let Some(longest) = waits
            .iter()
            .max_by_key(|wait| wait.start_ns + wait.length_ns)
        else {
            continue;
        };
        let run = Analyzed::new(profile);
        let columns = 1 + chance.below(50);
        let time = 0..longest.start_ns + longest.length_ns;
        let wanted = TimelineOf {
            time: time.clone(),
            columns: columns as u32,
            tracks: 0..99,
            by_process: false,
            measure: 0,
            tinted: None,
            folders: &[],
        };
        let found = timeline(&run, &wanted).expect("it has times");
        let column_ns = found.time.end as f64 / columns as f64;
        let mut shown_ns = 0.0;
        let mut is_full = false;
        for track in &found.tracks {
            assert_eq!(
                track.waits.queued,
                vec![0; columns as usize],
                "none says so"
            );
            for thousandths in &track.waits.waiting {
                shown_ns += f64::from(*thousandths) / 1000.0 * column_ns;
                is_full |= *thousandths == 1000;
            }
        }
        assert_eq!(found.all.waits.waiting, [0; 0]);
        assert_eq!(found.shows, Shows::Samples);
        let of_waits = TimelineOf {
            measure: WAIT,
            tracks: 0..1,
            ..wanted
        };
        let alone = timeline(&run, &of_waits).expect("it has times");
        assert_eq!(alone.shows, Shows::Waits);
        assert_eq!(alone.all.value, run.total(WAIT).value, "{seed}");
        assert!(
            alone
                .all
                .of_code
                .iter()
                .flatten()
                .all(|&samples| samples == 0),
            "{seed}: samples are on no track of waits"
        );
        let every = timeline(
            &run,
            &TimelineOf {
                tracks: 0..99,
                ..of_waits
            },
        );
        let values: Vec<u64> = (every.expect("it has times").tracks.iter())
            .map(|track| track.value)
            .collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{seed}: {values:?}");
        assert_eq!(values.iter().sum::<u64>(), alone.all.value);
        // Of all threads, also of those without a track here.
        let all_ns: f64 = (alone.all.waits.waiting.iter())
            .map(|thousandths| f64::from(*thousandths) / 1000.0 * column_ns)
            .sum();
        let waited = run.total(WAIT).value as f64;
        let rounding = column_ns / 1000.0 * columns as f64 + columns as f64;
        assert!(
            (waited - all_ns).abs() <= rounding,
            "{seed}: {all_ns} of {waited}"
        );
        let waited_ns = run.total(WAIT).value as f64;
        let rounding_ns = column_ns / 1000.0 * (columns as usize * found.track_count) as f64;
        assert!(shown_ns <= waited_ns + rounding_ns, "{seed}");
        // Waits of these threads overlap, which those of real ones do not.
        assert!(
            is_full || shown_ns + 2.0 * rounding_ns >= waited_ns,
            "{seed}: {shown_ns} of {waited_ns}"
        );
    }
}

#[test]
fn where_nothing_was_sampled_the_longest_wait_is_what_a_thread_was_at() {
    let mut found = 0;
    for seed in 1..=40 {
        let (mut profile, waits, _) = a_run(seed);
        let run = profile.run.as_mut().expect("a run");
        run.time_sample.clear();
        run.time_delta_ns.clear();
        let run = Analyzed::new(profile);
        for wait in waits.iter().filter(|wait| wait.waited_ns > 10) {
            let time = wait.start_ns..wait.start_ns + wait.length_ns;
            let stack = hottest_stack(&run, &time, None);
            let (_, ns) = stack.waited.expect("it is that one, or a longer one");
            assert!(ns >= wait.waited_ns && !stack.functions.is_empty());
            assert_eq!(stack.of_samples, 0);
            found += 1;
        }
    }
    assert!(found > 50, "{found}");
}
