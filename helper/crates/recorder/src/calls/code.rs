//! The machine code of a module's functions, read from its file.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;

use probe_places::Code;
use records::Segment;
use symbolize::{FunctionCode, FunctionList, ListedFunction};

/// No function of a program is larger.
const CODE_BYTES_MAX: u64 = 4 << 20;
/// Longer than an entry of a procedure linkage table.
const STUB_BYTES: u64 = 16;

pub struct ModuleCode<'a> {
    pub file: &'a File,
    pub segments: &'a [Segment],
    /// Where functions begin.
    starts: BTreeSet<u64>,
    /// Compilers have said what code there is.
    pub is_described: bool,
    pub is_go: bool,
}

/// Of one function.
pub struct OwnCode {
    /// Of each copy.
    pub copies: Vec<(u64, Vec<u8>)>,
    parts: Vec<(u64, Vec<u8>)>,
}

impl<'a> ModuleCode<'a> {
    pub fn new(file: &'a File, segments: &'a [Segment], list: &FunctionList) -> ModuleCode<'a> {
        let codes = list.functions.iter().flat_map(|function| &function.codes);
        ModuleCode {
            file,
            segments,
            starts: codes.map(|code| code.start).collect(),
            is_described: !list.may_be_inlined,
            is_go: list.is_go,
        }
    }

    /// None: it cannot be read.
    pub fn of(&self, function: &ListedFunction) -> Option<OwnCode> {
        let read = |start: u64, end: u64| Some((start, self.bytes(start, end)?));
        let copies = function
            .codes
            .iter()
            .map(|FunctionCode { start, end }| read(*start, *end));
        let parts = function.parts.iter().map(|(start, end)| read(*start, *end));
        Some(OwnCode {
            copies: copies.collect::<Option<_>>()?,
            parts: parts.collect::<Option<_>>()?,
        })
    }

    pub fn offset_of(&self, vaddr: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let at = vaddr.checked_sub(segment.vaddr)?;
            (at < segment.size).then(|| segment.file_offset.wrapping_add(at))
        })
    }

    /// Whether a function begins there, of this module or, by way of a stub that the linker has made, of another one.
    pub fn is_function(&self, vaddr: u64) -> bool {
        self.starts.contains(&vaddr)
            || (self.bytes(vaddr, vaddr.saturating_add(STUB_BYTES)))
                .is_some_and(|bytes| is_stub(&bytes))
    }

    fn bytes(&self, start: u64, end: u64) -> Option<Vec<u8>> {
        let length = end.checked_sub(start)?;
        self.offset_of(end.checked_sub(1)?)?;
        let offset = self.offset_of(start).filter(|_| length <= CODE_BYTES_MAX)?;
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }
}

impl OwnCode {
    pub fn parts(&self) -> Vec<Code<'_>> {
        (self.parts.iter())
            .map(|(start, bytes)| Code {
                start: *start,
                bytes,
            })
            .collect()
    }
}

/// `endbr64` if any, then `jmp *disp(%rip)`, with the prefix `bnd` if any.
fn is_stub(bytes: &[u8]) -> bool {
    let rest = bytes
        .strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa])
        .unwrap_or(bytes);
    let rest = rest.strip_prefix(&[0xf2]).unwrap_or(rest);
    rest.starts_with(&[0xff, 0x25])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_the_procedure_linkage_table_is_a_jump_through_a_slot() {
        assert!(is_stub(&[0xff, 0x25, 1, 2, 3, 4, 0x68]));
        assert!(is_stub(&[
            0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 2, 3, 4
        ]));
        assert!(!is_stub(&[0xff, 0xe0]) && !is_stub(&[0x55, 0xff, 0x25]) && !is_stub(&[]));
    }
}
