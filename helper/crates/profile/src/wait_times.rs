//! When the waits of a run were.

use crate::columns::Profile;
use crate::run::WaitTimes;

/// A wait of a sample, or several brief ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTime {
    pub sample: u32,
    /// Since the recording began.
    pub start_ns: u64,
    /// To the end of the last one.
    pub length_ns: u64,
    /// In that time.
    pub waited_ns: u64,
    pub waits: u32,
}

impl WaitTimes {
    /// `times`: in the order of their start.
    pub fn of(times: impl IntoIterator<Item = WaitTime>) -> WaitTimes {
        let mut made = WaitTimes::default();
        let mut before_ns = 0;
        for time in times {
            made.sample.push(time.sample);
            made.start_delta_ns.push(time.start_ns - before_ns);
            made.length_ns.push(time.length_ns);
            made.waited_ns.push(time.waited_ns);
            made.waits.push(time.waits);
            before_ns = time.start_ns;
        }
        if made.waited_ns == made.length_ns {
            made.waited_ns.clear();
        }
        made
    }

    /// In the order of their start.
    pub fn iter(&self) -> impl Iterator<Item = WaitTime> {
        let mut start_ns = 0u64;
        (0..self.sample.len()).map(move |entry| {
            start_ns = start_ns.saturating_add(self.start_delta_ns[entry]);
            let length_ns = self.length_ns[entry];
            WaitTime {
                sample: self.sample[entry],
                start_ns,
                length_ns,
                waited_ns: self.waited_ns.get(entry).copied().unwrap_or(length_ns),
                waits: self.waits[entry],
            }
        })
    }

    /// Whether each sample of the profile waits in them for as long, and as often, as its values say.
    pub(crate) fn fit(&self, profile: &Profile) -> bool {
        let entries = self.sample.len();
        let lengths = [
            self.start_delta_ns.len(),
            self.length_ns.len(),
            self.waits.len(),
        ];
        let column = |name, unit| profile.find_sample_type(name, unit);
        let (Some(wait), Some(waits)) = (column("wait", "nanoseconds"), column("waits", "count"))
        else {
            return false;
        };
        if lengths != [entries; 3] || ![0, entries].contains(&self.waited_ns.len()) {
            return false;
        }
        let mut sums = vec![(0u64, 0u64); profile.samples.len()];
        for time in self.iter() {
            let Some((ns, count)) = sums.get_mut(time.sample as usize) else {
                return false;
            };
            *ns = ns.saturating_add(time.waited_ns);
            *count = count.saturating_add(time.waits.into());
            if time.waited_ns > time.length_ns {
                return false;
            }
        }
        let values = |sample, of| profile.value(sample, of);
        (sums.iter().enumerate())
            .all(|(sample, of)| *of == (values(sample, wait), values(sample, waits)))
    }
}
