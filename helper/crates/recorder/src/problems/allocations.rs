//! What a run lacks of allocated memory.

use records::layout::Counter;

use super::allocation_problem::AllocationProblem;
use super::problem::Problem;
use crate::evidence::Evidence;

/// Of the command itself.
pub fn not_sampled(seen: &Evidence) -> Option<Problem> {
    let program = seen.allocations.program.as_ref()?;
    let name = program.name.clone();
    Some(Problem::Allocations(match program.allocator {
        _ if program.is_static => AllocationProblem::Static { program: name },
        Some(allocator) => AllocationProblem::OwnAllocator {
            program: name,
            allocator,
        },
        None if !program.has_library => AllocationProblem::NotLoaded { program: name },
        None => return None,
    }))
}

/// Beside the command, which has a sentence of its own. Programs are counted whether they were to load it or not.
pub fn programs_without(seen: &Evidence) -> Option<Problem> {
    if !seen.has_allocations() {
        return None;
    }
    let allocations = &seen.allocations;
    let first = allocations.program.as_ref().map(|first| first.has_library);
    let programs = allocations.programs_without
        - u64::from(first == Some(false)).min(allocations.programs_without);
    let all = allocations.programs_with + allocations.programs_without;
    (programs > 0).then_some(Problem::Allocations(AllocationProblem::ProgramsWithout {
        programs,
        all,
    }))
}

pub fn allocations_lost(seen: &Evidence) -> Option<Problem> {
    let samples = seen.counters[Counter::LostAllocations as usize];
    let all = seen.allocations.all.samples + samples;
    (samples > 0).then_some(Problem::Allocations(AllocationProblem::Lost {
        samples,
        all,
    }))
}

pub fn frees_lost(seen: &Evidence) -> Option<Problem> {
    let frees = seen.counters[Counter::LostFrees as usize];
    (frees > 0).then_some(Problem::Allocations(AllocationProblem::FreesLost { frees }))
}

pub fn allocations_not_allowed(seen: &Evidence) -> Option<Problem> {
    let samples = seen.counters[Counter::AllocationsNotAllowed as usize];
    (samples > 0).then_some(Problem::Allocations(AllocationProblem::NotAllowed {
        samples,
    }))
}

pub fn untracked(seen: &Evidence) -> Option<Problem> {
    let (part, all) = (seen.allocations.untracked, seen.allocations.all);
    (part.samples > 0).then_some(Problem::Allocations(AllocationProblem::Untracked {
        samples: part.samples,
        bytes: part.bytes,
        all_bytes: all.bytes,
    }))
}

pub fn allocations_beyond(seen: &Evidence) -> Option<Problem> {
    let samples = seen.allocations.beyond.samples;
    (samples > 0).then_some(Problem::Allocations(AllocationProblem::Beyond { samples }))
}

#[cfg(test)]
mod tests {
    use symbolize::OwnAllocator;

    use super::*;
    use crate::allocations::FirstProgram;

    fn told(problem: Option<Problem>) -> String {
        problem.map_or(String::new(), |problem| problem.sentence())
    }

    #[test]
    fn a_command_that_cannot_be_sampled_says_why() {
        let mut seen = Evidence::default();
        assert_eq!(not_sampled(&seen), None, "not asked for");
        let mut of = |is_static, allocator, has_library| {
            seen.allocations.program = Some(FirstProgram {
                name: "prog".to_owned(),
                is_static,
                allocator,
                has_library,
            });
            told(not_sampled(&seen))
        };
        assert!(of(true, None, false).contains("statically linked"));
        assert!(of(false, None, false).contains("did not load the library"));
        assert!(of(false, Some(OwnAllocator::Mimalloc), true).contains("(mimalloc)"));
        assert!(of(false, Some(OwnAllocator::Go), true).contains("written in Go"));
        assert_eq!(of(false, None, true), "");
    }

    #[test]
    fn the_command_is_not_counted_among_the_programs_that_it_started() {
        let mut seen = Evidence::default();
        seen.allocations.programs_without = 3;
        assert_eq!(programs_without(&seen), None, "they were not to load it");
        seen.allocations.interval = 1;
        seen.allocations.program = Some(FirstProgram {
            name: "prog".to_owned(),
            is_static: true,
            allocator: None,
            has_library: false,
        });
        (
            seen.allocations.programs_with,
            seen.allocations.programs_without,
        ) = (5, 1);
        assert_eq!(programs_without(&seen), None);
        seen.allocations.programs_without = 3;
        assert!(told(programs_without(&seen)).starts_with("2 of 8 programs"));
    }

    #[test]
    fn what_is_lost_has_a_sentence_with_its_number() {
        let mut seen = Evidence::default();
        assert_eq!(allocations_lost(&seen), None);
        seen.allocations.all.samples = 9;
        seen.counters[Counter::LostAllocations as usize] = 1;
        seen.counters[Counter::LostFrees as usize] = 2;
        seen.counters[Counter::AllocationsNotAllowed as usize] = 3;
        assert!(told(allocations_lost(&seen)).starts_with("1 of 10 samples"));
        assert!(told(frees_lost(&seen)).starts_with("2 frees"));
        assert!(told(allocations_not_allowed(&seen)).starts_with("3 samples"));
    }
}
