//! What one line has of each measure, and why it waited.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::{Family, LockHolder, Waker};

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
    /// Of the waits for a lock among them: who held it, as far as its line was seen, most first.
    pub holders: Vec<(LockHolder<'a>, Amount)>,
    /// Of waiting time: who ended the waits, as far as its line is known, most first.
    pub wakers: Vec<(Waker<'a>, Amount)>,
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
    let mut by_holder: Vec<BTreeMap<LockHolder, Amount>> = vec![BTreeMap::new(); measures.len()];
    let mut by_waker: Vec<BTreeMap<Waker, Amount>> = vec![BTreeMap::new(); measures.len()];
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
                let holder = LockHolder::of_sample(analyzed.profile(), sample);
                if let Some(holder) = holder.filter(|of| !of.function.is_empty()) {
                    // Of any thread.
                    let at = LockHolder {
                        thread: "",
                        ..holder
                    };
                    by_holder[measure].entry(at).or_default().add(amount);
                }
                let waker = Waker::of_sample(analyzed.profile(), sample);
                if let Some(waker) = waker.and_then(Waker::at_any_thread) {
                    by_waker[measure].entry(waker).or_default().add(amount);
                }
            }
        }
    }
    let whom = by_holder.into_iter().zip(by_waker);
    let all = found.iter_mut().zip(by_reason.into_iter().zip(whom));
    for (measure, (sums, (reasons, (holders, wakers)))) in all.enumerate() {
        sums.measure = measure;
        sums.reasons = most_first(reasons);
        sums.holders = most_first(holders);
        sums.wakers = most_first(wakers);
    }
    found.retain(|of| of.amounts.total != Amount::default());
    found
}

fn most_first<K: Ord>(sums: BTreeMap<K, Amount>) -> Vec<(K, Amount)> {
    let mut all: Vec<_> = sums.into_iter().collect();
    all.sort_by_key(|(_, amount)| Reverse((amount.value, amount.samples)));
    all
}
