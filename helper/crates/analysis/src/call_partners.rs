//! Between which functions cost can have moved: a function and what it calls, also through functions that only one side
//! has, as when code is split off in several steps.

use std::collections::{HashMap, HashSet};

use crate::comparison::{ComparedSide, Comparison};
use crate::neighbours::each_call;

/// Functions of one side only that calls are followed through, those with the largest self first.
const ONE_SIDED_MAX: usize = 100;
/// Callers of the functions that changed, in any order.
const CALLERS_MAX: usize = 100;
/// Of a function; what calls more is left out, because so many tests could not show anything.
const PARTNERS_MAX: usize = 200;

/// By pair of functions, in ascending order.
#[derive(Default)]
pub(crate) struct Partners {
    pub callees: HashMap<u32, Vec<u32>>,
    /// Of the functions that changed only.
    pub callers: HashMap<u32, Vec<u32>>,
}

/// Of `changed` and of their callers.
pub(crate) fn partners(comparison: &Comparison, changed: &[u32]) -> Partners {
    let one_sided = one_sided(comparison);
    let mut wanted: Vec<u32> = changed.to_vec();
    wanted.extend(&one_sided);
    let mut around = Around::default();
    around.look_at(comparison, &wanted);
    let through: HashSet<u32> = one_sided.into_iter().collect();
    let callers: HashMap<u32, Vec<u32>> = (changed.iter())
        .map(|&pair| (pair, reached(pair, &around.callers, &through)))
        .collect();
    let mut outers: Vec<u32> = callers.values().flatten().copied().collect();
    outers.sort_unstable();
    outers.dedup();
    outers.retain(|pair| !wanted.contains(pair));
    outers.truncate(CALLERS_MAX);
    around.look_at(comparison, &outers);
    let callees = (changed.iter().chain(&outers))
        .map(|&pair| (pair, reached(pair, &around.callees, &through)))
        .collect();
    Partners { callees, callers }
}

fn one_sided(comparison: &Comparison) -> Vec<u32> {
    let amounts = &comparison.function_amounts;
    let self_of = |pair: u32| {
        let [base, new] = &amounts[pair as usize];
        base.self_.value.saturating_add(new.self_.value)
    };
    let mut found: Vec<u32> = (0..amounts.len() as u32)
        .filter(|&pair| {
            let [base, new] = &amounts[pair as usize];
            (base.total.samples == 0) != (new.total.samples == 0)
        })
        .collect();
    found.sort_by_key(|&pair| (std::cmp::Reverse(self_of(pair)), pair));
    found.truncate(ONE_SIDED_MAX);
    found
}

/// Direct neighbours of a pair, and those that only functions in `through` lie between.
fn reached(pair: u32, next: &HashMap<u32, HashSet<u32>>, through: &HashSet<u32>) -> Vec<u32> {
    let mut found: HashSet<u32> = HashSet::from([pair]);
    let mut open = vec![pair];
    while let Some(at) = open.pop() {
        for &neighbour in next.get(&at).into_iter().flatten() {
            if found.insert(neighbour) && through.contains(&neighbour) {
                open.push(neighbour);
            }
        }
    }
    found.remove(&pair);
    let mut found: Vec<u32> = found.into_iter().collect();
    found.sort_unstable();
    if found.len() > PARTNERS_MAX {
        found.clear();
    }
    found
}

/// Neighbours on either side.
#[derive(Default)]
struct Around {
    callers: HashMap<u32, HashSet<u32>>,
    callees: HashMap<u32, HashSet<u32>>,
}

impl Around {
    fn look_at(&mut self, comparison: &Comparison, pairs: &[u32]) {
        let functions = &comparison.functions;
        self.add_side(&comparison.base, &functions.base_pair, pairs);
        self.add_side(&comparison.new, &functions.new_pair, pairs);
    }

    fn add_side(&mut self, side: &ComparedSide, pair_of: &[u32], pairs: &[u32]) {
        if side.measure >= side.analyzed.profile().sample_types.len() {
            return;
        }
        let last = pair_of.iter().chain(pairs).max();
        let mut is_wanted = vec![false; last.map_or(0, |&last| last as usize + 1)];
        for &pair in pairs {
            is_wanted[pair as usize] = true;
        }
        let of_function: Vec<bool> = (pair_of.iter())
            .map(|&pair| is_wanted[pair as usize])
            .collect();
        each_call(&side.analyzed, &of_function, |caller, callee, _| {
            let [caller, callee] = [caller, callee].map(|function| pair_of[function as usize]);
            if is_wanted[caller as usize] {
                self.callees.entry(caller).or_default().insert(callee);
            }
            if is_wanted[callee as usize] {
                self.callers.entry(callee).or_default().insert(caller);
            }
        });
    }
}
