//! What holds for every measure, however it is counted: sampled, weighted, or of a file that does not say.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::support::selections::{Table, any_transform, functions_by, lines_by, sums, threaded};
use crate::support::{Chance, PERIOD_NS};
use analysis::{
    Amount, Amounts, Analyzed, FileHeat, LineHeat, Measure, Selection, file_heat, flame_graph,
    function_table, hot_files, line_measures,
};
use profile::{Nature, Profile, ValueType};

/// Besides samples and CPU time: a weighted one with its count, and one that nothing counts.
fn with_more_measures(mut profile: Profile, chance: &mut Chance) -> Profile {
    for (name, unit) in [
        ("waits", "count"),
        ("wait", "nanoseconds"),
        ("alloc_space", "bytes"),
    ] {
        let mut text = |text: &str| profile.strings.push(text).expect("room");
        let of = ValueType {
            kind: text(name),
            unit: text(unit),
        };
        profile.sample_types.push(of);
    }
    let values = std::mem::take(&mut profile.samples.values);
    for row in values.chunks_exact(2) {
        let waits = chance.below(4);
        let waited = (0..waits).map(|_| chance.below(1 << 30)).sum();
        let allocated = chance.below(3) * chance.below(1 << 20);
        profile
            .samples
            .values
            .extend_from_slice(&[row[0], row[1], waits, waited, allocated]);
    }
    profile
}

fn a_run(seed: u64) -> (Analyzed, Chance) {
    let mut chance = Chance(seed * 0x9e37_79b9);
    let text = chance.profile_text(2 + seed);
    let profile = threaded(&text, &mut chance);
    (
        Analyzed::new(with_more_measures(profile, &mut chance)),
        chance,
    )
}

/// Half open ranges that are the whole time together.
fn cut_times(run: &Analyzed, chance: &mut Chance) -> Vec<Range<u64>> {
    let times = run
        .profile()
        .run
        .as_ref()
        .map_or(0, |run| run.time_sample.len());
    let end = (times as u64 + 2) * PERIOD_NS;
    let mut cuts: Vec<u64> = (0..chance.below(6)).map(|_| chance.below(end)).collect();
    cuts.extend([0, end]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
}

/// Three ways to cut a run into parts.
fn partitions(run: &Analyzed, chance: &mut Chance) -> [Vec<Selection>; 3] {
    let all = Selection::default;
    let during = |time| Selection {
        times: vec![time],
        ..all()
    };
    let of_process = |name: &str| Selection {
        processes: vec![name.to_owned()],
        ..all()
    };
    let execution = |number| Selection {
        executions: vec![number],
        ..all()
    };
    [
        cut_times(run, chance).into_iter().map(during).collect(),
        ["a", "b"].map(of_process).to_vec(),
        (1..=3).map(execution).collect(),
    ]
}

fn any_selection(run: &Analyzed, chance: &mut Chance) -> Selection {
    let [times, processes, executions] = partitions(run, chance);
    let mut selection = Selection::default();
    if chance.below(2) == 0 {
        let parts = times.into_iter().filter(|_| chance.below(2) == 0);
        selection.times = parts.flat_map(|part| part.times).collect();
    }
    if chance.below(3) == 0 {
        selection.processes = processes[chance.below(2) as usize].processes.clone();
    }
    if chance.below(3) == 0 {
        selection.executions = executions[chance.below(3) as usize].executions.clone();
    }
    selection.transforms = (0..chance.below(3))
        .map(|_| any_transform(chance))
        .collect();
    selection
}

fn heats(of: &Analyzed, measure: Measure) -> Vec<FileHeat> {
    (0..of.files().len() as u32)
        .map(|file| file_heat(of, measure, file, None))
        .collect()
}

/// Lines with what was sampled on them, by file and number.
fn heat_of_lines(of: &Analyzed, measure: Measure) -> Table {
    let files: Vec<&str> = of.files().collect();
    (files.iter().zip(heats(of, measure)))
        .flat_map(|(file, heat)| {
            (heat.lines.into_iter())
                .map(move |line| (format!("{file}:{}", line.line), line.amounts))
        })
        .collect()
}

fn root_of_graph(of: &Analyzed, measure: Measure) -> Amount {
    let graph = flame_graph(of, measure);
    Amount {
        samples: graph
            .self_samples
            .iter()
            .map(|&count| u64::from(count))
            .sum(),
        value: graph.self_value.iter().sum(),
    }
}

#[test]
fn the_measures_are_counted_in_all_the_ways_that_there_are() {
    let (run, _) = a_run(1);
    let natures = [
        Nature::Sampled,
        Nature::Sampled,
        Nature::Sampled,
        Nature::Weighted,
        Nature::Weighted,
    ];
    let known: Vec<Nature> = run.measures().iter().map(|of| of.nature).collect();
    assert_eq!(known, natures);
    let counted: Vec<bool> = (0..5).map(|measure| run.is_counted(measure)).collect();
    assert_eq!(counted, [true, true, true, true, false]);
}

#[test]
fn all_measures_of_a_line_are_those_of_its_heat() {
    for seed in 1..=40 {
        let (run, mut chance) = a_run(seed);
        let selection = partitions(&run, &mut chance)[0][0].clone();
        let part = run.selected(&selection).expect("it has that");
        for of in [&run, &part] {
            let of_line = |file, line: u32, measure| {
                let heat = file_heat(of, measure, file, None).lines.into_iter();
                let mut lines = heat.filter(|of: &LineHeat| of.line == line);
                lines.next().map(|of| of.amounts)
            };
            for (file, place) in (of.places().iter()).map(|place| (place.file, place.line)) {
                let told = line_measures(of, file, place);
                for measure in 0..of.measures().len() {
                    let found = told.iter().find(|of| of.measure == measure);
                    let heat = of_line(file, place, measure).filter(|of| of.total.value > 0);
                    assert_eq!(found.map(|of| of.amounts), heat, "{measure}");
                    let total = found.map(|of| of.run_total);
                    assert!(total.is_none_or(|total| total == of.total(measure)));
                }
            }
        }
    }
}

#[test]
fn parts_of_every_measure_add_up_to_the_whole_in_every_view() {
    for seed in 1..=40 {
        let (run, mut chance) = a_run(seed);
        for selections in partitions(&run, &mut chance) {
            let parts: Vec<Analyzed> = (selections.iter())
                .map(|selection| run.selected(selection).expect("it has that"))
                .collect();
            for measure in 0..run.measures().len() {
                let told = format!("{measure} of {selections:?}");
                for view in [functions_by, lines_by, heat_of_lines] {
                    let sums = sums(&parts, |part| view(part, measure));
                    let whole = known_of(&run, measure, view(&run, measure));
                    assert_eq!(known_of(&run, measure, sums), whole, "{told}");
                }
                for figure in [root_of_graph, |of: &Analyzed, measure| of.total(measure)] {
                    let sum = parts.iter().fold(Amount::default(), |sum, part| {
                        let part = figure(part, measure);
                        Amount {
                            samples: sum.samples + part.samples,
                            value: sum.value + part.value,
                        }
                    });
                    let whole = figure(&run, measure);
                    assert_eq!(sum.value, whole.value, "{told}");
                    if run.is_counted(measure) {
                        assert_eq!(sum.samples, whole.samples, "{told}");
                    }
                }
            }
        }
    }
}

/// What views show of it: no counts where nobody knows them.
fn known_of(run: &Analyzed, measure: Measure, mut table: Table) -> Table {
    for Amounts { self_, total } in table.values_mut() {
        for amount in [self_, total] {
            amount.samples = run.known_samples(measure, *amount).unwrap_or(0);
        }
    }
    table.retain(|_, amounts| *amounts != Amounts::default());
    table
}

/// A file's heat is summed in two ways: over what leads through the file, and from sums over everything.
#[test]
fn heat_is_the_same_before_and_after_all_tables_are_made() {
    let mut compared = BTreeMap::new();
    for seed in 1..=200 {
        let (run, mut chance) = a_run(1 + seed % 40);
        chance.0 = chance.0.wrapping_add(seed);
        let selection = any_selection(&run, &mut chance);
        let Ok(selected) = run.selected(&selection) else {
            continue;
        };
        for measure in 0..run.measures().len() {
            let before = heats(&selected, measure);
            let total = selected.total(measure);
            function_table(&selected, measure);
            hot_files(&selected, measure);
            assert_eq!(
                heats(&selected, measure),
                before,
                "{measure} of {selection:?}"
            );
            assert_eq!(selected.total(measure), total, "{measure} of {selection:?}");
            *compared.entry(measure).or_insert(0) += usize::from(!before.is_empty());
        }
    }
    assert!(compared.values().all(|count| *count > 100), "{compared:?}");
    assert_eq!(compared.len(), 5);
}
