//! Waiting time by who is to blame for it: the line of the program that held the lock or ended the wait, or else what was waited for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use profile::{LockHolder, Profile, SeededHash, WaitReason, Waker};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::idle_threads::apart;
use crate::thread_times::thread_times;
use crate::wait_places::{WaitPlace, WaitPlaces};
use crate::wait_times::reason_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame<'a> {
    pub on: BlamedOn<'a>,
    /// Its samples are the waits.
    pub amount: Amount,
    /// How many waited.
    pub threads: usize,
    /// What for, most time first.
    pub reasons: Vec<&'a str>,
    /// Where, most time first; without `is_lock`. They add up to the amount.
    pub waiting: Vec<WaitedAt>,
}

/// `None`: the stack is not known, or the threads could have run, wherever they were.
pub type WaitedAt = (Option<WaitPlace>, Amount);

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
    let mut places = WaitPlaces::of(analyzed);
    let mut sums: BTreeMap<BlamedOn, Sums> = BTreeMap::new();
    for (sample, amount) in analyzed.amounts(wait).filter(|(_, of)| of.value > 0) {
        let thread = threads.all[threads.of_sample[sample] as usize];
        let on = match blamed_on(profile, sample) {
            BlamedOn::Nobody { .. } if idle.contains(&(thread.pid, thread.tid)) => BlamedOn::Idle,
            on => on,
        };
        let reason = reason_of(profile, sample).unwrap_or_else(|| WaitReason::Other.name());
        let place = match reason == WaitReason::RunQueue.name() {
            true => None, // where a thread lost its CPU is a matter of chance
            false => places.of_sample(sample),
        };
        let sums = sums.entry(on).or_default();
        sums.threads.insert((thread.pid, thread.tid));
        sums.reasons.entry(reason).or_default().add(amount);
        let place = place.map(|place| WaitPlace {
            is_lock: false, // the same line with a lock and without is one
            ..place
        });
        sums.places.entry(place).or_default().add(amount);
    }
    let mut rows: Vec<_> = (sums.into_iter())
        .map(|(on, sums)| sums.blame(on))
        .collect();
    rows.sort_by_key(|row| (row.on == BlamedOn::Idle, Reverse(row.amount.value), row.on));
    rows
}

/// The run says of waits who ended them, also where that is nobody of the selection.
pub fn knows_wakers(analyzed: &Analyzed) -> bool {
    let profile = analyzed.profile();
    (0..profile.samples.len()).any(|sample| Waker::of_sample(profile, sample).is_some())
}

#[derive(Default)]
struct Sums<'a> {
    threads: BTreeSet<(u32, u32)>,
    reasons: BTreeMap<&'a str, Amount>,
    places: HashMap<Option<WaitPlace>, Amount, SeededHash>,
}

impl<'a> Sums<'a> {
    fn blame(self, on: BlamedOn<'a>) -> Blame<'a> {
        let mut reasons: Vec<_> = self.reasons.into_iter().collect();
        reasons.sort_by_key(|&(name, amount)| (Reverse(amount.value), name));
        let mut waiting: Vec<WaitedAt> = self.places.into_iter().collect();
        waiting.sort_by_key(|(place, amount)| {
            let place = place.map(|of| (of.function, of.module, of.file, of.line));
            (Reverse(amount.value), place)
        });
        let mut amount = Amount::default();
        waiting.iter().for_each(|&(_, of)| amount.add(of));
        Blame {
            on,
            amount,
            threads: self.threads.len(),
            reasons: reasons.into_iter().map(|(name, _)| name).collect(),
            waiting,
        }
    }
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
    use profile::{LabelValue, LineOf, MappingOf, ProfileBuilder, WAIT};

    use super::*;

    const HOLDER: LockHolder = LockHolder {
        thread: "a",
        function: "hold",
        file: "x.c",
        line: 7,
    };

    #[test]
    fn what_is_blamed_has_the_lines_that_waited_most_first() {
        let mut builder = ProfileBuilder::new(&[("wait", "nanoseconds"), ("waits", "count")]);
        let program = builder.add_mapping(MappingOf {
            filename: "/bin/turns",
            ..MappingOf::default()
        });
        let take = builder.add_function("take", "take", "/src/turns.c", 1);
        let mut at = |line: u32| {
            let lines = [LineOf {
                function: take,
                line,
                column: 0,
            }];
            builder.add_location(Some(program), u64::from(line), &lines)
        };
        let stacks = [at(3), at(4)];
        for (stack, tid, ns) in [(0, 1, 20), (1, 1, 70), (0, 2, 30)] {
            let mut labels = vec![
                (WAIT, LabelValue::Text("lock")),
                ("tid", LabelValue::Number(tid, "")),
            ];
            labels.extend(HOLDER.labels());
            builder.push_sample(&[stacks[stack]], &[ns, 1], &labels);
        }
        let analyzed = Analyzed::new(builder.finish());
        assert!(!knows_wakers(&analyzed));
        let rows = blame(&analyzed);
        assert_eq!((rows.len(), rows[0].threads), (1, 2));
        let lines: Vec<_> = (rows[0].waiting.iter())
            .map(|(place, of)| (place.map(|at| at.line), of.value, of.samples))
            .collect();
        assert_eq!(lines, [(Some(4), 70, 1), (Some(3), 50, 2)]);
    }

    #[test]
    fn all_waiting_time_is_blamed_on_a_line_or_on_nobody() {
        let types = [("wait", "nanoseconds"), ("waits", "count")];
        let mut builder = ProfileBuilder::new(&types);
        let holder = HOLDER;
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
        assert!(knows_wakers(&analyzed));
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
        assert_eq!(rows[2].reasons, ["condition", "pipe"]);
        assert!(rows.iter().all(|row| row.threads == 1));
        let total: u64 = rows.iter().map(|row| row.amount.value).sum();
        assert_eq!(total, 1056);
    }
}
