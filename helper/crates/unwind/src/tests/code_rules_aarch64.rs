use records::layout::{FpKind, TAKEN_FROM_CODE};

use super::*;
use crate::aarch64::{RETURN_AT_CFA, RETURN_IS_SIGNED};
use crate::frame_state_aarch64::{FRAME, SP};

const START: u64 = 0x1000;

fn spans_of(code: &[u8], gap: Range<u64>) -> Vec<Span> {
    let listing = Listing::new(START, code, std::slice::from_ref(&gap));
    spans_of_listing(&listing, &Starts::default())
}

/// The rules before the instructions of a function: register, CFA, and where the link register and x29 of the caller are.
type Told = Option<(u8, i32, Option<i32>, Option<i32>)>;

fn told(words: &[u32]) -> Vec<Told> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = START + code.len() as u64;
    let spans = Spans::new(spans_of(&code, START..end));
    (0..words.len() as u64)
        .map(|index| {
            let rule = spans.at(START + 4 * index)?.rule;
            assert_eq!(rule.extra & TAKEN_FROM_CODE, TAKEN_FROM_CODE);
            let is_stored = rule.saved.byte() & RETURN_AT_CFA != 0;
            let link = is_stored.then_some(rule.extra & !TAKEN_FROM_CODE);
            let fp = (rule.fp == FpKind::AtCfa).then_some(rule.fp_offset);
            Some((rule.register, rule.cfa_offset, link, fp))
        })
        .collect()
}

const NOP: u32 = 0xd503_201f;
const RET: u32 = 0xd65f_03c0;
const CALL: u32 = 0x9400_0100; // bl, out of the code

#[test]
fn a_leaf_with_and_without_a_frame_returns_by_its_link_register() {
    // sub sp, sp, #32; nop; add sp, sp, #32; ret
    let code = [0xd100_83ff, NOP, 0x9100_83ff, RET];
    let at = |size| Some((SP, size, None, None));
    assert_eq!(told(&code), [at(0), at(32), at(32), at(0)]);
}

#[test]
fn a_frame_record_is_followed_through_both_ends_of_a_branch() {
    let code = [
        0xa9be_7bfd, // stp x29, x30, [sp, #-32]!
        0x9100_03fd, // mov x29, sp
        0xb400_0080, // cbz x0, +4
        CALL,
        0xa8c2_7bfd, // ldp x29, x30, [sp], #32
        RET,
        CALL,
        0x17ff_fffd, // b -3
    ];
    let entry = Some((SP, 0, None, None));
    let inside = Some((SP, 32, Some(-24), Some(-32)));
    let wanted = [entry, inside, inside, inside, inside, entry, inside, inside];
    assert_eq!(told(&code), wanted);
}

#[test]
fn a_link_register_that_is_stored_alone_is_found_and_one_that_a_call_has_overwritten_is_not() {
    let code = [
        0xf81f_0ffe, // str x30, [sp, #-16]!
        CALL,
        0xf841_07fe, // ldr x30, [sp], #16
        CALL,
        NOP,
        RET,
    ];
    let entry = Some((SP, 0, None, None));
    let inside = Some((SP, 16, Some(-16), None));
    assert_eq!(told(&code), [entry, inside, inside, entry, None, None]);
}

#[test]
fn a_frame_of_unknown_size_is_found_by_its_frame_pointer() {
    let code = [
        0xa9be_7bfd, // stp x29, x30, [sp, #-32]!
        0x9100_03fd, // mov x29, sp
        0xcb20_63ff, // sub sp, sp, x0
        CALL,
        0x9100_03bf, // mov sp, x29
        0xa8c2_7bfd, // ldp x29, x30, [sp], #32
        RET,
    ];
    let by_sp = Some((SP, 32, Some(-24), Some(-32)));
    let by_fp = Some((FRAME, 32, Some(-24), Some(-32)));
    let entry = Some((SP, 0, None, None));
    let wanted = [entry, by_sp, by_sp, by_fp, by_fp, by_sp, entry];
    assert_eq!(told(&code), wanted);
}

#[test]
fn a_signed_return_address_is_marked_as_long_as_it_is_signed() {
    // paciasp; str x30, [sp, #-16]!; ldr x30, [sp], #16; autiasp; ret
    let code = [0xd503_233f, 0xf81f_0ffe, 0xf841_07fe, 0xd503_23bf, RET];
    let bytes: Vec<u8> = code
        .iter()
        .flat_map(|word: &u32| word.to_le_bytes())
        .collect();
    let end = START + bytes.len() as u64;
    let spans = Spans::new(spans_of(&bytes, START..end));
    let is_signed: Vec<bool> = (0..5)
        .map(|index| spans.at(START + 4 * index).unwrap().rule.saved.byte() & RETURN_IS_SIGNED != 0)
        .collect();
    assert_eq!(is_signed, [false, true, true, true, false]);
}

#[test]
fn the_cases_of_a_switch_have_the_frame_of_its_jump() {
    // sub sp, sp, #16; br x16; then two cases: add sp, sp, #16; ret
    let code = [0xd100_43ff, 0xd61f_0200, 0x9100_43ff, RET, 0x9100_43ff, RET];
    let at = |size| Some((SP, size, None, None));
    assert_eq!(told(&code), [at(0), at(16), at(16), at(0), at(16), at(0)]);
}

#[test]
fn ways_that_disagree_leave_no_rule() {
    // cbz x0, +2; sub sp, sp, #16; nop; ret
    let code = [0xb400_0040, 0xd100_43ff, NOP, RET];
    let entry = Some((SP, 0, None, None));
    assert_eq!(told(&code), [entry, entry, None, None]);
}

#[test]
fn padding_and_what_is_known_stay_without_a_rule() {
    let code: Vec<u8> = [NOP, 0, RET]
        .iter()
        .flat_map(|w: &u32| w.to_le_bytes())
        .collect();
    let spans = spans_of(&code, START..START + 12);
    assert_eq!((spans.len(), spans[0].start), (1, START + 8));
    assert_eq!(spans_of(&code, START..START + 8), []);
    assert_eq!(spans_of(&code, START..START), []);
}

#[test]
fn a_function_that_is_only_pointed_to_is_found() {
    let code = [
        0x9000_0000, // adrp x0, this page
        0x9100_4000, // add x0, x0, #16
        RET,
        NOP,
        0xd100_43ff, // sub sp, sp, #16
        0x9100_43ff, // add sp, sp, #16
        RET,
    ];
    let at = |size| Some((SP, size, None, None));
    let wanted = [at(0), at(0), at(0), None, at(0), at(16), at(0)];
    assert_eq!(told(&code), wanted);
}
