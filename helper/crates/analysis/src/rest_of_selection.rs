//! The samples that a selection leaves out.

use crate::memory_times::MemoryWithin;
use crate::sample_times::between;
use crate::selected_samples::SelectedSamples;

impl SelectedSamples {
    /// What `self` leaves out of `rows`, so that both add up to the whole; `memory`: of the times that it leaves out. `samples`: of the profile. `is_meant`: by sample, whether the
    /// threads and executions of the selection are its own. `has_time`: whether it is known when it was taken; else it is in neither.
    pub fn rest<'a>(
        &self,
        rows: impl Iterator<Item = (usize, &'a [u64])>,
        samples: usize,
        is_meant: impl Fn(usize) -> bool,
        has_time: impl Fn(usize) -> bool,
        memory: Option<&MemoryWithin>,
    ) -> SelectedSamples {
        let is_timed = !self.times.is_empty();
        let mut rest = SelectedSamples {
            without_time: self.without_time,
            others_without_time: self.others_without_time,
            ..SelectedSamples::default()
        };
        if is_timed {
            rest.times = between(&self.times);
            rest.at_all_times = vec![false; samples];
        }
        let mut taken = 0;
        for (sample, row) in rows {
            let is_taken = self.samples.get(taken) == Some(&(sample as u32));
            taken += usize::from(is_taken);
            if !is_meant(sample) {
                if let Some(is_always) = rest.at_all_times.get_mut(sample) {
                    *is_always = true;
                }
                rest.samples.push(sample as u32);
                rest.values.extend_from_slice(row);
                continue;
            }
            if let Some(memory) = memory.filter(|of| of.has_time(sample)) {
                if let Some(row) = memory.row(sample) {
                    rest.samples.push(sample as u32);
                    rest.values.extend(row);
                }
                continue;
            }
            if !is_timed || !has_time(sample) {
                continue;
            }
            if !is_taken {
                rest.samples.push(sample as u32);
                rest.values.extend_from_slice(row);
                continue;
            }
            let in_selection = &self.values[(taken - 1) * row.len()..][..row.len()];
            if in_selection != row {
                rest.samples.push(sample as u32);
                let left = row.iter().zip(in_selection);
                rest.values.extend(left.map(|(all, part)| all - part));
            }
        }
        if !rest.at_all_times.contains(&true) {
            rest.at_all_times.clear();
        }
        rest
    }
}
