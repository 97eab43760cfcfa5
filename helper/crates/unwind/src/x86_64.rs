//! x86-64: a row of call frame information as a rule for the BPF program, which keeps rsp, rbp, rbx and r13 from frame
//! to frame. All other registers are right in the leaf only.

use gimli::{CfaRule, RegisterRule, UnwindTableRow};
use records::layout::{FpKind, SavedSlots};
use records::{Rule, RuleKind};

use crate::expression::Expression;
use crate::frame_row::{Cfa, FrameRow, Location};

const RBX: u16 = 3;
pub(crate) const RBP: u16 = 6;
pub(crate) const RSP: u16 = 7;
const R13: u16 = 13;
const RETURN_ADDRESS: u16 = 16;

/// The registers of a [`FrameRow`], in this order.
pub(crate) const WANTED: [u16; 5] = [RETURN_ADDRESS, RSP, RBP, RBX, R13];

/// The CFA at a distance from rsp, nothing saved.
pub(crate) const fn at_rsp(cfa_offset: i32) -> Rule {
    Rule {
        register: RSP as u8,
        cfa_offset,
        ..Rule::of_kind(RuleKind::Register)
    }
}

/// The rule of an ordinary function's row, as nearly all are: the CFA at a distance from a register, the return address
/// below it, registers saved beside it. None for all others, which [`rule_of_row`] knows. Tables are made of millions
/// of rows; this costs a fifth.
pub(crate) fn ordinary_rule(row: &UnwindTableRow<usize>) -> Option<Rule> {
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return None;
    };
    let mut rule = Rule {
        register: general(register.0)?,
        cfa_offset: i32::try_from(*offset).ok()?,
        ..Rule::of_kind(RuleKind::Register)
    };
    let (mut rbx, mut r13, mut returns) = (0, 0, false);
    for (register, place) in row.registers() {
        if !matches!(register.0, RETURN_ADDRESS | RBP | RBX | R13 | RSP) {
            continue;
        }
        let RegisterRule::Offset(offset) = *place else {
            return None;
        };
        match register.0 {
            RETURN_ADDRESS => returns = offset == -8,
            RBP => (rule.fp, rule.fp_offset) = (FpKind::AtCfa, i32::try_from(offset).ok()?),
            RBX => rbx = slot(Location::AtCfa(offset)),
            R13 => r13 = slot(Location::AtCfa(offset)),
            _ => return None,
        }
    }
    rule.saved = SavedSlots::new(rbx, r13);
    returns.then_some(rule)
}

pub(crate) fn rule_of_row(row: &FrameRow<5>) -> Rule {
    rule_or_none(row).unwrap_or(Rule::of_kind(RuleKind::Unsupported))
}

/// longjmp's, once all registers of its caller are in others.
fn caller_in_registers(row: &FrameRow<5>) -> Option<Rule> {
    let [
        Location::InRegister(pc),
        Location::InRegister(sp),
        Location::InRegister(fp),
        ..,
    ] = row.registers
    else {
        return None;
    };
    Some(Rule {
        register: general(sp)?,
        fp_offset: i32::from(general(fp)?),
        extra: i32::from(general(pc)?),
        ..Rule::of_kind(RuleKind::CallerInRegisters)
    })
}

fn rule_or_none(row: &FrameRow<5>) -> Option<Rule> {
    if let Some(rule) = caller_in_registers(row) {
        return Some(rule);
    }
    let [return_address, rsp, rbp, rbx, r13] = row.registers;
    let mut rule = rule_of_cfa(row.cfa)?;
    match return_address {
        Location::AtCfa(-8) => {}
        Location::Undefined => return Some(Rule::of_kind(RuleKind::End)),
        // glibc describes the whole context of an interrupted function by expressions. OCaml 5 marks functions as
        // signal frames that are none: their return address is an ordinary one.
        Location::At(_) if row.is_signal_frame => return Some(Rule::of_kind(RuleKind::Signal)),
        Location::InRegister(register) if rule.kind == RuleKind::Register => {
            rule.kind = RuleKind::ReturnInRegister;
            rule.extra = i32::from(general(register)?);
        }
        _ => return None,
    }
    if rule.kind == RuleKind::Unsupported || !matches!(rsp, Location::Unchanged | Location::Cfa(0))
    {
        return None;
    }
    rule.saved = SavedSlots::new(slot(rbx), slot(r13));
    if rule.kind == RuleKind::DoubleDeref {
        // Its offsets leave no room for a saved frame pointer, which OCaml does not have.
        return (rbp == Location::Unchanged).then_some(rule);
    }
    (rule.fp, rule.fp_offset) = match rbp {
        Location::Unchanged | Location::Undefined => (FpKind::Same, 0),
        Location::AtCfa(offset) => (FpKind::AtCfa, i32::try_from(offset).ok()?),
        Location::At(Expression::Register {
            register: 6,
            offset,
        }) => (FpKind::AtFp, offset),
        // At a distance from rsp, which is at a known distance from the CFA.
        Location::At(Expression::Register {
            register: 7,
            offset,
        }) if rule.kind == RuleKind::Register && u16::from(rule.register) == RSP => {
            (FpKind::AtCfa, offset.checked_sub(rule.cfa_offset)?)
        }
        _ => (FpKind::Lost, 0),
    };
    Some(rule)
}

fn rule_of_cfa(cfa: Cfa) -> Option<Rule> {
    let register_rule = |register: u16, offset: i32| {
        Some(Rule {
            register: general(register)?,
            cfa_offset: offset,
            ..Rule::of_kind(RuleKind::Register)
        })
    };
    match cfa {
        Cfa::Register { register, offset } => register_rule(register, i32::try_from(offset).ok()?),
        Cfa::Expression(Expression::Register { register, offset }) => {
            register_rule(u16::from(register), offset)
        }
        Cfa::Expression(Expression::Deref {
            register,
            offset,
            extra,
        }) => Some(Rule {
            kind: RuleKind::Deref,
            extra,
            ..register_rule(u16::from(register), offset)?
        }),
        Cfa::Expression(Expression::DoubleDeref {
            register,
            offset,
            middle,
            extra,
        }) => Some(Rule {
            kind: RuleKind::DoubleDeref,
            extra: middle,
            fp_offset: extra,
            ..register_rule(u16::from(register), offset)?
        }),
        Cfa::Expression(Expression::Plt { offset, threshold }) => Some(Rule {
            kind: RuleKind::Plt,
            extra: threshold,
            ..register_rule(RSP, offset)?
        }),
        Cfa::Expression(Expression::Other) => {
            // Of use only to those rows that need no CFA (signal frames, outermost frames).
            Some(Rule::of_kind(RuleKind::Unsupported))
        }
    }
}

fn slot(location: Location) -> u8 {
    match location {
        Location::Unchanged | Location::Undefined => 0,
        Location::AtCfa(offset) if offset % 8 == 0 && (-14 * 8..=-8).contains(&offset) => {
            (-offset / 8) as u8
        }
        _ => SavedSlots::LOST,
    }
}

/// The number of a general register, which is all that the walk keeps.
fn general(register: u16) -> Option<u8> {
    u8::try_from(register).ok().filter(|r| *r < 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cfa: Cfa, return_address: Location, rbp: Location) -> FrameRow<5> {
        FrameRow {
            cfa,
            registers: [
                return_address,
                Location::Unchanged,
                rbp,
                Location::Unchanged,
                Location::Unchanged,
            ],
            is_signal_frame: false,
        }
    }

    const CALLED: Location = Location::AtCfa(-8);
    const RSP_16: Cfa = Cfa::Register {
        register: RSP,
        offset: 16,
    };
    const RSP_16_RULE: Rule = Rule {
        register: 7,
        cfa_offset: 16,
        ..Rule::of_kind(RuleKind::Register)
    };

    #[test]
    fn a_pushed_frame_pointer_is_found_at_the_cfa() {
        let rule = rule_of_row(&row(RSP_16, CALLED, Location::AtCfa(-16)));
        let wanted = Rule {
            fp: FpKind::AtCfa,
            fp_offset: -16,
            ..RSP_16_RULE
        };
        assert_eq!(rule, wanted);
    }

    #[test]
    fn an_undefined_return_address_is_the_end_whatever_the_cfa() {
        for cfa in [RSP_16, Cfa::Expression(Expression::Other)] {
            let rule = rule_of_row(&row(cfa, Location::Undefined, Location::Unchanged));
            assert_eq!(rule, Rule::of_kind(RuleKind::End));
        }
    }

    #[test]
    fn only_a_described_context_makes_a_signal_frame() {
        let context = Location::At(Expression::Register {
            register: 7,
            offset: 168,
        });
        let cfa = Cfa::Expression(Expression::Deref {
            register: 7,
            offset: 160,
            extra: 0,
        });
        let restorer = FrameRow {
            is_signal_frame: true,
            ..row(cfa, context, context)
        };
        assert_eq!(rule_of_row(&restorer), Rule::of_kind(RuleKind::Signal));
        let ocaml = FrameRow {
            is_signal_frame: true,
            ..row(RSP_16, CALLED, Location::Unchanged)
        };
        assert_eq!(rule_of_row(&ocaml), RSP_16_RULE);
    }

    #[test]
    fn a_return_address_in_a_register_is_kept_for_the_leaf() {
        let rule = rule_of_row(&row(RSP_16, Location::InRegister(5), Location::Unchanged));
        let wanted = Rule {
            kind: RuleKind::ReturnInRegister,
            extra: 5,
            ..RSP_16_RULE
        };
        assert_eq!(rule, wanted);
    }

    #[test]
    fn the_caller_of_longjmp_is_in_registers() {
        let longjmp = FrameRow {
            cfa: Cfa::Register {
                register: 5,
                offset: 0,
            },
            registers: [
                Location::InRegister(1),
                Location::InRegister(8),
                Location::InRegister(9),
                Location::AtCfa(0),
                Location::AtCfa(24),
            ],
            is_signal_frame: false,
        };
        let wanted = Rule {
            register: 8,
            fp_offset: 9,
            extra: 1,
            ..Rule::of_kind(RuleKind::CallerInRegisters)
        };
        assert_eq!(rule_of_row(&longjmp), wanted);
    }

    #[test]
    fn callee_saved_registers_have_slots_and_far_ones_are_lost() {
        let mut wanted = row(RSP_16, CALLED, Location::Unchanged);
        wanted.registers[3] = Location::AtCfa(-56);
        wanted.registers[4] = Location::AtCfa(-400);
        let saved = SavedSlots::new(7, SavedSlots::LOST);
        assert_eq!(
            rule_of_row(&wanted),
            Rule {
                saved,
                ..RSP_16_RULE
            }
        );
    }

    #[test]
    fn the_parent_of_an_ocaml_fiber_is_reached_through_two_pointers() {
        let cfa = Cfa::Expression(Expression::DoubleDeref {
            register: 7,
            offset: 56,
            middle: 0,
            extra: 8,
        });
        let wanted = Rule {
            register: 7,
            cfa_offset: 56,
            fp_offset: 8,
            ..Rule::of_kind(RuleKind::DoubleDeref)
        };
        assert_eq!(rule_of_row(&row(cfa, CALLED, Location::Unchanged)), wanted);
    }

    #[test]
    fn a_frame_pointer_that_cannot_be_found_is_lost_and_the_walk_goes_on() {
        let rule = rule_of_row(&row(RSP_16, CALLED, Location::InRegister(0)));
        let wanted = Rule {
            fp: FpKind::Lost,
            ..RSP_16_RULE
        };
        assert_eq!(rule, wanted);
    }

    #[test]
    fn what_no_rule_can_say_is_unsupported() {
        let unsupported = Rule::of_kind(RuleKind::Unsupported);
        for (cfa, return_address) in [
            (Cfa::Expression(Expression::Other), CALLED),
            (RSP_16, Location::AtCfa(-16)),
            (RSP_16, Location::Cfa(0)),
            (
                Cfa::Register {
                    register: 17,
                    offset: 8,
                },
                CALLED,
            ),
            (
                Cfa::Register {
                    register: 7,
                    offset: 1 << 40,
                },
                CALLED,
            ),
        ] {
            let rule = rule_of_row(&row(cfa, return_address, Location::Unchanged));
            assert_eq!(rule, unsupported, "{cfa:?}");
        }
    }
}
