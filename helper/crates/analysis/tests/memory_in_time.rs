//! Allocations in selections of time: each part has what was allocated in it, and what of that was not freed by its end.

use std::ops::Range;

use crate::support::selections::threaded;
use crate::support::{Chance, PERIOD_NS};
use analysis::{Analyzed, Selection};
use profile::run::MemoryTimes;
use profile::{ALLOCATED_OBJECT, Limits, MemoryTime, NOT_FREED, Profile, Sums, ValueType};

const TYPES: [&str; 9] = [
    "alloc_samples",
    "alloc_objects",
    "alloc_space",
    "inuse_samples",
    "inuse_objects",
    "inuse_space",
    "temporary_samples",
    "temporary_objects",
    "temporary_space",
];
/// The first of them that is a measure of these profiles.
const FIRST: usize = 2;
const ALLOCATED: [usize; 3] = [FIRST, FIRST + 1, FIRST + 2];
const IN_USE_SPACE: usize = FIRST + 5;
const TEMPORARY: [usize; 3] = [FIRST + 6, FIRST + 7, FIRST + 8];
const END_NS: u64 = 200 * PERIOD_NS;

fn block(chance: &mut Chance, sample: u32) -> MemoryTime {
    let allocated_ns = chance.below(END_NS);
    let freed_ns = match chance.below(4) {
        0 => allocated_ns,
        1 => NOT_FREED,
        _ => allocated_ns + 1 + chance.below(END_NS),
    };
    let is_freed = ![allocated_ns, NOT_FREED].contains(&freed_ns);
    MemoryTime {
        sample,
        allocated_ns,
        freed_ns,
        is_temporary: is_freed && chance.below(2) == 0,
        sums: Sums {
            samples: 1 + chance.below(3),
            weight: chance.below(3 * ALLOCATED_OBJECT),
            value: chance.below(1 << 30),
        },
    }
}

fn sum<'a>(blocks: impl Iterator<Item = &'a MemoryTime>) -> Sums {
    blocks.fold(Sums::default(), |mut sums, block| {
        sums.add(block.sums);
        sums
    })
}

/// Some of the samples are of memory: of what was allocated, followed by one of what is left and one of what was temporary, as a
/// recording has them.
fn a_run(seed: u64) -> (Profile, Vec<MemoryTime>, Chance) {
    let mut chance = Chance(seed * 0x9e37_79b9);
    let text = chance.profile_text(6 + seed % 30);
    let mut profile = threaded(&text, &mut chance);
    for name in TYPES {
        let unit = if name.ends_with("space") {
            "bytes"
        } else {
            "count"
        };
        let mut text = |text: &str| profile.strings.push(text).expect("room");
        let (kind, unit) = (text(name), text(unit));
        profile.sample_types.push(ValueType { kind, unit });
    }
    let before = std::mem::take(&mut profile.samples.values);
    let rows: Vec<&[u64]> = before.chunks_exact(2).collect();
    let (mut blocks, mut sample) = (Vec::new(), 0);
    while sample < rows.len() {
        if chance.below(2) == 0 || sample + 3 > rows.len() {
            profile.samples.values.extend(rows[sample]);
            profile.samples.values.extend([0; 9]);
            sample += 1;
            continue;
        }
        let of: Vec<MemoryTime> = (0..=chance.below(6))
            .map(|_| block(&mut chance, sample as u32))
            .collect();
        let kinds: [Vec<&MemoryTime>; 3] = [
            of.iter().collect(),
            of.iter().filter(|of| of.freed_ns == NOT_FREED).collect(),
            of.iter().filter(|of| of.is_temporary).collect(),
        ];
        for (kind, of) in kinds.into_iter().enumerate() {
            let sums = sum(of.into_iter());
            let mut row = [0; 11];
            row[FIRST + 3 * kind..][..3].copy_from_slice(&[
                sums.samples,
                sums.objects(),
                sums.value,
            ]);
            profile.samples.values.extend(row);
        }
        blocks.extend(of);
        sample += 3;
    }
    blocks.sort_by_key(|block| block.allocated_ns);
    let values = &profile.samples.values;
    let run = profile.run.as_mut().expect("a run");
    run.time_sample
        .retain(|sample| values[*sample as usize * 11] > 0);
    run.time_delta_ns = vec![PERIOD_NS; run.time_sample.len()];
    run.memory_times = Some(MemoryTimes::of(blocks.iter().copied()));
    (profile, blocks, chance)
}

fn cut(chance: &mut Chance) -> Vec<Range<u64>> {
    let mut edges: Vec<u64> = (0..chance.below(6))
        .map(|_| chance.below(2 * END_NS))
        .collect();
    edges.extend([0, u64::MAX]);
    edges.sort_unstable();
    edges.windows(2).map(|edge| edge[0]..edge[1]).collect()
}

fn during(times: impl IntoIterator<Item = Range<u64>>) -> Selection {
    Selection {
        times: times.into_iter().collect(),
        ..Selection::default()
    }
}

fn selected(run: &Analyzed, times: impl IntoIterator<Item = Range<u64>>) -> Analyzed {
    run.selected(&during(times)).expect("it has times")
}

#[test]
fn parts_of_the_time_add_up_to_all_that_was_allocated_and_to_all_that_was_temporary() {
    for seed in 1..=60 {
        let (profile, _, mut chance) = a_run(seed);
        let run = Analyzed::new(profile);
        let parts = cut(&mut chance).into_iter();
        let parts: Vec<Analyzed> = parts.map(|part| selected(&run, Some(part))).collect();
        for measure in ALLOCATED.into_iter().chain(TEMPORARY) {
            let total: u64 = parts.iter().map(|part| part.total(measure).value).sum();
            assert_eq!(total, run.total(measure).value, "{seed} {measure}");
        }
    }
}

#[test]
fn all_the_time_has_what_the_run_has() {
    for seed in 1..=60 {
        let (profile, _, _) = a_run(seed);
        let run = Analyzed::new(profile);
        let all = selected(&run, Some(0..u64::MAX));
        for measure in FIRST..FIRST + 9 {
            assert_eq!(all.total(measure), run.total(measure), "{seed} {measure}");
        }
        assert_eq!(all.selection_notice(), "", "nothing is left out");
    }
}

#[test]
fn a_part_has_in_use_what_was_allocated_in_it_and_freed_after_it_or_never() {
    for seed in 1..=60 {
        let (profile, blocks, mut chance) = a_run(seed);
        let run = Analyzed::new(profile);
        let times: Vec<Range<u64>> = cut(&mut chance).into_iter().step_by(2).collect();
        let growth = |times: &[Range<u64>]| -> u64 {
            let of = |range: &Range<u64>| {
                let is_in = |block: &&MemoryTime| range.contains(&block.allocated_ns);
                let is_left = |block: &&MemoryTime| block.freed_ns >= range.end;
                sum(blocks.iter().filter(is_in).filter(is_left)).value
            };
            times.iter().map(of).sum()
        };
        let part = selected(&run, times.clone());
        assert_eq!(part.total(IN_USE_SPACE).value, growth(&times), "{seed}");
        let mut gaps = Vec::new();
        let mut end = 0;
        for range in &times {
            gaps.push(end..range.start);
            end = range.end;
        }
        gaps.push(end..u64::MAX);
        gaps.retain(|gap| !gap.is_empty());
        let rest = Selection {
            rest: true,
            ..during(times)
        };
        let rest = run.selected(&rest).expect("there is a rest");
        assert_eq!(rest.total(IN_USE_SPACE).value, growth(&gaps), "{seed}");
        for measure in ALLOCATED {
            let both = [&part, &rest].map(|part| part.total(measure).value);
            assert_eq!(both[0] + both[1], run.total(measure).value, "{seed}");
        }
    }
}

#[test]
fn times_survive_a_file_and_damaged_ones_are_omitted() {
    let (mut profile, blocks, _) = a_run(7);
    let read = |profile: &Profile| {
        let mut bytes = Vec::new();
        profile.write(&mut bytes).expect("memory");
        Profile::read(&bytes, &Limits::default()).expect("a profile")
    };
    let times = |profile: &Profile| profile.run.as_ref().expect("a run").memory_times.clone();
    let same = read(&profile);
    assert_eq!(same.problems, [""; 0]);
    assert_eq!(
        times(&same).expect("times").iter().collect::<Vec<_>>(),
        blocks
    );
    let run = profile.run.as_mut().expect("a run");
    run.memory_times.as_mut().expect("times").bytes[0] += 1;
    let damaged = read(&profile);
    assert_eq!(times(&damaged), None);
    assert_eq!(damaged.total(IN_USE_SPACE), same.total(IN_USE_SPACE));
    let problems = damaged.problems.join("\n");
    assert!(problems.contains("All samples are present"), "{problems}");
}
