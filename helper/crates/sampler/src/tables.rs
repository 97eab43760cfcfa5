//! Hands the mapping tables of processes to the BPF program: a changed table is written to a free slot, then the
//! process is switched over to it, so that a walk never sees half a table.

use std::collections::{HashMap, VecDeque};

use records::layout::PROCESSES_MAX;

use crate::bpf::Bpf;
use crate::mappings::Processes;

pub struct Tables {
    slots: HashMap<u32, u32>,
    users: Vec<u32>,
    /// Reused oldest first: a walk that still reads a freed table has long ended.
    free: VecDeque<u32>,
}

impl Tables {
    pub fn new() -> Tables {
        Tables {
            slots: HashMap::new(),
            users: vec![0; PROCESSES_MAX],
            free: (0..PROCESSES_MAX as u32).collect(),
        }
    }

    /// Publishes the process's present mappings. When no slot is free, the process is unwound by frame pointers.
    pub fn publish(&mut self, bpf: &mut Bpf, processes: &Processes, pid: u32) {
        let mappings = processes.table(pid);
        let Some(slot) = self.free.pop_front() else {
            self.forget(bpf, pid);
            return;
        };
        let table = &mut bpf.mapping_tables.elements()[slot as usize];
        table.count = mappings.len() as u32;
        table.mappings[..mappings.len()].copy_from_slice(&mappings);
        bpf.set_process_table(pid, Some(slot));
        self.assign(pid, slot);
    }

    /// The BPF program has let the child use its parent's table at the fork itself.
    pub fn share(&mut self, child: u32, parent: u32) {
        if let Some(slot) = self.slots.get(&parent).copied() {
            self.assign(child, slot);
        }
    }

    pub fn forget(&mut self, bpf: &Bpf, pid: u32) {
        bpf.set_process_table(pid, None);
        self.release(pid);
    }

    fn assign(&mut self, pid: u32, slot: u32) {
        self.users[slot as usize] += 1;
        self.release(pid);
        self.slots.insert(pid, slot);
    }

    fn release(&mut self, pid: u32) {
        let Some(slot) = self.slots.remove(&pid) else {
            return;
        };
        self.users[slot as usize] -= 1;
        if self.users[slot as usize] == 0 {
            self.free.push_back(slot);
        }
    }
}
