//! What a run lacks of allocated memory.

use records::layout::Counter;
use symbolize::OwnAllocator;

use super::allocation_problem::AllocationProblem;
use super::problem::Problem;
use crate::evidence::Evidence;
use crate::go_sampling::USUAL_RATE;

/// Of the command itself.
pub fn not_sampled(seen: &Evidence) -> Option<Problem> {
    let program = seen.allocations.program.as_ref()?;
    let name = program.name.clone();
    Some(Problem::Allocations(match program.allocator {
        _ if program.probes == Some(true) => AllocationProblem::Reports { program: name },
        Some(OwnAllocator::Go) => AllocationProblem::Go {
            program: name,
            why: program.no_go.clone()?,
        },
        _ if program.is_static => AllocationProblem::Static { program: name },
        Some(allocator) => AllocationProblem::OwnAllocator {
            program: name,
            allocator,
        },
        None if !program.has_library => AllocationProblem::NotLoaded { program: name },
        None => return None,
    }))
}

/// Its own probes for allocations are of another form than is known.
pub fn probes_not_used(seen: &Evidence) -> Option<Problem> {
    let program = seen.allocations.program.as_ref()?;
    (program.probes == Some(false)).then(|| {
        Problem::Allocations(AllocationProblem::ProbesNotUsed {
            program: program.name.clone(),
        })
    })
}

/// Samples of Go at other distances than usual.
pub fn go_rates(seen: &Evidence) -> Option<Problem> {
    let program = seen.allocations.program.as_ref()?;
    let rates = &seen.allocations.go_rates;
    let is_go = program.allocator == Some(OwnAllocator::Go);
    rates.iter().any(|rate| *rate != USUAL_RATE).then(|| {
        Problem::Allocations(AllocationProblem::GoRates {
            program: is_go.then(|| program.name.clone()),
            bytes: rates.iter().copied().collect(),
        })
    })
}

/// Beside the command, which has a sentence of its own. Programs are counted whether they were to load it or not.
pub fn programs_without(seen: &Evidence) -> Option<Problem> {
    if !seen.has_allocations() {
        return None;
    }
    let allocations = &seen.allocations;
    let programs = allocations.programs_without - allocations.commands_without;
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
    use symbolize::NoGoHeap;

    use super::*;
    use crate::allocations::FirstProgram;
    use crate::go_sampling::NoGoSampling;

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
                no_go: None,
                probes: None,
            });
            told(not_sampled(&seen))
        };
        assert!(of(true, None, false).contains("statically linked"));
        assert!(of(false, None, false).contains("did not load the library"));
        assert!(of(false, Some(OwnAllocator::Mimalloc), true).contains("(mimalloc)"));
        assert_eq!(of(true, Some(OwnAllocator::Go), false), "", "it is sampled");
        assert_eq!(of(false, None, true), "");
    }

    #[test]
    fn a_program_of_go_that_is_not_sampled_says_why() {
        let mut seen = Evidence::default();
        let mut of = |why| {
            seen.allocations.program = Some(FirstProgram {
                name: "prog".to_owned(),
                is_static: true,
                allocator: Some(OwnAllocator::Go),
                has_library: false,
                no_go: Some(why),
                probes: None,
            });
            told(not_sampled(&seen))
        };
        let newer = NoGoSampling::Unknown(NoGoHeap::Version("go1.99".to_owned()));
        assert!(of(newer).contains("built with go1.99, expected Go 1.19 to 1.26"));
        let unsaid = NoGoSampling::Unknown(NoGoHeap::Version(String::new()));
        assert!(of(unsaid).contains("does not say which version"));
        assert!(of(NoGoSampling::Unknown(NoGoHeap::Stripped)).contains("-ldflags=-s"));
        assert!(of(NoGoSampling::OthersFile("eve".to_owned())).contains("belongs to eve"));
        assert!(of(NoGoSampling::Switch("no memory".to_owned())).contains("(no memory)"));
        assert_eq!(go_rates(&seen), None);
        seen.allocations.go_rates = [1, USUAL_RATE].into();
        assert!(told(go_rates(&seen)).contains("1 B or 524288 B apart"));
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
            no_go: None,
            probes: None,
        });
        (
            seen.allocations.programs_with,
            seen.allocations.programs_without,
        ) = (5, 1);
        seen.allocations.commands_without = 1;
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
