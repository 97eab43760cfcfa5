//! What a walk looks rules up in, laid out as in the BPF program's maps.

use records::layout::{MAPPINGS_MAX, RULES_MAX};
use records::{PAGE_SHIFT, Rule};

/// `struct mapping` of bpf/records.h: an executable mapping of a process.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mapping {
    pub start: u64,
    /// Exclusive.
    pub end: u64,
    /// address − bias: offset from the vaddr at which `first_page` begins.
    pub bias: u64,
    pub first_page: u32,
    /// 0: no rows are known.
    pub page_count: u32,
}

impl Mapping {
    /// A mapping whose first byte is the module's `vaddr`, with the module's place in the tables: its first page, how
    /// many, and the number (vaddr >> PAGE_SHIFT) of that page.
    pub fn of_module(
        (start, end): (u64, u64),
        vaddr: u64,
        (first_page, page_count, base_page): (u32, u32, u32),
    ) -> Mapping {
        let base_vaddr = u64::from(base_page) << PAGE_SHIFT;
        Mapping {
            start,
            end,
            bias: start.wrapping_sub(vaddr).wrapping_add(base_vaddr),
            first_page,
            page_count,
        }
    }
}

/// `struct mapping_table` of bpf/records.h.
#[repr(C)]
pub(crate) struct RawMappingTable {
    generation: u64,
    count: u64,
    mappings: [Mapping; MAPPINGS_MAX],
}

/// The executable mappings of one process.
pub struct MappingTable(Box<RawMappingTable>);

impl MappingTable {
    /// `mappings` ascending; the first [`MAPPINGS_MAX`] when there are more. `generation` is one that no table of
    /// other mappings or other rows has had; not 0.
    pub fn new(generation: u64, mappings: &[Mapping]) -> MappingTable {
        let mut table = Box::new(RawMappingTable {
            generation,
            count: 0,
            mappings: [Mapping::default(); MAPPINGS_MAX],
        });
        let count = mappings.len().min(MAPPINGS_MAX);
        table.count = count as u64;
        table.mappings[..count].copy_from_slice(&mappings[..count]);
        MappingTable(table)
    }

    pub(crate) fn raw(&self) -> *const RawMappingTable {
        &*self.0
    }
}

/// `struct unwind_rule` of bpf/records.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawRule {
    bytes: [u8; 4],
    offsets: [i32; 3],
}

/// Pages, rows and rules of all modules, filled as the messages to the sampler say.
#[derive(Default)]
pub struct Tables {
    pages: Vec<u64>,
    rows: Vec<u32>,
    rules: Vec<RawRule>,
}

/// As many as the sampler takes with room for several times libLLVM.
const ELEMENTS_MAX: usize = 64 << 20;

impl Tables {
    /// Rules from number `first` on.
    pub fn put_rules(&mut self, first: u32, rules: &[[u8; Rule::BYTES]]) {
        let raw = rules.iter().map(|bytes| {
            let (fixed, offsets) = bytes.split_at(4);
            let mut rule = RawRule {
                bytes: fixed.try_into().expect("4 bytes"),
                ..RawRule::default()
            };
            for (offset, bytes) in rule.offsets.iter_mut().zip(offsets.as_chunks().0) {
                *offset = i32::from_le_bytes(*bytes);
            }
            rule
        });
        let raw: Vec<RawRule> = raw.collect();
        put(&mut self.rules, first, &raw, RULES_MAX);
    }

    /// Rows as in `PackedPages`: offset in the page (low half), number of the rule.
    pub fn put_rows(&mut self, first: u32, rows: &[u32]) {
        put(&mut self.rows, first, rows, ELEMENTS_MAX);
    }

    /// Pages: index of the first row (low half), number of rows.
    pub fn put_pages(&mut self, first: u32, pages: &[u64]) {
        put(&mut self.pages, first, pages, ELEMENTS_MAX);
    }

    pub fn pages(&self) -> &[u64] {
        &self.pages
    }

    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(crate) fn rules(&self) -> &[RawRule] {
        &self.rules
    }
}

/// Copies `new` to its place; left out when it lies past the limit, which makes its code one without rows.
fn put<T: Copy + Default>(elements: &mut Vec<T>, first: u32, new: &[T], max: usize) {
    let end = first as usize + new.len();
    if end > max {
        return;
    }
    if elements.len() < end {
        elements.resize(end, T::default());
    }
    elements[first as usize..end].copy_from_slice(new);
}
