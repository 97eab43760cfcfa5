//! Allocations: each sample is added to the counted stacks, and kept as long as its memory is not freed.

use std::collections::{BTreeMap, BTreeSet};

use profile::run::{MemoryInTime, MemoryTimes};
use profile::{ALLOCATED_OBJECT, Sums};
use records::{SampleKind, SampleRecord, Worth};
use symbolize::OwnAllocator;

use super::go_sampling::{GoEstimate, NoGoSampling};
use super::live_memory::{Block, Change, Event, LiveMemory};
use super::locator::Locator;
use super::preload::is_library;
use super::stacks::CountedStacks;
use super::started_go::StartedGo;

#[derive(Default)]
pub struct Allocations {
    /// Bytes between samples, on average; 0: allocations are not recorded.
    pub interval: u64,
    live: LiveMemory,
    /// Samples, and what they stand for.
    pub all: Allocated,
    /// Of them, the sums of what each point weighs, and of its square.
    points: Points,
    /// Those of whose free nobody would know.
    pub untracked: Allocated,
    /// Those for which there is no room in a run.
    pub beyond: Allocated,
    /// The command.
    pub program: Option<FirstProgram>,
    first_pid: u32,
    /// Processes that run the command, each for the first time.
    launched: BTreeSet<u32>,
    /// Processes that run a program, and whether it has loaded the library.
    running: BTreeMap<u32, bool>,
    /// Programs that ended without it.
    pub programs_without: u64,
    pub programs_with: u64,
    /// Of those without, executions of the command itself.
    pub commands_without: u64,
    /// Distances between samples of Go, as programs wanted them: some of them.
    pub go_rates: BTreeSet<u32>,
    /// Programs of Go that the command has started.
    pub started_go: StartedGo,
}

/// What a sample stands for.
struct Estimate {
    points: u64,
    bytes: u64,
    /// In parts: see [`ALLOCATED_OBJECT`].
    objects: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Points {
    count: f64,
    weight: f64,
    squares: f64,
}

impl Points {
    fn add(&mut self, count: f64, weight: f64) {
        self.count += count;
        self.weight += weight;
        self.squares += weight * weight / count;
    }
}

/// The program that was launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstProgram {
    pub name: String,
    /// It has no loader.
    pub is_static: bool,
    pub allocator: Option<OwnAllocator>,
    /// It has loaded the library.
    pub has_library: bool,
    /// It is of Go, and its heap is not sampled.
    pub no_go: Option<NoGoSampling>,
    /// It has probes for its allocations, and whether these could be used.
    pub probes: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allocated {
    pub samples: u64,
    pub bytes: u64,
}

impl Allocated {
    fn add(&mut self, bytes: u64) {
        self.samples += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// From the leaf, where frames of the library may be.
const LIBRARY_FRAMES_MAX: usize = 8;
/// In a sentence.
const GO_RATES_MAX: usize = 3;
/// 4 PiB: the values of a run are below 2^53.
const TOTAL_MAX: u64 = 1 << 52;

impl Allocations {
    pub fn add(&mut self, mut sample: SampleRecord, locator: &mut Locator) {
        let (worth, pid) = (sample.worth, sample.pid);
        if worth.kind == SampleKind::GoAllocation && worth.weight == 0 {
            return; // Go notes a block when it ceases to sample, too: that stands for nothing
        }
        let Estimate {
            points,
            bytes,
            objects,
        } = self.estimate(worth);
        if self.all.bytes.saturating_add(bytes) >= TOTAL_MAX {
            return self.beyond.add(bytes);
        }
        self.all.add(bytes);
        (self.points).add(points.max(1) as f64, bytes as f64 / self.interval as f64);
        // What is of the library is how it was sampled.
        let is_of_library = |address: &u64| {
            let mapped = locator.spaces.find(pid, sample.time_ns, *address);
            mapped.is_some_and(|mapped| is_library(&locator.modules.get(mapped.module).path))
        };
        // Its malloc may be called by an operator new that its own has called.
        let innermost = sample.user.len().min(LIBRARY_FRAMES_MAX);
        let others: Vec<u64> = (sample.user.drain(..innermost))
            .filter(|address| !is_of_library(address))
            .collect();
        sample.user.splice(..0, others);
        let (time_ns, tid) = (sample.time_ns, sample.tid);
        let (stack, thread) = locator.locate(sample);
        let sums = Sums {
            samples: points,
            weight: objects,
            value: bytes,
        };
        let Locator {
            repetition, stacks, ..
        } = locator;
        let group = stacks.add_sums(stack, thread, SampleKind::Allocation, None, sums);
        let block = Block {
            group,
            repetition: *repetition,
            allocated_ns: time_ns,
            sums,
        };
        if worth.id == 0 {
            self.live.note_untracked(&block);
            return self.untracked.add(bytes);
        }
        let change = Change::Allocated {
            tid,
            id: worth.id,
            block,
        };
        self.hear(time_ns, pid, change, stacks);
    }

    fn estimate(&mut self, worth: Worth) -> Estimate {
        let bytes = match worth.kind {
            SampleKind::GoAllocation => return self.estimate_of_go(worth),
            SampleKind::ReportedAllocation if worth.weight == u32::MAX => worth.value,
            SampleKind::ReportedAllocation => worth.weight.into(),
            _ => u64::from(worth.weight).saturating_mul(self.interval),
        };
        // A few bytes more than were asked for, or a few less: so many such objects.
        let objects =
            u128::from(bytes) * u128::from(ALLOCATED_OBJECT) / u128::from(worth.value.max(1));
        Estimate {
            points: worth.points.into(),
            bytes,
            objects: u64::try_from(objects).unwrap_or(u64::MAX),
        }
    }

    fn estimate_of_go(&mut self, worth: Worth) -> Estimate {
        let rate = worth.weight;
        if self.go_rates.len() < GO_RATES_MAX {
            self.go_rates.insert(rate);
        }
        let GoEstimate { bytes, blocks } = GoEstimate::of(worth.value, rate);
        Estimate {
            points: (bytes / f64::from(rate)).round().max(1.0) as u64,
            bytes: bytes.round() as u64,
            objects: (blocks * ALLOCATED_OBJECT as f64).round() as u64,
        }
    }

    pub fn free(&mut self, time_ns: u64, pid: u32, tid: u32, id: u32, stacks: &mut CountedStacks) {
        self.hear(time_ns, pid, Change::Freed { tid, id }, stacks);
    }

    fn hear(&mut self, time_ns: u64, pid: u32, change: Change, stacks: &mut CountedStacks) {
        let event = Event {
            time_ns,
            pid,
            change,
        };
        let without_room = self.live.hear(event, stacks);
        self.note_without_room(&without_room);
    }

    /// All that happened before some moment has come.
    pub fn settle(&mut self, stacks: &mut CountedStacks) {
        let without_room = self.live.settle(stacks);
        self.note_without_room(&without_room);
    }

    fn note_without_room(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.untracked.add(block.sums.value);
        }
    }

    /// What is left is in use. `end_ns`: by the clock of samples.
    pub fn finish(&mut self, end_ns: u64, stacks: &mut CountedStacks) {
        let without_room = self.live.finish(end_ns, stacks);
        self.note_without_room(&without_room);
        let running = std::mem::take(&mut self.running);
        for (pid, has_library) in running {
            self.count_program(pid, has_library);
        }
    }

    /// After the end; None: nothing was allocated.
    pub fn in_time(&self, started_ns: u64) -> Option<MemoryInTime> {
        self.live.in_time(started_ns)
    }

    /// When it was allocated and freed; None: nothing was.
    pub fn times(&self, started_ns: u64) -> Option<MemoryTimes> {
        self.live.times(started_ns)
    }

    /// By how much the variance of a sum is higher than if all points weighed the same.
    pub fn spread(&self) -> f64 {
        let Points {
            count,
            weight,
            squares,
        } = self.points;
        match weight > 0.0 {
            true => count * squares / (weight * weight),
            false => 1.0,
        }
    }

    /// This program was launched, and has not run yet.
    pub fn launched(&mut self, pid: u32, program: FirstProgram) {
        self.first_pid = pid;
        self.program = Some(program);
        self.launched.insert(pid);
        self.note_program(pid);
    }

    /// It was launched once more.
    pub fn launched_again(&mut self, pid: u32) {
        self.launched.insert(pid);
    }

    /// The process runs another program now.
    pub fn note_exec(&mut self, time_ns: u64, pid: u32, stacks: &mut CountedStacks) {
        if self.interval > 0 {
            self.hear(time_ns, pid, Change::Ended, stacks);
            self.note_program(pid);
        }
    }

    fn note_program(&mut self, pid: u32) {
        if let Some(has_library) = self.running.insert(pid, false) {
            self.count_program(pid, has_library);
        }
    }

    pub fn note_exit(&mut self, time_ns: u64, pid: u32, stacks: &mut CountedStacks) {
        if self.interval == 0 {
            return;
        }
        self.hear(time_ns, pid, Change::Ended, stacks);
        if let Some(has_library) = self.running.remove(&pid) {
            self.count_program(pid, has_library);
        }
    }

    /// Its program needs no library.
    pub fn note_sampled(&mut self, pid: u32) {
        self.running.insert(pid, true);
    }

    /// Its program has loaded the library.
    pub fn note_library(&mut self, pid: u32) {
        self.running.insert(pid, true);
        if let Some(first) = self.program.as_mut().filter(|_| pid == self.first_pid) {
            first.has_library = true;
        }
    }

    fn count_program(&mut self, pid: u32, has_library: bool) {
        let is_command = self.launched.remove(&pid);
        match has_library {
            true => self.programs_with += 1,
            false => {
                self.programs_without += 1;
                self.commands_without += u64::from(is_command);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use records::{StackEnd, Worth};

    use super::*;
    use crate::address_spaces::AddressSpaces;
    use crate::modules::Modules;

    fn add(allocations: &mut Allocations, stacks: &mut CountedStacks, pid: u32, worth: Worth) {
        let sample = SampleRecord {
            time_ns: 1,
            pid,
            tid: pid,
            worth,
            end: StackEnd::Root,
            comm: [0; 16],
            kernel: vec![],
            user: vec![1, 2],
        };
        let mut locator = Locator {
            repetition: 0,
            stacks,
            spaces: &AddressSpaces::default(),
            modules: &Modules::default(),
        };
        allocations.add(sample, &mut locator);
    }

    fn allocation(size: u64, weight: u32, id: u32) -> Worth {
        Worth {
            kind: SampleKind::Allocation,
            value: size,
            weight,
            points: 1,
            id,
        }
    }

    fn of_kind(stacks: &CountedStacks, kind: SampleKind) -> (u64, u64) {
        let groups = stacks.groups.values().iter().zip(&stacks.sums);
        let chosen = groups.filter(|(group, _)| group.kind == kind);
        chosen.fold((0, 0), |(objects, bytes), (_, sums)| {
            (objects + sums.weight / ALLOCATED_OBJECT, bytes + sums.value)
        })
    }

    fn of_interval(interval: u64) -> (Allocations, CountedStacks) {
        let allocations = Allocations {
            interval,
            ..Allocations::default()
        };
        (allocations, CountedStacks::default())
    }

    #[test]
    fn what_is_not_freed_is_in_use_and_all_is_allocated() {
        let (mut allocations, mut stacks) = of_interval(1000);
        add(&mut allocations, &mut stacks, 7, allocation(100, 1, 1));
        add(&mut allocations, &mut stacks, 7, allocation(100, 2, 2));
        allocations.free(2, 7, 7, 1, &mut stacks);
        allocations.free(2, 8, 8, 2, &mut stacks); // another process
        allocations.finish(9, &mut stacks);
        assert_eq!(of_kind(&stacks, SampleKind::Allocation), (30, 3000));
        assert_eq!(of_kind(&stacks, SampleKind::InUse), (20, 2000));
        assert_eq!(stacks.sample_count(), 0, "no sample of CPU time");
    }

    #[test]
    fn a_number_that_a_later_program_gives_again_frees_nothing_of_the_first() {
        let (mut allocations, mut stacks) = of_interval(1000);
        add(&mut allocations, &mut stacks, 7, allocation(100, 1, 1));
        allocations.note_exec(1, 7, &mut stacks);
        add(&mut allocations, &mut stacks, 7, allocation(100, 1, 1));
        allocations.free(2, 7, 7, 1, &mut stacks);
        allocations.finish(9, &mut stacks);
        assert_eq!(of_kind(&stacks, SampleKind::InUse), (10, 1000));
    }

    #[test]
    fn what_a_process_may_claim_does_not_overflow_a_run() {
        let (mut allocations, mut stacks) = of_interval(512 << 10);
        for id in [0, 1, 2, 3] {
            add(
                &mut allocations,
                &mut stacks,
                7,
                allocation(0, u32::MAX, id),
            );
        }
        assert_eq!(allocations.all.samples, 2);
        assert_eq!(allocations.untracked.samples, 1);
        assert_eq!(allocations.beyond.samples, 2);
        assert!(of_kind(&stacks, SampleKind::Allocation).1 < 1 << 53);
    }

    #[test]
    fn a_block_that_go_notes_while_it_does_not_sample_stands_for_nothing() {
        let (mut allocations, mut stacks) = of_interval(1000);
        for weight in [0, 512 << 10] {
            let kind = SampleKind::GoAllocation;
            let worth = Worth {
                kind,
                ..allocation(64, weight, 1)
            };
            add(&mut allocations, &mut stacks, 7, worth);
        }
        assert_eq!(allocations.all.samples, 1);
        assert_eq!(allocations.go_rates, BTreeSet::from([512 << 10]));
    }

    #[test]
    fn samples_of_different_weight_spread_more_than_their_number_says() {
        let (mut allocations, mut stacks) = of_interval(1000);
        assert!((allocations.spread() - 1.0).abs() < 1e-9);
        add(&mut allocations, &mut stacks, 7, allocation(100, 1, 1));
        add(&mut allocations, &mut stacks, 7, allocation(100, 1, 2));
        assert!((allocations.spread() - 1.0).abs() < 1e-9);
        add(&mut allocations, &mut stacks, 7, allocation(100, 4, 3));
        assert!((allocations.spread() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn executions_of_the_command_are_told_apart_from_programs_that_it_starts() {
        let (mut allocations, mut stacks) = of_interval(1);
        let program = FirstProgram {
            name: "prog".to_owned(),
            is_static: true,
            allocator: None,
            has_library: false,
            no_go: None,
            probes: None,
        };
        allocations.launched(7, program);
        allocations.note_exit(1, 7, &mut stacks);
        allocations.launched_again(8);
        allocations.note_exec(2, 8, &mut stacks);
        allocations.note_exec(3, 8, &mut stacks); // it executes another program
        allocations.finish(9, &mut stacks);
        let all = (allocations.programs_without, allocations.commands_without);
        assert_eq!(all, (3, 2));
    }

    #[test]
    fn programs_with_and_without_the_library_are_counted() {
        let (mut allocations, mut stacks) = of_interval(1);
        allocations.note_program(7);
        allocations.note_library(7);
        allocations.note_exec(1, 7, &mut stacks);
        allocations.note_program(8);
        allocations.note_library(8);
        allocations.note_exit(2, 8, &mut stacks);
        allocations.finish(9, &mut stacks);
        assert_eq!(
            (allocations.programs_with, allocations.programs_without),
            (2, 1)
        );
    }
}
