//! The stubs through which a module calls functions of others: `memcpy@plt`, as binutils names them.
//!
//! A stub is an indirect jump through a slot of the global offset table, and a relocation says which function the slot is
//! for. Found by the instructions themselves, so any layout does (`.plt`, `.plt.sec`, `.plt.got`; GNU ld, gold, lld).

use std::ops::Range;

use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget,
};
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

/// Where a stub lies, and the slot that it jumps through.
type Jump = (Range<u64>, u64);

/// The stubs of `file` that lie at one of `asked` (sorted).
pub(crate) fn stubs(file: &object::File<'_>, asked: &[u64]) -> Vec<PltStub> {
    let jumps: fn(&[u8], u64, u64) -> Vec<Jump> = match file.architecture() {
        Architecture::X86_64 => x86_64_jumps,
        Architecture::Aarch64 => aarch64_jumps,
        _ => return Vec::new(),
    };
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
        stubs.extend(
            (jumps(code, start, section.align()).into_iter()).filter_map(|(range, slot)| {
                Some(PltStub {
                    start: range.start,
                    end: range.end,
                    name: format!("{}@plt", names.get(&slot)?),
                })
            }),
        );
    }
    stubs
}

/// Of equal size, that of the section's alignment.
fn x86_64_jumps(code: &[u8], start: u64, align: u64) -> Vec<Jump> {
    let bytes = if align == 8 { 8 } else { 16 };
    (code.chunks_exact(bytes).take(STUBS_MAX))
        .zip((start..).step_by(bytes))
        .filter_map(|(stub, at)| Some((at..at + bytes as u64, jump_slot(stub, at)?)))
        .collect()
}

/// The slot that the stub at `address` jumps through: `ff 25 disp32`, `jmp *disp32(%rip)`.
fn jump_slot(stub: &[u8], address: u64) -> Option<u64> {
    let at = stub.windows(2).position(|bytes| bytes == [0xff, 0x25])?;
    let displacement = stub.get(at + 2..at + 6)?.try_into().ok()?;
    let after = address.checked_add(at as u64 + 6)?;
    after.checked_add_signed(i64::from(i32::from_le_bytes(displacement)))
}

const BTI_C: u32 = 0xd503_245f;

/// `adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset; br x17` (AAELF64, "PLT sequences"), after a `bti c`
/// where branches are protected.
fn aarch64_jumps(code: &[u8], start: u64, _align: u64) -> Vec<Jump> {
    let words: Vec<u32> = (code.as_chunks().0.iter())
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    let jump = |index: usize| {
        let &[adrp, ldr, ..] = words.get(index..index + 4)? else {
            return None;
        };
        if adrp & 0x9f00_001f != 0x9000_0010 || ldr & 0xffc0_03ff != 0xf940_0211 {
            return None;
        }
        let at = start.checked_add(4 * index as u64)?;
        let pages = ((adrp >> 5 & 0x7_ffff) << 2 | adrp >> 29 & 3) << 11;
        let page = (at & !0xfff).checked_add_signed(i64::from(pages as i32 >> 11) << 12)?;
        let slot = page.checked_add(u64::from(ldr >> 10 & 0xfff) << 3)?;
        let is_protected = index > 0 && words[index - 1] == BTI_C;
        Some((at - 4 * u64::from(is_protected)..at + 16, slot))
    };
    (0..words.len()).filter_map(jump).take(STUBS_MAX).collect()
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
    use super::*;

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

    #[test]
    fn stubs_of_aarch64_are_found_with_and_without_protected_branches() {
        // bti c; adrp x16, 0x1f000; ldr x17, [x16, #0xfa8]; add x16, x16, #0xfa8; br x17; nop
        let stub = [
            BTI_C,
            0xb000_00f0,
            0xf947_d611,
            0x913e_a210,
            0xd61f_0220,
            0xd503_201f,
        ];
        let bytes: Vec<u8> = stub.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = vec![(0x2000..0x2014, 0x1f_fa8)];
        assert_eq!(aarch64_jumps(&bytes, 0x2000, 16), expected);
        let expected = vec![(0x2000..0x2010, 0x1f_fa8)];
        assert_eq!(aarch64_jumps(&bytes[4..], 0x2000, 16), expected);
        assert_eq!(aarch64_jumps(&bytes[..12], 0x2000, 16), []);
        assert_eq!(aarch64_jumps(&bytes, u64::MAX - 3, 16), []);
    }
}
