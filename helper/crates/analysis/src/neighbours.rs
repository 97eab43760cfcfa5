//! Who calls a function and whom it calls, for the few functions of which that is asked.

use std::collections::HashMap;

use crate::analyzed::Analyzed;
use crate::frames::{FunctionId, Measure};

/// Weight by neighbour, an inlined call being a call. Neighbours are pairs of functions.
#[derive(Debug, Default, Clone)]
pub(crate) struct Neighbours {
    pub callers: HashMap<u32, u64>,
    pub callees: HashMap<u32, u64>,
}

/// `pair_of`: by function. A function that calls itself is no neighbour of itself.
pub(crate) fn neighbours(
    analyzed: &Analyzed,
    measure: Measure,
    pair_of: &[u32],
    wanted: &[FunctionId],
) -> HashMap<FunctionId, Neighbours> {
    let mut found: HashMap<FunctionId, Neighbours> = (wanted.iter())
        .map(|&function| (function, Neighbours::default()))
        .collect();
    if found.is_empty() || measure >= analyzed.profile().sample_types.len() {
        return found;
    }
    let mut is_wanted = vec![false; analyzed.functions().len()];
    for &function in wanted {
        is_wanted[function as usize] = true;
    }
    let total = analyzed.stacks().total_values(analyzed, measure);
    each_call(analyzed, &is_wanted, |caller, callee, node| {
        let weight = total[node as usize];
        if is_wanted[caller as usize] {
            let entry = found.entry(caller).or_default();
            add(&mut entry.callees, pair_of[callee as usize], weight);
        }
        if is_wanted[callee as usize] {
            let entry = found.entry(callee).or_default();
            add(&mut entry.callers, pair_of[caller as usize], weight);
        }
    });
    found
}

/// One walk over the call paths: caller, callee and node of each call, an inlined one too, of which either is wanted and
/// which is not of a function by itself. `is_wanted`: by function.
pub(crate) fn each_call(
    analyzed: &Analyzed,
    is_wanted: &[bool],
    mut each: impl FnMut(FunctionId, FunctionId, u32),
) {
    let trie = analyzed.stacks();
    for (node, &parent) in (0u32..).zip(&trie.parent).skip(1) {
        // The caller's innermost frame is what calls this chain's outermost.
        let mut caller =
            (parent != 0).then(|| analyzed.chain(trie.chain[parent as usize])[0].function);
        for frame in analyzed.chain(trie.chain[node as usize]).iter().rev() {
            let callee = frame.function;
            if let Some(caller) = caller.filter(|&caller| caller != callee)
                && (is_wanted[caller as usize] || is_wanted[callee as usize])
            {
                each(caller, callee, node);
            }
            caller = Some(callee);
        }
    }
}

fn add(weights: &mut HashMap<u32, u64>, pair: u32, weight: u64) {
    let sum = weights.entry(pair).or_default();
    *sum = sum.saturating_add(weight);
}

/// How much two sets of weighted neighbours have in common, 0..1; `None`: both have none.
pub(crate) fn likeness(a: &HashMap<u32, u64>, b: &HashMap<u32, u64>) -> Option<f64> {
    let sum = |set: &HashMap<u32, u64>| set.values().map(|&weight| weight as f64).sum::<f64>();
    let (of_a, of_b) = (sum(a), sum(b));
    if of_a == 0.0 && of_b == 0.0 {
        return None;
    }
    if of_a == 0.0 || of_b == 0.0 {
        return Some(0.0);
    }
    let common = (a.iter())
        .filter_map(|(key, &weight)| {
            let other = *b.get(key)?;
            Some((weight as f64 / of_a).min(other as f64 / of_b))
        })
        .sum();
    Some(common)
}
