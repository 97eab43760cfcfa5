//! The stubs through which functions of other files are called. GNU ld describes those of x86-64, lld and linkers for
//! aarch64 describe none.

use object::elf::SHF_EXECINSTR;
use object::{Object, ObjectSection, SectionFlags};
use records::{Rule, RuleKind};

use crate::machine::Elf;
use crate::spans::{Span, Spans};
use crate::x86_64::at_rsp;
use crate::{Machine, aarch64};

const X86_64_ENTRY_BYTES: u64 = 16;
const AARCH64_HEADER_BYTES: u64 = 32;

pub(crate) fn plt_spans(file: &Elf<'_>, machine: Machine) -> Spans {
    let mut spans = Vec::new();
    for section in file.sections() {
        let is_code = matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(SHF_EXECINSTR));
        let (Ok(name), true) = (section.name_bytes(), is_code) else {
            continue;
        };
        let (start, size) = (section.address(), section.size());
        let Some(end) = start.checked_add(size).filter(|end| start < *end) else {
            continue;
        };
        let code = section.data().unwrap_or_default();
        match (name, machine) {
            (b".plt", Machine::X86_64) => spans.extend(lazy_x86_64(start, end, code)),
            (b".plt" | b".iplt", Machine::Aarch64) => spans.extend(lazy_aarch64(start, end, code)),
            (b".plt.sec" | b".plt.got" | b".iplt", Machine::X86_64) => {
                spans.push(span(start, end, at_rsp(8)));
            }
            _ => {}
        }
    }
    Spans::new(spans)
}

fn span(start: u64, end: u64, rule: Rule) -> Span {
    Span { start, end, rule }
}

/// The header pushes a word and jumps; it is jumped to by the entries, which have pushed one themselves.
fn lazy_x86_64(start: u64, end: u64, code: &[u8]) -> Vec<Span> {
    const PUSH_GOT: [u8; 2] = [0xff, 0x35]; // push GOT+8(%rip), 6 bytes
    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    if !code.starts_with(&PUSH_GOT) || end - start < 2 * X86_64_ENTRY_BYTES {
        return vec![span(start, end, at_rsp(8))];
    }
    let entries = start + X86_64_ENTRY_BYTES;
    let has_endbr = code
        .get(X86_64_ENTRY_BYTES as usize..)
        .is_some_and(|c| c.starts_with(&ENDBR64));
    // endbr64 (4), push (5) | jmp *GOT (6), push (5)
    let pushed_at = if has_endbr { 9 } else { 11 };
    let entry_rule = Rule {
        kind: RuleKind::Plt,
        extra: pushed_at,
        ..at_rsp(8)
    };
    vec![
        span(start, start + 6, at_rsp(16)),
        span(start + 6, entries, at_rsp(24)),
        span(entries, end, entry_rule),
    ]
}

/// The header stores the return address beside the place of the function's address; it is jumped to by the entries,
/// which leave the stack as it is.
fn lazy_aarch64(start: u64, end: u64, code: &[u8]) -> Vec<Span> {
    const STORE_LINK: [u8; 4] = [0xf0, 0x7b, 0xbf, 0xa9]; // stp x16, x30, [sp, #-16]!
    let mut instructions = code.as_chunks().0.iter().take(2); // it may come after a bti
    match instructions.position(|i| *i == STORE_LINK) {
        Some(at) if end - start >= AARCH64_HEADER_BYTES => {
            let stored = start + 4 * (at as u64 + 1);
            let entries = start + AARCH64_HEADER_BYTES;
            vec![
                span(start, stored, aarch64::ENTERED),
                span(stored, entries, aarch64::stored_link(16)),
                span(entries, end, aarch64::ENTERED),
            ]
        }
        _ => vec![span(start, end, aarch64::ENTERED)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aarch64_header_has_the_return_address_on_the_stack_also_behind_a_bti() {
        const BTI: u32 = 0xd503_245f;
        const STORE: u32 = 0xa9bf_7bf0; // stp x16, x30, [sp, #-16]!
        const OTHER: u32 = 0xf000_01f0;
        for (header, stored_at) in [([STORE, OTHER, OTHER], 0x104), ([BTI, STORE, OTHER], 0x108)] {
            let code = header.map(u32::to_le_bytes).concat();
            let wanted = vec![
                span(0x100, stored_at, aarch64::ENTERED),
                span(stored_at, 0x120, aarch64::stored_link(16)),
                span(0x120, 0x140, aarch64::ENTERED),
            ];
            assert_eq!(lazy_aarch64(0x100, 0x140, &code), wanted);
        }
        let without_header = [OTHER; 4].map(u32::to_le_bytes).concat();
        let wanted = vec![span(0x100, 0x110, aarch64::ENTERED)];
        assert_eq!(lazy_aarch64(0x100, 0x110, &without_header), wanted);
    }
}
