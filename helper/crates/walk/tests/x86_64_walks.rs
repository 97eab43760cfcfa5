//! Walks over recorded x86-64 registers: callers that are in registers, and where a thread begins.

use records::layout::FpKind;
use records::{Rule, RuleKind, StackEnd};
use walk::x86_64::{FP, Registers, SP, Walker};
use walk::{Piece, Stack};

use crate::one_page::{CODE, one_page};

const OUTER: u64 = CODE + 0x100;
const STACK: u64 = 0x7ff0_0000_0000;
const OTHER_STACK: u64 = 0xc000_0000;
/// DWARF numbers.
const RAX: usize = 0;
const RDX: usize = 1;
const R8: usize = 8;
const R9: usize = 9;

/// Walks from the start of the code, which has this rule, to an outermost function. The stack has a return address there
/// at its second word.
fn walked(rule: Rule, set: &[(usize, u64)]) -> (Vec<u64>, StackEnd) {
    let (mappings, tables) = one_page(&[(CODE, rule), (OUTER, Rule::of_kind(RuleKind::End))]);
    let mut general = [0x1111; 16];
    general[SP] = STACK;
    for (number, value) in set {
        general[*number] = *value;
    }
    let registers = Registers {
        general,
        ip: CODE + 8,
        is_exact: true,
    };
    let read = |address: u64, to: &mut [u8]| {
        let value: u64 = if address == STACK + 8 { OUTER + 4 } else { 0 };
        to.len() == 8 && {
            to.copy_from_slice(&value.to_le_bytes());
            true
        }
    };
    let mut walker = Walker::default();
    let walked = walker.walk_memory(&registers, read, &mappings, &tables);
    (walked.frames.to_vec(), walked.end)
}

#[test]
fn longjmp_leads_to_the_call_of_setjmp() {
    let longjmp = Rule {
        register: R8 as u8,
        fp_offset: R9 as i32,
        extra: RDX as i32,
        ..Rule::of_kind(RuleKind::CallerInRegisters)
    };
    let set = [(RDX, OUTER + 4), (R8, STACK + 64), (R9, STACK + 80)];
    let wanted = vec![CODE + 8, OUTER + 3];
    assert_eq!(walked(longjmp, &set), (wanted, StackEnd::Root));
    let odd = [(RDX, OUTER + 4), (R8, STACK + 65), (R9, 0)];
    assert_eq!(walked(longjmp, &odd), (vec![CODE + 8], StackEnd::Broken));
}

#[test]
fn a_new_thread_has_no_caller_where_the_one_that_made_it_has() {
    let clone = Rule {
        register: SP as u8,
        cfa_offset: 16,
        extra: RAX as i32,
        ..Rule::of_kind(RuleKind::Clone)
    };
    let made = walked(clone, &[(RAX, 4711)]);
    assert_eq!(made, (vec![CODE + 8, OUTER + 3], StackEnd::Root));
    assert_eq!(walked(clone, &[(RAX, 0)]), (vec![CODE + 8], StackEnd::Root));
}

#[test]
fn the_caller_of_a_stack_is_found_in_another_piece() {
    let by_frame_pointer = Rule {
        register: FP as u8,
        cfa_offset: 16,
        ..Rule::of_kind(RuleKind::OtherStack)
    };
    let outermost = Rule::of_kind(RuleKind::End);
    let (mappings, tables) = one_page(&[(CODE, by_frame_pointer), (OUTER, outermost)]);
    let mut general = [0; 16];
    (general[SP], general[FP]) = (STACK, OTHER_STACK);
    let registers = Registers {
        general,
        ip: CODE + 8,
        is_exact: true,
    };
    let frame = [0, OUTER + 4].map(u64::to_le_bytes).concat();
    let here = Piece {
        start: STACK,
        bytes: &[0; 64],
    };
    let there = Piece {
        start: OTHER_STACK,
        bytes: &frame,
    };
    let mut walker = Walker::default();
    let mut walked = |stack: &[Piece<'_>]| {
        let walked = walker.walk(&registers, Stack::of(stack), &mappings, &tables);
        (walked.frames.to_vec(), walked.end)
    };
    let whole = (vec![CODE + 8, OUTER + 3], StackEnd::Root);
    assert_eq!(walked(&[here, there]), whole);
    let leaf = (vec![CODE + 8], StackEnd::Unreadable);
    assert_eq!(walked(&[here]), leaf);
}

/// The runtime's function, called by the one that changes to the runtime's stack, both with frame pointers; then what the
/// goroutine runs, and its start.
#[test]
fn where_the_other_stack_is_not_here_the_kernels_chain_leads_on() {
    let by_frame_pointer = |kind| Rule {
        register: FP as u8,
        cfa_offset: 16,
        fp: FpKind::AtCfa,
        fp_offset: -16,
        ..Rule::of_kind(kind)
    };
    let (inner, switching) = (CODE, CODE + 0x80);
    let (mappings, tables) = one_page(&[
        (inner, by_frame_pointer(RuleKind::Register)),
        (switching, by_frame_pointer(RuleKind::OtherStack)),
        (OUTER, by_frame_pointer(RuleKind::Register)),
        (OUTER + 0x80, Rule::of_kind(RuleKind::End)),
    ]);
    let mut general = [0; 16];
    (general[SP], general[FP]) = (STACK, STACK + 16);
    let leaf = |ip| Registers {
        general,
        ip,
        is_exact: true,
    };
    let bytes = [0, 0, OTHER_STACK, switching + 4].map(u64::to_le_bytes);
    let pieces = [Piece {
        start: STACK,
        bytes: &bytes.concat(),
    }];
    let mut walker = Walker::default();
    let mut walked = |ip: u64, chain: &[u64]| {
        let pieces = &pieces;
        let walked = walker.walk(&leaf(ip), Stack { pieces, chain }, &mappings, &tables);
        (walked.frames.to_vec(), walked.end)
    };
    let (from, back, start) = (inner + 8, switching + 4, OUTER + 0x84);
    let found = vec![from, back - 1];
    let all = [from, back, OUTER + 4, start];
    let whole = vec![from, back - 1, OUTER + 3, start - 1];
    assert_eq!(walked(from, &all), (whole, StackEnd::Root));
    // A chain that ends early makes the stack longer, not whole.
    let longer = vec![from, back - 1, OUTER + 3];
    assert_eq!(walked(from, &all[..3]), (longer, StackEnd::Unreadable));
    // One that does not lead there, or nowhere, changes nothing.
    for chain in [&[][..], &[from], &[from, OUTER + 4, start], &all[..2]] {
        assert_eq!(walked(from, chain), (found.clone(), StackEnd::Unreadable));
    }
}
