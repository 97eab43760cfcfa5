//! Waits for locks, by the line that waited and the line where the holder was seen.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use profile::{LockHolder, SeededHash, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::wait_places::{WaitPlace, WaitPlaces};
use crate::wait_times::reason_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockWaits<'a> {
    /// None: the stack of the waits is not known.
    pub waiting: Option<WaitPlace>,
    pub holder: LockHolderOf<'a>,
    /// Its samples are the waits.
    pub amount: Amount,
    /// 0: the run does not say when its waits were. Of brief waits that share an entry of their times, the mean.
    pub longest_ns: u64,
    /// How many threads waited.
    pub threads: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockHolderOf<'a> {
    /// The thread is known, and where it was, as far as it was seen.
    Known(LockHolder<'a>),
    /// The lock named no thread: those of Rust's standard library and of Go never do.
    NotNamed,
}

/// Of the selection, most time first. Empty: nothing waited for a lock, or waits were not recorded.
pub fn lock_waits(analyzed: &Analyzed) -> Vec<LockWaits<'_>> {
    let profile = analyzed.profile();
    let Some(wait) = profile.find_sample_type("wait", "nanoseconds") else {
        return Vec::new();
    };
    let longest = longest_by_sample(analyzed);
    let mut places = WaitPlaces::of(analyzed);
    let mut groups: HashMap<_, (LockWaits, BTreeSet<u32>), SeededHash> = HashMap::default();
    for (sample, amount) in analyzed.amounts(wait).filter(|(_, of)| of.value > 0) {
        let place = places.of_sample(sample);
        let is_lock = match reason_of(profile, sample) {
            Some(reason) if reason == WaitReason::Lock.name() => true,
            Some(reason) if reason == WaitReason::Condition.name() => {
                place.is_some_and(|place| place.is_lock)
            }
            _ => false,
        };
        if !is_lock {
            continue;
        }
        let holder = LockHolder::of_sample(profile, sample)
            .map_or(LockHolderOf::NotNamed, LockHolderOf::Known);
        let key = (place.map(|place| (place.function, place.line)), holder);
        let (group, threads) = groups.entry(key).or_insert_with(|| {
            let group = LockWaits {
                waiting: place,
                holder,
                amount: Amount::default(),
                longest_ns: 0,
                threads: 0,
            };
            (group, BTreeSet::new())
        });
        group.amount.add(amount);
        let longest_ns = longest.get(sample).copied().unwrap_or(0);
        group.longest_ns = group.longest_ns.max(longest_ns.min(amount.value));
        threads.insert(analyzed.thread_table().of_sample[sample]);
    }
    let mut rows: Vec<LockWaits> = groups
        .into_values()
        .map(|(group, threads)| LockWaits {
            threads: threads.len(),
            ..group
        })
        .collect();
    rows.sort_by_key(|row| {
        let place = row.waiting.map(|place| (place.function, place.line));
        (Reverse(row.amount.value), place, row.holder)
    });
    rows
}

fn longest_by_sample(analyzed: &Analyzed) -> Vec<u64> {
    let profile = analyzed.profile();
    let mut longest = vec![0u64; profile.samples.len()];
    let times = (profile.run.as_ref()).and_then(|run| run.wait_times.as_ref());
    for wait in times.into_iter().flat_map(|times| times.iter()) {
        if let Some(of) = longest.get_mut(wait.sample as usize) {
            *of = (*of).max(wait.waited_ns / u64::from(wait.waits.max(1)));
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use profile::{LabelValue, ProfileBuilder, WAIT};

    use super::*;

    #[test]
    fn waits_for_a_lock_add_up_by_their_holder_and_others_are_left_out() {
        let types = [("wait", "nanoseconds"), ("waits", "count")];
        let mut builder = ProfileBuilder::new(&types);
        let holder = LockHolder {
            thread: "a",
            function: "hold",
            file: "x.c",
            line: 7,
        };
        let mut push = |reason, holder: Option<LockHolder<'static>>, values, tid| {
            let mut labels = vec![
                (WAIT, LabelValue::Text(reason)),
                ("tid", LabelValue::Number(tid, "")),
            ];
            labels.extend(holder.into_iter().flat_map(LockHolder::labels));
            builder.push_sample(&[], values, &labels);
        };
        push("lock", Some(holder), &[70, 2], 1);
        push("lock", Some(holder), &[30, 1], 2);
        push("lock", None, &[50, 1], 2);
        push("sleep", None, &[900, 1], 2);
        push("condition", None, &[900, 1], 2);
        let analyzed = Analyzed::new(builder.finish());
        let rows = lock_waits(&analyzed);
        let found: Vec<_> = (rows.iter())
            .map(|row| {
                (
                    row.holder,
                    row.amount.value,
                    row.amount.samples,
                    row.threads,
                )
            })
            .collect();
        let known = LockHolderOf::Known(holder);
        let expected = [(known, 100, 3, 2), (LockHolderOf::NotNamed, 50, 1, 1)];
        assert_eq!(found, expected);
    }
}
