//! When the sampled memory of a run was allocated and freed.

use crate::columns::Profile;
use crate::kinds::Sums;
use crate::run::MemoryTimes;

/// In place of the time of a free.
pub const NOT_FREED: u64 = u64::MAX;

/// A sampled allocation, or several of a sample that were allocated and freed at about the same times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTime {
    /// One with `alloc_space`.
    pub sample: u32,
    /// Since the recording began.
    pub allocated_ns: u64,
    /// Likewise, not before it was allocated; the same: it is not known when. Or [`NOT_FREED`].
    pub freed_ns: u64,
    /// Its thread freed it before its next sample.
    pub is_temporary: bool,
    pub sums: Sums,
}

impl MemoryTimes {
    /// `times`: in the order of their allocation.
    pub fn of(times: impl IntoIterator<Item = MemoryTime>) -> MemoryTimes {
        let mut made = MemoryTimes::default();
        let mut before_ns = 0;
        for time in times {
            made.sample.push(time.sample);
            made.allocated_delta_ns.push(time.allocated_ns - before_ns);
            made.freed_after_ns.push(match time.freed_ns {
                NOT_FREED => 0,
                freed_ns => freed_ns - time.allocated_ns + 1,
            });
            made.temporary.push(time.is_temporary);
            made.samples.push(time.sums.samples);
            made.objects.push(time.sums.weight);
            made.bytes.push(time.sums.value);
            before_ns = time.allocated_ns;
        }
        made
    }

    /// In the order of their allocation.
    pub fn iter(&self) -> impl Iterator<Item = MemoryTime> {
        let mut allocated_ns = 0u64;
        (0..self.sample.len()).map(move |entry| {
            allocated_ns = allocated_ns.saturating_add(self.allocated_delta_ns[entry]);
            MemoryTime {
                sample: self.sample[entry],
                allocated_ns,
                freed_ns: match self.freed_after_ns[entry] {
                    0 => NOT_FREED,
                    after => allocated_ns.saturating_add(after - 1),
                },
                is_temporary: self.temporary[entry],
                sums: Sums {
                    samples: self.samples[entry],
                    weight: self.objects[entry],
                    value: self.bytes[entry],
                },
            }
        })
    }

    /// Whether they add up to what each sample of the profile allocated, and to all that was not freed and all that was temporary.
    pub(crate) fn fit(&self, profile: &Profile) -> bool {
        let entries = self.sample.len();
        let lengths = [
            self.allocated_delta_ns.len(),
            self.freed_after_ns.len(),
            self.temporary.len(),
            self.samples.len(),
            self.objects.len(),
            self.bytes.len(),
        ];
        let column = |name, unit| profile.find_sample_type(name, unit);
        let of = |samples, objects, space| {
            Some([
                column(samples, "count")?,
                column(objects, "count")?,
                column(space, "bytes")?,
            ])
        };
        let (Some(allocated), Some(in_use), Some(temporary)) = (
            of("alloc_samples", "alloc_objects", "alloc_space"),
            of("inuse_samples", "inuse_objects", "inuse_space"),
            of("temporary_samples", "temporary_objects", "temporary_space"),
        ) else {
            return false;
        };
        if lengths != [entries; 6] {
            return false;
        }
        let mut sums = vec![Sums::default(); profile.samples.len()];
        let (mut kept, mut brief) = (Sums::default(), Sums::default());
        for time in self.iter() {
            let Some(of_sample) = sums.get_mut(time.sample as usize) else {
                return false;
            };
            add(of_sample, &time.sums);
            match (time.freed_ns, time.is_temporary) {
                (NOT_FREED, true) => return false,
                (NOT_FREED, false) => add(&mut kept, &time.sums),
                (_, true) => add(&mut brief, &time.sums),
                (_, false) => {}
            }
        }
        let is_sum_of = |sums: &Sums, [samples, _, space]: [usize; 3]| {
            let total = |of| (0..profile.samples.len()).map(move |at| profile.value(at, of));
            let sum = |of| total(of).fold(0, u64::saturating_add);
            (sums.samples, sums.value) == (sum(samples), sum(space))
        };
        let is_sample = |(sample, sums): (usize, &Sums)| {
            let values = allocated.map(|of| profile.value(sample, of));
            values == [sums.samples, sums.objects(), sums.value]
        };
        sums.iter().enumerate().all(is_sample)
            && is_sum_of(&kept, in_use)
            && is_sum_of(&brief, temporary)
    }
}

/// Of numbers of a file, which may be any.
fn add(sums: &mut Sums, other: &Sums) {
    sums.samples = sums.samples.saturating_add(other.samples);
    sums.weight = sums.weight.saturating_add(other.weight);
    sums.value = sums.value.saturating_add(other.value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;

    const TYPES: [(&str, &str); 9] = [
        ("alloc_samples", "count"),
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_samples", "count"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
        ("temporary_samples", "count"),
        ("temporary_objects", "count"),
        ("temporary_space", "bytes"),
    ];

    fn time(allocated_ns: u64, freed_ns: u64, is_temporary: bool, value: u64) -> MemoryTime {
        MemoryTime {
            sample: 0,
            allocated_ns,
            freed_ns,
            is_temporary,
            sums: Sums {
                samples: 1,
                weight: 40_000,
                value,
            },
        }
    }

    fn times() -> [MemoryTime; 3] {
        [
            time(5, NOT_FREED, false, 100),
            time(7, 7, false, 10),
            time(9, 12, true, 1),
        ]
    }

    #[test]
    fn times_fit_the_samples_or_are_refused() {
        let mut builder = ProfileBuilder::new(&TYPES);
        builder.push_sample(&[], &[3, 2, 111, 0, 0, 0, 0, 0, 0], &[]);
        builder.push_sample(&[], &[0, 0, 0, 1, 1, 100, 0, 0, 0], &[]);
        builder.push_sample(&[], &[0, 0, 0, 0, 0, 0, 1, 1, 1], &[]);
        let profile = builder.finish();
        let saved = MemoryTimes::of(times());
        assert_eq!(saved.iter().collect::<Vec<_>>(), times());
        assert!(saved.fit(&profile));
        let refused = |change: fn(&mut MemoryTimes)| {
            let mut changed = MemoryTimes::of(times());
            change(&mut changed);
            !changed.fit(&profile)
        };
        assert!(refused(|of| of.sample[0] = 1), "it allocated nothing");
        assert!(refused(|of| of.sample[0] = 3), "there is no such sample");
        assert!(refused(|of| of.bytes[1] = u64::MAX));
        assert!(refused(|of| of.objects[1] = u64::MAX));
        assert!(refused(|of| of.samples[1] += 1));
        assert!(refused(|of| of.freed_after_ns[0] = 9), "all is freed");
        assert!(refused(|of| of.temporary[0] = true), "it is never freed");
        assert!(refused(|of| of.temporary[1] = true));
        assert!(refused(|of| of.temporary.truncate(1)));
        assert!(refused(|of| of.allocated_delta_ns.clear()));
        let far = |of: &mut MemoryTimes| of.allocated_delta_ns = vec![u64::MAX; 3];
        let mut changed = MemoryTimes::of(times());
        far(&mut changed);
        assert!(changed.iter().all(|of| of.freed_ns >= of.allocated_ns));
        assert!(!saved.fit(&ProfileBuilder::new(&TYPES[..6]).finish()));
    }
}
