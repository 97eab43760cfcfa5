//! What a run lacks of page faults and system calls.

use records::SamplerError;
use records::layout::Counter;

use super::problem::Problem;
use super::sampled_event_problem::{Events, Lack, SampledEventProblem};
use crate::evidence::Evidence;
use crate::sampled_events::SeenEvents;

fn problem(events: Events, lack: Lack) -> Problem {
    Problem::SampledEvents(SampledEventProblem { events, lack })
}

/// That they were asked for and are not there at all.
fn absent(
    events: Events,
    is_wanted: bool,
    refused: Option<SamplerError>,
    seen: &Evidence,
) -> Option<Problem> {
    let lack = match refused {
        _ if !is_wanted => return None,
        _ if !seen.by.is_privileged => Lack::NoPrivilege,
        Some(refusal) => Lack::Refused(refusal),
        None => return None,
    };
    Some(problem(events, lack))
}

pub fn no_faults(seen: &Evidence) -> Option<Problem> {
    absent(Events::Faults, seen.faults_wanted, seen.no_faults, seen)
}

pub fn no_syscalls(seen: &Evidence) -> Option<Problem> {
    let wanted = seen.syscalls_wanted;
    absent(Events::Syscalls, wanted, seen.no_syscalls, seen)
}

fn events_of(events: Events, seen: &Evidence) -> SeenEvents {
    match events {
        Events::Faults => seen.sampled_events.faults,
        Events::Syscalls => seen.sampled_events.syscalls,
    }
}

/// By the sampler, or on the way to us: whatever was counted and is not in the run.
fn lost(events: Events, seen: &Evidence) -> Option<Problem> {
    let counter = match events {
        Events::Faults => Counter::Faults,
        Events::Syscalls => Counter::Syscalls,
    };
    let all = seen.counters[counter as usize];
    let missing = all.saturating_sub(events_of(events, seen).all);
    let lack = Lack::Lost {
        events: missing,
        all,
    };
    (missing > 0 && !seen.sampler_lost).then(|| problem(events, lack))
}

pub fn faults_lost(seen: &Evidence) -> Option<Problem> {
    lost(Events::Faults, seen)
}

pub fn syscalls_lost(seen: &Evidence) -> Option<Problem> {
    lost(Events::Syscalls, seen)
}

pub fn faults_not_allowed(seen: &Evidence) -> Option<Problem> {
    let events = seen.counters[Counter::FaultsNotAllowed as usize];
    (events > 0).then(|| problem(Events::Faults, Lack::NotAllowed { events }))
}

pub fn syscalls_not_allowed(seen: &Evidence) -> Option<Problem> {
    let events = seen.counters[Counter::SyscallsNotAllowed as usize];
    (events > 0).then(|| problem(Events::Syscalls, Lack::NotAllowed { events }))
}

pub fn syscalls_skipped(seen: &Evidence) -> Option<Problem> {
    let events = seen.counters[Counter::SkippedSyscalls as usize];
    (events > 0).then(|| problem(Events::Syscalls, Lack::Skipped { events }))
}

/// Share of all events above which it is worth a sentence that they have no stack.
const WORTH_TELLING: f64 = 0.01;

fn without_stack(events: Events, seen: &Evidence) -> Option<Problem> {
    let SeenEvents { all, without_stack } = events_of(events, seen);
    let lack = Lack::WithoutStack {
        events: without_stack,
        all,
    };
    (without_stack as f64 > WORTH_TELLING * all as f64).then(|| problem(events, lack))
}

pub fn faults_without_stack(seen: &Evidence) -> Option<Problem> {
    without_stack(Events::Faults, seen)
}

pub fn syscalls_without_stack(seen: &Evidence) -> Option<Problem> {
    without_stack(Events::Syscalls, seen)
}

pub fn syscall_time_beyond(seen: &Evidence) -> Option<Problem> {
    let ns = seen.sampled_events.beyond_ns;
    (ns > 0).then(|| problem(Events::Syscalls, Lack::Beyond { ns }))
}

pub fn huge_pages(seen: &Evidence) -> Option<Problem> {
    let are_on = seen.has_faults() && seen.sampled_events.has_huge_pages;
    are_on.then(|| problem(Events::Faults, Lack::HugePages))
}

#[cfg(test)]
mod tests {
    use records::SamplerStep;

    use super::*;
    use crate::evidence::SampledBy;

    #[test]
    fn calls_that_the_kernel_skipped_are_said() {
        let mut seen = Evidence::default();
        assert_eq!(syscalls_skipped(&seen), None);
        seen.counters[Counter::SkippedSyscalls as usize] = 7;
        let sentence = syscalls_skipped(&seen).expect("a problem").sentence();
        assert!(
            sentence.starts_with("Up to 7 system calls are missing"),
            "{sentence}"
        );
    }

    #[test]
    fn why_there_are_none_is_said_for_each_that_was_wanted() {
        let mut seen = Evidence {
            faults_wanted: true,
            ..Evidence::default()
        };
        assert_eq!(no_faults(&seen), None);
        seen.no_faults = Some(SamplerError {
            step: SamplerStep::OpenFaultEvent,
            errno: libc::EACCES,
            pid: 0,
        });
        let sentence = no_faults(&seen).expect("a problem").sentence();
        assert!(sentence.contains("lets only administrators"), "{sentence}");
        seen.by = SampledBy {
            is_privileged: false,
            way: "",
        };
        let sentence = no_faults(&seen).expect("a problem").sentence();
        assert!(sentence.contains("requires root"), "{sentence}");
        assert_eq!(no_syscalls(&seen), None, "nobody wanted them");
    }

    #[test]
    fn what_was_counted_and_did_not_arrive_is_lost() {
        let mut seen = Evidence::default();
        seen.counters[Counter::Syscalls as usize] = 100;
        seen.sampled_events.syscalls.all = 100;
        assert_eq!(syscalls_lost(&seen), None);
        seen.sampled_events.syscalls.all = 93;
        let sentence = syscalls_lost(&seen).expect("a problem").sentence();
        assert!(
            sentence.starts_with("7 of 100 system calls were lost"),
            "{sentence}"
        );
    }
}
