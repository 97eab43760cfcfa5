//! When waits were. Of so many that there is no room for all, brief ones on the same stack share an entry: no time is lost, and none
//! moves by more than a few milliseconds.

use profile::WaitTime;
use profile::run::WaitTimes as Saved;

/// Some 60 MB.
const ENTRIES_MAX: usize = 2 << 20;
const FIRST_BRIEF_NS: u64 = 1_000_000;

pub struct WaitTimes {
    entries_max: usize,
    /// `sample` is the number of a group, `start_ns` by the clock of the sampler.
    all: Vec<WaitTime>,
    /// What is not longer is brief; 0: all have an entry of their own.
    brief_ns: u64,
}

impl Default for WaitTimes {
    fn default() -> Self {
        WaitTimes::within(ENTRIES_MAX)
    }
}

impl WaitTimes {
    pub fn within(entries_max: usize) -> WaitTimes {
        WaitTimes {
            entries_max,
            all: Vec::new(),
            brief_ns: 0,
        }
    }

    pub fn add(&mut self, wait: WaitTime) {
        if self.all.len() >= self.entries_max {
            self.brief_ns = self.brief_ns.max(FIRST_BRIEF_NS);
            self.merge_brief();
            while self.all.len() > self.entries_max / 2 && self.brief_ns < u64::MAX {
                self.brief_ns = self.brief_ns.saturating_mul(2);
                self.merge_brief();
            }
        }
        self.all.push(wait);
    }

    /// Makes one entry of brief ones of a group that began in the same of equal parts of the time.
    fn merge_brief(&mut self) {
        let brief_ns = self.brief_ns;
        let part = |wait: &WaitTime| {
            (
                wait.length_ns > brief_ns,
                wait.sample,
                wait.start_ns / brief_ns,
            )
        };
        self.all
            .sort_unstable_by_key(|wait| (part(wait), wait.start_ns));
        self.all.dedup_by(|wait, kept| {
            let is_one = wait.length_ns <= brief_ns && part(wait) == part(kept);
            if is_one {
                let end_ns = (kept.start_ns + kept.length_ns).max(wait.start_ns + wait.length_ns);
                kept.length_ns = end_ns - kept.start_ns;
                kept.waited_ns += wait.waited_ns;
                kept.waits = kept.waits.saturating_add(wait.waits);
            }
            is_one
        });
    }

    /// As a run has them; None: there was no wait.
    pub fn since(&self, started_ns: u64) -> Option<Saved> {
        let mut all: Vec<WaitTime> = (self.all.iter())
            .map(|wait| WaitTime {
                start_ns: wait.start_ns.saturating_sub(started_ns),
                ..*wait
            })
            .collect();
        all.sort_unstable_by_key(|wait| (wait.start_ns, wait.sample));
        (!all.is_empty()).then(|| Saved::of(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(sample: u32, start_ns: u64, length_ns: u64) -> WaitTime {
        WaitTime {
            sample,
            start_ns,
            length_ns,
            waited_ns: length_ns,
            waits: 1,
        }
    }

    #[test]
    fn each_wait_has_its_time_since_the_recording_began() {
        let mut times = WaitTimes::default();
        times.add(wait(7, 150, 30));
        times.add(wait(8, 120, 5));
        let saved = times.since(100).expect("waits");
        assert_eq!(
            saved.iter().collect::<Vec<_>>(),
            [wait(8, 20, 5), wait(7, 50, 30)]
        );
        assert!(saved.waited_ns.is_empty(), "each was as long as its entry");
        assert_eq!(WaitTimes::default().since(0), None);
    }

    #[test]
    fn of_very_many_waits_no_time_and_no_count_is_lost_and_a_long_one_keeps_its_own() {
        let mut times = WaitTimes::within(100);
        times.add(wait(1, 50, 3_000_000_000));
        for at in 0..10_000u64 {
            times.add(wait((at % 3) as u32, at * 20_000, 10_000));
        }
        assert!(times.all.len() <= 100);
        let ns: u64 = times.all.iter().map(|wait| wait.waited_ns).sum();
        let count: u64 = times.all.iter().map(|wait| u64::from(wait.waits)).sum();
        assert_eq!((ns, count), (3_000_000_000 + 10_000 * 10_000, 10_001));
        assert!(times.all.contains(&wait(1, 50, 3_000_000_000)));
        let merged = times.all.iter().filter(|wait| wait.waits > 1);
        for wait in merged {
            assert!(
                wait.waited_ns <= wait.length_ns,
                "{wait:?}: those of a thread follow each other"
            );
            assert!(wait.length_ns <= 2 * times.brief_ns, "{wait:?}");
        }
    }
}
