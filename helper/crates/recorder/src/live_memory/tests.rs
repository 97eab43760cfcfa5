use records::{SampleRecord, StackEnd, Worth};

use super::*;
use crate::address_spaces::AddressSpaces;
use crate::modules::Modules;

/// What a test says of the memory that it has heard of.
struct Heard {
    live: LiveMemory,
    stacks: CountedStacks,
    untracked: usize,
}

impl Heard {
    fn of_nothing() -> Heard {
        Heard {
            live: LiveMemory::default(),
            stacks: CountedStacks::default(),
            untracked: 0,
        }
    }

    fn hear(&mut self, time_ns: u64, pid: u32, change: Change) {
        let event = Event {
            time_ns,
            pid,
            change,
        };
        self.untracked += self.live.hear(event, &mut self.stacks).len();
    }

    /// `place`: where it was allocated.
    fn allocate(&mut self, time_ns: u64, thread: (u32, u32), id: u32, place: u64, bytes: u64) {
        self.allocate_in(0, time_ns, thread, id, place, bytes);
    }

    fn allocate_in(
        &mut self,
        repetition: u32,
        time_ns: u64,
        (pid, tid): (u32, u32),
        id: u32,
        place: u64,
        bytes: u64,
    ) {
        let sample = SampleRecord {
            time_ns,
            pid,
            tid,
            worth: Worth::of_cpu(0),
            end: StackEnd::Root,
            comm: [0; 16],
            kernel: vec![],
            user: vec![place],
        };
        let (spaces, modules) = (AddressSpaces::default(), Modules::default());
        let sums = Sums {
            samples: 1,
            weight: 1,
            value: bytes,
        };
        let stacks = &mut self.stacks;
        let (stack, thread) = stacks.locate(sample, repetition, &spaces, &modules);
        let group = stacks.add_sums(stack, thread, SampleKind::Allocation, None, sums);
        let block = Block {
            group,
            repetition,
            allocated_ns: time_ns,
            sums,
        };
        self.hear(time_ns, pid, Change::Allocated { tid, id, block });
    }

    fn free(&mut self, time_ns: u64, (pid, tid): (u32, u32), id: u32) {
        self.hear(time_ns, pid, Change::Freed { tid, id });
    }

    fn finish(&mut self) {
        self.untracked += self.live.finish(1_000_000, &mut self.stacks).len();
    }

    /// Bytes of a kind, of each place in order; those of processes are one after the other.
    fn of(&self, kind: SampleKind) -> Vec<u64> {
        let groups = self.stacks.groups.values();
        let mut all: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for group in groups.iter().filter(|of| of.kind == SampleKind::Allocation) {
            all.insert((group.thread, group.stack), 0);
        }
        for (group, sums) in groups.iter().zip(&self.stacks.sums) {
            if group.kind == kind {
                all.insert((group.thread, group.stack), sums.value);
            }
        }
        all.into_values().collect()
    }

    fn peaks(&self) -> Vec<(u32, u64, u64)> {
        let saved = self.live.in_time(0).expect("memory");
        let peaks = saved.peaks.iter();
        peaks
            .map(|peak| (peak.repetition, peak.time_ns, peak.bytes))
            .collect()
    }
}

const MAIN: (u32, u32) = (7, 7);

#[test]
fn the_peak_is_what_was_in_use_when_most_was() {
    let mut heard = Heard::of_nothing();
    heard.allocate(10, MAIN, 1, 100, 5);
    heard.allocate(20, MAIN, 2, 200, 100);
    heard.free(30, MAIN, 2);
    heard.allocate(40, MAIN, 3, 100, 6);
    heard.allocate(50, MAIN, 4, 300, 90);
    heard.free(60, MAIN, 4);
    heard.finish();
    assert_eq!(heard.peaks(), [(0, 20, 105)]);
    assert_eq!(heard.of(SampleKind::Peak), [5, 100, 0]);
    assert_eq!(heard.of(SampleKind::InUse), [11, 0, 0]);
    assert_eq!(heard.of(SampleKind::Allocation), [11, 100, 90]);
}

#[test]
fn events_of_several_processes_are_put_in_the_order_of_time() {
    let (first, second) = ((7, 7), (8, 8));
    let mut heard = Heard::of_nothing();
    heard.allocate(10, first, 1, 100, 50);
    heard.allocate(30, second, 1, 200, 60);
    // The end of a process is heard of after the samples of others that came later.
    heard.hear(20, 7, Change::Ended);
    heard.finish();
    assert_eq!(heard.peaks(), [(0, 30, 60)]);
    assert_eq!(heard.of(SampleKind::Peak), [0, 60]);
    assert_eq!(heard.of(SampleKind::InUse), [50, 60]);
}

#[test]
fn what_a_thread_frees_before_its_next_sample_is_temporary() {
    let (main, other) = (MAIN, (7, 9));
    let mut heard = Heard::of_nothing();
    heard.allocate(10, main, 1, 100, 1);
    heard.allocate(11, other, 2, 100, 100);
    heard.free(12, main, 1);
    heard.free(13, main, 2); // by another thread
    heard.allocate(20, main, 3, 100, 10);
    heard.allocate(21, main, 4, 100, 1000);
    heard.free(22, main, 3); // after the next one
    heard.free(23, main, 4);
    heard.finish();
    let temporary: u64 = heard.of(SampleKind::Temporary).iter().sum();
    assert_eq!(temporary, 1001);
}

#[test]
fn each_execution_has_its_own_peak() {
    let mut heard = Heard::of_nothing();
    heard.allocate_in(1, 10, (7, 7), 1, 100, 50);
    heard.hear(15, 7, Change::Ended);
    heard.allocate_in(2, 20, (8, 8), 1, 100, 60);
    heard.allocate_in(2, 30, (8, 8), 2, 100, 6);
    heard.free(40, (8, 8), 2);
    heard.finish();
    assert_eq!(heard.peaks(), [(1, 10, 50), (2, 30, 66)]);
    assert_eq!(heard.of(SampleKind::Peak), [50, 66]);
    let highest = heard.live.in_time(0).expect("memory").highest_bytes;
    assert_eq!(highest, [66, 60], "and what stays");
}

/// At every moment compared with a model that keeps everything.
#[test]
fn peaks_of_random_histories_are_those_of_a_model() {
    for seed in 1..200u64 {
        let mut state = seed;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut heard = Heard::of_nothing();
        let mut model: Vec<(u32, u64, u64)> = Vec::new(); // number, place, bytes
        let (mut peak, mut at_peak) = (0, vec![0; 4]);
        for place in 0..4 {
            heard.allocate(1, MAIN, u32::MAX - place as u32, place, 0);
        }
        for step in 0..300u32 {
            let time_ns = 10 + u64::from(step);
            if draw(5) < 2 + u64::from(step < 150) && draw(50) > 0 || model.is_empty() {
                let (place, bytes) = (draw(4), draw(1000));
                heard.allocate(time_ns, MAIN, step + 1, place, bytes);
                model.push((step + 1, place, bytes));
            } else {
                let freed = model.swap_remove(draw(model.len() as u64) as usize);
                heard.free(time_ns, MAIN, freed.0);
            }
            let now: u64 = model.iter().map(|block| block.2).sum();
            if now > peak {
                peak = now;
                at_peak = vec![0; 4];
                for (_, place, bytes) in &model {
                    at_peak[*place as usize] += bytes;
                }
            }
            if draw(20) == 0 {
                heard.live.settle(&mut heard.stacks);
            }
        }
        heard.finish();
        assert_eq!(heard.peaks()[0].2, peak, "seed {seed}");
        assert_eq!(heard.of(SampleKind::Peak), at_peak, "seed {seed}");
        let left: u64 = model.iter().map(|block| block.2).sum();
        assert_eq!(heard.of(SampleKind::InUse).iter().sum::<u64>(), left);
    }
}

#[test]
fn a_million_samples_take_little_time_and_bounded_room() {
    let mut heard = Heard::of_nothing();
    let began = std::time::Instant::now();
    for at in 0..1_000_000u32 {
        let thread = (7, 7 + at % 1000);
        heard.allocate(u64::from(at) * 1000, thread, at + 1, u64::from(at % 50), 64);
        if at >= 20_000 {
            heard.free(u64::from(at) * 1000, thread, at - 19_999);
        }
    }
    heard.finish();
    let took = began.elapsed();
    assert!(
        took.as_secs() < 100,
        "{took:?}, also unoptimized and beside others"
    );
    let saved = heard.live.in_time(0).expect("memory");
    assert!(saved.highest_bytes.len() <= profile::MEMORY_PARTS_MAX);
    assert_eq!(saved.peaks[0].bytes, 20_001 * 64);
    assert_eq!(heard.of(SampleKind::Peak).iter().sum::<u64>(), 20_001 * 64);
    assert_eq!(heard.untracked, 0);
}
