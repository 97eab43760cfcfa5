//! What counters of events could not count, and what of it is not in the samples.

use super::problem::Problem;
use crate::evidence::Evidence;

pub fn counters_refused(seen: &Evidence) -> Option<Problem> {
    let all = seen.counters_of_events.saved().iter();
    let refused = all.filter(|of| !of.refused.is_empty());
    said(refused.map(|of| of.refused.clone()).collect())
}

/// The samples of a counter add up to less than it counted, or the CPU shared it among several.
pub fn counters_beside_samples(seen: &Evidence) -> Option<Problem> {
    let mut sentences = Vec::new();
    for of in seen.counters_of_events.saved() {
        if of.running_ns < of.enabled_ns && of.running_ns > 0 {
            let share = 100.0 * of.running_ns as f64 / of.enabled_ns as f64;
            sentences.push(format!(
                "{} was counted for {share:.0} % of the time, since the CPU has too few counters for all events of --counters. Name fewer.",
                of.name
            ));
        }
        if of.hidden > 0 {
            sentences.push(format!(
                "{} of {} {} were in programs that you may not inspect. They are not in the samples.",
                of.hidden, of.count, of.name
            ));
        }
        let missing = of.count.saturating_sub(of.sampled + of.hidden);
        if missing * 100 > of.count {
            sentences.push(format!(
                "The kernel counted {} {}; the samples add up to {}.",
                of.count, of.name, of.sampled
            ));
        }
    }
    said(sentences)
}

fn said(sentences: Vec<String>) -> Option<Problem> {
    (!sentences.is_empty()).then_some(Problem::Counters(sentences))
}
