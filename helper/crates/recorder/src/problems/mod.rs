//! What a reader of the run has to know before trusting its figures: a function for each shortcoming, which says whether it
//! is there.

mod allocation_problem;
mod allocations;
mod build_problems;
mod call_problem;
mod calls;
mod counters;
mod made_code;
mod measure_of;
mod missing_samples;
mod missing_work;
pub mod problem;
mod sampled_event_problem;
mod sampled_events;
mod short_stacks;
mod shortfall;
mod started_go;
mod text;
mod unknown_frames;
mod waits;
mod wakeup_problem;
mod wakeups;

use crate::evidence::Evidence;
use crate::named::Named;

use allocations::{
    allocations_beyond, allocations_lost, allocations_not_allowed, frees_lost, go_rates,
    not_sampled, probes_not_used, programs_without, untracked,
};
use build_problems::{build_problems, changed_sources};
use calls::{
    calls_not_allowed, calls_without_children, functions_loaded_later, functions_no_longer_timed,
    functions_not_counted, functions_not_timed, inlined_calls_left_out, many_calls,
    missing_functions,
};
use counters::{counters_beside_samples, counters_refused};
use made_code::nameless_made_code;
use missing_samples::{
    lost, not_followed, programs_not_allowed, samples_not_allowed, user_space_only,
};
use missing_work::missing_work;
pub use problem::Problem;
use sampled_events::{
    faults_lost, faults_not_allowed, faults_without_stack, huge_pages, no_faults, no_syscalls,
    syscall_time_beyond, syscalls_lost, syscalls_not_allowed, syscalls_skipped,
    syscalls_without_stack,
};
use short_stacks::{broken_stacks, deep_stacks, long_copies, without_stack};
pub use shortfall::Taken;
use shortfall::shortfall;
use started_go::{started_go_beyond, started_go_ended, started_go_late, started_go_refused};
use unknown_frames::{mapping_records_lost, unknown_frames};
use waits::{
    causes_beyond, no_waits, threads_not_run, waits_beyond, waits_by_place, waits_lost,
    waits_without_end, waits_without_stack,
};
use wakeups::{no_wakeups, wakers_unseen};

enum Finding {
    /// To be seen from the recording alone.
    Seen(fn(&Evidence) -> Option<Problem>),
    /// From names and lines, too.
    Named(fn(&Evidence, &Named) -> Vec<Problem>),
}

/// In the order in which they are told.
const FINDINGS: &[Finding] = &[
    // Asked for, so it is the first news.
    Finding::Seen(no_waits),
    Finding::Seen(no_faults),
    Finding::Seen(no_syscalls),
    Finding::Seen(no_wakeups),
    Finding::Seen(user_space_only),
    Finding::Seen(samples_not_allowed),
    Finding::Seen(programs_not_allowed),
    Finding::Seen(not_followed),
    Finding::Seen(lost),
    Finding::Seen(without_stack),
    Finding::Seen(waits_lost),
    Finding::Seen(waits_by_place),
    Finding::Seen(waits_without_stack),
    Finding::Seen(waits_without_end),
    Finding::Seen(waits_beyond),
    Finding::Seen(causes_beyond),
    Finding::Seen(wakers_unseen),
    Finding::Seen(threads_not_run),
    Finding::Seen(faults_lost),
    Finding::Seen(faults_not_allowed),
    Finding::Seen(faults_without_stack),
    Finding::Seen(huge_pages),
    Finding::Seen(syscalls_lost),
    Finding::Seen(syscalls_not_allowed),
    Finding::Seen(syscalls_skipped),
    Finding::Seen(syscalls_without_stack),
    Finding::Seen(syscall_time_beyond),
    Finding::Seen(not_sampled),
    Finding::Seen(started_go_refused),
    Finding::Seen(started_go_late),
    Finding::Seen(started_go_ended),
    Finding::Seen(started_go_beyond),
    Finding::Seen(go_rates),
    Finding::Seen(probes_not_used),
    Finding::Seen(programs_without),
    Finding::Seen(allocations_lost),
    Finding::Seen(frees_lost),
    Finding::Seen(allocations_not_allowed),
    Finding::Seen(untracked),
    Finding::Seen(allocations_beyond),
    Finding::Seen(counters_refused),
    Finding::Seen(counters_beside_samples),
    Finding::Seen(functions_not_counted),
    Finding::Seen(inlined_calls_left_out),
    Finding::Seen(functions_not_timed),
    Finding::Seen(functions_no_longer_timed),
    Finding::Seen(calls_not_allowed),
    Finding::Seen(calls_without_children),
    Finding::Seen(many_calls),
    Finding::Seen(missing_functions),
    Finding::Seen(functions_loaded_later),
    Finding::Seen(mapping_records_lost),
    Finding::Seen(unknown_frames),
    Finding::Seen(deep_stacks),
    Finding::Seen(long_copies),
    Finding::Named(broken_stacks),
    Finding::Named(nameless_made_code),
    Finding::Named(build_problems),
    Finding::Named(changed_sources),
    Finding::Seen(shortfall),
    Finding::Seen(missing_work),
];

/// What the figures lack.
pub fn problems(seen: &Evidence, named: &Named) -> Vec<Problem> {
    let mut problems = Vec::new();
    for finding in FINDINGS {
        match finding {
            Finding::Seen(find) => problems.extend(find(seen)),
            Finding::Named(find) => problems.extend(find(seen, named)),
        }
    }
    problems
}

/// What was asked for and is not there at all, as sentences: to be said at once.
pub fn not_delivered(seen: &Evidence) -> impl Iterator<Item = String> {
    let missing = [
        no_waits(seen),
        no_faults(seen),
        no_syscalls(seen),
        no_wakeups(seen),
        not_sampled(seen),
        functions_not_counted(seen),
        counters_refused(seen),
        inlined_calls_left_out(seen),
        functions_not_timed(seen),
    ];
    missing
        .into_iter()
        .flatten()
        .map(|problem| problem.sentence())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use profile::Profile;
    use records::layout::Counter;

    use super::*;
    use crate::evidence::SampledBy;
    use crate::source_texts::SourceTexts;

    fn sentences(seen: &Evidence) -> Vec<String> {
        let named = Named {
            symbols: &BTreeMap::new(),
            profile: &Profile::default(),
            texts: SourceTexts::default(),
        };
        let problems = problems(seen, &named);
        problems.iter().map(Problem::sentence).collect()
    }

    #[test]
    fn a_recording_that_lacks_nothing_has_no_problem() {
        assert_eq!(sentences(&Evidence::default()), [""; 0]);
    }

    #[test]
    fn problems_are_told_in_the_order_of_the_list() {
        let mut seen = Evidence {
            by: SampledBy {
                is_privileged: false,
                way: "",
            },
            lost_mapping_records: 3,
            ..Evidence::default()
        };
        seen.counters[Counter::ProcessesNotFollowed as usize] = 2;
        seen.counters[Counter::ProgramsNotAllowed as usize] = 1;
        let told = sentences(&seen);
        let starts = [
            "Recorded without",
            "One program of",
            "2 processes",
            "3 records",
        ];
        assert_eq!(told.len(), starts.len(), "{told:?}");
        for (sentence, start) in told.iter().zip(starts) {
            assert!(sentence.starts_with(start), "{told:?}");
        }
    }
}
