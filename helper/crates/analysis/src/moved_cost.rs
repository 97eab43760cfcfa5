//! Cost that went from a function into its caller or came out of it, as when a call is inlined without a record of it, or
//! code is split off: neither function is to blame.

use std::collections::HashMap;

use crate::analyzed::FunctionId;
use crate::comparison::{ComparedSide, Comparison};
use crate::effect::Verdict;
use crate::neighbours::{Neighbours, neighbours};

/// Functions looked at, those with the largest change first.
const CANDIDATES_MAX: usize = 60;
/// What one lost the other must have got, within this part of it.
const TOLERANCE: f64 = 0.3;

/// Writes notes and sets the verdict *moved*; also that of what was renamed and costs the same.
pub(crate) fn note_moved_cost(comparison: &mut Comparison) {
    for (note, effects) in (comparison.function_notes.iter()).zip(&mut comparison.function_effects)
    {
        if !note.is_empty() {
            for effect in [&mut effects.self_, &mut effects.total] {
                if effect.verdict == Verdict::Noise {
                    effect.verdict = Verdict::Moved;
                }
            }
        }
    }
    let candidates = candidates(comparison);
    let callees = [
        callees(
            comparison,
            &comparison.base,
            &comparison.functions.base_pair,
            &candidates,
            0,
        ),
        callees(
            comparison,
            &comparison.new,
            &comparison.functions.new_pair,
            &candidates,
            1,
        ),
    ];
    let mut moves = Vec::new();
    for &outer in &candidates {
        let inner: Vec<u32> = (candidates.iter().copied())
            .filter(|inner| *inner != outer)
            .filter(|inner| {
                let calls = |side: &HashMap<u32, Neighbours>| {
                    side.get(&outer)
                        .is_some_and(|around| around.callees.contains_key(inner))
                };
                callees.iter().any(calls)
            })
            .collect();
        moves.extend(
            moved(comparison, outer, &inner)
                .into_iter()
                .map(|inner| (outer, inner)),
        );
    }
    for (outer, inner) in moves {
        let grew = change(comparison, outer) > 0.0;
        let (from, to) = if grew { (inner, outer) } else { (outer, inner) };
        let names = [from, to].map(|pair| name(comparison, pair));
        add_note(
            comparison,
            to,
            &format!("cost moved here from {}", names[0]),
        );
        add_note(comparison, from, &format!("cost moved to {}", names[1]));
        for pair in [from, to] {
            comparison.function_effects[pair as usize].self_.verdict = Verdict::Moved;
        }
    }
}

/// Pairs whose self changed for certain, the largest changes first.
fn candidates(comparison: &Comparison) -> Vec<u32> {
    let mut pairs: Vec<u32> = (0..comparison.function_effects.len() as u32)
        .filter(|&pair| {
            let verdict = comparison.function_effects[pair as usize].self_.verdict;
            verdict.is_significant() && verdict != Verdict::Moved
        })
        .collect();
    pairs.sort_by(|&a, &b| (change(comparison, b).abs()).total_cmp(&change(comparison, a).abs()));
    pairs.truncate(CANDIDATES_MAX);
    pairs
}

/// Of self.
fn change(comparison: &Comparison, pair: u32) -> f64 {
    let [base, new] = &comparison.function_amounts[pair as usize];
    new.self_.value as f64 - base.self_.value as f64
}

/// By pair, on one side.
fn callees(
    comparison: &Comparison,
    side: &ComparedSide,
    pair_of: &[u32],
    candidates: &[u32],
    column: usize,
) -> HashMap<u32, Neighbours> {
    let wanted: Vec<FunctionId> = (candidates.iter())
        .filter_map(|&pair| {
            let pair = comparison.functions.pairs[pair as usize];
            [pair.base, pair.new][column]
        })
        .collect();
    (neighbours(&side.analyzed, side.measure, pair_of, &wanted).into_iter())
        .map(|(function, around)| (pair_of[function as usize], around))
        .collect()
}

/// Those of `inner` that lost what `outer` got, or got what it lost, while what `outer` costs with its calls stayed.
fn moved(comparison: &Comparison, outer: u32, inner: &[u32]) -> Vec<u32> {
    let of_outer = change(comparison, outer);
    let [base, new] = &comparison.function_amounts[outer as usize];
    let of_total = new.total.value as f64 - base.total.value as f64;
    let exchanged: Vec<u32> = (inner.iter().copied())
        .filter(|&inner| change(comparison, inner) * of_outer < 0.0)
        .collect();
    let of_inner: f64 = exchanged
        .iter()
        .map(|&inner| change(comparison, inner))
        .sum();
    let is_kept = of_total.abs() <= TOLERANCE * of_outer.abs();
    let is_exchange = (of_outer + of_inner).abs() <= TOLERANCE * of_outer.abs().max(of_inner.abs());
    if is_kept && is_exchange {
        exchanged
    } else {
        Vec::new()
    }
}

fn name(comparison: &Comparison, pair: u32) -> String {
    let pair = comparison.functions.pairs[pair as usize];
    let (run, function) = match (pair.base, pair.new) {
        (_, Some(function)) => (comparison.new_run(), function),
        (Some(function), None) => (comparison.base(), function),
        (None, None) => return String::new(),
    };
    run.text(run.function(function).name).to_owned()
}

fn add_note(comparison: &mut Comparison, pair: u32, note: &str) {
    let notes = &mut comparison.function_notes[pair as usize];
    if !notes.is_empty() {
        notes.push_str("; ");
    }
    notes.push_str(note);
}
