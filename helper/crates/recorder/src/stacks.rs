//! Samples counted by stack, process and thread, with the time of each. What a recording may hold is bounded: beyond it
//! samples are still counted by their thread, without their stack.

use std::collections::HashMap;
use std::ops::Range;

use perf_events::page_bytes;
use profile::{SampleDetail, SeededHash, Sums, WaitReason, WaitTime};
use records::{SampleKind, SampleRecord, StackEnd};

use super::address_spaces::AddressSpaces;
use super::incomplete_stacks::{IncompleteStacks, LastPlace, is_incomplete};
use super::modules::{ModuleIndex, Modules};
use super::numbering::{Numbering, StackNumbering};
use super::wait_causes::Cause;
use super::wait_times::WaitTimes;

/// A place in code, independent of where the process had it mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodePlace {
    InModule {
        module: ModuleIndex,
        vaddr: u64,
    },
    /// A symbol id of the sampler; 0: kernel code without a name.
    Kernel {
        symbol: u32,
    },
    /// In no mapping that is known.
    Unknown {
        address: u64,
    },
    /// In place of a stack for which there was no room.
    OtherStack,
}

/// Who was running.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Thread {
    pub pid: u32,
    pub tid: u32,
    pub name: [u8; 16],
    /// Of the command, from 1; 0: repetitions are not told.
    pub repetition: u32,
}

impl Thread {
    /// In place of a thread for which there was no room.
    fn other(repetition: u32) -> Thread {
        let mut name = [0; 16];
        name[..13].copy_from_slice(b"other threads");
        Thread {
            pid: 0,
            tid: 0,
            name,
            repetition,
        }
    }
}

/// Samples of a kind with the same stack on the same thread; waits for the same reason, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    pub stack: u32,
    pub thread: u32,
    pub kind: SampleKind,
    pub detail: Option<SampleDetail>,
    /// Of waits: who was waited for, by number in [`CountedStacks::causes`].
    pub cause: Option<u32>,
}

/// A wait, or the part of one in which the thread could have run (`waits` 0).
#[derive(Debug, Clone, Copy)]
pub struct CountedWait {
    pub reason: WaitReason,
    pub cause: Option<Cause>,
    /// Of which sample, is not known yet.
    pub time: WaitTime,
}

/// What a recording holds at most: some 300 MB, and within what a run file may have when it is read.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub places: usize,
    pub stacks: usize,
    /// Places of all stacks together.
    pub frames: usize,
    pub threads: usize,
    pub groups: usize,
    /// Of them, those of waits of which it is known who was waited for.
    pub caused_groups: usize,
    /// Samples whose times are kept; beyond it only every second one's, and so on.
    pub times: usize,
}

const BOUNDS: Bounds = Bounds {
    places: 1_000_000,
    stacks: 500_000,
    frames: 8_000_000,
    threads: 100_000,
    groups: 500_000,
    caused_groups: 100_000,
    times: 2 << 20,
};

pub struct CountedStacks {
    bounds: Bounds,
    pub places: Numbering<CodePlace>,
    /// Place numbers, leaf first; the kernel's side before the user's.
    pub stacks: StackNumbering,
    pub threads: Numbering<Thread>,
    pub groups: Numbering<Group>,
    pub causes: Numbering<Cause>,
    caused_groups: usize,
    /// Waits whose cause is not in the run: there was no room.
    pub without_cause: u64,
    /// By group number.
    pub sums: Vec<Sums>,
    /// Time and group number of every `times_every`th sample.
    pub times: Vec<(u64, u32)>,
    pub times_every: u64,
    pub wait_times: WaitTimes,
    pub ends: [u64; StackEnd::ALL.len()],
    pub incomplete: IncompleteStacks,
    /// Samples that were counted without their stack.
    pub without_stack: u64,
    samples: u64,
    /// Raw stacks seen before: resolved once as long as the process's mappings stay.
    seen: HashMap<RawStack, u32, SeededHash>,
    seen_frames: usize,
}

#[derive(PartialEq, Eq, Hash)]
struct RawStack {
    pid: u32,
    version: u32,
    kernel: Box<[u32]>,
    user: Box<[u64]>,
}

impl RawStack {
    fn frames(&self) -> usize {
        self.kernel.len() + self.user.len()
    }
}

/// Of samples, in search of one: those of seconds.
const LOOKED_THROUGH_MAX: usize = 16_384;

/// Seen raw stacks are forgotten when there are so many, or so many frames of them; they are then resolved again.
const SEEN_MAX: usize = 200_000;
const SEEN_FRAMES_MAX: usize = 4_000_000;

impl Default for CountedStacks {
    fn default() -> Self {
        CountedStacks::within(BOUNDS)
    }
}

impl CountedStacks {
    pub fn within(bounds: Bounds) -> CountedStacks {
        CountedStacks {
            bounds,
            places: Numbering::default(),
            stacks: StackNumbering::default(),
            threads: Numbering::default(),
            groups: Numbering::default(),
            causes: Numbering::default(),
            caused_groups: 0,
            without_cause: 0,
            sums: Vec::new(),
            times: Vec::new(),
            times_every: 1,
            wait_times: WaitTimes::default(),
            ends: [0; StackEnd::ALL.len()],
            incomplete: IncompleteStacks::default(),
            without_stack: 0,
            samples: 0,
            seen: HashMap::default(),
            seen_frames: 0,
        }
    }

    /// `repetition`: of the command, from 1; 0: these are not told.
    pub fn add(
        &mut self,
        sample: SampleRecord,
        repetition: u32,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) {
        let (end, time_ns, worth) = (sample.end, sample.time_ns, sample.worth);
        let (stack, thread) = self.locate(sample, repetition, spaces, modules);
        self.ends[end as usize] += 1;
        if is_incomplete(end) {
            self.incomplete.add(self.last_place(stack));
        }
        let group = self.group(stack, thread, worth.kind, None, None);
        self.without_stack += u64::from(!self.has_stack(group));
        self.sums[group as usize].add(Sums {
            samples: 1,
            weight: worth.weight.into(),
            value: worth.total(),
        });
        if self.samples.is_multiple_of(self.times_every) {
            self.add_time(time_ns, group);
        }
        self.samples += 1;
    }

    /// Adds a wait whose stack and thread were located when it began. False: there was no room for the stack, or there is none.
    pub fn add_wait(&mut self, stack: Option<u32>, thread: u32, wait: CountedWait) -> bool {
        let time = wait.time;
        let group = self.group(
            stack,
            thread,
            SampleKind::Wait,
            Some(SampleDetail::Wait(wait.reason)),
            wait.cause,
        );
        self.sums[group as usize].add(Sums {
            samples: u64::from(time.waits.max(1)),
            weight: time.waits.into(),
            value: time.waited_ns,
        });
        self.wait_times.add(WaitTime {
            sample: group,
            ..time
        });
        self.has_stack(group)
    }

    /// Adds what is no sample of CPU time: its stack and thread were located before. Returns the number of the group.
    pub fn add_sums(
        &mut self,
        stack: Option<u32>,
        thread: u32,
        kind: SampleKind,
        detail: Option<SampleDetail>,
        sums: Sums,
    ) -> u32 {
        let group = self.group(stack, thread, kind, detail, None);
        self.sums[group as usize].add(sums);
        group
    }

    /// The stack of a sample, None if there is no room for it, and its thread. As [`CountedStacks::add`], but nothing is counted.
    pub fn locate(
        &mut self,
        sample: SampleRecord,
        repetition: u32,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> (Option<u32>, u32) {
        let thread = self.thread(Thread {
            pid: sample.pid,
            tid: sample.tid,
            name: sample.comm,
            repetition,
        });
        let raw = RawStack {
            pid: sample.pid,
            version: spaces.version(sample.pid),
            kernel: sample.kernel.into(),
            user: sample.user.into(),
        };
        let stack = match self.seen.get(&raw) {
            Some(stack) => Some(*stack),
            None => {
                let stack = self.resolve(&raw, sample.time_ns, spaces, modules);
                if let Some(stack) = stack {
                    self.remember(raw, stack);
                }
                stack
            }
        };
        (stack, thread)
    }

    fn has_stack(&self, group: u32) -> bool {
        self.has_place(self.groups.values()[group as usize].stack)
    }

    fn has_place(&self, stack: u32) -> bool {
        let first = self.stacks.stack(stack).first();
        first.is_none_or(|place| self.places.values()[*place as usize] != CodePlace::OtherStack)
    }

    fn last_place(&self, stack: Option<u32>) -> LastPlace {
        let last = stack.and_then(|stack| self.stacks.stack(stack).last());
        match last.map(|place| self.places.values()[*place as usize]) {
            Some(CodePlace::InModule { module, .. }) => LastPlace::Module(module),
            _ => LastPlace::NoFile,
        }
    }

    /// By number, each at least once.
    pub fn kinds(&self) -> impl Iterator<Item = u32> {
        self.groups.values().iter().map(|group| group.kind as u32)
    }

    pub fn sample_count(&self) -> u64 {
        self.samples
    }

    /// The number of a thread.
    pub fn thread(&mut self, thread: Thread) -> u32 {
        let has_room = self.threads.values().len() < self.bounds.threads;
        match self.threads.find(&thread) {
            Some(number) => number,
            None if has_room => self.threads.number(thread),
            None => self.threads.number(Thread::other(thread.repetition)),
        }
    }

    fn remember(&mut self, raw: RawStack, stack: u32) {
        if self.seen.len() >= SEEN_MAX || self.seen_frames >= SEEN_FRAMES_MAX {
            self.seen.clear();
            self.seen_frames = 0;
        }
        self.seen_frames += raw.frames();
        self.seen.insert(raw, stack);
    }

    /// The group of a stack; without one, or without room for another group, the thread's group of other stacks.
    fn group(
        &mut self,
        stack: Option<u32>,
        thread: u32,
        kind: SampleKind,
        detail: Option<SampleDetail>,
        cause: Option<Cause>,
    ) -> u32 {
        let of = |stack| Group {
            stack,
            thread,
            kind,
            detail,
            cause: None,
        };
        let mut wanted = stack.map(of);
        if let (Some(wanted), Some(cause)) = (&mut wanted, cause) {
            self.set_cause(wanted, cause);
        }
        let known = wanted.and_then(|group| self.groups.find(&group));
        let has_room = self.groups.values().len() < self.bounds.groups;
        let number = match (known, wanted) {
            (Some(number), _) => number,
            (None, Some(group)) if has_room => self.groups.number(group),
            _ => {
                let place = self.places.number(CodePlace::OtherStack);
                let stack = self.stacks.number(&[place]);
                self.groups.number(of(stack))
            }
        };
        let groups = self.groups.values().len();
        self.sums.resize(groups, Sums::default());
        number
    }

    /// Unless there is no room for such a group.
    fn set_cause(&mut self, group: &mut Group, cause: Cause) {
        let known = self.causes.find(&cause).filter(|cause| {
            let caused = Group {
                cause: Some(*cause),
                ..*group
            };
            self.groups.find(&caused).is_some()
        });
        let has_room = self.caused_groups < self.bounds.caused_groups
            && self.groups.values().len() < self.bounds.groups;
        group.cause = match known {
            Some(cause) => Some(cause),
            None if has_room => {
                self.caused_groups += 1;
                Some(self.causes.number(cause))
            }
            None => {
                self.without_cause += 1;
                None
            }
        };
    }

    /// The stack of the first sample of CPU time of a thread in that time, and when it was, as far as times are kept.
    pub fn first_sample_in(&self, tid: u32, time: &Range<u64>) -> Option<(u64, u32)> {
        // Of different CPUs, they may be a little out of order.
        let first = self.times.partition_point(|(ns, _)| *ns < time.start);
        let inside = self.times[first..]
            .iter()
            .take(LOOKED_THROUGH_MAX)
            .take_while(|(ns, _)| *ns < time.end);
        inside.into_iter().find_map(|&(ns, group)| {
            let group = &self.groups.values()[group as usize];
            let is_of_thread = self.threads.values()[group.thread as usize].tid == tid;
            (is_of_thread && self.has_place(group.stack)).then_some((ns, group.stack))
        })
    }

    fn add_time(&mut self, time_ns: u64, group: u32) {
        if self.times.len() >= self.bounds.times {
            // The first, third, fifth … : those whose numbers the doubled distance divides.
            let mut number = 0;
            self.times.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.times_every *= 2;
            if !self.samples.is_multiple_of(self.times_every) {
                return;
            }
        }
        self.times.push((time_ns, group));
    }

    /// None: there is no room for another stack.
    fn resolve(
        &mut self,
        raw: &RawStack,
        time_ns: u64,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> Option<u32> {
        let kernel = raw
            .kernel
            .iter()
            .map(|symbol| CodePlace::Kernel { symbol: *symbol });
        let user = raw.user.iter().map(|&address| {
            let unknown = CodePlace::Unknown { address };
            let Some(mapped) = spaces.find(raw.pid, time_ns, address) else {
                return unknown;
            };
            let offset = mapped.file_offset + (address - mapped.start);
            let layout = modules.get(mapped.module).layout.as_ref();
            layout.map_or(
                CodePlace::InModule {
                    module: mapped.module,
                    vaddr: offset,
                },
                |l| {
                    l.vaddr_of_offset(offset, page_bytes())
                        .map_or(unknown, |vaddr| CodePlace::InModule {
                            module: mapped.module,
                            vaddr,
                        })
                },
            )
        });
        let places: Vec<CodePlace> = kernel.chain(user).collect();
        if self.places.values().len() + places.len() > self.bounds.places
            && places.iter().any(|p| self.places.find(p).is_none())
        {
            return None;
        }
        let numbers: Vec<u32> = places.into_iter().map(|p| self.places.number(p)).collect();
        if let Some(known) = self.stacks.find(&numbers) {
            return Some(known);
        }
        let has_room = self.stacks.len() < self.bounds.stacks
            && self.stacks.frames() + numbers.len() <= self.bounds.frames;
        has_room.then(|| self.stacks.number(&numbers))
    }
}

/// The name of a thread.
pub fn comm(bytes: &[u8; 16]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests;
