//! The stubs through which a module calls functions of others: `memcpy@plt`, as binutils names them.
//!
//! A stub on x86-64 is an indirect jump through a slot of the global offset table, and a relocation says which function
//! the slot is for. Found by the jump itself, so any layout does (`.plt`, `.plt.sec`, `.plt.got`; GNU ld, gold, lld).

use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget};
use rustc_hash::FxHashMap;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PltStub {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: String,
}

/// A program with more is none that a linker made.
const STUBS_MAX: usize = 1 << 20;
const SECTIONS: [&str; 3] = [".plt", ".plt.sec", ".plt.got"];

/// The stubs of `file` that lie at one of `asked` (sorted).
pub(crate) fn stubs(file: &object::File<'_>, asked: &[u64]) -> Vec<PltStub> {
    if file.architecture() != object::Architecture::X86_64 {
        return Vec::new();
    }
    let mut stubs = Vec::new();
    let mut names = None;
    for section in SECTIONS
        .iter()
        .filter_map(|name| file.section_by_name(name))
    {
        let start = section.address();
        let Some(end) = start.checked_add(section.size()) else {
            continue;
        };
        let first = asked.partition_point(|vaddr| *vaddr < start);
        if asked.get(first).is_none_or(|vaddr| *vaddr >= end) {
            continue;
        }
        let Ok(code) = section.data() else { continue };
        let names = names.get_or_insert_with(|| names_by_slot(file));
        let entry_bytes = match section.align() {
            align @ (8 | 16) => align,
            _ => 16,
        };
        let entries = code.chunks_exact(entry_bytes as usize).take(STUBS_MAX);
        for (entry, at) in entries.zip((start..).step_by(entry_bytes as usize)) {
            let name = jump_slot(entry, at).and_then(|slot| names.get(&slot));
            stubs.extend(name.map(|name| PltStub {
                start: at,
                end: at + entry_bytes,
                name: format!("{name}@plt"),
            }));
        }
    }
    stubs
}

/// The slot that the stub at `address` jumps through: `ff 25 disp32`, `jmp *disp32(%rip)`.
fn jump_slot(stub: &[u8], address: u64) -> Option<u64> {
    let at = stub.windows(2).position(|bytes| bytes == [0xff, 0x25])?;
    let displacement = stub.get(at + 2..at + 6)?.try_into().ok()?;
    let after = address.checked_add(at as u64 + 6)?;
    after.checked_add_signed(i64::from(i32::from_le_bytes(displacement)))
}

fn names_by_slot<'a>(file: &object::File<'a>) -> FxHashMap<u64, &'a str> {
    let (Some(relocations), Some(symbols)) =
        (file.dynamic_relocations(), file.dynamic_symbol_table())
    else {
        return FxHashMap::default();
    };
    relocations
        .filter_map(|(slot, relocation)| {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return None;
            };
            let name = symbols.symbol_by_index(symbol).ok()?.name().ok()?;
            (!name.is_empty()).then_some((slot, name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::jump_slot;

    #[test]
    fn a_stub_names_its_slot() {
        // As in a program linked with -z ibtplt: endbr64; jmp *0x2f75(%rip); nopw
        let stub = [
            0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x75, 0x2f, 0, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0,
        ];
        assert_eq!(jump_slot(&stub, 0x1050), Some(0x1050 + 10 + 0x2f75));
        assert_eq!(jump_slot(&[0xff, 0x25, 1], 0), None);
        assert_eq!(jump_slot(&[0xff, 0x25, 0, 0, 0, 0], u64::MAX), None);
        assert_eq!(jump_slot(&[], 7), None);
    }
}
