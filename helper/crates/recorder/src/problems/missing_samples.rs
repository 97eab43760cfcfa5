//! Samples that are not in the run, by cause.

use records::layout::Counter;

use super::problem::Problem;
use crate::evidence::Evidence;

/// Share of all samples above which losses are told.
const WORTH_TELLING: f64 = 0.01;

pub fn user_space_only(seen: &Evidence) -> Option<Problem> {
    (!seen.by.is_privileged).then(|| Problem::UserSpaceOnly {
        user_ns: seen.exit.map_or(0, |exit| exit.user_ns),
        system_ns: seen.exit.map_or(0, |exit| exit.system_ns),
    })
}

/// What was left out because the user may not look into it.
pub fn samples_not_allowed(seen: &Evidence) -> Option<Problem> {
    let samples = seen.counters[Counter::LostNotAllowed as usize];
    (samples > 0).then(|| Problem::SamplesNotAllowed {
        samples,
        taken: seen.taken(),
    })
}

/// The same, of programs that came to such rights while they were recorded.
pub fn programs_not_allowed(seen: &Evidence) -> Option<Problem> {
    let programs = seen.counters[Counter::ProgramsNotAllowed as usize];
    (programs > 0).then_some(Problem::ProgramsNotAllowed { programs })
}

/// Processes of which nothing is known.
pub fn not_followed(seen: &Evidence) -> Option<Problem> {
    let processes = seen.counters[Counter::ProcessesNotFollowed as usize];
    (processes > 0).then_some(Problem::NotFollowed { processes })
}

/// By all causes but missing rights.
pub fn lost(seen: &Evidence) -> Option<Problem> {
    let taken = seen.taken();
    let samples = seen.lost() - seen.counters[Counter::LostNotAllowed as usize];
    (samples as f64 > WORTH_TELLING * taken as f64).then_some(Problem::Lost { samples, taken })
}

#[cfg(test)]
mod tests {
    use target::Exit;

    use super::*;
    use crate::evidence::SampledBy;

    fn counted(counts: &[(Counter, u64)]) -> Evidence {
        let mut seen = Evidence::default();
        for (counter, count) in counts {
            seen.counters[*counter as usize] = *count;
        }
        seen
    }

    #[test]
    fn what_one_may_not_look_into_is_no_loss_that_a_lower_rate_would_avoid() {
        let seen = counted(&[(Counter::Taken, 40), (Counter::LostNotAllowed, 40)]);
        assert_eq!(lost(&seen), None);
        let problem = samples_not_allowed(&seen).unwrap();
        let all = (40, 40);
        assert!(
            matches!(problem, Problem::SamplesNotAllowed { samples, taken } if (samples, taken) == all)
        );
        assert!(
            problem
                .sentence()
                .starts_with("40 of 40 samples (100.0 %) belong to")
        );
    }

    #[test]
    fn what_neither_arrived_nor_has_a_cause_was_lost_on_its_way() {
        let seen = counted(&[(Counter::Taken, 10), (Counter::Kept, 10)]);
        assert_eq!(seen.losses(), [("on-the-way", 10)]);
        let problem = lost(&seen).unwrap();
        assert_eq!(
            problem.sentence(),
            "10 of 10 samples were lost (100.0 %). Choose a lower sampling rate."
        );
        assert_eq!(lost(&counted(&[])), None);
    }

    #[test]
    fn time_in_the_kernel_is_missing_without_privilege_and_is_told_where_it_is_known() {
        assert_eq!(user_space_only(&Evidence::default()), None);
        let told = |user_ns, system_ns| {
            let seen = Evidence {
                by: SampledBy {
                    is_privileged: false,
                    way: "",
                },
                exit: Some(Exit {
                    code: 0,
                    signal: 0,
                    user_ns,
                    system_ns,
                }),
                ..Evidence::default()
            };
            user_space_only(&seen).unwrap().sentence()
        };
        assert!(told(0, 0).contains("only: kernel time is missing."));
        assert!(told(1_000_000_000, 1_000_000).contains("less than 1 % of the total here"));
        let half = told(1_500_000_000, 1_500_000_000);
        assert!(
            half.contains("1.50 s of kernel CPU time (50 % of the total) are missing"),
            "{half}"
        );
    }
}
