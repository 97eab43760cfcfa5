//! What a run lacks of programs of Go that the command has started.

use super::allocation_problem::AllocationProblem;
use super::problem::Problem;
use crate::evidence::Evidence;

pub fn started_go_refused(seen: &Evidence) -> Option<Problem> {
    let refused = &seen.allocations.started_go.refused;
    let programs = refused.iter();
    let programs = programs.map(|(name, why)| (name.clone(), why.clone()));
    (!refused.is_empty()).then(|| {
        Problem::Allocations(AllocationProblem::StartedGoRefused {
            programs: programs.collect(),
        })
    })
}

pub fn started_go_late(seen: &Evidence) -> Option<Problem> {
    let delays_ns = &seen.allocations.started_go.delays_ns;
    Some(Problem::Allocations(AllocationProblem::StartedGoLate {
        programs: delays_ns.len() as u64,
        shortest_ns: *delays_ns.iter().min()?,
        longest_ns: *delays_ns.iter().max()?,
    }))
}

pub fn started_go_ended(seen: &Evidence) -> Option<Problem> {
    let programs = seen.allocations.started_go.ended;
    (programs > 0).then_some(Problem::Allocations(AllocationProblem::StartedGoEnded {
        programs,
    }))
}

pub fn started_go_beyond(seen: &Evidence) -> Option<Problem> {
    let programs = seen.allocations.started_go.beyond;
    (programs > 0).then_some(Problem::Allocations(AllocationProblem::StartedGoBeyond {
        programs,
    }))
}

#[cfg(test)]
mod tests {
    use symbolize::NoGoHeap;

    use super::*;
    use crate::go_sampling::NoGoSampling;

    fn told(problem: Option<Problem>) -> String {
        problem.map_or(String::new(), |problem| problem.sentence())
    }

    #[test]
    fn programs_that_were_not_sampled_are_named_by_reason() {
        let mut seen = Evidence::default();
        assert_eq!(started_go_refused(&seen), None);
        let stripped = NoGoSampling::Unknown(NoGoHeap::Stripped);
        let of_later = NoGoSampling::Unknown(NoGoHeap::Version("go1.99".to_owned()));
        let refused = [("a", &stripped), ("b", &of_later), ("c", &stripped)];
        seen.allocations.started_go.refused = (refused.into_iter())
            .map(|(name, why)| (name.to_owned(), why.clone()))
            .collect();
        let sentences = told(started_go_refused(&seen));
        assert!(sentences.starts_with("What a, c allocated"), "{sentences}");
        assert!(sentences.contains("What b allocated in Go was not recorded: it was built"));
    }

    #[test]
    fn programs_that_were_sampled_late_say_by_how_much() {
        let mut seen = Evidence::default();
        assert_eq!(started_go_late(&seen), None);
        seen.allocations.started_go.delays_ns = vec![1_240_000];
        assert!(told(started_go_late(&seen)).contains("from 1.2 ms after its start"));
        seen.allocations.started_go.delays_ns = vec![1_240_000, 900_000, 7_000_000];
        let told = told(started_go_late(&seen));
        assert!(
            told.starts_with("3 programs") && told.contains("from 0.9 ms to 7.0 ms"),
            "{told}"
        );
    }

    #[test]
    fn programs_that_were_not_reached_are_counted() {
        let mut seen = Evidence::default();
        assert_eq!(started_go_ended(&seen), None);
        assert_eq!(started_go_beyond(&seen), None);
        seen.allocations.started_go.ended = 4;
        seen.allocations.started_go.beyond = 5;
        assert!(told(started_go_ended(&seen)).ends_with("could be sampled: 4."));
        assert!(told(started_go_beyond(&seen)).contains("too many ran: 5."));
    }
}
