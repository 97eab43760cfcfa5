//! How much memory was in use when a run was recorded.

use crate::columns::Profile;
use crate::run::MemoryInTime;

/// Parts of the time of a run.
pub const MEMORY_PARTS_MAX: usize = 2000;

impl MemoryInTime {
    /// Whether the peaks are in it, and are what the values of the samples add up to.
    pub(crate) fn fits(&self, profile: &Profile) -> bool {
        let Some(peak) = profile.find_sample_type("peak_space", "bytes") else {
            return false;
        };
        let parts = self.highest_bytes.len();
        if self.part_ns == 0 || parts == 0 || parts > MEMORY_PARTS_MAX {
            return false;
        }
        let is_within = self.peaks.iter().all(|peak| {
            let since_ns = peak.time_ns.saturating_sub(self.start_ns);
            let part = usize::try_from(since_ns / self.part_ns).unwrap_or(usize::MAX);
            // A record that came late counts in the last part of its time.
            let from = part.min(parts - 1);
            self.highest_bytes[from..]
                .iter()
                .any(|&of| of >= peak.bytes)
        });
        let sum = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::saturating_add);
        let samples = 0..profile.samples.len();
        let of_samples = sum(&mut samples.map(|sample| profile.value(sample, peak)));
        let of_peaks = sum(&mut self.peaks.iter().map(|peak| peak.bytes));
        is_within && of_samples == of_peaks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;
    use crate::run::MemoryPeak;

    fn profile() -> Profile {
        let mut builder = ProfileBuilder::new(&[("samples", "count"), ("peak_space", "bytes")]);
        builder.push_sample(&[], &[0, 30], &[]);
        builder.push_sample(&[], &[0, 12], &[]);
        builder.finish()
    }

    fn memory() -> MemoryInTime {
        MemoryInTime {
            start_ns: 100,
            part_ns: 10,
            highest_bytes: vec![7, 42, 9],
            peaks: vec![MemoryPeak {
                repetition: 0,
                time_ns: 115,
                bytes: 42,
            }],
        }
    }

    #[test]
    fn memory_in_time_fits_the_samples_or_is_refused() {
        let profile = profile();
        assert!(memory().fits(&profile));
        let refused = |change: fn(&mut MemoryInTime)| {
            let mut changed = memory();
            change(&mut changed);
            !changed.fits(&profile)
        };
        assert!(
            refused(|of| of.peaks[0].bytes = 41),
            "not what the samples add up to"
        );
        assert!(
            refused(|of| of.peaks[0].time_ns = 125),
            "less was in use then"
        );
        assert!(refused(|of| of.peaks.clear()));
        assert!(refused(|of| of.part_ns = 0));
        assert!(refused(|of| of.highest_bytes.clear()));
        assert!(refused(
            |of| of.highest_bytes = vec![42; MEMORY_PARTS_MAX + 1]
        ));
        let other = ProfileBuilder::new(&[("samples", "count")]).finish();
        assert!(!memory().fits(&other));
    }
}
