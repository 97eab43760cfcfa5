//! When each sample of a profile was taken.

use std::ops::Range;

use profile::{Profile, RunInfo};

/// In the order of time.
pub(crate) struct SampleTimes {
    /// Since the recording began.
    pub ns: Vec<u64>,
    /// How often each sample of the profile is among them.
    pub occurrences: Vec<u32>,
}

impl SampleTimes {
    /// `None`: the profile says nothing of it.
    pub fn of(profile: &Profile) -> Option<SampleTimes> {
        let is_timed = |run: &&RunInfo| {
            !run.time_sample.is_empty() || run.wait_times.is_some() || run.memory_times.is_some()
        };
        let run = profile.run.as_ref().filter(is_timed)?;
        let mut occurrences = vec![0u32; profile.samples.len()];
        for &sample in &run.time_sample {
            let count = occurrences.get_mut(sample as usize)?;
            *count = count.saturating_add(1);
        }
        let mut now = 0u64;
        let ns = (run.time_delta_ns.iter().take(run.time_sample.len()))
            .map(|delta| {
                now = now.saturating_add(*delta);
                now
            })
            .collect();
        Some(SampleTimes { ns, occurrences })
    }

    /// Which of them are in a range, half open.
    pub fn within(&self, range: &Range<u64>) -> Range<usize> {
        let first = self.ns.partition_point(|&at| at < range.start);
        let end = self.ns.partition_point(|&at| at < range.end);
        first..end.max(first)
    }
}

/// Ranges in their order, none empty and no two with a place in common.
pub(crate) fn apart(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = (ranges.iter())
        .filter(|range| !range.is_empty())
        .cloned()
        .collect();
    sorted.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The time between ranges that are apart, before and after them. Where they leave none, one empty range: no range would be all the time.
pub(crate) fn between(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for range in ranges {
        if end < range.start {
            gaps.push(end..range.start);
        }
        end = range.end;
    }
    if end < u64::MAX || gaps.is_empty() {
        gaps.push(end..u64::MAX);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_become_one() {
        let ranges = [5..7, 1..2, 9..9, 6..8, 2..3];
        assert_eq!(apart(&ranges), [1..3, 5..8]);
    }

    #[test]
    fn time_between_ranges_is_what_they_leave() {
        let of = |from: u64, to: u64| Vec::from_iter(Some(from..to));
        assert_eq!(between(&[1..3, 5..8]), [0..1, 3..5, 8..u64::MAX]);
        assert_eq!(between(&of(0, 3)), of(3, u64::MAX));
        assert_eq!(between(&of(2, u64::MAX)), of(0, 2));
        assert_eq!(between(&of(0, u64::MAX)), of(u64::MAX, u64::MAX));
    }
}
