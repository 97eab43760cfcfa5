//! How much each row of a comparison of single executions differs between executions, from earlier runs of the program.
//!
//! The whole hides it: where a server reads on the other processor, some functions cost ten times as much and the whole the same.

use std::collections::HashMap;

use crate::analyzed::Analyzed;
use crate::comparison::Comparison;
use crate::counts::{Counted, Counts};
use crate::earlier_runs::EarlierRun;
use crate::evidence::Evidence;
use crate::frames::NO_PLACE;
use crate::learnt_noise::Spread;
use crate::line_pairs::LineMatch;
use crate::matching::has_known_file;

/// Tells the rows of functions how much they differ between executions.
pub(crate) fn learn_functions(comparison: &Comparison, counted: &mut Counted) {
    let runs = &comparison.earlier;
    if runs.is_empty() {
        return;
    }
    let pair_of = [
        &comparison.functions.base_pair,
        &comparison.functions.new_pair,
    ];
    let sides = [comparison.base(), comparison.new_run()];
    let names =
        sides.map(|side| (0..side.functions().len() as u32).map(|id| function_name(side, id)));
    let known = known(names, pair_of);
    let rows = comparison.functions.pairs.len();
    let all = runs.iter().map(|run| {
        let names = (0..run.side.analyzed.functions().len() as u32)
            .map(|id| function_name(&run.side.analyzed, id));
        let groups = groups(names, &known, run.is_of_new, rows);
        run.counted((&groups, rows + 1), |frame| Some(frame.function))
    });
    learn(runs, all.collect(), &comparison.evidence, counted);
}

/// And those of lines. `pair_of`: by place of base and of new.
pub(crate) fn learn_lines(comparison: &Comparison, matched: &LineMatch, counted: &mut Counted) {
    let runs = &comparison.earlier;
    if runs.is_empty() {
        return;
    }
    let (pair_of, rows) = ([&matched.base_pair, &matched.new_pair], matched.pairs.len());
    let sides = [comparison.base(), comparison.new_run()];
    let known = known(sides.map(line_names), pair_of);
    let all = runs.iter().map(|run| {
        let groups = groups(line_names(&run.side.analyzed), &known, run.is_of_new, rows);
        run.counted((&groups, rows + 1), |frame| {
            (frame.place != NO_PLACE).then_some(frame.place)
        })
    });
    learn(runs, all.collect(), &comparison.evidence, counted);
}

type FunctionName<'a> = (&'a str, &'a str, &'a str);

fn function_name(side: &Analyzed, id: u32) -> FunctionName<'_> {
    let function = side.function(id);
    let file = match has_known_file(side, &function) {
        true => side.text(function.file),
        false => "",
    };
    (side.text(function.name), file, side.text(function.module))
}

fn line_names(side: &Analyzed) -> impl Iterator<Item = (&str, u32)> {
    (side.places().iter()).map(|place| (side.file_path(place.file), place.line))
}

/// By side, the row that a name stands for.
fn known<N: Eq + std::hash::Hash>(
    [base, new]: [impl Iterator<Item = N>; 2],
    [base_pair, new_pair]: [&Vec<u32>; 2],
) -> [HashMap<N, u32>; 2] {
    let of = |names: &mut dyn Iterator<Item = N>, pairs: &Vec<u32>| {
        names.zip(pairs.iter().copied()).collect()
    };
    let (mut base, mut new) = (base, new);
    [of(&mut base, base_pair), of(&mut new, new_pair)]
}

/// What neither side has is of the last group, `rows`.
fn groups<N: Eq + std::hash::Hash>(
    names: impl Iterator<Item = N>,
    known: &[HashMap<N, u32>; 2],
    is_of_new: bool,
    rows: usize,
) -> Vec<u32> {
    let [first, second] = match is_of_new {
        true => [&known[1], &known[0]],
        false => [&known[0], &known[1]],
    };
    names
        .map(|name| {
            *first
                .get(&name)
                .or_else(|| second.get(&name))
                .unwrap_or(&(rows as u32))
        })
        .collect()
}

/// Each row by the spread of its logarithms; what samples alone differ by is the windows' to say.
fn learn(runs: &[EarlierRun], all: Vec<Counted>, evidence: &Evidence, counted: &mut Counted) {
    let of_self: fn(&Counted) -> &Counts = |counted| &counted.self_;
    let parts = [
        (&mut counted.self_, of_self),
        (&mut counted.total, |counted| &counted.total),
    ];
    for (to, part) in parts {
        to.noise = (0..to.rows())
            .map(|row| {
                let mut spread = Spread::default();
                let mut is_known = false;
                for (run, counted) in runs.iter().zip(&all) {
                    let counts = part(counted).row(row);
                    let logs: Vec<f64> = (counts.iter().zip(&run.units))
                        .map(|(&count, units)| ((f64::from(count) + 0.5) / units).ln())
                        .collect();
                    let sampling = counts.iter().map(|&count| 1.0 / (f64::from(count) + 0.5));
                    spread.add(run.build, &logs, sampling.sum::<f64>() / logs.len() as f64);
                    is_known |= counts.iter().any(|&count| count > 0);
                }
                evidence.noise_of_row(is_known.then_some(&spread))
            })
            .collect();
    }
}
