//! When sampled memory was allocated and freed. Of so much that there is no room for all, blocks of one stack that were allocated at
//! about the same time, and freed so, share an entry: nothing is lost, and no time moves by more than a few milliseconds.

use profile::run::MemoryTimes as Saved;
use profile::{MemoryTime, NOT_FREED};

/// Some 60 MB.
const ENTRIES_MAX: usize = 1 << 20;
const FIRST_PART_NS: u64 = 1_000_000;

pub struct MemoryTimes {
    entries_max: usize,
    /// `sample` is the number of a group; times by the clock of the sampler.
    all: Vec<MemoryTime>,
    /// Times of one part are about the same; 0: each entry is of one block.
    part_ns: u64,
}

impl Default for MemoryTimes {
    fn default() -> Self {
        MemoryTimes::within(ENTRIES_MAX)
    }
}

impl MemoryTimes {
    fn within(entries_max: usize) -> MemoryTimes {
        MemoryTimes {
            entries_max,
            all: Vec::new(),
            part_ns: 0,
        }
    }

    pub fn add(&mut self, time: MemoryTime) {
        if self.all.len() >= self.entries_max {
            self.part_ns = self.part_ns.max(FIRST_PART_NS);
            self.merge();
            while self.all.len() > self.entries_max / 2 && self.part_ns < u64::MAX {
                self.part_ns = self.part_ns.saturating_mul(2);
                self.merge();
            }
        }
        self.all.push(time);
    }

    fn merge(&mut self) {
        let part_ns = self.part_ns;
        let part = |time: &MemoryTime| {
            (
                time.sample,
                time.is_temporary,
                time.allocated_ns / part_ns,
                // What was not freed, and what nobody knows of, is apart from all the rest.
                (time.freed_ns != NOT_FREED).then_some(time.freed_ns / part_ns),
                time.freed_ns == time.allocated_ns,
            )
        };
        (self.all).sort_unstable_by_key(|time| (part(time), time.allocated_ns));
        self.all.dedup_by(|time, kept| {
            let is_one = part(time) == part(kept);
            if is_one {
                kept.sums.add(time.sums);
                // It is not known of any, or the last one decides.
                if kept.freed_ns != kept.allocated_ns {
                    kept.freed_ns = kept.freed_ns.max(time.freed_ns);
                }
            }
            is_one
        });
    }

    /// As a run has them; None: nothing was allocated.
    pub fn since(&self, started_ns: u64) -> Option<Saved> {
        let since = |time_ns: u64| time_ns.saturating_sub(started_ns);
        let mut all: Vec<MemoryTime> = (self.all.iter())
            .map(|time| MemoryTime {
                allocated_ns: since(time.allocated_ns),
                freed_ns: match time.freed_ns {
                    NOT_FREED => NOT_FREED,
                    freed_ns => since(freed_ns),
                },
                ..*time
            })
            .collect();
        all.sort_unstable_by_key(|time| (time.allocated_ns, time.sample, time.freed_ns));
        (!all.is_empty()).then(|| Saved::of(all))
    }
}

#[cfg(test)]
mod tests {
    use profile::Sums;

    use super::*;

    fn block(sample: u32, allocated_ns: u64, freed_ns: u64) -> MemoryTime {
        MemoryTime {
            sample,
            allocated_ns,
            freed_ns,
            is_temporary: false,
            sums: Sums {
                samples: 1,
                weight: 3,
                value: 512,
            },
        }
    }

    #[test]
    fn each_block_has_its_times_since_the_recording_began() {
        let mut times = MemoryTimes::default();
        times.add(block(7, 150, 180));
        times.add(block(8, 120, NOT_FREED));
        times.add(block(8, 90, 110));
        let saved = times.since(100).expect("memory");
        let expected = [block(8, 0, 10), block(8, 20, NOT_FREED), block(7, 50, 80)];
        assert_eq!(saved.iter().collect::<Vec<_>>(), expected);
        assert_eq!(MemoryTimes::default().since(0), None);
    }

    #[test]
    fn of_very_many_blocks_nothing_is_lost_and_what_was_not_freed_stays_apart() {
        let mut times = MemoryTimes::within(100);
        for at in 0..10_000u64 {
            let allocated_ns = at * 20_000;
            let freed_ns = match at % 3 {
                0 => NOT_FREED,
                1 => allocated_ns,
                _ => allocated_ns + 50_000,
            };
            times.add(block((at % 2) as u32, allocated_ns, freed_ns));
        }
        assert!(times.all.len() <= 100);
        let bytes = |is_in: &dyn Fn(&MemoryTime) -> bool| {
            let chosen = times.all.iter().filter(|time| is_in(time));
            chosen.map(|time| time.sums.value).sum::<u64>()
        };
        assert_eq!(bytes(&|_| true), 10_000 * 512);
        assert_eq!(bytes(&|time| time.freed_ns == NOT_FREED), 3334 * 512);
        assert_eq!(
            bytes(&|time| time.freed_ns == time.allocated_ns),
            3333 * 512
        );
        for time in &times.all {
            let length_ns = match time.freed_ns {
                NOT_FREED => 0,
                freed_ns => freed_ns - time.allocated_ns,
            };
            assert!(length_ns <= 2 * times.part_ns, "{time:?}");
        }
    }
}
