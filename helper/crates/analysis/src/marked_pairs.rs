//! The functions of a comparison that are named from outside.

use crate::comparison::Comparison;
use crate::named_functions::{NamedFunction, marked};
use crate::pair::Pair;

/// By pair of functions, whether it is among those named; a pair is called what its new function is, if it has one.
pub(crate) fn marked_pairs(comparison: &Comparison, named: &[NamedFunction]) -> Vec<bool> {
    let of_base = marked(comparison.base(), named);
    let of_new = marked(comparison.new_run(), named);
    (comparison.functions.pairs.iter())
        .map(|pair| match *pair {
            Pair { new: Some(new), .. } => of_new[new as usize],
            Pair {
                base: Some(base), ..
            } => of_base[base as usize],
            _ => false,
        })
        .collect()
}
