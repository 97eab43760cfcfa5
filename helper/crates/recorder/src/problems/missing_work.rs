//! Work that was looked for in what the command prints, and not found.

use super::problem::Problem;
use crate::evidence::Evidence;
use crate::work::FoundWork;

/// Told once, as of the first execution that lacks it.
pub fn missing_work(seen: &Evidence) -> Option<Problem> {
    Some(Problem::WorkUnknown {
        expression: seen.work_from.clone()?,
        found: match seen.unknown_work.first()? {
            FoundWork::NotANumber(text) => Some(text.clone()),
            FoundWork::Nothing | FoundWork::Units(_) => None,
        },
        unknown: seen.unknown_work.len(),
        executions: seen.repetitions.whole().count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repetitions::{Repetition, Repetitions};

    #[test]
    fn what_is_missing_is_said_once() {
        let said = |unknown: &[FoundWork]| {
            let mut repetitions = Repetitions::new(3, vec![], false);
            repetitions.done = vec![Repetition::that_used(1); 3];
            let seen = Evidence {
                work_from: Some("n=(.*)".to_owned()),
                unknown_work: unknown.to_vec(),
                repetitions,
                ..Evidence::default()
            };
            missing_work(&seen).map(|problem| problem.sentence())
        };
        assert_eq!(said(&[]), None);
        assert_eq!(
            said(&[FoundWork::Nothing]).unwrap(),
            "The work of 1 of 3 executions is unknown: no line of the command's output matches 'n=(.*)'."
        );
        assert_eq!(
            said(&[FoundWork::NotANumber("x".to_owned()), FoundWork::Nothing]).unwrap(),
            "The work of 2 of 3 executions is unknown: 'n=(.*)' matched 'x', which is not a number above 0."
        );
    }
}
