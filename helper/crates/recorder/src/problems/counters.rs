//! What counters of events could not count, and what of it is not in the samples.

use std::collections::BTreeMap;

use profile::run::EventCounter;

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
    let mut sentences = shared(seen.counters_of_events.saved());
    for of in seen.counters_of_events.saved() {
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

/// Those that had a counter of the CPU for a part of the time, by the per cent of it.
fn shared(counters: &[EventCounter]) -> Vec<String> {
    let mut by_share: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for of in counters.iter().filter(|of| of.running_ns < of.enabled_ns) {
        let share = match of.running_ns {
            0 => 0,
            running => (100.0 * running as f64 / of.enabled_ns as f64).round() as u64,
        };
        by_share.entry(share).or_default().push(&of.name);
    }
    let sentence = |(share, names): (u64, Vec<&str>)| {
        let were = if names.len() == 1 { "was" } else { "were" };
        let names = names.join(", ");
        match share {
            0 => format!(
                "{names} {were} counted for 0 % of the time: other events used the counters of the CPU. Name fewer with --counters."
            ),
            share => format!(
                "{names} {were} counted for {share} % of the time, since the CPU has too few counters for all events of --counters. Name fewer."
            ),
        }
    };
    by_share.into_iter().map(sentence).collect()
}

fn said(sentences: Vec<String>) -> Option<Problem> {
    (!sentences.is_empty()).then_some(Problem::Counters(sentences))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_took_turns_have_a_sentence_for_each_share_of_the_time() {
        let counter = |name: &str, running_ns| EventCounter {
            name: name.to_owned(),
            enabled_ns: 1000,
            running_ns,
            ..EventCounter::default()
        };
        let counters = [
            counter("cycles", 499),
            counter("branches", 0),
            counter("instructions", 500),
            counter("page-faults", 1000),
        ];
        let sentences = shared(&counters);
        assert_eq!(sentences.len(), 2, "{sentences:?}");
        assert!(sentences[0].starts_with("branches was counted for 0 % of the time"));
        assert!(sentences[1].starts_with("cycles, instructions were counted for 50 % of the time"));
    }
}
