//! CFI → rows, with gimli as the reader of the instructions.

use std::fmt;

use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EndianSlice, LittleEndian, RegisterRule,
    UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection};
use records::layout::FpKind;
use records::{Rule, RuleKind};

use crate::expression::{Expression, parse_expression};

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// From `vaddr` on, callers are found by `rule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub vaddr: u64,
    pub rule: Rule,
}

#[derive(Debug, PartialEq, Eq)]
pub enum RowsError {
    NotElf(String),
    WrongMachine,
    /// Neither `.eh_frame` nor `.debug_frame`: frames are followed by frame pointers.
    NoCfi,
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotElf(why) => write!(f, "not a readable ELF file: {why}"),
            Self::WrongMachine => f.write_str("not x86-64 code"),
            Self::NoCfi => f.write_str("no .eh_frame and no .debug_frame section"),
        }
    }
}

impl std::error::Error for RowsError {}

const RBP: gimli::Register = gimli::Register(6);
const RSP: gimli::Register = gimli::Register(7);
const RETURN_ADDRESS: gimli::Register = gimli::Register(16);

/// All rows of an ELF file, sorted by vaddr, equal neighbours merged, gaps between functions as [`RuleKind::None`].
/// A malformed function description is left out; its code is then followed by frame pointers.
///
/// # Errors
/// When `bytes` is no x86-64 ELF file or has no call frame information.
pub fn rows_of_elf(bytes: &[u8]) -> Result<Vec<Row>, RowsError> {
    let file = object::File::parse(bytes).map_err(|e| RowsError::NotElf(e.to_string()))?;
    if file.architecture() != object::Architecture::X86_64 {
        return Err(RowsError::WrongMachine);
    }
    let address_of = |name: &str| file.section_by_name(name).map_or(0, |s| s.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(address_of(".eh_frame"))
        .set_text(address_of(".text"))
        .set_got(address_of(".got"));
    let section = |name: &str| {
        let data = file.section_by_name(name)?.uncompressed_data().ok()?;
        (!data.is_empty()).then_some(data)
    };
    if let Some(data) = section(".eh_frame") {
        let mut section = EhFrame::new(&data, LittleEndian);
        section.set_address_size(8);
        return Ok(collect_rows(&section, &bases));
    }
    if let Some(data) = section(".debug_frame") {
        let mut section = DebugFrame::new(&data, LittleEndian);
        section.set_address_size(8);
        return Ok(collect_rows(&section, &bases));
    }
    Err(RowsError::NoCfi)
}

fn collect_rows<'a, S>(section: &S, bases: &BaseAddresses) -> Vec<Row>
where
    S: UnwindSection<Bytes<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let mut spans: Vec<(u64, u64, Rule)> = Vec::new();
    let mut context = UnwindContext::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let gimli::CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(fde) = partial.parse(S::cie_from_offset) else {
            continue;
        };
        if fde.is_signal_trampoline() {
            spans.push((
                fde.initial_address(),
                fde.end_address(),
                Rule::of_kind(RuleKind::Signal),
            ));
            continue;
        }
        let Ok(mut table) = fde.rows(section, bases, &mut context) else {
            continue;
        };
        while let Ok(Some(row)) = table.next_row() {
            let rule = rule_of_row(section, row);
            if row.start_address() < row.end_address() {
                spans.push((row.start_address(), row.end_address(), rule));
            }
        }
    }
    rows_of_spans(spans)
}

/// Sorted, non-overlapping rows with explicit gaps.
fn rows_of_spans(mut spans: Vec<(u64, u64, Rule)>) -> Vec<Row> {
    spans.sort_unstable_by_key(|(start, end, _)| (*start, *end));
    let none = Rule::of_kind(RuleKind::None);
    let mut rows: Vec<Row> = Vec::with_capacity(spans.len() + spans.len() / 8);
    let mut covered_until = 0;
    let push = |vaddr: u64, rule: Rule, rows: &mut Vec<Row>| {
        if rows.last().is_none_or(|last| last.rule != rule) {
            rows.push(Row { vaddr, rule });
        }
    };
    for (start, end, rule) in spans {
        let start = start.max(covered_until);
        if start >= end {
            continue;
        }
        if start > covered_until {
            push(covered_until, none, &mut rows);
        }
        push(start, rule, &mut rows);
        covered_until = end;
    }
    push(covered_until, none, &mut rows);
    rows
}

fn rule_of_row<'a, S>(section: &S, row: &gimli::UnwindTableRow<usize>) -> Rule
where
    S: UnwindSection<Bytes<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let expression = |e: &gimli::UnwindExpression<usize>| {
        e.get(section)
            .ok()
            .and_then(|e| parse_expression(e.0.slice()))
    };
    match row.register(RETURN_ADDRESS) {
        Some(RegisterRule::Undefined) => return Rule::of_kind(RuleKind::End),
        Some(RegisterRule::Offset(-8)) => {}
        _ => return Rule::of_kind(RuleKind::Unsupported),
    }
    let mut rule = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            let (Some(register), Ok(offset)) = (general(*register), i32::try_from(*offset)) else {
                return Rule::of_kind(RuleKind::Unsupported);
            };
            Rule {
                register,
                cfa_offset: offset,
                ..Rule::of_kind(RuleKind::Register)
            }
        }
        CfaRule::Expression(e) => match expression(e) {
            Some(Expression::Deref {
                register,
                offset,
                extra,
            }) => Rule {
                register,
                cfa_offset: offset,
                extra,
                ..Rule::of_kind(RuleKind::Deref)
            },
            Some(Expression::Plt { offset, threshold }) => Rule {
                register: RSP.0 as u8,
                cfa_offset: offset,
                extra: threshold,
                ..Rule::of_kind(RuleKind::Plt)
            },
            _ => return Rule::of_kind(RuleKind::Unsupported),
        },
    };
    match row.register(RBP) {
        None | Some(RegisterRule::SameValue | RegisterRule::Undefined) => {}
        Some(RegisterRule::Offset(offset)) => {
            let Ok(offset) = i32::try_from(offset) else {
                return Rule::of_kind(RuleKind::Unsupported);
            };
            rule.fp = FpKind::AtCfa;
            rule.fp_offset = offset;
        }
        Some(RegisterRule::Expression(e)) => match expression(&e) {
            Some(Expression::Register {
                register: 6,
                offset,
            }) => {
                rule.fp = FpKind::AtFp;
                rule.fp_offset = offset;
            }
            _ => return Rule::of_kind(RuleKind::Unsupported),
        },
        Some(_) => return Rule::of_kind(RuleKind::Unsupported),
    }
    rule
}

/// The number of a general register, which is all that the walker keeps.
fn general(register: gimli::Register) -> Option<u8> {
    u8::try_from(register.0).ok().filter(|r| *r < 16)
}
