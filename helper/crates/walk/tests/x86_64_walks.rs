//! Walks over recorded x86-64 registers: callers that are in registers, and where a thread begins.

use records::{Rule, RuleKind, StackEnd};
use walk::Piece;
use walk::x86_64::{Registers, SP, Walker};

#[path = "support/one_page.rs"]
mod one_page;
use one_page::{CODE, one_page};

const OUTER: u64 = CODE + 0x100;
const STACK: u64 = 0x7ff0_0000_0000;
const OTHER_STACK: u64 = 0xc000_0000;
/// DWARF numbers.
const RAX: usize = 0;
const RDX: usize = 1;
const FP: usize = 6;
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
        let walked = walker.walk(&registers, stack, &mappings, &tables);
        (walked.frames.to_vec(), walked.end)
    };
    let whole = (vec![CODE + 8, OUTER + 3], StackEnd::Root);
    assert_eq!(walked(&[here, there]), whole);
    let leaf = (vec![CODE + 8], StackEnd::Unreadable);
    assert_eq!(walked(&[here]), leaf);
}
