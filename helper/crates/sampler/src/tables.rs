//! Hands the mapping tables of processes to the BPF program: a changed table is written to a free slot, then the
//! process is switched over to it, so that a walk never sees half a table. Equal tables, as those of forked children,
//! lie in one slot.

use std::collections::{HashMap, VecDeque};

use records::layout::PROCESSES_MAX;

use crate::bpf::Bpf;
use crate::mappings::{BpfMapping, Processes};

pub struct Tables {
    /// By process.
    slots: HashMap<u32, u32>,
    /// By content.
    filled: HashMap<Vec<BpfMapping>, u32>,
    contents: Vec<Vec<BpfMapping>>,
    users: Vec<u32>,
    /// Reused oldest first: a walk that still reads a freed table has long ended.
    free: VecDeque<u32>,
    /// Of the last table written. The BPF program keeps what it found by generation.
    generation: u64,
}

impl Tables {
    pub fn new() -> Tables {
        Tables {
            slots: HashMap::new(),
            filled: HashMap::new(),
            contents: vec![Vec::new(); PROCESSES_MAX],
            users: vec![0; PROCESSES_MAX],
            free: (0..PROCESSES_MAX as u32).collect(),
            generation: 0,
        }
    }

    /// Publishes the process's present mappings.
    pub fn publish(&mut self, bpf: &mut Bpf, processes: &Processes, pid: u32) {
        let Some(slot) = self.slot_of(bpf, processes.table(pid)) else {
            self.forget(bpf, pid);
            return;
        };
        bpf.set_process_table(pid, Some(slot));
        self.users[slot as usize] += 1;
        self.release(pid);
        self.slots.insert(pid, slot);
    }

    pub fn forget(&mut self, bpf: &Bpf, pid: u32) {
        bpf.set_process_table(pid, None);
        self.release(pid);
    }

    /// The slot that holds this table; None when all are taken by others.
    fn slot_of(&mut self, bpf: &mut Bpf, mappings: Vec<BpfMapping>) -> Option<u32> {
        if let Some(slot) = self.filled.get(&mappings) {
            return Some(*slot);
        }
        let slot = self.free.pop_front()?;
        let table = &mut bpf.mapping_tables.elements()[slot as usize];
        self.generation += 1;
        table.generation = self.generation;
        table.count = mappings.len() as u64;
        table.mappings[..mappings.len()].copy_from_slice(&mappings);
        self.contents[slot as usize].clone_from(&mappings);
        self.filled.insert(mappings, slot);
        Some(slot)
    }

    fn release(&mut self, pid: u32) {
        let Some(slot) = self.slots.remove(&pid) else {
            return;
        };
        self.users[slot as usize] -= 1;
        if self.users[slot as usize] == 0 {
            self.filled.remove(&self.contents[slot as usize]);
            self.free.push_back(slot);
        }
    }
}
