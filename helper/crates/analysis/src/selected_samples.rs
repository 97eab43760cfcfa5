//! The samples of a profile that are in a selection, and what each weighs there.

use std::ops::Range;

use crate::chosen_part::ChosenPart;

#[derive(Debug, Clone, Default)]
pub(crate) struct SelectedSamples {
    /// Those that are in, or a part of them: indices into the profile's, ascending.
    pub samples: Vec<u32>,
    /// Row by row, as [`profile::Samples::values`], of these.
    pub values: Vec<u64>,
    /// Empty: all the time.
    pub times: Vec<Range<u64>>,
    /// By sample of the profile, whether it is in at all times nevertheless; empty: none is.
    pub at_all_times: Vec<bool>,
    /// How they were chosen.
    pub part: ChosenPart,
    /// Samples that may have been taken in the time that is selected: it is not known when.
    pub without_time: u64,
    /// The same of samples that have nothing of the default measure: whether there are any, such as waits.
    pub others_without_time: bool,
    /// The call paths are not those of the profile.
    pub is_transformed: bool,
}

impl SelectedSamples {
    /// The same choice, as yet without samples.
    pub fn emptied(&self) -> SelectedSamples {
        SelectedSamples {
            times: self.times.clone(),
            at_all_times: self.at_all_times.clone(),
            part: self.part.clone(),
            is_transformed: self.is_transformed,
            ..SelectedSamples::default()
        }
    }

    /// Of a sample that is in, whether it is so at a time at which it was taken.
    pub fn is_in_at(&self, sample: u32, ns: u64) -> bool {
        self.is_in_always(sample) || self.times.iter().any(|range| range.contains(&ns))
    }

    pub fn is_in_always(&self, sample: u32) -> bool {
        self.times.is_empty() || self.at_all_times.get(sample as usize) == Some(&true)
    }

    /// Leaves out the others.
    pub fn retain(&mut self, types: usize, is_kept: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.samples.len() {
            let sample = self.samples[at];
            if is_kept(sample as usize) {
                self.samples[kept] = sample;
                self.values
                    .copy_within(at * types..(at + 1) * types, kept * types);
                kept += 1;
            }
        }
        self.samples.truncate(kept);
        self.values.truncate(kept * types);
    }
}
