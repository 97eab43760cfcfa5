//! The instructions behind the system calls `clone` and `clone3` in C libraries, on x86-64: they return twice, once in
//! the new thread, whose stack has no caller on it. So glibc leaves a gap in its call frame information there.

use records::{Rule, RuleKind};

use crate::code_listing::Section;
use crate::spans::{Span, Spans};
use crate::x86_64::at_rsp;

const SYSCALL_TEST_RAX: &[u8] = &[0x0f, 0x05, 0x48, 0x85, 0xc0];
const JL: u8 = 0x7c;
const JL_FAR: [u8; 2] = [0x0f, 0x8c];
const JE: u8 = 0x74;
const RET: u8 = 0xc3;

/// Where the parent is returned to, and a new thread begins: rax is 0 there.
const RULE: Rule = Rule {
    kind: RuleKind::Clone,
    ..at_rsp(8)
};

/// What `known` leaves free, if it begins with the system call.
pub(crate) fn clone_spans(code: &Section<'_>, known: &Spans) -> Vec<Span> {
    let Some(end) = code.start.checked_add(code.bytes.len() as u64) else {
        return Vec::new();
    };
    let gaps = known.gaps(code.start..end).into_iter();
    let spans = gaps.filter_map(|gap| {
        let bytes = code.bytes.get((gap.start - code.start) as usize..)?;
        let length = length_of_clone(bytes)? as u64;
        (gap.start + length <= gap.end).then_some(Span {
            start: gap.start,
            end: gap.start + length,
            rule: RULE,
        })
    });
    spans.collect()
}

/// syscall; test %rax, %rax; jl error; je thread; ret
fn length_of_clone(code: &[u8]) -> Option<usize> {
    let jump = code.strip_prefix(SYSCALL_TEST_RAX)?;
    let rest = match jump.first()? {
        &JL => jump.get(2..)?,
        _ => jump.strip_prefix(&JL_FAR)?.get(4..)?,
    };
    let is_end = matches!(rest, [JE, _, RET, ..]);
    is_end.then_some(code.len() - rest.len() + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLONE: [u8; 10] = [0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x13, 0x74, 0x01, 0xc3];

    fn code(bytes: &[u8]) -> Section<'_> {
        Section {
            bytes,
            start: 0x1000,
            is_fixed: false,
        }
    }

    fn known(start: u64, end: u64) -> Span {
        Span {
            start,
            end,
            rule: at_rsp(8),
        }
    }

    #[test]
    fn the_gap_behind_the_system_call_leads_to_the_parents_caller() {
        let mut bytes = vec![0x90; 6];
        bytes.extend(CLONE);
        bytes.extend([0x31, 0xed]);
        let around = Spans::new(vec![known(0x1000, 0x1006), known(0x1010, 0x1012)]);
        let wanted = Span {
            start: 0x1006,
            end: 0x1010,
            rule: RULE,
        };
        assert_eq!(clone_spans(&code(&bytes), &around), [wanted]);
    }

    #[test]
    fn other_gaps_and_shorter_ones_stay() {
        let around = |end| Spans::new(vec![known(end, 0x1100)]);
        assert_eq!(clone_spans(&code(&CLONE), &around(0x1009)), []);
        let mut other = CLONE;
        other[9] = 0x90;
        assert_eq!(clone_spans(&code(&other), &around(0x100a)), []);
        assert_eq!(clone_spans(&code(&CLONE[..9]), &around(0x1009)), []);
    }

    #[test]
    fn a_far_jump_to_the_error_is_known() {
        let far = [
            0x0f, 0x05, 0x48, 0x85, 0xc0, 0x0f, 0x8c, 1, 2, 3, 4, 0x74, 0x01, 0xc3, 0x31,
        ];
        assert_eq!(length_of_clone(&far), Some(14));
    }
}
