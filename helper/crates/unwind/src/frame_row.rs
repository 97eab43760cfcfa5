//! One row of call frame information, free of the reader's types: what both machines make their rules from.

use gimli::{CfaRule, EndianSlice, LittleEndian, RegisterRule, UnwindSection};

use crate::expression::{Expression, parse_expression};

pub(crate) type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// Where a caller's register is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Location {
    /// No rule: unchanged, by the convention of all compilers.
    #[default]
    Unchanged,
    Undefined,
    /// *(CFA + offset)
    AtCfa(i64),
    /// CFA + offset itself
    Cfa(i64),
    InRegister(u16),
    /// *(expression)
    At(Expression),
    /// A form that nobody was seen to use.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cfa {
    Register { register: u16, offset: i64 },
    Expression(Expression),
}

/// What holds over a range of code. `registers` are those that the machine asked for, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRow<const N: usize> {
    pub cfa: Cfa,
    pub registers: [Location; N],
    /// The function is marked as called by no one, like a signal handler's return (augmentation `S`).
    pub is_signal_frame: bool,
}

impl<const N: usize> FrameRow<N> {
    pub fn new<'a, S>(
        section: &S,
        row: &gimli::UnwindTableRow<usize>,
        wanted: &[u16; N],
        is_signal_frame: bool,
    ) -> FrameRow<N>
    where
        S: UnwindSection<Bytes<'a>>,
        S::Offset: gimli::UnwindOffset<usize>,
    {
        let parse = |e: &gimli::UnwindExpression<usize>| {
            let code = e.get(section).ok();
            code.map_or(Expression::Other, |c| parse_expression(c.0.slice()))
        };
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => Cfa::Register {
                register: register.0,
                offset: *offset,
            },
            CfaRule::Expression(e) => Cfa::Expression(parse(e)),
        };
        let mut registers = [Location::default(); N];
        for (register, rule) in row.registers() {
            let Some(at) = wanted.iter().position(|w| *w == register.0) else {
                continue;
            };
            registers[at] = match rule {
                RegisterRule::Undefined => Location::Undefined,
                RegisterRule::SameValue => Location::Unchanged,
                RegisterRule::Offset(offset) => Location::AtCfa(*offset),
                RegisterRule::ValOffset(offset) => Location::Cfa(*offset),
                RegisterRule::Register(r) => Location::InRegister(r.0),
                RegisterRule::Expression(e) => Location::At(parse(e)),
                RegisterRule::Constant(value) => Location::constant(*value),
                _ => Location::Other,
            };
        }
        FrameRow {
            cfa,
            registers,
            is_signal_frame,
        }
    }
}

impl Location {
    /// Only aarch64's RA_SIGN_STATE is a constant: bit 0 says that the return address is signed.
    fn constant(value: u64) -> Location {
        if value & 1 == 0 {
            Location::Unchanged
        } else {
            Location::Other
        }
    }
}
