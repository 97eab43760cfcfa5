//! The instructions from the system calls `clone` and `clone3` on in C libraries, on aarch64: they return twice, once in the
//! new thread, whose stack has no caller on it. Call frame information speaks of the parent alone.

use object::{Object, ObjectSection, SectionKind};
use records::{Rule, RuleKind};

use crate::aarch64::ENTERED;
use crate::instructions_aarch64::{Flow, INSTRUCTION_BYTES, decode};
use crate::machine::Elf;
use crate::spans::{Span, Spans};

const SYSTEM_CALL: u32 = 0xd400_0001; // svc #0
/// `mov x8, #220` and `mov x8, #435`: the numbers of clone and clone3.
const NUMBERS: [u32; 2] = [0xd280_1b88, 0xd280_3668];
/// The number is chosen so many instructions before the call, at most.
const NUMBER_BEFORE_MAX: usize = 4;
/// What the new thread does before it calls its function, at most.
const UNTIL_CALL_MAX: usize = 4;

/// Where the parent is returned to by the link register, and a new thread begins: x0 is 0 there.
const RULE: Rule = Rule {
    kind: RuleKind::Clone,
    ..ENTERED
};

pub(crate) fn clone_spans(file: &Elf<'_>) -> Spans {
    let code = file.sections().filter(|s| s.kind() == SectionKind::Text);
    let spans = code.filter_map(|section| {
        let words = section.data().ok()?.as_chunks().0;
        Some(spans_of_words(section.address(), words))
    });
    Spans::new(spans.flatten().collect())
}

fn spans_of_words(start: u64, words: &[[u8; 4]]) -> Vec<Span> {
    let calls = (0..words.len()).filter(|at| u32::from_le_bytes(words[*at]) == SYSTEM_CALL);
    let spans = calls.filter_map(|at| {
        let end = at + length_of_clone(words, at)?;
        let address = |word: usize| start.checked_add(word as u64 * INSTRUCTION_BYTES);
        Some(Span {
            start: address(at)?,
            end: address(end)?,
            rule: RULE,
        })
    });
    spans.collect()
}

/// In instructions, from the system call at `at` to where the new thread has jumped away; None: no thread begins there.
fn length_of_clone(words: &[[u8; 4]], at: usize) -> Option<usize> {
    let word = |at: usize| words.get(at).map(|bytes| u32::from_le_bytes(*bytes));
    let before = at.saturating_sub(NUMBER_BEFORE_MAX)..at;
    if !before.filter_map(word).any(|word| NUMBERS.contains(&word)) {
        return None;
    }
    let jump_at = match word(at + 1)? {
        0xf100_001f if word(at + 2)? & 0xff00_001f == 0x5400_0000 => at + 2, // cmp x0, #0; b.eq
        cbz if cbz & 0x7f00_001f == 0x3400_0000 => at + 1,                   // cbz x0 or w0
        _ => return None,
    };
    let Flow::Branch(distance) = decode(word(jump_at)?).flow else {
        return None;
    };
    let thread = jump_at.checked_add_signed(distance)?;
    // A new process goes on where its parent does; a new thread calls what it was made for.
    let mut first = (thread..thread + UNTIL_CALL_MAX).map_while(word);
    let calls = first.any(|word| decode(word).flow == Flow::Call(None));
    calls.then_some(jump_at + 1 - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLIBC: [u32; 11] = [
        0xd280_1b88, // mov x8, #220
        0xd400_0001, // svc #0
        0xf100_001f, // cmp x0, #0
        0x5400_00a0, // b.eq: five further
        0x5400_004b, // b.lt
        0xd65f_03c0, // ret
        0x1400_0000, // b
        0xd503_201f, // nop
        0xd280_001d, // mov x29, #0
        0xaa0c_03e0, // mov x0, x12
        0xd63f_0140, // blr x10
    ];
    const MUSL: [u32; 6] = [
        0xd280_1b88, // mov x8, #220
        0xd400_0001, // svc #0
        0xb400_0040, // cbz x0: two further
        0xd65f_03c0, // ret
        0xa8c1_03e1, // ldp x1, x0, [sp], #16
        0xd63f_0020, // blr x1
    ];

    fn spans(code: &[u32]) -> Vec<Span> {
        let words: Vec<[u8; 4]> = code.iter().map(|word| word.to_le_bytes()).collect();
        spans_of_words(0x1000, &words)
    }

    fn until(end: u64) -> Span {
        Span {
            start: 0x1004,
            end,
            rule: RULE,
        }
    }

    #[test]
    fn from_the_system_call_to_the_jump_of_the_new_thread() {
        assert_eq!(spans(&GLIBC), [until(0x1010)]);
        assert_eq!(spans(&MUSL), [until(0x100c)]);
        let mut clone3 = MUSL;
        clone3[0] = NUMBERS[1];
        assert_eq!(spans(&clone3), [until(0x100c)]);
    }

    #[test]
    fn other_system_calls_forks_and_shorter_code_have_none() {
        let changed = |at: usize, word| {
            let mut code = MUSL;
            code[at] = word;
            spans(&code)
        };
        assert_eq!(changed(0, 0xd280_0c68), []); // mov x8, #99
        assert_eq!(changed(2, 0xb500_0040), []); // cbnz
        assert_eq!(changed(5, 0xd65f_03c0), []); // the new process returns
        for length in 0..MUSL.len() {
            assert_eq!(spans(&MUSL[..length]), []);
        }
        for length in 0..GLIBC.len() {
            assert_eq!(spans(&GLIBC[..length]), []);
        }
    }
}
