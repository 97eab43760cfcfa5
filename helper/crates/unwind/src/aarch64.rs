//! aarch64: a row of call frame information as a rule. DWARF numbers: x29 is the frame pointer, x30 the link register,
//! 31 the stack pointer, 34 the signing state of the return address. The layout is the one of x86-64, with this meaning of
//! the byte that holds the saved slots there: how to find the return address (`bpf/walk_aarch64.h`).

use records::layout::{FpKind, SavedSlots};
use records::{Rule, RuleKind};

use crate::expression::Expression;
use crate::frame_row::{Cfa, FrameRow, Location};

pub(crate) const FP: u16 = 29;
const LINK: u16 = 30;
const SP: u16 = 31;
const SIGN_STATE: u16 = 34;

/// The registers of a [`FrameRow`], in this order.
pub(crate) const WANTED: [u16; 3] = [LINK, FP, SIGN_STATE];

/// The return address is in x30: the leaf, or before it was stored.
pub const RETURN_IN_LINK: u8 = 0;
/// The return address is at CFA + extra.
pub const RETURN_AT_CFA: u8 = 1;
/// Set with either: the caller was interrupted, and its link register is at CFA, in 16 bytes that were pushed for it.
pub const CALL_IS_INJECTED: u8 = 0x40;
/// Set with either: the upper bits hold a signature (`paciasp`) and must be cleared to use the address.
pub const RETURN_IS_SIGNED: u8 = 0x80;

/// Before the first instruction of a function, and in code that leaves the stack as it is.
pub(crate) const ENTERED: Rule = Rule {
    register: SP as u8,
    ..Rule::of_kind(RuleKind::Register)
};

/// In a frame of `size` bytes with the return address at its end.
pub(crate) fn stored_link(size: i32) -> Rule {
    Rule {
        cfa_offset: size,
        saved: SavedSlots::from_byte(RETURN_AT_CFA),
        extra: -8,
        ..ENTERED
    }
}

pub(crate) fn rule_of_row(row: &FrameRow<3>) -> Rule {
    rule_or_none(row).unwrap_or(Rule::of_kind(RuleKind::Unsupported))
}

fn rule_or_none(row: &FrameRow<3>) -> Option<Rule> {
    let [link, fp, sign_state] = row.registers;
    if link == Location::Undefined {
        return Some(Rule::of_kind(RuleKind::End));
    }
    // The vDSO's and musl's returns from a handler; Linux lays the frame out the same for both.
    if row.is_signal_frame {
        return Some(Rule::of_kind(RuleKind::Signal));
    }
    let (register, mut cfa_offset) = match row.cfa {
        Cfa::Register { register, offset } => (register, i32::try_from(offset).ok()?),
        Cfa::Expression(Expression::Register { register, offset }) => (u16::from(register), offset),
        Cfa::Expression(_) => return None,
    };
    if register > SP {
        return None;
    }
    let (mut saved, mut extra) = match link {
        Location::Unchanged | Location::InRegister(LINK) => (RETURN_IN_LINK, 0),
        Location::AtCfa(offset) => (RETURN_AT_CFA, i32::try_from(offset).ok()?),
        _ => return None,
    };
    if sign_state != Location::Unchanged {
        saved |= RETURN_IS_SIGNED;
    }
    let (fp, mut fp_offset) = match fp {
        Location::Unchanged | Location::Undefined => (FpKind::Same, 0),
        Location::AtCfa(offset) => (FpKind::AtCfa, i32::try_from(offset).ok()?),
        Location::At(Expression::Register {
            register: 29,
            offset,
        }) => (FpKind::AtFp, offset),
        _ => (FpKind::Lost, 0),
    };
    if saved & RETURN_AT_CFA != 0 && extra >= 0 {
        // glibc's lazy binding (_dl_runtime_resolve) takes what the stub has pushed for a part of the caller's frame.
        let pushed = extra.checked_add(8 + 15)? & !15;
        cfa_offset = cfa_offset.checked_add(pushed)?;
        extra -= pushed;
        if fp == FpKind::AtCfa {
            fp_offset = fp_offset.checked_sub(pushed)?;
        }
    }
    Some(Rule {
        kind: RuleKind::Register,
        register: register as u8,
        fp,
        saved: SavedSlots::from_byte(saved),
        cfa_offset,
        fp_offset,
        extra,
    })
}

#[cfg(test)]
mod tests {
    use gimli::BaseAddresses;

    use super::*;
    use crate::Machine;
    use crate::cfi::spans_of_eh_frame;

    const FUNCTION: u64 = 0x1_0000;
    const LENGTH: u64 = 64;

    /// An `.eh_frame` of one function: a CIE as gcc writes it for aarch64 (code alignment 4, data alignment -8, return
    /// address in x30, CFA = sp + 0 at first) and the instructions given.
    fn eh_frame(augmentation: &[u8], instructions: &[u8]) -> Vec<u8> {
        let entry = |id: u32, body: &[u8]| {
            let mut padded = body.to_vec();
            padded.resize(body.len().next_multiple_of(8) + 4, 0); // DW_CFA_nop
            let length = (padded.len() + 4) as u32;
            [&length.to_le_bytes()[..], &id.to_le_bytes(), &padded].concat()
        };
        let cie_body = [
            &[1][..],
            augmentation,
            &[0, 4, 0x78, 30, 1, 0, 0x0c, 31, 0], // …, absolute addresses, DW_CFA_def_cfa sp 0
        ]
        .concat();
        let cie = entry(0, &cie_body);
        let fde_body = [
            &FUNCTION.to_le_bytes()[..],
            &LENGTH.to_le_bytes(),
            &[0],
            instructions,
        ]
        .concat();
        let to_cie = cie.len() as u32 + 4;
        let fde = entry(to_cie, &fde_body);
        [cie, fde, vec![0; 4]].concat()
    }

    /// The rules at these distances from the function's start.
    fn rules<const N: usize>(eh_frame: &[u8], offsets: [u64; N]) -> [Rule; N] {
        let bases = BaseAddresses::default().set_eh_frame(0);
        let code = FUNCTION..FUNCTION + LENGTH;
        let spans = spans_of_eh_frame(eh_frame, &bases, Machine::Aarch64, &code);
        offsets.map(|offset| spans.at(FUNCTION + offset).expect("covered").rule)
    }

    fn at_sp(cfa_offset: i32) -> Rule {
        Rule {
            cfa_offset,
            ..ENTERED
        }
    }

    #[test]
    fn a_leaf_returns_by_its_link_register() {
        assert_eq!(rules(&eh_frame(b"zR", &[]), [0, 60]), [at_sp(0); 2]);
    }

    #[test]
    fn a_function_with_signed_return_address_from_prologue_to_epilogue() {
        let advance = |instructions: u8| 0x40 | instructions;
        let instructions = [
            advance(1),
            0x2d, // paciasp: DW_CFA_AARCH64_negate_ra_state
            advance(1),
            0x0e,
            32,
            0x80 | 29,
            4,
            0x80 | 30,
            3, // stp x29, x30, [sp, -32]!
            advance(1),
            0x0d,
            29, // mov x29, sp
            advance(4),
            0xc0 | 30,
            0xc0 | 29,
            0x0c,
            31,
            0, // ldp x29, x30, [sp], 32
            advance(1),
            0x2d, // autiasp
        ];
        let signed = SavedSlots::from_byte(RETURN_IN_LINK | RETURN_IS_SIGNED);
        let stored = Rule {
            fp: FpKind::AtCfa,
            fp_offset: -32,
            saved: SavedSlots::from_byte(RETURN_AT_CFA | RETURN_IS_SIGNED),
            extra: -24,
            ..at_sp(32)
        };
        let by_frame_pointer = Rule {
            register: FP as u8,
            ..stored
        };
        let wanted = [
            at_sp(0),
            Rule {
                saved: signed,
                ..at_sp(0)
            },
            stored,
            by_frame_pointer,
            by_frame_pointer,
            Rule {
                saved: signed,
                ..at_sp(0)
            },
            at_sp(0),
        ];
        let frame = eh_frame(b"zR", &instructions);
        assert_eq!(rules(&frame, [0, 4, 8, 12, 24, 28, 32]), wanted);
    }

    #[test]
    fn an_undefined_link_register_is_the_end_and_a_marked_function_a_signal_frame() {
        let undefined = eh_frame(b"zR", &[0x07, 30]);
        assert_eq!(rules(&undefined, [0]), [Rule::of_kind(RuleKind::End)]);
        let signal = eh_frame(b"zRS", &[]);
        assert_eq!(rules(&signal, [0]), [Rule::of_kind(RuleKind::Signal)]);
    }

    #[test]
    fn a_frame_of_unknown_size_is_found_by_its_frame_pointer() {
        // DW_CFA_def_cfa x29 16; x29 at -16, x30 at -8
        let instructions = [0x0c, 29, 16, 0x80 | 29, 2, 0x80 | 30, 1];
        let wanted = Rule {
            register: FP as u8,
            fp: FpKind::AtCfa,
            fp_offset: -16,
            saved: SavedSlots::from_byte(RETURN_AT_CFA),
            extra: -8,
            ..at_sp(16)
        };
        assert_eq!(rules(&eh_frame(b"zR", &instructions), [0]), [wanted]);
    }

    #[test]
    fn a_return_address_above_the_cfa_was_pushed_by_the_stub_before() {
        // _dl_runtime_resolve: x30 at CFA + 8; stp x8, x9, [sp, #-208]!
        let instructions = [0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 0x01];
        let wanted = [16, 16 + 208].map(stored_link);
        assert_eq!(rules(&eh_frame(b"zR", &instructions), [0, 4]), wanted);
    }

    #[test]
    fn what_no_rule_can_say_is_unsupported() {
        // DW_CFA_def_cfa_expression of one DW_OP_nop; DW_CFA_register x30 in x5
        for instructions in [&[0x0f, 1, 0x96][..], &[0x09, 30, 5]] {
            let wanted = Rule::of_kind(RuleKind::Unsupported);
            assert_eq!(rules(&eh_frame(b"zR", instructions), [0]), [wanted]);
        }
    }
}
