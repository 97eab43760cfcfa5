//! Which problems say nothing of the figures of other measures.

use super::allocation_problem::AllocationProblem;
use super::call_problem::CallProblem;
use super::problem::Problem;
use super::sampled_event_problem::{Events, Lack, SampledEventProblem};
use super::wakeup_problem::WakeupProblem;

impl Problem {
    /// The measure that it concerns, with all that is recorded together with it. `None`: every measure, or it says why something that was
    /// asked for is missing.
    pub fn measure(&self) -> Option<&'static str> {
        match self {
            Problem::WaitsLost { .. }
            | Problem::WaitsByPlace { .. }
            | Problem::WaitsWithoutStack { .. }
            | Problem::WaitsWithoutEnd { .. }
            | Problem::WaitsBeyond { .. }
            | Problem::CausesBeyond { .. }
            | Problem::Wakeups(WakeupProblem::Unseen { .. })
            | Problem::ThreadsNotRun { .. } => Some("wait"),
            Problem::SampledEvents(problem) => of_sampled_events(problem),
            Problem::Allocations(problem) => of_allocations(problem),
            Problem::Calls(problem) => of_calls(problem),
            Problem::ShortLives { .. } | Problem::Throttled { .. } => Some("cpu"),
            _ => None,
        }
    }
}

fn of_sampled_events(problem: &SampledEventProblem) -> Option<&'static str> {
    match (&problem.lack, problem.events) {
        (Lack::NoPrivilege | Lack::Refused(_), _) => None,
        (_, Events::Faults) => Some("faults"),
        (_, Events::Syscalls) => Some("syscall"),
    }
}

fn of_allocations(problem: &AllocationProblem) -> Option<&'static str> {
    match problem {
        AllocationProblem::Static { .. }
        | AllocationProblem::NotLoaded { .. }
        | AllocationProblem::OwnAllocator { .. } => None,
        _ => Some("alloc_space"),
    }
}

fn of_calls(problem: &CallProblem) -> Option<&'static str> {
    match problem {
        // Counting them costs CPU time.
        CallProblem::Many { .. } | CallProblem::LeftOut { .. } => None,
        _ => Some("calls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_of_a_kind_concerns_its_measure_and_what_is_missing_concerns_all() {
        let of_calls = |problem| Problem::Calls(problem).measure();
        let of_faults = |lack| {
            let events = Events::Faults;
            Problem::SampledEvents(SampledEventProblem { events, lack }).measure()
        };
        let waits = Problem::WaitsByPlace { waits: 3, all: 9 };
        assert_eq!(waits.measure(), Some("wait"));
        assert_eq!(of_faults(Lack::HugePages), Some("faults"));
        assert_eq!(of_faults(Lack::NoPrivilege), None);
        assert_eq!(
            of_calls(CallProblem::NotAllowed { calls: 1 }),
            Some("calls")
        );
        let left_out = CallProblem::LeftOut {
            functions: 1,
            all: 2,
        };
        assert_eq!(of_calls(left_out), None);
        let lost = Problem::Lost {
            samples: 1,
            taken: 9,
        };
        assert_eq!(lost.measure(), None);
    }
}
