//! What a reader of a run has to know before trusting its figures, as sentences.

use profile::Profile;
use wire::RunSummary;

/// What was cut while reading, what the recording itself noted (losses, missing line tables, newer sources), and
/// whether it is whole.
pub fn problems(profile: &Profile, summary: &RunSummary) -> Vec<String> {
    let mut problems = profile.problems.clone();
    if let Some(run) = &profile.run {
        problems.extend(run.problems.iter().cloned());
    }
    if summary.partial {
        problems.push(
            "The recording did not end properly: this is what was saved until then.".to_owned(),
        );
    }
    if profile.samples.is_empty() {
        problems.push(
            "The run has no samples: the program used less CPU time than passes between two samples. Give it more work, or a higher rate."
                .to_owned(),
        );
    }
    problems
}
