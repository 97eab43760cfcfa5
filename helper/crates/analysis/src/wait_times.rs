//! When the threads of a run waited.

use std::collections::HashMap;
use std::ops::Range;

use profile::{Profile, SeededHash, WAIT, WaitReason, WaitTime, run};

use crate::selected_samples::SelectedSamples;

pub(crate) struct WaitTimes {
    /// In the order of their start.
    pub all: Vec<WaitTime>,
    /// By sample of the profile, whether it is of waits whose times are known.
    pub has_times: Vec<bool>,
    /// By sample, whether its thread could have run.
    pub is_queued: Vec<bool>,
}

/// How long, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Waited {
    pub ns: u64,
    pub waits: u64,
}

impl WaitTimes {
    /// `None`: the profile has no waits, or does not say when they were.
    pub fn of(profile: &Profile) -> Option<WaitTimes> {
        let times = profile.run.as_ref()?.wait_times.as_ref()?;
        let all: Vec<WaitTime> = times.iter().collect();
        let mut has_times = vec![false; profile.samples.len()];
        for wait in &all {
            *has_times.get_mut(wait.sample as usize)? = true;
        }
        let is_queued = (0..profile.samples.len())
            .map(|sample| reason_of(profile, sample) == Some(WaitReason::RunQueue.name()))
            .collect();
        Some(WaitTimes {
            all,
            has_times,
            is_queued,
        })
    }

    /// The parts of waits that are in these ranges, which are apart.
    pub fn within<'a>(&'a self, ranges: &'a [Range<u64>]) -> impl Iterator<Item = WaitTime> + 'a {
        self.all.iter().flat_map(move |wait| {
            let first = ranges.partition_point(|range| range.end <= wait.start_ns);
            let end_ns = wait.start_ns.saturating_add(wait.length_ns);
            (ranges[first..].iter())
                .take_while(move |range| range.start <= end_ns)
                .filter_map(|range| part(wait, range))
        })
    }

    /// The same by sample.
    pub fn sums_within(&self, ranges: &[Range<u64>]) -> HashMap<u32, Waited, SeededHash> {
        let mut sums: HashMap<u32, Waited, SeededHash> = HashMap::default();
        for wait in self.within(ranges) {
            let sum = sums.entry(wait.sample).or_default();
            sum.ns += wait.waited_ns;
            sum.waits += u64::from(wait.waits);
        }
        sums
    }
}

/// Of a wait, what is in a range: its time is spread evenly over its length, in whole numbers, and it is counted where it begins, so
/// that ranges that follow each other add up to it.
pub(crate) fn part(wait: &WaitTime, range: &Range<u64>) -> Option<WaitTime> {
    if wait.length_ns == 0 {
        return range.contains(&wait.start_ns).then_some(*wait);
    }
    let offset = |at: u64| at.saturating_sub(wait.start_ns).min(wait.length_ns);
    let (from, to) = (offset(range.start), offset(range.end));
    if from >= to {
        return None;
    }
    let share = |of: u64, at: u64| u128::from(of) * u128::from(at);
    let length = u128::from(wait.length_ns);
    let ns_until = |at| (share(wait.waited_ns, at) / length) as u64;
    let waits_until = |at| share(wait.waits.into(), at).div_ceil(length) as u32;
    Some(WaitTime {
        sample: wait.sample,
        start_ns: wait.start_ns + from,
        length_ns: to - from,
        waited_ns: ns_until(to) - ns_until(from),
        waits: waits_until(to) - waits_until(from),
    })
}

impl SelectedSamples {
    /// The waits, or parts of them, that are in; `number_of`: the samples that are, with the numbers that they have from now on.
    pub fn wait_times(&self, waits: &WaitTimes, number_of: &HashMap<u32, u32>) -> run::WaitTimes {
        let all_time = 0..u64::MAX;
        let ranges_of = |sample: u32| match self.is_in_always(sample) {
            true => std::slice::from_ref(&all_time),
            false => &self.times[..],
        };
        let mut parts: Vec<WaitTime> = (waits.all.iter())
            .filter_map(|wait| Some((wait, *number_of.get(&wait.sample)?)))
            .flat_map(|(wait, number)| {
                let parts = ranges_of(wait.sample).iter().filter_map(|r| part(wait, r));
                parts.map(move |part| WaitTime {
                    sample: number,
                    ..part
                })
            })
            .collect();
        parts.sort_by_key(|wait| wait.start_ns);
        run::WaitTimes::of(parts)
    }
}

/// Why the thread of a sample waited; `None`: it is none of waits.
pub(crate) fn reason_of(profile: &Profile, sample: usize) -> Option<&str> {
    let mut labels = profile.samples.labels_of(sample).iter();
    let label = labels.find(|label| profile.text(label.key) == WAIT)?;
    Some(profile.text(label.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(start_ns: u64, length_ns: u64, waited_ns: u64, waits: u32) -> WaitTime {
        WaitTime {
            sample: 0,
            start_ns,
            length_ns,
            waited_ns,
            waits,
        }
    }

    #[test]
    fn a_wait_is_counted_where_it_begins_and_lasts_in_each_range() {
        let all = wait(100, 50, 50, 1);
        let cut = |from: u64, to: u64| part(&all, &(from..to)).map(|of| (of.waited_ns, of.waits));
        assert_eq!(cut(0, 100), None);
        assert_eq!(cut(0, 120), Some((20, 1)));
        assert_eq!(cut(120, 140), Some((20, 0)));
        assert_eq!(cut(140, 900), Some((10, 0)));
        assert_eq!(cut(150, 900), None);
        assert_eq!(cut(0, u64::MAX), Some((50, 1)));
    }

    #[test]
    fn ranges_that_follow_each_other_add_up_to_the_waits() {
        let waits = [wait(7, 1000, 333, 17), wait(0, 3, 2, 5), wait(500, 0, 0, 1)];
        let edges = [0, 1, 2, 8, 9, 100, 101, 377, 500, 501, 1006, 1007, 2000];
        for all in waits {
            let parts = edges
                .windows(2)
                .filter_map(|edge| part(&all, &(edge[0]..edge[1])));
            let sum = parts.fold((0, 0), |sum, of| {
                assert!(of.waited_ns <= of.length_ns, "{of:?}");
                (sum.0 + of.waited_ns, sum.1 + of.waits)
            });
            assert_eq!(sum, (all.waited_ns, all.waits));
        }
    }

    #[test]
    fn a_wait_that_spans_several_ranges_is_in_each_of_them() {
        let times = WaitTimes {
            all: vec![wait(10, 100, 100, 1)],
            has_times: vec![true],
            is_queued: vec![false],
        };
        let ranges = [0..5, 20..30, 50..60, 110..120];
        let sums = times.sums_within(&ranges);
        assert_eq!(sums[&0], Waited { ns: 20, waits: 0 });
        assert!(times.sums_within(&ranges[3..]).is_empty());
    }
}
