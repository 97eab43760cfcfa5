//! What a reader of a run has to know before trusting its figures, as sentences.

use profile::{NotesOfKind, Profile};

/// What a reader of an empty run is told.
pub const NO_SAMPLES: &str = "No samples: the target used less CPU time than one sampling period. Give it more work, or a higher sampling rate.";

/// With fewer, the 95 % interval of a line with half of the time is wider than 35 to 65 %.
const FEW: u64 = 50;
/// As many samples as repeated executions should bring together: the same interval is then 45 to 55 %.
const ENOUGH: u64 = 500;
const EXECUTIONS_MAX: u64 = 1000;

/// What was cut while reading, whether the run has enough samples, and what the recording itself noted (losses, missing line tables,
/// newer sources, an end before its time).
pub fn problems(profile: &Profile) -> Vec<String> {
    let mut problems = profile.problems.clone();
    problems.extend(sample_problems(profile));
    problems.extend(profile.run.iter().flat_map(|run| run.problems.clone()));
    problems
}

/// Of these, what is of no concern for a measure that does not rest on samples: that they are few, or that there are none.
pub fn sample_problems(profile: &Profile) -> Vec<String> {
    let none = profile.samples.is_empty().then(|| NO_SAMPLES.to_owned());
    let few = profile.run.as_ref().and_then(|run| {
        let executions = run.repetitions.iter().filter(|one| !one.warm_up).count();
        let executions = executions.max(1) as u64;
        few_samples(run.samples_kept, executions, run.command.is_empty())
    });
    none.into_iter().chain(few).collect()
}

/// The others.
pub fn problems_without_samples(profile: &Profile) -> Vec<String> {
    let noted = profile.run.iter().flat_map(|run| &run.problems);
    profile.problems.iter().chain(noted).cloned().collect()
}

/// Of the notes, those of kinds that do not measure `sample_type`: each kind by its main measure, with its sentences.
pub fn problems_of_others(profile: &Profile, sample_type: usize) -> Vec<NotesOfKind<'_>> {
    let mut kinds = profile.notes_by_kind();
    kinds.retain(|kind| !kind.sample_types.contains(&sample_type));
    kinds
}

/// `executions`: those that the samples are from.
pub fn few_samples(samples: u64, executions: u64, attached: bool) -> Option<String> {
    if samples == 0 || samples >= FEW {
        return None;
    }
    let only = match samples {
        1 => "Only 1 sample".to_owned(),
        n => format!("Only {n} samples"),
    };
    let advice = match attached {
        true => "Record longer".to_owned(),
        false => format!(
            "Record with --repeat {}, or give the program more work",
            round((ENOUGH * executions).div_ceil(samples)).min(EXECUTIONS_MAX)
        ),
    };
    Some(format!("{only}: shares are mostly chance. {advice}."))
}

/// Up to 1, 2 or 5 times a power of ten.
fn round(count: u64) -> u64 {
    let power = 10u64.pow(count.ilog10());
    [1, 2, 5, 10]
        .into_iter()
        .map(|digit| digit * power)
        .find(|&round| round >= count)
        .unwrap_or(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_said_with_how_often_to_repeat() {
        let told = |samples, executions| few_samples(samples, executions, false);
        assert_eq!(
            told(4, 1).as_deref(),
            Some(
                "Only 4 samples: shares are mostly chance. Record with --repeat 200, or give the program more work."
            )
        );
        assert!(told(1, 1).unwrap().starts_with("Only 1 sample: "));
        assert!(told(1, 1).unwrap().contains("--repeat 500,"));
        assert!(told(40, 5).unwrap().contains("--repeat 100,"));
        assert!(told(2, 9).unwrap().contains("--repeat 1000,"));
        assert_eq!((told(0, 1), told(FEW, 1)), (None, None));
        assert_eq!(
            few_samples(4, 1, true).as_deref(),
            Some("Only 4 samples: shares are mostly chance. Record longer.")
        );
    }
}
