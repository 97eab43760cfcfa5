//! Where the threads of a run waited, and for what: one row per line of the program and reason.

use std::cmp::Reverse;
use std::collections::HashMap;

use profile::{SeededHash, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::idle_threads::apart;
use crate::thread_times::{ThreadTimes, waits_of_threads};
use crate::wait_places::WaitPlace;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitRow {
    pub reason: WaitReason,
    /// Without `is_lock`. `None`: the stack is not known, or the threads could have run, wherever they were.
    pub place: Option<WaitPlace>,
    /// Its samples are the waits.
    pub amount: Amount,
    /// How many waited.
    pub threads: usize,
    /// Of threads that were parked nearly all the time, like workers for which there was no work.
    pub is_idle: bool,
}

impl WaitRow {
    /// Nanoseconds a wait. `None`: none begins in the selection, of which each has a part.
    pub fn mean_ns(&self) -> Option<u64> {
        self.amount.value.checked_div(self.amount.samples)
    }
}

/// Of the selection, most time first, idle threads last. The amounts add up to its waiting time. Empty: nothing waited, or waits were
/// not recorded.
pub fn wait_rows(analyzed: &Analyzed) -> Vec<WaitRow> {
    let (busy, idle) = apart(waits_of_threads(analyzed).unwrap_or_default());
    let mut rows = rows_of(&busy, false);
    let idle: Vec<ThreadTimes> = idle.into_iter().map(|(thread, _)| thread).collect();
    rows.extend(rows_of(&idle, true));
    rows
}

fn rows_of(threads: &[ThreadTimes], is_idle: bool) -> Vec<WaitRow> {
    let mut rows: HashMap<_, WaitRow, SeededHash> = HashMap::default();
    for thread in threads {
        let mut of_thread: HashMap<_, Amount, SeededHash> = HashMap::default();
        for waits in &thread.waits {
            // Where a thread lost its CPU is a matter of chance.
            let place = (waits.place).filter(|_| waits.reason != WaitReason::RunQueue);
            let is_lock = false; // the same line with a lock and without is one row
            let place = place.map(|place| WaitPlace { is_lock, ..place });
            (of_thread.entry((waits.reason, place)).or_default()).add(waits.amount);
        }
        for ((reason, place), amount) in of_thread {
            let row = rows.entry((reason, place)).or_insert(WaitRow {
                reason,
                place,
                amount: Amount::default(),
                threads: 0,
                is_idle,
            });
            row.amount.add(amount);
            row.threads += 1;
        }
    }
    let mut rows: Vec<WaitRow> = rows.into_values().collect();
    rows.sort_by_key(|row| {
        let place = row.place.map(|of| (of.function, of.file, of.line));
        (Reverse(row.amount.value), row.reason, place)
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Option<WaitPlace> {
        Some(WaitPlace {
            function: 7,
            module: 0,
            file: 0,
            line,
            is_lock: false,
        })
    }

    fn thread(waits: &[(WaitReason, Option<WaitPlace>, u64)]) -> ThreadTimes {
        let waits = waits.iter().map(|&(reason, place, value)| {
            let amount = Amount { value, samples: 1 };
            crate::thread_times::WaitsAt {
                reason,
                place,
                amount,
            }
        });
        ThreadTimes {
            waits: waits.collect(),
            ..ThreadTimes::default()
        }
    }

    #[test]
    fn threads_that_wait_at_one_line_for_one_reason_are_a_row() {
        let threads = [
            thread(&[
                (WaitReason::Lock, at(3), 70),
                (WaitReason::Disk, at(3), 5),
                (WaitReason::RunQueue, at(3), 1),
                (WaitReason::RunQueue, at(4), 2),
            ]),
            thread(&[(WaitReason::Lock, at(3), 30), (WaitReason::Lock, at(4), 99)]),
        ];
        let found: Vec<_> = (rows_of(&threads, false).iter())
            .map(|row| {
                let line = row.place.map(|place| place.line);
                let Amount { value, samples } = row.amount;
                (row.reason, line, value, samples, row.threads)
            })
            .collect();
        let expected = [
            (WaitReason::Lock, Some(3), 100, 2, 2),
            (WaitReason::Lock, Some(4), 99, 1, 1),
            (WaitReason::Disk, Some(3), 5, 1, 1),
            (WaitReason::RunQueue, None, 3, 2, 1),
        ];
        assert_eq!(found, expected);
    }
}
