//! How much memory was in use when: the highest in each of equal parts of the time, which double when there are too many.

use profile::run::{MemoryInTime as Saved, MemoryPeak};

/// Within what a reader accepts.
const PARTS_MAX: usize = profile::MEMORY_PARTS_MAX;
/// About a millisecond.
const FIRST_PART_NS: u64 = 1 << 20;

#[derive(Clone)]
pub struct MemoryInTime {
    parts_max: usize,
    start_ns: u64,
    part_ns: u64,
    /// In use at a time, in each part.
    highest: Vec<u64>,
    now: u64,
}

impl Default for MemoryInTime {
    fn default() -> Self {
        MemoryInTime::within(PARTS_MAX)
    }
}

impl MemoryInTime {
    /// The last part says what is in use from then on: one more where that is less than the highest in it.
    fn with_what_stays(&self) -> MemoryInTime {
        let mut of = self.clone();
        if self.highest.last().is_some_and(|&last| last != self.now) {
            let parts = self.highest.len() as u64;
            of.note(self.start_ns.saturating_add(parts * self.part_ns), self.now);
        }
        of
    }

    fn within(parts_max: usize) -> MemoryInTime {
        MemoryInTime {
            parts_max,
            start_ns: 0,
            part_ns: FIRST_PART_NS,
            highest: Vec::new(),
            now: 0,
        }
    }

    /// From this time on so many bytes are in use. A time before the last one is taken for that.
    pub fn note(&mut self, time_ns: u64, bytes: u64) {
        if self.highest.is_empty() {
            self.start_ns = time_ns;
        }
        let since_ns = time_ns.saturating_sub(self.start_ns);
        while since_ns / self.part_ns >= self.parts_max as u64 {
            let pairs = self.highest.chunks(2).map(|pair| pair.iter().max());
            self.highest = pairs.flatten().copied().collect();
            self.part_ns *= 2;
        }
        let part = (since_ns / self.part_ns) as usize;
        if self.highest.len() <= part {
            self.highest.resize(part + 1, self.now);
        }
        self.now = bytes;
        if let Some(last) = self.highest.last_mut() {
            *last = (*last).max(bytes);
        }
    }

    /// As a run has it; None: nothing was allocated. `peaks` by the clock of the sampler, as all times here.
    pub fn since(&self, started_ns: u64, mut peaks: Vec<MemoryPeak>) -> Option<Saved> {
        for peak in &mut peaks {
            peak.time_ns = peak.time_ns.saturating_sub(started_ns);
        }
        let of = self.with_what_stays();
        (!of.highest.is_empty()).then(|| Saved {
            start_ns: of.start_ns.saturating_sub(started_ns),
            part_ns: of.part_ns,
            highest_bytes: of.highest,
            peaks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: u64 = FIRST_PART_NS;

    #[test]
    fn each_part_has_the_highest_that_was_in_use_in_it() {
        let mut time = MemoryInTime::default();
        time.note(100, 5);
        time.note(200, 3);
        time.note(100 + 3 * PART, 4);
        let saved = time.since(60, Vec::new()).expect("memory");
        assert_eq!((saved.start_ns, saved.part_ns), (40, PART));
        assert_eq!(saved.highest_bytes, [5, 3, 3, 4]);
        assert_eq!(MemoryInTime::default().since(0, Vec::new()), None);
    }

    #[test]
    fn what_is_in_use_after_the_last_change_is_in_the_last_part() {
        let mut time = MemoryInTime::within(4);
        time.note(0, 9);
        time.note(5, 2);
        assert_eq!(
            time.since(0, Vec::new()).expect("memory").highest_bytes,
            [9, 2]
        );
        time.note(3 * PART, 8);
        time.note(3 * PART + 1, 1);
        let saved = time.since(0, Vec::new()).expect("memory");
        assert_eq!(
            (saved.part_ns, saved.highest_bytes),
            (2 * PART, vec![9, 8, 1])
        );
    }

    #[test]
    fn a_long_time_has_longer_parts_and_keeps_its_peak() {
        let mut time = MemoryInTime::within(10);
        for at in 0..1000 {
            time.note(at * PART, if at == 321 { 77 } else { at % 7 });
        }
        time.note(u64::MAX, 0);
        assert!(time.highest.len() <= 10, "{:?}", time.highest);
        assert_eq!(time.highest.iter().max(), Some(&77));
        assert_eq!(time.now, 0);
    }
}
