//! Who calls a function, by what it costs when called from there.

use std::collections::HashMap;

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::comparison::{ComparedSide, Comparison};
use crate::frames::{FunctionId, Measure};
use crate::marked_pairs::marked_pairs;
use crate::named_functions::{NamedFunction, marked};

/// One caller. An inlined call is a call; a function that calls itself is not among its own callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub module: String,
    pub amount: Amount,
    /// Of the new run; 0 unless two are compared, and `amount` is the base's then.
    pub new_amount: Amount,
}

/// Heaviest first. Of a function that nothing calls, or that is not known, there are none.
pub fn callers(analyzed: &Analyzed, measure: Measure, of: &NamedFunction) -> Vec<Caller> {
    let is_callee = marked(analyzed, std::slice::from_ref(of));
    let found = amounts_by_caller(analyzed, measure, &is_callee);
    sorted(found.into_iter().map(|(function, amount)| {
        let (name, module) = texts(analyzed, function);
        Caller {
            name,
            module,
            amount,
            new_amount: Amount::default(),
        }
    }))
}

/// Of both runs; heaviest first, by both together.
pub fn compared_callers(comparison: &Comparison, of: &NamedFunction) -> Vec<Caller> {
    let is_callee = marked_pairs(comparison, std::slice::from_ref(of));
    let mut by_pair: HashMap<u32, [Amount; 2]> = HashMap::new();
    let sides: [(&ComparedSide, &[u32]); 2] = [
        (&comparison.base, &comparison.functions.base_pair),
        (&comparison.new, &comparison.functions.new_pair),
    ];
    for (at, (side, pair_of)) in sides.into_iter().enumerate() {
        let of_side: Vec<bool> = pair_of
            .iter()
            .map(|&pair| is_callee[pair as usize])
            .collect();
        let found = amounts_by_caller(&side.analyzed, side.measure, &of_side);
        for (function, amount) in found {
            let sums = by_pair.entry(pair_of[function as usize]).or_default();
            sums[at].add(side.per_unit(amount));
        }
    }
    sorted(by_pair.into_iter().map(|(pair, [amount, new_amount])| {
        let pair = comparison.functions.pairs[pair as usize];
        let (name, module) = match (pair.new, pair.base) {
            (Some(function), _) => texts(comparison.new_run(), function),
            (None, Some(function)) => texts(comparison.base(), function),
            (None, None) => Default::default(),
        };
        Caller {
            name,
            module,
            amount,
            new_amount,
        }
    }))
}

fn texts(analyzed: &Analyzed, function: FunctionId) -> (String, String) {
    let function = analyzed.function(function);
    (
        analyzed.text(function.name).to_owned(),
        analyzed.text(function.module).to_owned(),
    )
}

fn sorted(callers: impl Iterator<Item = Caller>) -> Vec<Caller> {
    let mut callers: Vec<Caller> = callers.collect();
    let weight = |caller: &Caller| caller.amount.value.saturating_add(caller.new_amount.value);
    callers.sort_unstable_by(|a, b| {
        (weight(b).cmp(&weight(a))).then_with(|| (&a.name, &a.module).cmp(&(&b.name, &b.module)))
    });
    callers
}

/// Each sample counts once for a caller, however often that calls.
fn amounts_by_caller(
    analyzed: &Analyzed,
    measure: Measure,
    is_callee: &[bool],
) -> HashMap<FunctionId, Amount> {
    let mut sums: HashMap<FunctionId, (Amount, usize)> = HashMap::new();
    if measure >= analyzed.profile().sample_types.len() {
        return HashMap::new();
    }
    let stacks = analyzed.stacks();
    let (self_, _) = stacks.amounts(analyzed, measure);
    let mut is_below = vec![false; stacks.parent.len()];
    for path in 1..stacks.parent.len() {
        let chain = analyzed.chain(stacks.chain[path]);
        is_below[path] = is_below[stacks.parent[path] as usize]
            || chain.iter().any(|frame| is_callee[frame.function as usize]);
        if !is_below[path] || self_[path] == Amount::default() {
            continue;
        }
        let mut callee = None;
        let mut at = path;
        while at != 0 {
            for frame in analyzed.chain(stacks.chain[at]) {
                if callee.is_some() && !is_callee[frame.function as usize] {
                    let (sum, last) = sums.entry(frame.function).or_default();
                    if *last != path {
                        *last = path;
                        sum.add(self_[path]);
                    }
                }
                callee = is_callee[frame.function as usize].then_some(frame.function);
            }
            at = stacks.parent[at] as usize;
        }
    }
    (sums.into_iter())
        .map(|(function, (sum, _))| (function, sum))
        .collect()
}
