//! gcc's epilogue of a function that has realigned its stack: `leave` (or `pop %rbp`) gives rbp back, but the call frame
//! information says until the end that it is still saved where rbp points to. Two instructions of every call would lose
//! a caller that is found by rbp.

use object::{Object, ObjectSection};
use records::layout::FpKind;

use crate::machine::Elf;
use crate::spans::{Span, Spans};
use crate::x86_64::RBP;

const LEAVE: u8 = 0xc9;
const POP_RBP: u8 = 0x5d;
const POP: std::ops::RangeInclusive<u8> = 0x58..=0x5f;
const REX_B: u8 = 0x41; // before a pop of r8 to r15

/// Splits the rows of such epilogues where rbp has its old value again.
pub(crate) fn correct_epilogues(file: &Elf<'_>, mut spans: Spans) -> Spans {
    if !spans.iter_mut().any(|s| is_realigned(s)) {
        return spans;
    }
    let sections: Vec<_> = file
        .sections()
        .filter(|s| s.kind() == object::SectionKind::Text)
        .filter_map(|s| Some((s.address(), s.data().ok()?)))
        .collect();
    let code_at = |vaddr: u64| {
        sections.iter().find_map(|(start, bytes)| {
            bytes.get(usize::try_from(vaddr.checked_sub(*start)?).ok()?..)
        })
    };
    let mut restored_until = None;
    let mut rest = Vec::new();
    for span in spans.iter_mut() {
        if !is_realigned(span) {
            restored_until = None;
        } else if restored_until == Some(span.start) {
            span.rule.fp = FpKind::Same;
            span.rule.fp_offset = 0;
            restored_until = Some(span.end);
        } else if let Some(length) = code_at(span.start).and_then(bytes_until_rbp_is_restored) {
            restored_until = Some(span.end);
            let split_at = span.start.saturating_add(length);
            if split_at < span.end {
                let mut after = *span;
                after.start = split_at;
                (after.rule.fp, after.rule.fp_offset) = (FpKind::Same, 0);
                rest.push(after);
                span.end = split_at;
            }
        }
    }
    spans.over(Spans::new(rest))
}

/// rbp was saved where rbp points to, and is no longer what the CFA is computed from.
fn is_realigned(span: &Span) -> bool {
    span.rule.fp == FpKind::AtFp && u16::from(span.rule.register) != RBP
}

/// Length of the instructions that only pop registers, up to and with the one that pops rbp.
fn bytes_until_rbp_is_restored(code: &[u8]) -> Option<u64> {
    let mut at = 0;
    loop {
        match *code.get(at)? {
            LEAVE | POP_RBP => return Some(at as u64 + 1),
            REX_B if POP.contains(code.get(at + 1)?) => at += 2,
            byte if POP.contains(&byte) => at += 1,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_are_followed_until_rbp_is_back() {
        assert_eq!(bytes_until_rbp_is_restored(&[0xc9, 0x49]), Some(1));
        let pops = [0x41, 0x5c, 0x5b, 0x5d, 0xc3]; // pop %r12; pop %rbx; pop %rbp; ret
        assert_eq!(bytes_until_rbp_is_restored(&pops), Some(4));
        for code in [&[][..], &[0x41], &[0x5b], &[0x48, 0x89, 0xe5]] {
            assert_eq!(bytes_until_rbp_is_restored(code), None);
        }
    }
}
