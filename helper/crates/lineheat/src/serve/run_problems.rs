//! What a reader of a run has to know before trusting its figures, as sentences.

use profile::Profile;

/// What was cut while reading, what the recording itself noted (losses, missing line tables, newer sources,
/// an end before its time).
pub fn problems(profile: &Profile) -> Vec<String> {
    let mut problems = profile.problems.clone();
    if let Some(run) = &profile.run {
        problems.extend(run.problems.iter().cloned());
    }
    if profile.samples.is_empty() {
        problems.push(
            "The run has no samples: the program used less CPU time than passes between two samples. Give it more work, or a higher rate."
                .to_owned(),
        );
    }
    problems
}
