//! What a run lacks of waiting time.

use records::layout::Counter;

use super::problem::Problem;
use crate::evidence::Evidence;

/// The sampler could not see them. That a recording without privileges has none is said with all that it lacks.
pub fn no_waits(seen: &Evidence) -> Option<Problem> {
    seen.no_waits.map(Problem::NoWaits)
}

/// By the sampler, for want of room.
pub fn waits_lost(seen: &Evidence) -> Option<Problem> {
    let waits = seen.counters[Counter::LostWaits as usize];
    let ns = seen.counters[Counter::LostWaitNs as usize];
    (waits > 0).then_some(Problem::WaitsLost { waits, ns })
}

/// Where there were more than may be walked.
pub fn waits_by_place(seen: &Evidence) -> Option<Problem> {
    let waits = seen.waits.by_place.count;
    let all = seen.waits.all.count;
    (waits > 0).then_some(Problem::WaitsByPlace { waits, all })
}

/// That are in the total and on no line.
pub fn waits_without_stack(seen: &Evidence) -> Option<Problem> {
    let without = seen.waits.without_stack;
    (without.count > 0).then_some(Problem::WaitsWithoutStack {
        waits: without.count,
        ns: without.ns,
        all_ns: seen.waits.all.ns,
    })
}

/// When the sampler was lost, that is said instead.
pub fn waits_without_end(seen: &Evidence) -> Option<Problem> {
    let waits = seen.waits.unended;
    (waits > 0 && !seen.sampler_lost).then_some(Problem::WaitsWithoutEnd { waits })
}

/// Of very many threads over a long time.
pub fn waits_beyond(seen: &Evidence) -> Option<Problem> {
    let beyond = seen.waits.beyond;
    (beyond.count > 0).then_some(Problem::WaitsBeyond {
        waits: beyond.count,
        ns: beyond.ns,
    })
}

/// Of very many pairs of a waiting line and one that was waited for.
pub fn causes_beyond(seen: &Evidence) -> Option<Problem> {
    let waits = seen.stacks.without_cause;
    (waits > 0).then_some(Problem::CausesBeyond { waits })
}

/// Where a process was attached to whose threads waited before.
pub fn threads_not_run(seen: &Evidence) -> Option<Problem> {
    let threads = seen.counters[Counter::ThreadsNotRun as usize];
    (threads > 0).then_some(Problem::ThreadsNotRun { threads })
}

#[cfg(test)]
mod tests {
    use records::{SamplerError, SamplerStep};

    use super::*;

    #[test]
    fn why_there_is_no_waiting_time_is_said() {
        let mut seen = Evidence::default();
        assert_eq!(no_waits(&seen), None);
        for (step, errno, why) in [
            (
                SamplerStep::OpenSwitchEvent,
                libc::EACCES,
                "lets only administrators",
            ),
            (SamplerStep::LoadBpf, libc::EACCES, "(Permission denied"),
            (
                SamplerStep::OpenSwitchEvent,
                libc::EINVAL,
                "(Invalid argument",
            ),
        ] {
            let pid = 0;
            seen.no_waits = Some(SamplerError { step, errno, pid });
            let sentence = no_waits(&seen).expect("a problem").sentence();
            assert!(
                sentence.starts_with("Waiting time was not recorded: "),
                "{sentence}"
            );
            assert!(sentence.contains(why), "{sentence}");
        }
    }

    #[test]
    fn what_the_sampler_lost_is_told_with_its_length() {
        let mut seen = Evidence::default();
        assert_eq!(waits_lost(&seen), None);
        seen.counters[Counter::LostWaits as usize] = 3;
        seen.counters[Counter::LostWaitNs as usize] = 2_500_000;
        let told = waits_lost(&seen).expect("a problem").sentence();
        assert!(
            told.starts_with("3 waits were lost, at least 2.5 ms"),
            "{told}"
        );
    }
}
