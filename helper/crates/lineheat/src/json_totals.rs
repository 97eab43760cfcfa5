//! What the JSON of form 2 says of a whole run.

use std::collections::BTreeMap;

use analysis::{Amount, Analyzed, Measure};
use serde::Serialize;

/// One of the measures of a file.
#[derive(Serialize)]
pub struct Measured<'a> {
    name: &'a str,
    unit: &'a str,
    /// In that unit, of the selection.
    total: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stacks<'a> {
    stacks_whole: u64,
    /// Stacks that do not reach the start of their thread, by what ended them.
    stacks_not_whole: BTreeMap<&'a str, u64>,
}

/// Why threads waited.
#[derive(Serialize)]
pub struct Reason<'a> {
    reason: &'a str,
    /// In the unit of the measure.
    total: u64,
    /// Waits. One behind which its thread queued for a CPU is one of the first reason.
    waits: u64,
}

impl<'a> Reason<'a> {
    pub fn new(reason: &'a str, amount: Amount) -> Reason<'a> {
        Reason {
            reason,
            total: amount.value,
            waits: amount.samples,
        }
    }
}

/// Most first; empty: the measure is none of waiting, or the file does not say why.
pub fn reasons(analyzed: &Analyzed, measure: Measure) -> Vec<Reason<'_>> {
    let reasons = analysis::wait_reasons(analyzed, measure).into_iter();
    reasons.map(|(name, of)| Reason::new(name, of)).collect()
}

pub fn measured(analyzed: &Analyzed) -> Vec<Measured<'_>> {
    (analyzed.measures().iter().enumerate())
        .map(|(measure, of)| Measured {
            name: &of.name,
            unit: &of.unit,
            total: analyzed.total(measure).value,
        })
        .collect()
}

/// `None`: unknown.
pub fn kernel_counted_ns(analyzed: &Analyzed) -> Option<u64> {
    let run = analyzed.profile().run.as_ref()?;
    Some(run.kernel_counted_ns).filter(|&ns| ns > 0)
}

/// Of the whole run. `None` for profiles of other programs.
pub fn stacks(analyzed: &Analyzed) -> Option<Stacks<'_>> {
    let run = analyzed.profile().run.as_ref()?;
    let is_whole = |cause: &str| cause == WHOLE;
    Some(Stacks {
        stacks_whole: (run.stack_ends.iter())
            .filter(|end| is_whole(&end.cause))
            .map(|end| end.count)
            .sum(),
        stacks_not_whole: (run.stack_ends.iter())
            .filter(|end| !is_whole(&end.cause))
            .map(|end| (&*end.cause, end.count))
            .collect(),
    })
}

/// The thread's start was reached.
const WHOLE: &str = "root";
