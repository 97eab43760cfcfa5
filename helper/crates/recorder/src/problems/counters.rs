//! What counters of events could not count, and what of it is not in the samples.

use std::collections::BTreeMap;

use super::problem::Problem;
use crate::evidence::Evidence;

pub fn counters_refused(seen: &Evidence) -> Option<Problem> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for of in seen.counters_of_events.saved() {
        if !of.refused.is_empty() {
            by_reason.entry(&of.refused).or_default().push(&of.name);
        }
    }
    let each = by_reason.iter();
    let sentence =
        |(why, names): (&&str, &Vec<&str>)| format!("Not counted: {}: {why}.", names.join(", "));
    said(each.map(sentence).collect())
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
            let share = 100.0 * missing as f64 / of.count as f64;
            sentences.push(format!(
                "The samples of {} add up to {share:.1} % less than the kernel counted.",
                of.name
            ));
        }
    }
    said(sentences)
}

fn said(sentences: Vec<String>) -> Option<Problem> {
    (!sentences.is_empty()).then_some(Problem::Counters(sentences))
}
