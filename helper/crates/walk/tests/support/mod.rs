//! Tables for a process's address space, read from the files that it has mapped.

pub mod emulated_program;
pub mod gdb_remote;
pub mod stepped;
#[cfg(target_arch = "x86_64")]
pub mod stopped_process;
pub mod watch;

use std::collections::HashMap;

use unwind::{ElfLayout, PackedPages, RuleSet};
use walk::{Mapping, MappingTable, Tables};

/// An executable mapping. Without a path: the vDSO, whose bytes were read from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    pub start: u64,
    pub end: u64,
    pub file_offset: u64,
    pub path: String,
}

impl Mapped {
    /// Of a line of `/proc/PID/maps`, executable or not.
    fn of_maps_line(line: &str) -> Option<Mapped> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let file_offset = hex(fields.nth(1)?)?;
        let path = fields.nth(2).unwrap_or_default();
        Some(Mapped {
            start: hex(start)?,
            end: hex(end)?,
            file_offset,
            path: path.to_owned(),
        })
    }
}

struct Module {
    layout: ElfLayout,
    place: (u32, u32, u32),
}

/// Rows of all files seen so far.
#[derive(Default)]
pub struct Modules {
    rules: RuleSet,
    modules: HashMap<String, Option<Module>>,
    pub tables: Tables,
    generation: u64,
}

impl Modules {
    /// The table of these mappings, ascending by start; `read` gives the bytes of a file.
    pub fn mapping_table(
        &mut self,
        mapped: &[Mapped],
        read: impl Fn(&Mapped) -> Option<Vec<u8>>,
    ) -> MappingTable {
        let mappings: Vec<Mapping> = mapped.iter().map(|m| self.mapping(m, &read)).collect();
        self.generation += 1;
        MappingTable::new(self.generation, &mappings)
    }

    fn mapping(&mut self, m: &Mapped, read: &impl Fn(&Mapped) -> Option<Vec<u8>>) -> Mapping {
        if !self.modules.contains_key(&m.path) {
            let module = read(m).and_then(|bytes| self.load(&bytes));
            self.modules.insert(m.path.clone(), module);
        }
        let plain = Mapping {
            start: m.start,
            end: m.end,
            ..Mapping::default()
        };
        let Some(module) = &self.modules[&m.path] else {
            return plain;
        };
        match module.layout.vaddr_of_offset(m.file_offset, 4096) {
            Some(vaddr) => Mapping::of_module((m.start, m.end), vaddr, module.place),
            None => plain,
        }
    }

    fn load(&mut self, bytes: &[u8]) -> Option<Module> {
        let layout = unwind::layout_of_elf(bytes).ok()?;
        let rows = unwind::rows_of_elf(bytes).unwrap_or_default();
        let first_rule = self.rules.len();
        let packed = PackedPages::new(&rows, &mut self.rules);
        let new_rules = self.rules.bytes_from(first_rule);
        self.tables.put_rules(first_rule as u32, &new_rules);
        let (first_row, first_page) = (self.tables.rows().len(), self.tables.pages().len());
        self.tables.put_rows(first_row as u32, &packed.rows);
        let page = |(row, count): &(u32, u32)| {
            (first_row as u64 + u64::from(*row)) | u64::from(*count) << 32
        };
        let pages: Vec<u64> = packed.pages.iter().map(page).collect();
        self.tables.put_pages(first_page as u32, &pages);
        let place = (first_page as u32, pages.len() as u32, packed.base_page);
        Some(Module { layout, place })
    }
}
