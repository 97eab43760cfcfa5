//! `_init`, `_fini` and what `_init` calls, on aarch64 (crti.o): the only code around a program's own that has no call
//! frame information there. It keeps its return address in the link register or in a frame record.

use object::{Object, ObjectSection};
use records::Rule;
use records::layout::FpKind;

use crate::aarch64::{ENTERED, stored_link};
use crate::machine::Elf;
use crate::spans::{Span, Spans};

pub(crate) fn start_up_spans(file: &Elf<'_>) -> Spans {
    let mut spans = Vec::new();
    for section in [".init", ".fini"] {
        if let Some(section) = file.section_by_name(section) {
            let code = section.data().unwrap_or_default();
            spans.extend(spans_by_records(section.address(), code));
        }
    }
    spans.extend(called_by_init(file));
    Spans::new(spans)
}

/// `call_weak_fn`: it jumps to a function that may be missing, or returns.
fn called_by_init(file: &Elf<'_>) -> Option<Span> {
    const INSTRUCTIONS_MAX: usize = 8;
    let init = file.section_by_name(".init")?;
    let (at, distance) = (0..)
        .zip(instructions(init.data().ok()?))
        .find_map(|(at, i)| {
            let Instruction::Call(distance) = i else {
                return None;
            };
            Some((4 * at, distance))
        })?;
    let start = init
        .address()
        .checked_add(at)?
        .checked_add_signed(distance)?;
    let text = file.section_by_name(".text")?;
    let offset = usize::try_from(start.checked_sub(text.address())?).ok()?;
    let mut code = instructions(text.data().ok()?.get(offset..)?).take(INSTRUCTIONS_MAX);
    let returns_at = code.position(|i| matches!(i, Instruction::Return))?;
    Some(Span {
        start,
        end: start.checked_add(4 * (returns_at as u64 + 1))?,
        rule: ENTERED,
    })
}

enum Instruction {
    /// stp x29, x30, [sp, #-size]!
    Push(i32),
    /// ldp x29, x30, [sp], #size
    Pop,
    /// bl, by so many bytes from itself
    Call(i64),
    Return,
    Other,
}

fn instructions(code: &[u8]) -> impl Iterator<Item = Instruction> {
    let words = code.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w));
    words.map(|word| match word {
        0xd65f_03c0 => Instruction::Return,
        0x9400_0000..=0x97ff_ffff => Instruction::Call(i64::from((word << 6) as i32 >> 4)),
        // The size: seven bits from bit 15 on, signed, in units of 8 bytes.
        _ if word & 0xffc0_7fff == 0xa980_7bfd => {
            Instruction::Push(-((word << 10) as i32 >> 25) * 8)
        }
        _ if word & 0xffc0_7fff == 0xa8c0_7bfd => Instruction::Pop,
        _ => Instruction::Other,
    })
}

/// Code that pushes no more than one frame record at a time.
fn spans_by_records(start: u64, code: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut from, mut rule) = (start, ENTERED);
    for (at, instruction) in (1..).zip(instructions(code)) {
        let after = match instruction {
            Instruction::Push(size) => with_record(size),
            Instruction::Pop => ENTERED,
            _ => rule,
        };
        let end = start.saturating_add(4 * at);
        if after != rule {
            spans.push(Span {
                start: from,
                end,
                rule,
            });
            (from, rule) = (end, after);
        }
    }
    spans.push(Span {
        start: from,
        end: start.saturating_add(code.len() as u64),
        rule,
    });
    spans
}

/// The record is at sp, `size` bytes from the CFA.
fn with_record(size: i32) -> Rule {
    Rule {
        fp: FpKind::AtCfa,
        fp_offset: -size,
        extra: 8 - size,
        ..stored_link(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_record_is_followed_from_push_to_pop() {
        // nop; stp x29, x30, [sp, #-32]!; mov x29, sp; ldp x29, x30, [sp], #32; ret
        let code = [
            0xd503_201f,
            0xa9be_7bfd,
            0x9100_03fd,
            0xa8c2_7bfd,
            0xd65f_03c0_u32,
        ];
        let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let span = |start, end, rule| Span { start, end, rule };
        let recorded = Rule {
            fp: FpKind::AtCfa,
            fp_offset: -32,
            extra: -24,
            ..stored_link(32)
        };
        let wanted = [
            span(0x100, 0x108, ENTERED),
            span(0x108, 0x110, recorded),
            span(0x110, 0x114, ENTERED),
        ];
        assert_eq!(spans_by_records(0x100, &code), wanted);
    }

    #[test]
    fn the_distance_of_a_call_has_a_sign() {
        let calls = [0x9400_007c_u32, 0x97ff_ff99]
            .map(u32::to_le_bytes)
            .concat();
        let distances: Vec<i64> = instructions(&calls)
            .filter_map(|i| match i {
                Instruction::Call(distance) => Some(distance),
                _ => None,
            })
            .collect();
        assert_eq!(distances, [0x1f0, -0x19c]);
    }
}
