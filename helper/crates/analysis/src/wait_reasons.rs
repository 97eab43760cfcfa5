//! Why threads were off the CPU, over all of a selection.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::wait_times::reason_of;

/// Reasons of waits with what they add up to, most first. Empty: the samples of this measure have none.
pub fn wait_reasons(analyzed: &Analyzed, measure: Measure) -> Vec<(&str, Amount)> {
    let profile = analyzed.profile();
    if measure >= profile.sample_types.len() {
        return Vec::new();
    }
    let mut by_reason: BTreeMap<&str, Amount> = BTreeMap::new();
    for (sample, amount) in analyzed.amounts(measure) {
        if let Some(reason) = reason_of(profile, sample) {
            by_reason.entry(reason).or_default().add(amount);
        }
    }
    let mut reasons: Vec<_> = (by_reason.into_iter())
        .filter(|(_, amount)| amount.value > 0)
        .collect();
    reasons.sort_by_key(|(_, amount)| Reverse(amount.value));
    reasons
}

#[cfg(test)]
mod tests {
    use profile::{LabelValue, ProfileBuilder, WAIT};

    use super::*;

    #[test]
    fn waits_add_up_by_their_reason_and_other_samples_have_none() {
        let types = [
            ("samples", "count"),
            ("wait", "nanoseconds"),
            ("waits", "count"),
        ];
        let mut builder = ProfileBuilder::new(&types);
        let slept = [(WAIT, LabelValue::Text("sleep"))];
        let queued = [(WAIT, LabelValue::Text("run queue"))];
        builder.push_sample(&[], &[0, 70, 1], &slept);
        builder.push_sample(&[], &[0, 30, 0], &queued);
        builder.push_sample(&[], &[0, 50, 1], &queued);
        builder.push_sample(&[], &[9, 0, 0], &[]);
        let analyzed = Analyzed::new(builder.finish());
        let of = |samples, value| Amount { samples, value };
        let by_time = wait_reasons(&analyzed, 1);
        assert_eq!(by_time, [("run queue", of(1, 80)), ("sleep", of(1, 70))]);
        assert_eq!(wait_reasons(&analyzed, 0), []);
        assert_eq!(wait_reasons(&analyzed, 9), []);
    }
}
