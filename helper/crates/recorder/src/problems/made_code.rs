//! Code that processes made while they ran, without names.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::problem::Problem;
use crate::evidence::Evidence;
use crate::modules::ModuleIndex;
use crate::named::Named;
use crate::stacks::CodePlace;

/// Share of all samples from which on it is told.
const WORTH_TELLING: f64 = 0.01;
const PROCESSES_TOLD_MAX: usize = 3;

/// What is wrong with the maps that have its names, those of the hottest processes first.
pub fn nameless_made_code(seen: &Evidence, named: &Named) -> Vec<Problem> {
    let share = |n: u64| n as f64 / seen.kept().max(1) as f64;
    let mut told: Vec<(u64, Problem)> = (samples_by_module(seen).into_iter())
        .filter(|(_, n)| share(*n) >= WORTH_TELLING)
        .filter_map(|(module, n)| {
            let problem = Problem::MadeCode {
                by: seen.modules.get(module).made_by.clone()?,
                share: share(n),
                why: named.symbols.get(&module)?.found.problem.clone()?,
            };
            Some((n, problem))
        })
        .collect();
    told.sort_by_cached_key(|(n, problem)| Reverse((*n, problem.sentence())));
    let more = told.len().saturating_sub(PROCESSES_TOLD_MAX);
    let first = told.into_iter().take(PROCESSES_TOLD_MAX);
    let mut problems: Vec<Problem> = first.map(|(_, problem)| problem).collect();
    if more > 0 {
        problems.push(Problem::MoreMadeCode { processes: more });
    }
    problems
}

/// Samples whose innermost place is code that a process made.
fn samples_by_module(seen: &Evidence) -> BTreeMap<ModuleIndex, u64> {
    let stacks = &seen.stacks;
    let mut counts = BTreeMap::new();
    for (group, sums) in stacks.groups.values().iter().zip(&stacks.sums) {
        let leaf = stacks.stacks.stack(group.stack).first();
        let leaf = leaf.map(|place| stacks.places.values()[*place as usize]);
        if let Some(CodePlace::InModule { module, .. }) = leaf
            && seen.modules.is_made(module)
        {
            *counts.entry(module).or_default() += sums.samples;
        }
    }
    counts
}
