//! Hands the mapping tables of processes to the BPF program: a changed table is written to a free slot, then the
//! process is switched over to it, so that a walk never sees half a table. Equal tables, as those of forked children,
//! lie in one slot.

use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use records::layout::PROCESSES_MAX;

use crate::bpf::Bpf;
use crate::follower::Follower;
use crate::mappings::{BpfMapping, Processes};

/// How long a process keeps a table after its mappings have changed. Nobody waits for a new one: the BPF program sees that
/// the old one is wrong and goes by the kernel's tree. A program that loads thousands of libraries changes its mappings
/// more often than this.
const RENEW_EVERY_NS: u64 = 10_000_000;

struct Published {
    slot: u32,
    at_ns: u64,
}

/// A table's mappings, as the key under which its slot is found. Which slot it is says the whole content; the hash need
/// not tell apart more than the [`PROCESSES_MAX`] tables that there can be.
#[derive(PartialEq, Eq)]
struct Content(Vec<BpfMapping>);

impl Hash for Content {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let fold = |hash: u64, m: &BpfMapping| {
            let pages = u64::from(m.first_page) << 32 | u64::from(m.page_count);
            (hash.rotate_left(5) ^ m.start ^ pages).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        state.write_u64(self.0.iter().fold(0, fold));
    }
}

pub struct Tables {
    /// By process.
    slots: HashMap<u32, Published>,
    /// By content.
    filled: HashMap<Rc<Content>, u32>,
    contents: Vec<Rc<Content>>,
    users: Vec<u32>,
    /// Reused oldest first: a walk that still reads a freed table has long ended.
    free: VecDeque<u32>,
    /// Of the last table written. The BPF program keeps what it found by generation.
    generation: u64,
}

impl Tables {
    pub fn new() -> Tables {
        let empty = Rc::new(Content(Vec::new())); // of all slots
        Tables {
            slots: HashMap::new(),
            filled: HashMap::new(),
            contents: vec![empty; PROCESSES_MAX],
            users: vec![0; PROCESSES_MAX],
            free: (0..PROCESSES_MAX as u32).collect(),
            generation: 0,
        }
    }

    /// Publishes the mappings of processes for which they have changed, and forgets those that are not known any more.
    /// `all`: also of those whose table is too new to be renewed; these are left for later otherwise.
    pub fn renew(&mut self, bpf: &mut Bpf, follower: &mut Follower, now_ns: u64, all: bool) {
        for pid in follower.take_changed() {
            let is_new = (self.slots.get(&pid)).is_some_and(|p| now_ns < p.at_ns + RENEW_EVERY_NS);
            if !follower.knows(pid) {
                self.forget(bpf, pid);
            } else if is_new && !all {
                follower.leave_changed(pid);
            } else {
                self.publish(bpf, follower.processes(), pid, now_ns);
            }
        }
    }

    fn publish(&mut self, bpf: &mut Bpf, processes: &Processes, pid: u32, now_ns: u64) {
        let table = processes.table(pid);
        if let Some(published) = self.slots.get_mut(&pid)
            && self.contents[published.slot as usize].0 == table
        {
            published.at_ns = now_ns;
            return;
        }
        let Some(slot) = self.slot_of(bpf, table) else {
            self.forget(bpf, pid);
            return;
        };
        bpf.set_process_table(pid, Some(slot));
        self.users[slot as usize] += 1;
        self.release(pid);
        let at_ns = now_ns;
        self.slots.insert(pid, Published { slot, at_ns });
    }

    fn forget(&mut self, bpf: &Bpf, pid: u32) {
        bpf.set_process_table(pid, None);
        self.release(pid);
    }

    /// The slot that holds this table; None when all are taken by others.
    fn slot_of(&mut self, bpf: &mut Bpf, mappings: Vec<BpfMapping>) -> Option<u32> {
        let content = Rc::new(Content(mappings));
        if let Some(slot) = self.filled.get(&content) {
            return Some(*slot);
        }
        let slot = self.free.pop_front()?;
        let table = &mut bpf.mapping_tables.elements()[slot as usize];
        self.generation += 1;
        table.generation = self.generation;
        let mappings = &content.0;
        table.count = mappings.len() as u64;
        table.mappings[..mappings.len()].copy_from_slice(mappings);
        self.contents[slot as usize] = Rc::clone(&content);
        self.filled.insert(content, slot);
        Some(slot)
    }

    fn release(&mut self, pid: u32) {
        let Some(Published { slot, .. }) = self.slots.remove(&pid) else {
            return;
        };
        self.users[slot as usize] -= 1;
        if self.users[slot as usize] == 0 {
            self.filled.remove(&self.contents[slot as usize]);
            self.free.push_back(slot);
        }
    }
}
