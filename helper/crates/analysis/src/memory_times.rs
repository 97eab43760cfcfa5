//! When the memory of a run was allocated and freed, and what of it is in a selection of time.

use std::collections::HashMap;
use std::ops::Range;

use profile::{MemoryTime, Profile, SeededHash, Sums};

/// Of each kind of memory that can be selected by time: its samples, objects and bytes.
const COLUMNS: [[&str; 3]; 3] = [
    ["alloc_samples", "alloc_objects", "alloc_space"],
    ["inuse_samples", "inuse_objects", "inuse_space"],
    ["temporary_samples", "temporary_objects", "temporary_space"],
];

pub(crate) struct MemoryTimes {
    /// In the order of their allocation.
    all: Vec<MemoryTime>,
    /// By sample of the profile, whether it is of such memory.
    pub has_times: Vec<bool>,
    /// By column of the profile, which of [`COLUMNS`] it is.
    columns: Vec<Option<(usize, usize)>>,
}

/// By kind of memory: what the values of a sample are in a selection.
type Values = [[u64; 3]; 3];

/// Rows of samples in a selection of time.
pub(crate) struct MemoryWithin<'a> {
    times: &'a MemoryTimes,
    values: HashMap<u32, Values, SeededHash>,
}

impl MemoryTimes {
    /// `None`: the profile has no allocations, or does not say when they were.
    pub fn of(profile: &Profile) -> Option<MemoryTimes> {
        let all: Vec<MemoryTime> = profile
            .run
            .as_ref()?
            .memory_times
            .as_ref()?
            .iter()
            .collect();
        let column_of = |name: &str| {
            let kinds = COLUMNS.iter().enumerate();
            kinds
                .filter_map(|(kind, of)| Some((kind, of.iter().position(|of| *of == name)?)))
                .next()
        };
        let columns: Vec<_> = (profile.sample_types.iter())
            .map(|of| column_of(profile.text(of.kind)))
            .collect();
        let is_of_memory = |sample: usize| {
            let of = |(at, column): (usize, &Option<_>)| {
                column.is_some() && profile.value(sample, at) > 0
            };
            columns.iter().enumerate().any(of)
        };
        let has_times = (0..profile.samples.len()).map(is_of_memory).collect();
        Some(MemoryTimes {
            all,
            has_times,
            columns,
        })
    }

    /// Whether it is known of this column of the profile when its memory was allocated.
    pub fn has_times_of(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(Option::is_some)
    }

    /// Allocated in one of these ranges, which are apart; in use: and not freed before its end. Allocated and temporary memory of
    /// ranges that follow each other add up to that of all the time.
    pub fn within<'a>(&'a self, ranges: &[Range<u64>]) -> MemoryWithin<'a> {
        let mut values: HashMap<u32, Values, SeededHash> = HashMap::default();
        let mut in_use: HashMap<u32, Sums, SeededHash> = HashMap::default();
        // Objects are rounded together, by sample: allocated and temporary ones of all the time before.
        let mut before = [(); 3].map(|()| vec![Sums::default(); self.has_times.len()]);
        for time in &self.all {
            let at = ranges.partition_point(|range| range.end <= time.allocated_ns);
            let range = (ranges.get(at)).filter(|range| range.contains(&time.allocated_ns));
            let kinds: &[usize] = if time.is_temporary { &[0, 2] } else { &[0] };
            for &kind in kinds {
                let before = &mut before[kind][time.sample as usize];
                let objects = before.objects();
                before.weight = before.weight.saturating_add(time.sums.weight);
                if range.is_some() {
                    let of = &mut values.entry(time.sample).or_default()[kind];
                    of[0] += time.sums.samples;
                    of[1] += before.objects() - objects;
                    of[2] += time.sums.value;
                }
            }
            if range.is_some_and(|range| time.freed_ns >= range.end) {
                in_use.entry(time.sample).or_default().add(time.sums);
            }
        }
        for (sample, sums) in in_use {
            let of = values.entry(sample).or_default();
            of[1] = [sums.samples, sums.objects(), sums.value];
        }
        MemoryWithin {
            times: self,
            values,
        }
    }
}

impl MemoryWithin<'_> {
    pub fn has_time(&self, sample: usize) -> bool {
        self.times.has_times[sample]
    }

    /// `None`: it has nothing in the selection.
    pub fn row(&self, sample: usize) -> Option<impl Iterator<Item = u64>> {
        let values = self.values.get(&(sample as u32))?;
        let columns = self.times.columns.iter();
        Some(columns.map(|of| of.map_or(0, |(kind, what)| values[kind][what])))
    }
}
