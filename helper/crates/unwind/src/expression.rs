//! The few DWARF expressions that compilers and linkers use in CFI (DWARF 5, §2.5 and §7.7.1 for the codes).

/// What an expression computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expression {
    /// register + offset
    Register { register: u8, offset: i32 },
    /// *(register + offset) + extra: a stack that was realigned (gcc's DRAP), OCaml's stack behind its C stack
    Deref {
        register: u8,
        offset: i32,
        extra: i32,
    },
    /// *(*(register + offset) + middle) + extra: the parent of an OCaml fiber
    DoubleDeref {
        register: u8,
        offset: i32,
        middle: i32,
        extra: i32,
    },
    /// rsp + offset + (if rip & 15 ≥ threshold { 8 } else { 0 }): the lazy binding stubs of a linker
    Plt { offset: i32, threshold: i32 },
    /// Any other.
    Other,
}

const DEREF: u8 = 0x06;
const PLUS_UCONST: u8 = 0x23;
const BREG0: u8 = 0x70;
const BREG7_RSP: u8 = 0x77;
const BREG16_RIP: u8 = 0x80;
const BREG31: u8 = 0x8f;
const LIT0: u8 = 0x30;
const LIT31: u8 = 0x4f;
/// `& 15 ≥ n`, times 8, added; without the literal n in the middle.
const PLT_HEAD: [u8; 4] = [BREG16_RIP, 0, 0x3f, 0x1a]; // breg16 0, lit15, and
const PLT_TAIL: [u8; 4] = [0x2a, 0x33, 0x24, 0x22]; // ge, lit3, shl, plus

pub(crate) fn parse_expression(code: &[u8]) -> Expression {
    parse(code).unwrap_or(Expression::Other)
}

fn parse(code: &[u8]) -> Option<Expression> {
    let (&operation, rest) = code.split_first()?;
    if !(BREG0..=BREG31).contains(&operation) {
        return None;
    }
    let register = operation - BREG0;
    let (offset, rest) = sleb128(rest)?;
    if rest.is_empty() {
        return Some(Expression::Register { register, offset });
    }
    if let Some(rest) = rest.strip_prefix(&[DEREF]) {
        let (first, rest) = added_constant(rest)?;
        let Some(rest) = rest.strip_prefix(&[DEREF]) else {
            return rest.is_empty().then_some(Expression::Deref {
                register,
                offset,
                extra: first,
            });
        };
        let (extra, rest) = added_constant(rest)?;
        return rest.is_empty().then_some(Expression::DoubleDeref {
            register,
            offset,
            middle: first,
            extra,
        });
    }
    if operation == BREG7_RSP {
        let rest = rest.strip_prefix(&PLT_HEAD)?;
        let (&literal, rest) = rest.split_first()?;
        if (LIT0..=LIT31).contains(&literal) && rest == PLT_TAIL {
            return Some(Expression::Plt {
                offset,
                threshold: i32::from(literal - LIT0),
            });
        }
    }
    None
}

/// The constant that is added next; 0 when there is none.
fn added_constant(code: &[u8]) -> Option<(i32, &[u8])> {
    match code {
        [PLUS_UCONST, rest @ ..] => uleb128(rest),
        _ => Some((0, code)),
    }
}

fn uleb128(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let mut value = 0i64;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= i64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((i32::try_from(value).ok()?, &bytes[i + 1..]));
        }
    }
    None
}

fn sleb128(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let mut value = 0i64;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= i64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            let sign = if byte & 0x40 == 0 {
                0
            } else {
                -1i64 << (7 * (i + 1))
            };
            return Some((i32::try_from(value | sign).ok()?, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plt_expression_of_gnu_ld() {
        let code = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
        let plt = Expression::Plt {
            offset: 8,
            threshold: 11,
        };
        assert_eq!(parse_expression(&code), plt);
    }

    #[test]
    fn the_realigned_stack_of_gcc() {
        let deref = Expression::Deref {
            register: 6,
            offset: -8,
            extra: 0,
        };
        assert_eq!(parse_expression(&[0x76, 0x78, 0x06]), deref);
        let at_rbp = Expression::Register {
            register: 6,
            offset: 0,
        };
        assert_eq!(parse_expression(&[0x76, 0x00]), at_rbp);
    }

    #[test]
    fn the_stack_switches_of_ocaml_5() {
        let c_call = Expression::Deref {
            register: 7,
            offset: 8,
            extra: 8,
        };
        assert_eq!(parse_expression(&[0x77, 8, 0x06, 0x23, 8]), c_call);
        let parent_of_fiber = Expression::DoubleDeref {
            register: 7,
            offset: 56,
            middle: 0,
            extra: 8,
        };
        let code = [0x77, 56, 0x06, 0x23, 0, 0x06, 0x23, 8];
        assert_eq!(parse_expression(&code), parent_of_fiber);
    }

    #[test]
    fn anything_else_and_cut_code_is_other() {
        for code in [
            &[][..],
            &[0x77],
            &[0x77, 0x80],
            &[0x03, 1],
            &[0x76, 0, 0x06, 0x06, 0x06],
            &[0x76, 0, 0x06, 0x23],
        ] {
            assert_eq!(parse_expression(code), Expression::Other, "{code:x?}");
        }
    }
}
