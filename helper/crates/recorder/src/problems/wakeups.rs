//! What a run lacks of who ended its waits.

use super::problem::Problem;
use super::wakeup_problem::WakeupProblem;
use crate::evidence::Evidence;

/// That they were asked for and are not there at all.
pub fn no_wakeups(seen: &Evidence) -> Option<Problem> {
    let lack = match seen.no_wakeups {
        _ if !seen.wakeups_wanted => return None,
        _ if !seen.by.is_privileged => WakeupProblem::NoPrivilege,
        _ if !seen.has_waits() => WakeupProblem::NoWaits,
        Some(refusal) => WakeupProblem::Refused(refusal),
        None => return None,
    };
    Some(Problem::Wakeups(lack))
}

/// Those that are known by the thread that ended them only.
pub fn wakers_unseen(seen: &Evidence) -> Option<Problem> {
    let unseen = seen.waits.waker_unseen;
    (unseen.count > 0).then_some(Problem::Wakeups(WakeupProblem::Unseen {
        waits: unseen.count,
        ns: unseen.ns,
        all_ns: seen.waits.all.ns,
    }))
}

#[cfg(test)]
mod tests {
    use records::{SamplerError, SamplerStep};

    use super::*;
    use crate::evidence::SampledBy;

    #[test]
    fn why_there_are_none_is_said_if_they_were_wanted() {
        let mut seen = Evidence {
            waits_wanted: true,
            no_wakeups: Some(SamplerError {
                step: SamplerStep::AttachWakers,
                errno: libc::EINVAL,
                pid: 0,
            }),
            ..Evidence::default()
        };
        assert_eq!(no_wakeups(&seen), None, "nobody wanted them");
        seen.wakeups_wanted = true;
        let says = |seen: &Evidence, words: &str| {
            let sentence = no_wakeups(seen).expect("a problem").sentence();
            assert!(sentence.contains(words), "{sentence}");
        };
        says(&seen, "(Invalid argument");
        seen.waits_wanted = false;
        says(&seen, "waiting time was not recorded");
        seen.by = SampledBy {
            is_privileged: false,
            way: "",
        };
        says(&seen, "requires root");
    }
}
