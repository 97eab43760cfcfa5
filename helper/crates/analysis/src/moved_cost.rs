//! Cost that went from a function into its caller or came out of it, as when a call is inlined without a record of it, or
//! code is split off: neither function is to blame. `moves` says when that is so.

use std::collections::BTreeMap;

use crate::call_partners::partners;
use crate::comparison::Comparison;
use crate::counts::Counted;
use crate::effect::Verdict;
use crate::evidence::Test;
use crate::moves::{Ends, Exchange, balances, exchanges, spread_over_callers};

/// Functions looked at, those with the largest change first.
const CANDIDATES_MAX: usize = 60;
/// A note names no more functions.
const NAMES_MAX: usize = 3;

/// Writes notes and sets the verdict *moved*; also that of what was renamed and costs the same. `counts`: of base and new.
pub(crate) fn note_moved_cost(comparison: &mut Comparison, counts: [&Counted; 2]) {
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
    if candidates.is_empty() || comparison.evidence.test == Test::None {
        return;
    }
    let partners = partners(comparison, &candidates);
    let is_told = |pair: u32| is_told(comparison, pair);
    let ends = Ends::of(comparison, counts, &partners);
    let found = exchanges(comparison, &ends, &is_told);
    let mut moved = Moved::default();
    for exchange in &found {
        moved.add(exchange);
    }
    moved.add_explained(comparison);
    let rest: Vec<u32> = (candidates.into_iter())
        .filter(|pair| !moved.notes.contains_key(pair))
        .collect();
    for (pair, callers) in spread_over_callers(comparison, counts, (&ends, &partners), &rest) {
        let lost = change(comparison, pair) < 0.0;
        moved.is_whole.push(pair);
        for caller in callers {
            moved.is_whole.push(caller);
            moved.note(pair, caller, !lost);
            moved.note(caller, pair, lost);
        }
    }
    moved.write(comparison);
}

fn is_told(comparison: &Comparison, pair: u32) -> bool {
    (comparison.function_effects[pair as usize].self_.verdict).has_direction()
}

/// Pairs whose self changed for certain, the largest changes first.
fn candidates(comparison: &Comparison) -> Vec<u32> {
    let mut pairs: Vec<u32> = (0..comparison.function_effects.len() as u32)
        .filter(|&pair| is_told(comparison, pair))
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

#[derive(Default)]
struct Moved {
    /// By inner function, what moved out of it or into it, over all outer functions.
    of_inner: BTreeMap<u32, f64>,
    /// All of whose change moved.
    is_whole: Vec<u32>,
    /// By function: where its cost came from, and where it went to.
    notes: BTreeMap<u32, [Vec<u32>; 2]>,
}

impl Moved {
    fn add(&mut self, exchange: &Exchange) {
        self.is_whole.push(exchange.outer);
        let grew = exchange.got > 0.0;
        for &(inner, got) in &exchange.inner {
            if got * exchange.got >= 0.0 {
                continue;
            }
            *self.of_inner.entry(inner).or_default() += got;
            self.note(exchange.outer, inner, grew);
            self.note(inner, exchange.outer, !grew);
        }
    }

    fn note(&mut self, pair: u32, other: u32, came: bool) {
        let known = &mut self.notes.entry(pair).or_default()[usize::from(!came)];
        if !known.contains(&other) {
            known.push(other);
        }
    }

    /// What an inner function costs elsewhere may have changed as well: then it keeps its verdict, and the note.
    fn add_explained(&mut self, comparison: &Comparison) {
        let explained = (self.of_inner.iter())
            .filter(|&(&inner, &got)| balances(got, -change(comparison, inner)));
        self.is_whole.extend(explained.map(|(&inner, _)| inner));
    }

    fn write(self, comparison: &mut Comparison) {
        for (&pair, [from, to]) in &self.notes {
            for (words, others) in [("cost moved here from", from), ("cost moved to", to)] {
                if !others.is_empty() {
                    let note = format!("{words} {}", names(comparison, others));
                    add_note(comparison, pair, &note);
                }
            }
            if self.is_whole.contains(&pair) {
                let effect = &mut comparison.function_effects[pair as usize].self_;
                effect.verdict = Verdict::Moved;
            }
        }
    }
}

/// "a, b, c and 2 more".
pub(crate) fn names(comparison: &Comparison, pairs: &[u32]) -> String {
    let named: Vec<String> = (pairs.iter().take(NAMES_MAX))
        .map(|&pair| name(comparison, pair))
        .collect();
    match pairs.len().saturating_sub(NAMES_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
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

pub(crate) fn add_note(comparison: &mut Comparison, pair: u32, note: &str) {
    let notes = &mut comparison.function_notes[pair as usize];
    if !notes.is_empty() {
        notes.push_str("; ");
    }
    notes.push_str(note);
}
