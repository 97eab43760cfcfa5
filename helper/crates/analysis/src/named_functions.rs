//! Functions that are named from outside, as a view shows them: by name and module.

use std::collections::HashSet;

use crate::analyzed::{Analyzed, FunctionOf};
use crate::comparison::Comparison;
use crate::flame_graph::shortened;
use crate::matching::Pair;

/// As in a [`crate::FrameTable`]: very long texts are cut.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NamedFunction {
    pub name: String,
    pub module: String,
}

impl NamedFunction {
    pub fn new(name: &str, module: &str) -> NamedFunction {
        NamedFunction {
            name: shortened(name).into_owned(),
            module: shortened(module).into_owned(),
        }
    }
}

/// By function, whether it is among those named. Several can have one name: they differ in their files.
pub(crate) fn marked(analyzed: &Analyzed, named: &[NamedFunction]) -> Vec<bool> {
    marked_among(analyzed, analyzed.functions(), named)
}

/// The same by the functions of changed call paths.
pub(crate) fn marked_among(
    analyzed: &Analyzed,
    functions: &[FunctionOf],
    named: &[NamedFunction],
) -> Vec<bool> {
    let wanted: HashSet<&NamedFunction> = named.iter().collect();
    (functions.iter())
        .map(|function| {
            !wanted.is_empty()
                && wanted.contains(&NamedFunction::new(
                    analyzed.text(function.name),
                    analyzed.text(function.module),
                ))
        })
        .collect()
}

/// The same by pair of functions; a pair is called what its new function is, if it has one.
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
