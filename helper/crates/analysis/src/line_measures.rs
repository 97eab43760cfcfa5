//! What one line has of each measure, and why it waited.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::Family;

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::frames::{FileId, Measure};
use crate::wait_times::reason_of;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineMeasure<'a> {
    pub measure: Measure,
    pub amounts: Amounts,
    /// Of the run, or of what is selected of it.
    pub run_total: Amount,
    /// Of waiting time: reasons with the waits at this line or in what it called, most first.
    pub reasons: Vec<(&'a str, Amount)>,
}

/// Those that a recorded line has, in the order of the run. One pass over call paths and one over samples, whatever the number of
/// measures.
pub fn line_measures(analyzed: &Analyzed, file: FileId, line: u32) -> Vec<LineMeasure<'_>> {
    let Some(place) = analyzed.find_place(file, line) else {
        return Vec::new();
    };
    let stacks = analyzed.stacks();
    let mut has_place = vec![false; stacks.parent.len()];
    for path in 1..stacks.parent.len() {
        has_place[path] = has_place[stacks.parent[path] as usize]
            || (analyzed.chain(stacks.chain[path]).iter()).any(|frame| frame.place == place);
    }

    let measures = analyzed.measures();
    let mut found = vec![LineMeasure::default(); measures.len()];
    let mut by_reason: Vec<BTreeMap<&str, Amount>> = vec![BTreeMap::new(); measures.len()];
    for (sample, row) in analyzed.each_sample() {
        let path = stacks.node_of_sample[sample] as usize;
        let is_here = has_place[path];
        let is_self = is_here && analyzed.chain(stacks.chain[path])[0].place == place;
        let mut reason = None;
        for (measure, of) in measures.iter().enumerate() {
            if row[measure] == 0 {
                continue;
            }
            let amount = Amount {
                samples: of.counting.samples_of(row, measure),
                value: row[measure],
            };
            let sums = &mut found[measure];
            sums.run_total.add(amount);
            if !is_here {
                continue;
            }
            sums.amounts.total.add(amount);
            if is_self {
                sums.amounts.self_.add(amount);
            }
            if of.family == Family::Waiting && of.main.is_none() {
                reason = reason.or_else(|| reason_of(analyzed.profile(), sample));
                if let Some(reason) = reason {
                    by_reason[measure].entry(reason).or_default().add(amount);
                }
            }
        }
    }
    for (measure, (sums, reasons)) in found.iter_mut().zip(by_reason).enumerate() {
        sums.measure = measure;
        sums.reasons = reasons.into_iter().collect();
        (sums.reasons).sort_by_key(|(_, amount)| Reverse((amount.value, amount.samples)));
    }
    found.retain(|of| of.amounts.total != Amount::default());
    found
}
