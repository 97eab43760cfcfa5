//! The unwind rows of all modules, and what each process has mapped, as the walk looks them up.

use std::collections::HashMap;

use perf_events::page_bytes;
use records::layout::MAPPINGS_MAX;
use records::{FileId, Segment, ToSampler, vaddr_of_offset};
use walk::{Mapping, MappingTable};

use super::address_spaces::{AddressSpaces, Mapped};
use super::modules::Modules;

#[derive(Default)]
pub struct UnwindTables {
    pub rows: walk::Tables,
    files: HashMap<FileId, FileRows>,
    processes: HashMap<u32, Process>,
    /// Of the mapping table made last: the walk remembers rules by generation.
    generation: u64,
}

/// Where a file's rows are in `rows`.
struct FileRows {
    first_page: u32,
    page_count: u32,
    base_page: u32,
    segments: Vec<Segment>,
}

struct Process {
    /// Of its address space; None: of an earlier one.
    version: Option<u32>,
    table: MappingTable,
}

/// Mapping tables, of 8 KiB each, that are kept; beyond it all are made again.
const PROCESSES_MAX: usize = 1024;

impl UnwindTables {
    /// Takes rules, rows, pages and files; other messages do not concern the tables.
    pub fn take(&mut self, message: &ToSampler) {
        match message {
            ToSampler::Rules { first, rules } => self.rows.put_rules(*first, rules),
            ToSampler::Rows { first, rows } => self.rows.put_rows(*first, rows),
            ToSampler::Pages { first, pages } => self.rows.put_pages(*first, pages),
            ToSampler::File {
                id,
                first_page,
                base_page,
                page_count,
                segments,
            } => {
                let rows = FileRows {
                    first_page: *first_page,
                    page_count: *page_count,
                    base_page: *base_page,
                    segments: segments.clone(),
                };
                self.files.insert(*id, rows);
                self.processes.clear(); // one of them may have it mapped already
            }
            _ => {}
        }
    }

    /// Makes the table of what the process had mapped at that time, unless it is there. False: a table does not hold all of
    /// it, so that mappings are to be found one by one.
    pub fn prepare(
        &mut self,
        pid: u32,
        time_ns: u64,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> bool {
        if spaces.mapping_count(pid) > MAPPINGS_MAX {
            return false;
        }
        let version = spaces.version_at(pid, time_ns);
        if version.is_some() && (self.processes.get(&pid)).is_some_and(|p| p.version == version) {
            return true;
        }
        let mapped = spaces.mapped_at(pid, time_ns);
        if mapped.len() > MAPPINGS_MAX {
            return false;
        }
        let mappings: Vec<Mapping> = mapped.iter().map(|m| self.mapping(m, modules)).collect();
        self.generation += 1;
        let table = MappingTable::new(self.generation, &mappings);
        if self.processes.len() >= PROCESSES_MAX {
            self.processes.clear();
        }
        self.processes.insert(pid, Process { version, table });
        true
    }

    /// The process is gone; its number may be given to another.
    pub fn forget(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// None before the first [`UnwindTables::prepare`].
    pub fn mappings(&self, pid: u32) -> Option<&MappingTable> {
        self.processes.get(&pid).map(|p| &p.table)
    }

    pub fn mapping(&self, mapped: &Mapped, modules: &Modules) -> Mapping {
        let range = (mapped.start, mapped.end);
        let known = || {
            let file = self.files.get(&modules.get(mapped.module).id)?;
            let vaddr = vaddr_of_offset(&file.segments, mapped.file_offset, page_bytes())?;
            let pages = (file.first_page, file.page_count, file.base_page);
            Some(Mapping::of_module(range, vaddr, pages))
        };
        known().unwrap_or_else(|| Mapping::of_module(range, mapped.start, (0, 0, 0)))
    }
}
