//! Which threads were parked for nearly all of their life, like the workers of a pool for which there was no work.

use profile::WaitReason;

use crate::thread_times::{ThreadTimes, WaitsAt};

/// More of a life than this in one wait at one place is idle.
const IDLE_PERCENT: u64 = 90;

/// What a thread may wait for that is not there for want of work. Who waits for a lock, a disk or a CPU has work.
fn may_be_idle(waits: &WaitsAt) -> bool {
    let is_for_work = match waits.reason {
        WaitReason::Condition
        | WaitReason::Network
        | WaitReason::Pipe
        | WaitReason::Tty
        | WaitReason::Sleep
        | WaitReason::Poll
        | WaitReason::Child => true,
        WaitReason::RunQueue
        | WaitReason::Lock
        | WaitReason::Disk
        | WaitReason::PageFault
        | WaitReason::Other => false,
    };
    is_for_work && waits.place.is_none_or(|place| !place.is_lock)
}

/// The wait in which the thread was parked. `None`: it was not idle.
pub fn parked_in(thread: &ThreadTimes) -> Option<WaitsAt> {
    let life_ns = u128::from(thread.life_ns());
    let longest = thread.waits.iter().max_by_key(|waits| waits.amount.value)?;
    let is_most = u128::from(longest.amount.value) * 100 > life_ns * u128::from(IDLE_PERCENT);
    (is_most && longest.place.is_some() && may_be_idle(longest)).then_some(*longest)
}

/// Those that are idle, each with its wait, apart from the others. Where nobody has work, nobody is idle beside others: then the
/// wait of each is what the time went to.
pub fn apart(threads: Vec<ThreadTimes>) -> (Vec<ThreadTimes>, Vec<(ThreadTimes, WaitsAt)>) {
    if threads.iter().all(|thread| parked_in(thread).is_some()) {
        return (threads, Vec::new());
    }
    let (mut busy, mut idle) = (Vec::new(), Vec::new());
    for thread in threads {
        match parked_in(&thread) {
            Some(waits) => idle.push((thread, waits)),
            None => busy.push(thread),
        }
    }
    (busy, idle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amounts::Amount;
    use crate::wait_places::WaitPlace;

    /// Waits at the line of this number.
    fn at(line: u32, reason: WaitReason, value: u64) -> WaitsAt {
        let place = WaitPlace {
            function: 7,
            module: 0,
            file: 0,
            line,
            is_lock: false,
        };
        WaitsAt {
            reason,
            place: Some(place),
            amount: Amount { samples: 1, value },
        }
    }

    fn thread(cpu: u64, waits: &[WaitsAt]) -> ThreadTimes {
        let cpu = Amount {
            samples: cpu,
            value: cpu,
        };
        ThreadTimes {
            cpu,
            waits: waits.to_vec(),
            ..ThreadTimes::default()
        }
    }

    #[test]
    fn idle_is_more_than_nine_tenths_of_a_life_in_one_wait_at_one_place() {
        let is_idle = |cpu, waits: &[WaitsAt]| parked_in(&thread(cpu, waits)).is_some();
        use WaitReason::{Condition, RunQueue};
        assert!(is_idle(9, &[at(1, Condition, 91)]));
        assert!(!is_idle(10, &[at(1, Condition, 90)]), "not more than 90 %");
        assert!(!is_idle(0, &[at(1, Condition, 50), at(2, Condition, 50)]));
        assert!(is_idle(0, &[at(1, Condition, 95), at(2, Condition, 5)]));
        let queued = at(1, RunQueue, 12);
        assert!(!is_idle(0, &[at(1, Condition, 88), queued]), "it had work");
        assert!(!is_idle(0, &[]) && !is_idle(5, &[]));
    }

    #[test]
    fn who_waits_for_what_somebody_has_is_not_idle() {
        let reason_is_idle = |reason| parked_in(&thread(0, &[at(1, reason, 100)])).is_some();
        let idle: Vec<&str> = (WaitReason::ALL.into_iter())
            .filter(|&reason| reason_is_idle(reason))
            .map(WaitReason::name)
            .collect();
        let expected = [
            "condition",
            "network",
            "pipe",
            "tty",
            "sleep",
            "poll",
            "child",
        ];
        assert_eq!(idle, expected);
        let mut for_gil = at(1, WaitReason::Condition, 100);
        for_gil.place = for_gil.place.map(|place| WaitPlace {
            is_lock: true,
            ..place
        });
        assert_eq!(parked_in(&thread(0, &[for_gil])), None);
        let nowhere = WaitsAt {
            place: None,
            ..for_gil
        };
        assert_eq!(parked_in(&thread(0, &[nowhere])), None, "no place is known");
    }

    #[test]
    fn where_all_are_parked_none_is_set_apart() {
        let parked = || thread(1, &[at(1, WaitReason::Poll, 99)]);
        let (busy, idle) = apart(vec![parked(), parked()]);
        assert_eq!((busy.len(), idle.len()), (2, 0));
        let (busy, idle) = apart(vec![parked(), thread(50, &[]), parked()]);
        assert_eq!((busy.len(), idle.len()), (1, 2));
        assert_eq!(idle[0].1, at(1, WaitReason::Poll, 99));
    }
}
