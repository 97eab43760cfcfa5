//! Samples counted by stack, process and thread, with the time of each.

use std::collections::HashMap;
use std::hash::Hash;

use records::{SampleRecord, StackEnd};

use super::address_spaces::AddressSpaces;
use super::modules::{ModuleIndex, Modules};

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
}

/// Gives equal values one number, in order of appearance.
pub struct Numbering<T> {
    numbers: HashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Numbering<T> {
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    pub fn values(&self) -> &[T] {
        &self.values
    }
}

/// Who was running.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Thread {
    pub pid: u32,
    pub tid: u32,
    pub name: [u8; 16],
}

/// Samples with the same stack on the same thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    pub stack: u32,
    pub thread: u32,
}

#[derive(Default)]
pub struct CountedStacks {
    pub places: Numbering<CodePlace>,
    /// Place numbers, leaf first; the kernel's side before the user's.
    pub stacks: Numbering<Box<[u32]>>,
    pub threads: Numbering<Thread>,
    pub groups: Numbering<Group>,
    pub counts: Vec<u64>,
    /// Group number and time of each sample.
    pub times: Vec<(u64, u32)>,
    pub ends: [u64; StackEnd::ALL.len()],
    /// Raw stacks seen before: resolved once as long as the process's mappings stay.
    seen: HashMap<RawStack, u32>,
}

#[derive(PartialEq, Eq, Hash)]
struct RawStack {
    pid: u32,
    version: u32,
    kernel: Box<[u32]>,
    user: Box<[u64]>,
}

/// Seen raw stacks are forgotten at this number, to bound memory; they are then resolved again.
const SEEN_MAX: usize = 200_000;

impl CountedStacks {
    pub fn add(&mut self, sample: SampleRecord, spaces: &AddressSpaces, modules: &Modules) {
        self.ends[sample.end as usize] += 1;
        let thread = self.threads.number(Thread {
            pid: sample.pid,
            tid: sample.tid,
            name: sample.comm,
        });
        let raw = RawStack {
            pid: sample.pid,
            version: spaces.version(sample.pid),
            kernel: sample.kernel.into(),
            user: sample.user.into(),
        };
        let stack = match self.seen.get(&raw) {
            Some(stack) => *stack,
            None => {
                let stack = self.resolve(&raw, sample.time_ns, spaces, modules);
                if self.seen.len() >= SEEN_MAX {
                    self.seen.clear();
                }
                self.seen.insert(raw, stack);
                stack
            }
        };
        let group = self.groups.number(Group { stack, thread });
        if group as usize == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[group as usize] += 1;
        self.times.push((sample.time_ns, group));
    }

    pub fn sample_count(&self) -> u64 {
        self.times.len() as u64
    }

    fn resolve(
        &mut self,
        raw: &RawStack,
        time_ns: u64,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> u32 {
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
                    l.vaddr_of_offset(offset)
                        .map_or(unknown, |vaddr| CodePlace::InModule {
                            module: mapped.module,
                            vaddr,
                        })
                },
            )
        });
        let places: Vec<CodePlace> = kernel.chain(user).collect();
        let numbers = places.into_iter().map(|p| self.places.number(p)).collect();
        self.stacks.number(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_ns: u64, tid: u32, user: &[u64]) -> SampleRecord {
        SampleRecord {
            time_ns,
            pid: 1,
            tid,
            end: StackEnd::Root,
            comm: [0; 16],
            kernel: vec![],
            user: user.to_vec(),
        }
    }

    #[test]
    fn equal_stacks_of_a_thread_are_counted_together() {
        let (spaces, modules) = (AddressSpaces::default(), Modules::default());
        let mut stacks = CountedStacks::default();
        stacks.add(sample(10, 1, &[1, 2]), &spaces, &modules);
        stacks.add(sample(11, 1, &[1, 2]), &spaces, &modules);
        stacks.add(sample(12, 2, &[1, 2]), &spaces, &modules);
        stacks.add(sample(13, 1, &[3, 2]), &spaces, &modules);
        assert_eq!(stacks.counts, [2, 1, 1]);
        assert_eq!(stacks.stacks.values().len(), 2);
        assert_eq!(stacks.times, [(10, 0), (11, 0), (12, 1), (13, 2)]);
        assert_eq!(stacks.sample_count(), 4);
    }
}
