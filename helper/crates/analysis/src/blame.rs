//! Waiting time by who is to blame for it: the line of the program that held the lock, or else what was waited for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use profile::{LockHolder, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::idle_threads::apart;
use crate::thread_times::thread_times;
use crate::wait_times::reason_of;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blame<'a> {
    pub on: BlamedOn<'a>,
    /// Its samples are the waits.
    pub amount: Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlamedOn<'a> {
    /// A line of the program held the lock, whatever thread was there.
    Holder(LockHolder<'a>),
    /// No line of the program is known to have caused the wait, which had this reason.
    Nobody(&'a str),
    /// The thread was parked all the time, like a worker for which there was no work.
    Idle,
}

/// Of the selection, most time first, idle threads last. The amounts add up to its waiting time. Empty: nothing waited, or waits were not recorded.
pub fn blame(analyzed: &Analyzed) -> Vec<Blame<'_>> {
    let profile = analyzed.profile();
    let Some(wait) = profile.find_sample_type("wait", "nanoseconds") else {
        return Vec::new();
    };
    let idle = idle_threads(analyzed);
    let threads = analyzed.thread_table();
    let mut sums: BTreeMap<BlamedOn, Amount> = BTreeMap::new();
    for (sample, amount) in analyzed.amounts(wait) {
        let holder = LockHolder::of_sample(profile, sample);
        let thread = threads.all[threads.of_sample[sample] as usize];
        let on = match holder.filter(|of| !of.function.is_empty()) {
            _ if idle.contains(&(thread.pid, thread.tid)) => BlamedOn::Idle,
            Some(holder) => BlamedOn::Holder(LockHolder {
                thread: "",
                ..holder
            }),
            None => BlamedOn::Nobody(
                reason_of(profile, sample).unwrap_or_else(|| WaitReason::Other.name()),
            ),
        };
        sums.entry(on).or_default().add(amount);
    }
    let all = sums.into_iter().map(|(on, amount)| Blame { on, amount });
    let mut rows: Vec<_> = all.filter(|row| row.amount.value > 0).collect();
    rows.sort_by_key(|row| (row.on == BlamedOn::Idle, Reverse(row.amount.value), row.on));
    rows
}

/// By process and number.
fn idle_threads(analyzed: &Analyzed) -> BTreeSet<(u32, u32)> {
    let threads = thread_times(analyzed).unwrap_or_default();
    let (_, idle) = apart(threads);
    idle.iter()
        .map(|(of, _)| (of.thread.pid, of.thread.tid))
        .collect()
}

#[cfg(test)]
mod tests {
    use profile::{LabelValue, ProfileBuilder, WAIT};

    use super::*;

    #[test]
    fn all_waiting_time_is_blamed_on_a_line_or_on_nobody() {
        let types = [("wait", "nanoseconds"), ("waits", "count")];
        let mut builder = ProfileBuilder::new(&types);
        let holder = LockHolder {
            thread: "a",
            function: "hold",
            file: "x.c",
            line: 7,
        };
        let unseen = LockHolder {
            thread: "a",
            ..LockHolder::default()
        };
        for (reason, holder, values) in [
            ("lock", Some(holder), [70, 2]),
            (
                "lock",
                Some(LockHolder {
                    thread: "b",
                    ..holder
                }),
                [30, 1],
            ),
            ("lock", Some(unseen), [5, 1]),
            ("sleep", None, [900, 3]),
        ] {
            let mut labels = vec![(WAIT, LabelValue::Text(reason))];
            labels.extend(holder.into_iter().flat_map(LockHolder::labels));
            builder.push_sample(&[], &values, &labels);
        }
        builder.push_sample(&[], &[1, 1], &[]);
        let analyzed = Analyzed::new(builder.finish());
        let rows = blame(&analyzed);
        let found: Vec<_> = (rows.iter())
            .map(|row| (row.on, row.amount.value, row.amount.samples))
            .collect();
        let any_thread = LockHolder {
            thread: "",
            ..holder
        };
        assert_eq!(
            found,
            [
                (BlamedOn::Nobody("sleep"), 900, 3),
                (BlamedOn::Holder(any_thread), 100, 3),
                (BlamedOn::Nobody("lock"), 5, 1),
                (BlamedOn::Nobody("other"), 1, 1),
            ]
        );
        let total: u64 = rows.iter().map(|row| row.amount.value).sum();
        assert_eq!(total, 1006);
    }
}
