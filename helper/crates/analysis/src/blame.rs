//! Waiting time by who is to blame for it: the line of the program that held the lock or ended the wait, or else what was waited for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use profile::{LockHolder, Profile, WaitReason, Waker};

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
    /// A line of the program ended the wait, whatever thread was there.
    Waker(Waker<'a>),
    /// No line of the program is known to have caused the wait.
    Nobody {
        /// Of the wait.
        reason: &'a str,
        /// Its kind, and the name of another process. `None`: not known.
        ended_by: Option<Waker<'a>>,
    },
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
        let thread = threads.all[threads.of_sample[sample] as usize];
        let on = match blamed_on(profile, sample) {
            BlamedOn::Nobody { .. } if idle.contains(&(thread.pid, thread.tid)) => BlamedOn::Idle,
            on => on,
        };
        sums.entry(on).or_default().add(amount);
    }
    let all = sums.into_iter().map(|(on, amount)| Blame { on, amount });
    let mut rows: Vec<_> = all.filter(|row| row.amount.value > 0).collect();
    rows.sort_by_key(|row| (row.on == BlamedOn::Idle, Reverse(row.amount.value), row.on));
    rows
}

/// Who held a lock made the wait long; who ended it has given what was waited for.
fn blamed_on(profile: &Profile, sample: usize) -> BlamedOn<'_> {
    let holder = LockHolder::of_sample(profile, sample);
    if let Some(holder) = holder.filter(|of| !of.function.is_empty()) {
        return BlamedOn::Holder(LockHolder {
            thread: "",
            ..holder
        });
    }
    let waker = Waker::of_sample(profile, sample);
    if let Some(waker) = waker.and_then(Waker::at_any_thread) {
        return BlamedOn::Waker(waker);
    }
    BlamedOn::Nobody {
        reason: reason_of(profile, sample).unwrap_or_else(|| WaitReason::Other.name()),
        ended_by: waker.map(|of| Waker {
            kind: of.kind,
            thread: if of.kind == OTHER_PROCESS {
                of.thread
            } else {
                ""
            },
            ..Waker::default()
        }),
    }
}

/// The kind of a waker that was not recorded itself.
const OTHER_PROCESS: &str = "process";

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
        let waker = Waker {
            kind: "thread",
            thread: "a",
            tid: 5,
            function: "put",
            file: "x.c",
            line: 9,
        };
        let timer = Waker {
            kind: "timer",
            ..Waker::default()
        };
        for (reason, holder, waker, values) in [
            ("lock", Some(holder), Some(waker), [70, 2]),
            (
                "lock",
                Some(LockHolder {
                    thread: "b",
                    ..holder
                }),
                None,
                [30, 1],
            ),
            ("lock", Some(unseen), None, [5, 1]),
            ("condition", None, Some(waker), [40, 4]),
            ("pipe", None, Some(Waker { tid: 6, ..waker }), [10, 1]),
            ("sleep", None, Some(timer), [900, 3]),
        ] {
            let mut labels = vec![(WAIT, LabelValue::Text(reason))];
            labels.extend(holder.into_iter().flat_map(LockHolder::labels));
            labels.extend(waker.into_iter().flat_map(Waker::labels));
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
        let any_waker = Waker {
            thread: "",
            tid: 0,
            ..waker
        };
        let nobody = |reason, ended_by| BlamedOn::Nobody { reason, ended_by };
        assert_eq!(
            found,
            [
                (nobody("sleep", Some(timer)), 900, 3),
                (BlamedOn::Holder(any_thread), 100, 3),
                (BlamedOn::Waker(any_waker), 50, 5),
                (nobody("lock", None), 5, 1),
                (nobody("other", None), 1, 1),
            ]
        );
        let total: u64 = rows.iter().map(|row| row.amount.value).sum();
        assert_eq!(total, 1056);
    }
}
