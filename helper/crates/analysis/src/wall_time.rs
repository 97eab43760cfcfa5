//! Where the wall time of a run went: on a CPU, waiting for what, in the queue for a CPU. Of one thread, whose times add up to its
//! life, and of all threads together. Waiting and CPU time are beside each other and never one sum that something is a share of.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::run::RunInfo;
use profile::{StringId, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::idle_threads::apart;
use crate::thread_times::{ThreadTimes, WaitsAt, thread_times};
use crate::threads::ThreadOf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallTime {
    /// Of all executions, one after the other.
    pub wall_ns: u64,
    pub executions: usize,
    /// `None`: there are several executions, and each has threads of its own.
    pub longest: Option<LongestThread>,
    /// Of the threads that are not idle.
    pub together: Spent,
    pub threads: usize,
    /// Most threads first.
    pub idle: Vec<IdleThreads>,
}

/// The thread whose life explains the wall time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongestThread {
    pub thread: ThreadOf,
    pub chosen: Chosen,
    pub spent: Spent,
    /// Wall time that is none of the above: before its first wait was seen, after its end, lost. 0: no more than 1 % of the wall
    /// time, or than the error of sampled CPU time.
    pub not_accounted_ns: u64,
}

/// Why this thread, of those that are not idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    Only,
    Longest,
    /// Several lived as long.
    BusiestOfLongest,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spent {
    pub cpu_ns: u64,
    /// The kernel counted it; else it is sampled.
    pub is_counted: bool,
    /// Without the run queue.
    pub waiting: Amount,
    /// Most time first, without the run queue.
    pub reasons: Vec<(WaitReason, Amount)>,
    pub run_queue_ns: u64,
}

/// Threads that were parked in one function for the same reason. What they waited is not in [`WallTime::together`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleThreads {
    pub reason: WaitReason,
    /// Its name.
    pub function: StringId,
    pub threads: usize,
    pub waited_ns: u64,
}

/// Lives that differ by less than this share of the wall time are as long.
const AS_LONG_PERCENT: u64 = 2;
/// What is named as not accounted for.
const NAMED_PERCENT: u64 = 1;

/// Of the selection. `None`: it has no waits, or is none of ours.
pub fn wall_time(analyzed: &Analyzed) -> Option<WallTime> {
    let run = analyzed.profile().run.as_ref()?;
    Some(of_threads(run, thread_times(analyzed)?))
}

/// The wall time of the executions that were recorded, and their number.
pub fn executions_wall(run: &RunInfo) -> (u64, usize) {
    let recorded = || run.repetitions.iter().filter(|one| !one.warm_up);
    match recorded().count() {
        0 | 1 => (run.wall_ns, 1),
        several => (recorded().map(|one| one.wall_ns).sum(), several),
    }
}

fn of_threads(run: &RunInfo, threads: Vec<ThreadTimes>) -> WallTime {
    let (wall_ns, executions) = executions_wall(run);
    let is_alone = threads.len() == 1;
    let counted_ns = Some(run.kernel_counted_ns).filter(|&ns| ns > 0);
    let (busy, idle) = apart(threads);
    // The kernel counted all threads together.
    let of_idle = idle.iter().map(|(thread, _)| thread.cpu);
    let together = spent(busy.iter(), of_idle, counted_ns);
    let longest = longest_of(&busy, wall_ns).filter(|_| executions == 1);
    WallTime {
        wall_ns,
        executions,
        longest: longest.map(|(thread, chosen)| {
            let counted_ns = counted_ns.filter(|_| is_alone);
            let spent = spent([thread].into_iter(), [].into_iter(), counted_ns);
            LongestThread {
                thread: thread.thread,
                chosen,
                not_accounted_ns: not_accounted_ns(wall_ns, &spent, thread.cpu),
                spent,
            }
        }),
        together,
        threads: busy.len(),
        idle: idle_by_place(&idle),
    }
}

fn longest_of(busy: &[ThreadTimes], wall_ns: u64) -> Option<(&ThreadTimes, Chosen)> {
    let longest_ns = busy.iter().map(ThreadTimes::life_ns).max()?;
    let is_as_long = |of: &&ThreadTimes| {
        let shorter_by = u128::from(longest_ns - of.life_ns());
        shorter_by * 100 <= u128::from(wall_ns) * u128::from(AS_LONG_PERCENT)
    };
    let longest: Vec<&ThreadTimes> = busy.iter().filter(is_as_long).collect();
    let chosen = match (busy.len(), longest.len()) {
        (1, _) => Chosen::Only,
        (_, 1) => Chosen::Longest,
        _ => Chosen::BusiestOfLongest,
    };
    let rank = |of: &&ThreadTimes| (of.cpu.value, Reverse((of.thread.pid, of.thread.tid)));
    Some((longest.into_iter().max_by_key(rank)?, chosen))
}

fn spent<'a>(
    threads: impl Iterator<Item = &'a ThreadTimes>,
    also_cpu: impl Iterator<Item = Amount>,
    counted_ns: Option<u64>,
) -> Spent {
    let mut by_reason: BTreeMap<WaitReason, Amount> = BTreeMap::new();
    let mut cpu = Amount::default();
    also_cpu.for_each(|amount| cpu.add(amount));
    for thread in threads {
        cpu.add(thread.cpu);
        for WaitsAt { reason, amount, .. } in &thread.waits {
            by_reason.entry(*reason).or_default().add(*amount);
        }
    }
    let queued = by_reason.remove(&WaitReason::RunQueue).unwrap_or_default();
    let mut waiting = Amount::default();
    by_reason.values().for_each(|amount| waiting.add(*amount));
    let mut reasons: Vec<_> = by_reason.into_iter().collect();
    reasons.sort_by_key(|(reason, amount)| (Reverse(amount.value), *reason));
    Spent {
        cpu_ns: counted_ns.unwrap_or(cpu.value),
        is_counted: counted_ns.is_some(),
        waiting,
        reasons,
        run_queue_ns: queued.value,
    }
}

fn not_accounted_ns(wall_ns: u64, spent: &Spent, sampled: Amount) -> u64 {
    let known_ns = [spent.cpu_ns, spent.waiting.value, spent.run_queue_ns]
        .into_iter()
        .fold(0, u64::saturating_add);
    let rest_ns = wall_ns.saturating_sub(known_ns);
    // Twice the standard deviation of so many samples.
    let error_ns = match spent.is_counted {
        true => 0.0,
        false => 2.0 * sampled.value as f64 / (sampled.samples.max(1) as f64).sqrt(),
    };
    let is_named = u128::from(rest_ns) * 100 > u128::from(wall_ns) * u128::from(NAMED_PERCENT);
    if is_named && rest_ns as f64 > error_ns {
        rest_ns
    } else {
        0
    }
}

fn idle_by_place(idle: &[(ThreadTimes, WaitsAt)]) -> Vec<IdleThreads> {
    let mut by_place: BTreeMap<(WaitReason, StringId), IdleThreads> = BTreeMap::new();
    for (_, waits) in idle {
        let Some(place) = waits.place else { continue };
        let (reason, function) = (waits.reason, place.function);
        let of = by_place.entry((reason, function)).or_insert(IdleThreads {
            reason,
            function,
            threads: 0,
            waited_ns: 0,
        });
        of.threads += 1;
        of.waited_ns = of.waited_ns.saturating_add(waits.amount.value);
    }
    let mut places: Vec<IdleThreads> = by_place.into_values().collect();
    places.sort_by_key(|of| (Reverse(of.threads), Reverse(of.waited_ns)));
    places
}

#[cfg(test)]
mod tests {
    use profile::run::Repetition;

    use super::*;
    use crate::wait_places::WaitPlace;

    const MS: u64 = 1_000_000;

    fn thread(tid: u32, cpu_ms: u64, waits: &[(WaitReason, u64)]) -> ThreadTimes {
        let place = Some(WaitPlace {
            function: 3,
            module: 0,
            file: 0,
            line: 1,
            is_lock: false,
        });
        let waits = waits.iter().map(|&(reason, ms)| WaitsAt {
            reason,
            place,
            amount: Amount {
                samples: 2,
                value: ms * MS,
            },
        });
        ThreadTimes {
            thread: ThreadOf {
                pid: 1,
                tid,
                ..ThreadOf::default()
            },
            cpu: Amount {
                samples: cpu_ms,
                value: cpu_ms * MS,
            },
            waits: waits.collect(),
        }
    }

    fn run(wall_ms: u64, kernel_ms: u64) -> RunInfo {
        RunInfo {
            wall_ns: wall_ms * MS,
            kernel_counted_ns: kernel_ms * MS,
            ..RunInfo::default()
        }
    }

    use WaitReason::{Condition, Lock, RunQueue, Sleep};

    #[test]
    fn the_run_queue_is_apart_and_the_rest_is_by_reason() {
        let main = thread(5, 1600, &[(Sleep, 1300), (RunQueue, 100), (Lock, 3900)]);
        let of = of_threads(&run(6900, 0), vec![main]);
        let longest = of.longest.expect("one execution");
        assert_eq!((longest.thread.tid, longest.chosen), (5, Chosen::Only));
        let spent = longest.spent;
        assert_eq!((spent.cpu_ns, spent.is_counted), (1600 * MS, false));
        assert_eq!(spent.waiting.value, 5200 * MS);
        let reasons: Vec<_> = spent.reasons.iter().map(|(r, a)| (*r, a.value)).collect();
        assert_eq!(reasons, [(Lock, 3900 * MS), (Sleep, 1300 * MS)]);
        assert_eq!(spent.run_queue_ns, 100 * MS);
        assert_eq!(longest.not_accounted_ns, 0);
    }

    #[test]
    fn what_is_missing_is_named_if_it_is_more_than_a_hundredth_and_than_chance() {
        let rest = |wall_ms, kernel_ms, cpu_ms, wait_ms| {
            let main = thread(5, cpu_ms, &[(Sleep, wait_ms)]);
            let of = of_threads(&run(wall_ms, kernel_ms), vec![main]);
            of.longest.expect("one execution").not_accounted_ns / MS
        };
        assert_eq!(rest(1000, 400, 400, 500), 100);
        assert_eq!(rest(1000, 490, 400, 500), 0, "no more than a hundredth");
        assert_eq!(
            rest(1000, 0, 400, 561),
            0,
            "two of sqrt(400) samples: chance"
        );
        assert_eq!(rest(1000, 0, 400, 500), 100);
        assert_eq!(rest(1000, 0, 600, 500), 0, "more than there was");
    }

    #[test]
    fn the_thread_is_one_of_the_longest_and_of_these_the_busiest() {
        let choice = |threads: Vec<ThreadTimes>| {
            let of = of_threads(&run(1000, 0), threads);
            let longest = of.longest.expect("one execution");
            (longest.thread.tid, longest.chosen)
        };
        let main = || thread(1, 300, &[(Sleep, 690)]);
        let brief = || thread(2, 800, &[]);
        let worker = || thread(3, 500, &[(Lock, 475)]);
        assert_eq!(choice(vec![main(), brief()]), (1, Chosen::Longest));
        let of_all = choice(vec![main(), brief(), worker()]);
        assert_eq!(of_all, (3, Chosen::BusiestOfLongest));
    }

    #[test]
    fn idle_threads_are_apart_with_their_place_and_the_kernel_counted_their_cpu_time_too() {
        let parked = |tid| thread(tid, 1, &[(Condition, 990)]);
        let threads = vec![thread(1, 700, &[(Lock, 300)]), parked(2), parked(3)];
        let of = of_threads(&run(1000, 0), threads.clone());
        assert_eq!((of.threads, of.together.waiting.value), (1, 300 * MS));
        assert_eq!(of.together.cpu_ns, 702 * MS);
        let [idle] = of.idle[..] else {
            panic!("{:?}", of.idle)
        };
        assert_eq!((idle.threads, idle.waited_ns), (2, 1980 * MS));
        assert_eq!((idle.reason, idle.function), (Condition, 3));
        let of = of_threads(&run(1000, 705), threads);
        assert_eq!(
            (of.together.cpu_ns, of.together.is_counted),
            (705 * MS, true)
        );
        let longest = of.longest.expect("one execution").spent;
        assert!(!longest.is_counted, "the kernel's count is of all");
    }

    #[test]
    fn several_executions_have_a_sum_and_no_longest_thread() {
        let once = |wall_ms, warm_up| Repetition {
            wall_ns: wall_ms * MS,
            warm_up,
            ..Repetition::default()
        };
        let run = RunInfo {
            repetitions: vec![once(900, true), once(500, false), once(600, false)],
            ..run(2500, 0)
        };
        let threads = vec![thread(1, 500, &[]), thread(2, 300, &[(Lock, 300)])];
        let of = of_threads(&run, threads);
        assert_eq!((of.wall_ns, of.executions), (1100 * MS, 2));
        assert_eq!((of.longest, of.threads), (None, 2));
    }
}
