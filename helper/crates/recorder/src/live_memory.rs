//! What of the sampled memory is in use, in the order of time: what is left when a process ends, what was in use when most was, and
//! what a thread freed before its next sample.

use std::collections::{BTreeMap, HashMap};

use profile::run::{MemoryInTime as SavedInTime, MemoryPeak, MemoryTimes as SavedTimes};
use profile::{MemoryTime, NOT_FREED, SeededHash, Sums};
use records::SampleKind;

use super::memory_in_time::MemoryInTime;
use super::memory_times::MemoryTimes;
use super::stacks::CountedStacks;

/// What happened to memory of a process.
pub struct Event {
    pub time_ns: u64,
    pub pid: u32,
    pub change: Change,
}

pub enum Change {
    Allocated {
        tid: u32,
        id: u32,
        block: Block,
    },
    Freed {
        tid: u32,
        id: u32,
    },
    /// The process, or the program that it ran.
    Ended,
}

/// A sampled allocation.
#[derive(Clone, Copy)]
pub struct Block {
    /// Of its stack and thread, among the counted ones.
    pub group: u32,
    /// As in [`CountedStacks::add`].
    pub repetition: u32,
    pub allocated_ns: u64,
    pub sums: Sums,
}

#[derive(Default)]
pub struct LiveMemory {
    /// That came since the last time when all up to a moment had come.
    events: Vec<Event>,
    processes: HashMap<u32, Process, SeededHash>,
    blocks: usize,
    /// By group.
    held: HashMap<u32, Held, SeededHash>,
    /// By repetition.
    executions: BTreeMap<u32, Execution>,
    /// Of all of them.
    now: u64,
    in_time: MemoryInTime,
    times: MemoryTimes,
}

#[derive(Default)]
struct Process {
    /// By the number that the library gave it.
    blocks: HashMap<u32, Block, SeededHash>,
    /// The number of the last sample of each thread.
    last: HashMap<u32, u32, SeededHash>,
}

/// What a group has in use.
struct Held {
    repetition: u32,
    now: Sums,
    /// As it was at peak `peak` of the execution; `now`, if there were others since.
    at_peak: Sums,
    peak: u64,
}

#[derive(Default)]
struct Execution {
    now: Sums,
    highest: Sums,
    highest_at_ns: u64,
    /// How often a moment was the highest so far.
    peaks: u64,
}

/// Some 250 MB.
const BLOCKS_MAX: usize = 4_000_000;
/// Some 60 MB. If more come at a time, their order may be another.
const EVENTS_MAX: usize = 1 << 20;

impl LiveMemory {
    /// The blocks whose frees will not be seen, because there is no room for them.
    pub fn hear(&mut self, event: Event, stacks: &mut CountedStacks) -> Vec<Block> {
        self.events.push(event);
        match self.events.len() < EVENTS_MAX {
            true => Vec::new(),
            false => self.settle(stacks),
        }
    }

    /// All that happened up to some moment was heard: of several processes, not in the order of time. Returns as
    /// [`LiveMemory::hear`].
    pub fn settle(&mut self, stacks: &mut CountedStacks) -> Vec<Block> {
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.time_ns);
        let mut without_room = Vec::new();
        for Event {
            time_ns,
            pid,
            change,
        } in events.drain(..)
        {
            match change {
                Change::Allocated { block, .. } if self.blocks >= BLOCKS_MAX => {
                    self.note_untracked(&block);
                    without_room.push(block);
                }
                Change::Allocated { tid, id, block } => {
                    // A program that the process ran before gave the same number, and its end was not heard of.
                    if let Some(before) = self.allocate(time_ns, pid, tid, id, block) {
                        self.keep(before, stacks);
                    }
                }
                Change::Freed { tid, id } => {
                    if let Some(block) = self.free(time_ns, pid, tid, id) {
                        add(stacks, block.group, SampleKind::Temporary, block.sums);
                    }
                }
                Change::Ended => self.end(time_ns, pid, stacks),
            }
        }
        self.events = events;
        without_room
    }

    /// What was in use when most was, and what is left.
    pub fn finish(&mut self, end_ns: u64, stacks: &mut CountedStacks) -> Vec<Block> {
        let without_room = self.settle(stacks);
        let mut held: Vec<_> = self.held.iter().collect();
        held.sort_unstable_by_key(|(group, _)| **group);
        for (group, held) in held {
            let is_older = held.peak < self.executions[&held.repetition].peaks;
            let at_peak = if is_older { held.now } else { held.at_peak };
            if at_peak != Sums::default() {
                add(stacks, *group, SampleKind::Peak, at_peak);
            }
        }
        if self.now > 0 {
            self.in_time.note(end_ns, self.now);
        }
        // What the processes that are left have, stays in use.
        let in_time = self.in_time.clone();
        let mut left: Vec<u32> = self.processes.keys().copied().collect();
        left.sort_unstable();
        for pid in left {
            self.end(end_ns, pid, stacks);
        }
        self.in_time = in_time;
        without_room
    }

    /// For the run, after the end. None: nothing was allocated.
    pub fn in_time(&self, started_ns: u64) -> Option<SavedInTime> {
        let peaks = self.executions.iter().map(|(&repetition, of)| MemoryPeak {
            repetition,
            time_ns: of.highest_at_ns,
            bytes: of.highest.value,
        });
        self.in_time.since(started_ns, peaks.collect())
    }

    /// As a run has them; None: nothing was allocated.
    pub fn times(&self, started_ns: u64) -> Option<SavedTimes> {
        self.times.since(started_ns)
    }

    /// Nobody will know when it is freed.
    pub fn note_untracked(&mut self, block: &Block) {
        self.note_times(block, block.allocated_ns, false);
    }

    /// It was not freed.
    fn keep(&mut self, block: Block, stacks: &mut CountedStacks) {
        add(stacks, block.group, SampleKind::InUse, block.sums);
        self.note_times(&block, NOT_FREED, false);
    }

    fn note_times(&mut self, block: &Block, freed_ns: u64, is_temporary: bool) {
        self.times.add(MemoryTime {
            sample: block.group,
            allocated_ns: block.allocated_ns,
            freed_ns: freed_ns.max(block.allocated_ns),
            is_temporary,
            sums: block.sums,
        });
    }

    /// The block that had its number before.
    fn allocate(
        &mut self,
        time_ns: u64,
        pid: u32,
        tid: u32,
        id: u32,
        block: Block,
    ) -> Option<Block> {
        let process = self.processes.entry(pid).or_default();
        process.note_last(tid, id);
        let before = process.blocks.insert(id, block);
        match before {
            Some(before) => self.change(time_ns, before, Sums::take),
            None => self.blocks += 1,
        }
        self.change(time_ns, block, Sums::add);
        before
    }

    /// The block, if it was temporary. Of what a process has from its parent, nothing is known here: it is the parent's.
    fn free(&mut self, time_ns: u64, pid: u32, tid: u32, id: u32) -> Option<Block> {
        let process = self.processes.get_mut(&pid)?;
        let block = process.blocks.remove(&id)?;
        let is_last = process.last.get(&tid) == Some(&id);
        self.blocks -= 1;
        self.note_times(&block, time_ns, is_last);
        self.change(time_ns, block, Sums::take);
        is_last.then_some(block)
    }

    /// What the process has is in use to its end.
    fn end(&mut self, time_ns: u64, pid: u32, stacks: &mut CountedStacks) {
        let Some(process) = self.processes.remove(&pid) else {
            return;
        };
        let mut left: Vec<_> = process.blocks.into_iter().collect();
        left.sort_unstable_by_key(|(id, _)| *id);
        for (_, block) in left {
            self.blocks -= 1;
            self.keep(block, stacks);
            self.change(time_ns, block, Sums::take);
        }
    }

    fn change(&mut self, time_ns: u64, block: Block, how: fn(&mut Sums, Sums)) {
        let execution = self.executions.entry(block.repetition).or_default();
        let held = self.held.entry(block.group).or_insert_with(|| Held {
            repetition: block.repetition,
            now: Sums::default(),
            at_peak: Sums::default(),
            peak: execution.peaks,
        });
        // It has not changed since the last peak.
        if held.peak < execution.peaks {
            (held.at_peak, held.peak) = (held.now, execution.peaks);
        }
        how(&mut held.now, block.sums);
        self.now -= execution.now.value;
        how(&mut execution.now, block.sums);
        self.now += execution.now.value;
        if execution.now.value > execution.highest.value {
            execution.highest = execution.now;
            execution.highest_at_ns = time_ns;
            execution.peaks += 1;
        }
        self.in_time.note(time_ns, self.now);
    }
}

impl Process {
    fn note_last(&mut self, tid: u32, id: u32) {
        self.last.insert(tid, id);
        // Of threads that have ended, or whose last sample was freed.
        if self.last.len() > 2 * self.blocks.len() + 64 {
            let blocks = &self.blocks;
            (self.last).retain(|_, last| *last == id || blocks.contains_key(last));
        }
    }
}

fn add(stacks: &mut CountedStacks, group: u32, kind: SampleKind, sums: Sums) {
    let of = stacks.groups.values()[group as usize];
    stacks.add_sums(Some(of.stack), of.thread, kind, None, sums);
}

#[cfg(test)]
mod tests;
