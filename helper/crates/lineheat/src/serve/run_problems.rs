//! What a reader of a run has to know before trusting its figures, as sentences.

use profile::Profile;
use wire::RunSummary;

/// Fewer lost samples than this change no figure that is shown.
const LOST_SHARE_TOLD: f64 = 0.01;
const MODULES_TOLD_MAX: usize = 10;

pub fn problems(profile: &Profile, summary: &RunSummary) -> Vec<String> {
    let mut problems = profile.problems.clone();
    if let Some(run) = &profile.run {
        problems.extend(run.problems.iter().cloned());
        let of_modules = run
            .modules
            .iter()
            .filter(|module| !module.problem.is_empty());
        let untold = of_modules.clone().count().saturating_sub(MODULES_TOLD_MAX);
        problems.extend(
            of_modules
                .take(MODULES_TOLD_MAX)
                .map(|module| module.problem.clone()),
        );
        if untold > 0 {
            problems.push(format!("{untold} more modules have no line tables."));
        }
        let newer: Vec<&str> = run
            .sources
            .iter()
            .filter(|source| source.newer_than_binary)
            .map(|source| source.path.as_str())
            .collect();
        match newer.as_slice() {
            [] => {}
            [path] => problems.push(format!("{path} was newer than the binary: lines may be off. Build before profiling.")),
            [path, others @ ..] => problems.push(format!(
                "{path} and {} more sources were newer than the binary: lines may be off. Build before profiling.",
                others.len()
            )),
        }
    }
    let taken = summary.samples.saturating_add(summary.lost);
    if summary.lost as f64 > LOST_SHARE_TOLD * taken as f64 {
        problems.push(format!(
            "{} of {taken} samples were lost ({:.1} %).",
            summary.lost,
            100.0 * summary.lost as f64 / taken as f64
        ));
    }
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    problems
}
