//! Walks over recorded aarch64 registers and stack words: where the return address may be, and how a walk ends.

use records::layout::{FpKind, SavedSlots};
use records::{Rule, RuleKind, StackEnd};
use unwind::aarch64::{CALL_IS_INJECTED, RETURN_AT_CFA, RETURN_IN_LINK, RETURN_IS_SIGNED};
use walk::aarch64::{FP, LINK, Registers, SP, Walker};

use crate::one_page::{CODE, one_page};

const STACK: u64 = 0x5500_0000_0000;

/// Where the functions of these tests begin; each has one rule, or none.
const LEAF: u64 = CODE + 0x100;
const MIDDLE: u64 = CODE + 0x200;
const OUTER: u64 = CODE + 0x300;
/// It undefines the return address.
const START: u64 = CODE + 0x400;
const BARE: u64 = CODE + 0x500;

fn by_sp(cfa_offset: i32, saved: u8, extra: i32) -> Rule {
    Rule {
        register: SP as u8,
        cfa_offset,
        saved: SavedSlots::from_byte(saved),
        extra,
        ..Rule::of_kind(RuleKind::Register)
    }
}

/// gcc's ordinary frame: x29 and x30 are its lowest two words.
fn with_record(size: i32) -> Rule {
    Rule {
        fp: FpKind::AtCfa,
        fp_offset: -size,
        ..by_sp(size, RETURN_AT_CFA, 8 - size)
    }
}

fn registers<const N: usize>(ip: u64, set: [(usize, u64); N]) -> Registers {
    let mut general = [0x1111; 32];
    general[SP] = STACK;
    for (number, value) in set {
        general[number] = value;
    }
    Registers {
        general,
        ip,
        is_exact: true,
    }
}

/// Walks with rules at these functions, ascending, over a stack of these words.
fn walked(rules: &[(u64, Rule)], registers: &Registers, stack: &[u64]) -> (Vec<u64>, StackEnd) {
    walked_with_code(rules, registers, stack, |_| None)
}

/// `code` gives the eight bytes at an address. Not known: any address may be returned to.
fn walked_with_code(
    rules: &[(u64, Rule)],
    registers: &Registers,
    stack: &[u64],
    code: impl Fn(u64) -> Option<u64>,
) -> (Vec<u64>, StackEnd) {
    let mut rules = rules.to_vec();
    rules.push((START, Rule::of_kind(RuleKind::End)));
    rules.push((BARE, Rule::of_kind(RuleKind::None)));
    let (mappings, tables) = one_page(&rules);
    let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_le_bytes()).collect();
    let read = |address: u64, to: &mut [u8]| {
        let found = match code(address) {
            Some(word) if to.len() == 8 => word.to_le_bytes().to_vec(),
            _ => {
                let from = address.wrapping_sub(STACK) as usize;
                let found = bytes.get(from..from.saturating_add(to.len()));
                found.unwrap_or_default().to_vec()
            }
        };
        let is_known = found.len() == to.len();
        if is_known {
            to.copy_from_slice(&found);
        }
        is_known
    };
    let mut walker = Walker::default();
    let walked = walker.walk_memory(registers, read, &mappings, &tables);
    (walked.frames.to_vec(), walked.end)
}

#[test]
fn a_leaf_returns_by_its_link_register_and_its_caller_by_the_stack() {
    let rules = [
        (LEAF, by_sp(0, RETURN_IN_LINK, 0)),
        (MIDDLE, by_sp(32, RETURN_AT_CFA, -32)),
    ];
    let leaf = registers(LEAF, [(LINK, MIDDLE + 8)]);
    let stack = [START + 4, 0, 0, 0];
    let wanted = vec![LEAF, MIDDLE + 7, START + 3];
    assert_eq!(walked(&rules, &leaf, &stack), (wanted, StackEnd::Root));
}

#[test]
fn a_new_thread_has_no_caller_where_the_one_that_made_it_has() {
    let clone = Rule {
        kind: RuleKind::Clone,
        ..by_sp(0, RETURN_IN_LINK, 0)
    };
    let walked = |result| {
        let made = registers(LEAF, [(0, result), (LINK, START + 8)]);
        walked(&[(LEAF, clone)], &made, &[])
    };
    assert_eq!(walked(4711), (vec![LEAF, START + 7], StackEnd::Root));
    assert_eq!(walked(0), (vec![LEAF], StackEnd::Root));
}

#[test]
fn what_was_interrupted_goes_on_with_its_own_link_register() {
    let injected = by_sp(32, RETURN_AT_CFA | CALL_IS_INJECTED, -32);
    let link = by_sp(0, RETURN_IN_LINK, 0);
    let handler = registers(LEAF, []);
    // A leaf, at its first instruction: what is before it has another rule.
    let of_leaf = [
        (LEAF, injected),
        (MIDDLE, link),
        (OUTER, by_sp(16, RETURN_AT_CFA, -16)),
    ];
    let stack = [MIDDLE, 0, 0, 0, OUTER + 8, 0, START + 4, 0];
    let wanted = vec![LEAF, MIDDLE, OUTER + 7, START + 3];
    assert_eq!(walked(&of_leaf, &handler, &stack), (wanted, StackEnd::Root));
    let of_framed = [(LEAF, injected), (MIDDLE, by_sp(16, RETURN_AT_CFA, -16))];
    let stack = [MIDDLE + 8, 0, 0, 0, 0x1111, 0, START + 4, 0];
    let wanted = vec![LEAF, MIDDLE + 8, START + 3];
    assert_eq!(
        walked(&of_framed, &handler, &stack),
        (wanted, StackEnd::Root)
    );
}

#[test]
fn the_frame_pointer_is_found_again_for_a_caller_whose_frame_it_measures() {
    let outer = Rule {
        register: FP as u8,
        ..with_record(16)
    };
    let rules = [(MIDDLE, with_record(32)), (OUTER, outer)];
    let middle = registers(MIDDLE, [(FP, STACK)]);
    let record = STACK + 6 * 8;
    let stack = [record, OUTER + 4, 0, 0, 0, 0, 0, START + 4];
    let wanted = vec![MIDDLE, OUTER + 3, START + 3];
    assert_eq!(walked(&rules, &middle, &stack), (wanted, StackEnd::Root));
}

#[test]
fn a_signed_return_address_is_used_without_its_signature() {
    const SIGNATURE: u64 = 0x002a << 48;
    let signed_link = by_sp(0, RETURN_IN_LINK | RETURN_IS_SIGNED, 0);
    let signed_record = Rule {
        saved: SavedSlots::from_byte(RETURN_AT_CFA | RETURN_IS_SIGNED),
        ..with_record(16)
    };
    let rules = [(LEAF, signed_link), (MIDDLE, signed_record)];
    let leaf = registers(LEAF, [(LINK, (MIDDLE + 8) | SIGNATURE)]);
    let stack = [0, (START + 4) | SIGNATURE];
    let wanted = vec![LEAF, MIDDLE + 7, START + 3];
    assert_eq!(walked(&rules, &leaf, &stack), (wanted, StackEnd::Root));
    let unsigned = [(LEAF, by_sp(0, RETURN_IN_LINK, 0))];
    let wanted = vec![LEAF, (MIDDLE + 7) | SIGNATURE];
    assert_eq!(
        walked(&unsigned, &leaf, &stack),
        (wanted, StackEnd::NoMapping)
    );
}

#[test]
fn code_without_rows_is_left_by_frame_records_signed_or_not() {
    let leaf = registers(BARE, [(FP, STACK + 16)]);
    let signature = 0x7f << 48;
    let stack = [9, 9, STACK + 48, (BARE + 8) | signature, 9, 9, 0, BARE + 16];
    let wanted = vec![BARE, BARE + 7, BARE + 15];
    assert_eq!(walked(&[], &leaf, &stack), (wanted, StackEnd::Root));
}

#[test]
fn a_frame_record_must_return_to_a_call() {
    let leaf = registers(BARE, [(FP, STACK)]);
    let stack = [0, BARE + 8];
    let calls = [
        0x9400_0001, // bl
        0x97ff_ffff,
        0xd63f_0100, // blr x8
        0xd63f_093f, // blraaz x9
        0xd63f_0d3f, // blrabz x9
        0xd73f_0904, // blraa x8, x4
        0xd73f_0d04, // blrab x8, x4
    ];
    let others = [0x1400_0001, 0xd61f_0100, 0xd65f_03c0, 0xd503_201f]; // b, br, ret, nop
    for call in calls {
        let code = |at| (at == BARE).then_some(call << 32);
        let (frames, _) = walked_with_code(&[], &leaf, &stack, code);
        assert_eq!(frames, [BARE, BARE + 7], "{call:x}");
    }
    for other in others {
        let code = |at| (at == BARE).then_some(other << 32 | 0x9400_0001);
        let end = walked_with_code(&[], &leaf, &stack, code);
        assert_eq!(end, (vec![BARE], StackEnd::NoRule), "{other:x}");
    }
}

#[test]
fn after_code_without_rows_the_callers_own_record_tells_where_its_frame_ends() {
    let leaf = registers(BARE, [(FP, STACK)]);
    // bare's record, room of an unknown size, middle's record and its 16 bytes more
    let record = STACK + 5 * 8;
    let stack = [
        record,
        MIDDLE + 4,
        9,
        9,
        9,
        0,
        OUTER + 4,
        9,
        9,
        START + 4,
        9,
    ];
    let rules = [
        (MIDDLE, with_record(32)),
        (OUTER, by_sp(16, RETURN_AT_CFA, -16)),
    ];
    let wanted = vec![BARE, MIDDLE + 3, OUTER + 3, START + 3];
    assert_eq!(walked(&rules, &leaf, &stack), (wanted, StackEnd::Root));

    let without_record = [(MIDDLE, by_sp(32, RETURN_AT_CFA, -24))];
    let wanted = vec![BARE, MIDDLE + 3];
    assert_eq!(
        walked(&without_record, &leaf, &stack),
        (wanted, StackEnd::NoRule)
    );
}

#[test]
fn a_signal_frame_gives_all_registers_of_the_interrupted_leaf() {
    const REGISTERS_AT: usize = (128 + 176 + 8) / 8;
    let rules = [
        (LEAF, by_sp(0, RETURN_IN_LINK, 0)),
        (MIDDLE, with_record(16)),
        (OUTER - 1, Rule::of_kind(RuleKind::Signal)),
    ];
    let handler = registers(LEAF + 4, [(LINK, OUTER)]);
    let mut stack = vec![9; REGISTERS_AT + 40];
    let interrupted = REGISTERS_AT + 36;
    stack[REGISTERS_AT + LINK] = MIDDLE + 8;
    stack[REGISTERS_AT + FP] = STACK + 8 * interrupted as u64;
    stack[REGISTERS_AT + SP] = STACK + 8 * interrupted as u64;
    stack[REGISTERS_AT + 32] = LEAF;
    (stack[interrupted], stack[interrupted + 1]) = (0, START + 4);
    let wanted = vec![LEAF + 4, OUTER - 1, LEAF, MIDDLE + 7, START + 3];
    assert_eq!(walked(&rules, &handler, &stack), (wanted, StackEnd::Root));
}

#[test]
fn the_link_register_of_a_caller_is_not_known() {
    let rules = [
        (LEAF, by_sp(0, RETURN_IN_LINK, 0)),
        (MIDDLE, by_sp(16, RETURN_IN_LINK, 0)),
    ];
    let leaf = registers(LEAF, [(LINK, MIDDLE + 8)]);
    let wanted = vec![LEAF, MIDDLE + 7];
    assert_eq!(walked(&rules, &leaf, &[9; 8]), (wanted, StackEnd::NoRule));
}

#[test]
fn a_caller_takes_room_on_the_stack() {
    let rules = [
        (MIDDLE, with_record(16)),
        (OUTER, by_sp(0, RETURN_AT_CFA, -8)),
    ];
    let middle = registers(MIDDLE, [(FP, STACK)]);
    let wanted = vec![MIDDLE, OUTER + 3];
    assert_eq!(
        walked(&rules, &middle, &[0, OUTER + 4, 9, 9]),
        (wanted, StackEnd::Broken)
    );
}
