//! Stacks that are unwound here, from registers and stack bytes: without privilege all, otherwise those that went through
//! files whose rows the BPF program did not have yet. The bytes are gone with that.

use records::{CopyRecord, SampleRecord, StackEnd, ToSampler};
use walk::own::{Registers, SP, Walker};
use walk::{Piece, Stack};

use super::address_spaces::AddressSpaces;
use super::modules::Modules;
use super::unwind_tables::UnwindTables;

#[derive(Default)]
pub struct CopiedStacks {
    tables: UnwindTables,
    walker: Walker,
    /// So many stacks were longer than what is copied, and ended there.
    pub cut: u64,
}

impl CopiedStacks {
    /// Rules, rows, pages and files; other messages do not concern it.
    pub fn take(&mut self, message: &ToSampler) {
        self.tables.take(message);
    }

    /// The process is gone; its number may be given to another.
    pub fn forget(&mut self, pid: u32) {
        self.tables.forget(pid);
    }

    /// Unwinds by what was mapped when the copy was taken. `chain` is what the kernel found by frame pointers then, empty
    /// where it was not asked. A stack that is longer than `bytes_max`, all that is ever copied, ends as cut.
    pub fn unwind(
        &mut self,
        copy: CopyRecord,
        chain: &[u64],
        bytes_max: usize,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> SampleRecord {
        let (user, end) = self.walk(&copy, chain, bytes_max, spaces, modules);
        SampleRecord {
            time_ns: copy.time_ns,
            pid: copy.pid,
            tid: copy.tid,
            worth: copy.worth,
            end,
            comm: copy.comm,
            kernel: copy.kernel,
            user,
        }
    }

    fn walk(
        &mut self,
        copy: &CopyRecord,
        chain: &[u64],
        bytes_max: usize,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> (Vec<u64>, StackEnd) {
        let (pid, time_ns) = (copy.pid, copy.time_ns);
        let registers = Registers {
            general: copy.registers,
            ip: copy.ip,
            is_exact: copy.is_exact,
        };
        let pieces = [
            Piece {
                start: copy.registers[SP],
                bytes: &copy.stack,
            },
            Piece {
                start: copy.other.start,
                bytes: &copy.other.bytes,
            },
        ];
        let stack = Stack {
            pieces: &pieces,
            chain,
        };
        let has_table = self.tables.prepare(pid, time_ns, spaces, modules);
        let tables = &self.tables;
        let walked = match tables.mappings(pid).filter(|_| has_table) {
            Some(mappings) => (self.walker).walk(&registers, stack, mappings, &tables.rows),
            None => {
                let find = |address| {
                    let mapped = spaces.find(pid, time_ns, address)?;
                    Some(tables.mapping(mapped, modules))
                };
                (self.walker).walk_finding(&registers, stack, find, &tables.rows)
            }
        };
        let end = match walked.end {
            StackEnd::Unreadable if copy.stack.len() + copy.other.bytes.len() == bytes_max => {
                self.cut += 1;
                StackEnd::Cut
            }
            end => end,
        };
        (walked.frames.to_vec(), end)
    }
}
