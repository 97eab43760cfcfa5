//! `.eh_frame` and `.debug_frame` as spans, with gimli as the reader of their instructions.

use std::ops::Range;

use gimli::{
    BaseAddresses, DebugFrame, EhFrame, LittleEndian, UnwindContext, UnwindSection, Vendor,
};
use records::Rule;

use crate::frame_row::{Bytes, FrameRow};
use crate::spans::{Span, Spans};
use crate::{Machine, aarch64, x86_64};

/// Instructions that every function of a unit repeats: real ones have some ten bytes. A hostile file could ask for
/// megabytes of them once per function.
const CIE_BYTES_MAX: usize = 4096;

/// More than ten times what the largest browser has, in half a gigabyte.
const SPANS_MAX: usize = 12 << 20;

pub(crate) fn spans_of_eh_frame(
    bytes: &[u8],
    bases: &BaseAddresses,
    machine: Machine,
    code: &Range<u64>,
) -> Spans {
    let mut section = EhFrame::new(bytes, LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(machine));
    collect(&section, bases, machine, code, &Spans::default())
}

/// Functions that begin in code that `known` covers are left out.
pub(crate) fn spans_of_debug_frame(
    bytes: &[u8],
    bases: &BaseAddresses,
    machine: Machine,
    code: &Range<u64>,
    known: &Spans,
) -> Spans {
    let mut section = DebugFrame::new(bytes, LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(machine));
    collect(&section, bases, machine, code, known)
}

fn vendor(machine: Machine) -> Vendor {
    match machine {
        Machine::X86_64 => Vendor::Default,
        Machine::Aarch64 => Vendor::AArch64,
    }
}

fn collect<'a, S>(
    section: &S,
    bases: &BaseAddresses,
    machine: Machine,
    code: &Range<u64>,
    known: &Spans,
) -> Spans
where
    S: UnwindSection<Bytes<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let mut common = CommonEntry::default();
    // In the order of the code, which is not the file's where a program was linked from many sections: sorting the
    // spans afterwards costs several times more.
    let mut functions: Vec<(u64, usize)> = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let gimli::CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(fde) = partial.parse(|s, b, o| common.at(s, b, o)) else {
            continue;
        };
        // Linkers leave descriptions of functions that they threw away, at address 0 or near the largest.
        let start = fde.initial_address();
        if fde.cie().entry_len() <= CIE_BYTES_MAX
            && code.contains(&start)
            && known.at(start).is_none()
        {
            functions.push((start, fde.offset()));
        }
    }
    functions.sort(); // stable: of two descriptions, the first holds
    let mut spans: Vec<Span> = Vec::new();
    let mut context = UnwindContext::new();
    for (_, offset) in functions {
        let parse = |s: &S, b: &BaseAddresses, o| common.at(s, b, o);
        let Ok(fde) = section.fde_from_offset(bases, offset.into(), parse) else {
            continue;
        };
        let is_signal_frame = fde.is_signal_trampoline();
        let Ok(mut table) = fde.rows(section, bases, &mut context) else {
            continue;
        };
        while spans.len() < SPANS_MAX
            && let Ok(Some(row)) = table.next_row()
        {
            let end = row.end_address().min(code.end);
            if row.start_address() < end {
                spans.push(Span {
                    start: row.start_address(),
                    end,
                    rule: rule_of_row(section, row, is_signal_frame, machine),
                });
            }
        }
    }
    Spans::new(spans)
}

/// What was read last of what functions have in common: most have the same.
struct CommonEntry<'a, O>(Option<(O, gimli::CommonInformationEntry<Bytes<'a>>)>);

impl<O> Default for CommonEntry<'_, O> {
    fn default() -> Self {
        CommonEntry(None)
    }
}

impl<'a, O: Copy + PartialEq> CommonEntry<'a, O> {
    fn at<S>(
        &mut self,
        section: &S,
        bases: &BaseAddresses,
        offset: O,
    ) -> gimli::Result<gimli::CommonInformationEntry<Bytes<'a>>>
    where
        S: UnwindSection<Bytes<'a>, Offset = O>,
        O: gimli::UnwindOffset<usize>,
    {
        if let Some((known, entry)) = &self.0
            && *known == offset
        {
            return Ok(entry.clone());
        }
        let entry = section.cie_from_offset(bases, offset)?;
        self.0 = Some((offset, entry.clone()));
        Ok(entry)
    }
}

fn rule_of_row<'a, S>(
    section: &S,
    row: &gimli::UnwindTableRow<usize>,
    is_signal_frame: bool,
    machine: Machine,
) -> Rule
where
    S: UnwindSection<Bytes<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    match machine {
        Machine::X86_64 => x86_64::ordinary_rule(row).unwrap_or_else(|| {
            let row = FrameRow::new(section, row, &x86_64::WANTED, is_signal_frame);
            x86_64::rule_of_row(&row)
        }),
        Machine::Aarch64 => {
            let row = FrameRow::new(section, row, &aarch64::WANTED, is_signal_frame);
            aarch64::rule_of_row(&row)
        }
    }
}

// Of the C library of such a machine.
#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use object::{Object, ObjectSection};

    use super::*;
    use crate::machine::Elf;

    #[test]
    fn the_quick_rule_of_an_ordinary_row_is_the_thorough_one() {
        let library = std::fs::read("/lib/x86_64-linux-gnu/libc.so.6").unwrap();
        let file = Elf::parse(&*library).unwrap();
        let eh_frame = file.section_by_name(".eh_frame").unwrap();
        let section = EhFrame::new(eh_frame.data().unwrap(), LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(eh_frame.address());
        let mut context = UnwindContext::new();
        let mut entries = section.entries(&bases);
        let (mut ordinary, mut other) = (0, 0);
        while let Some(entry) = entries.next().unwrap() {
            let gimli::CieOrFde::Fde(partial) = entry else {
                continue;
            };
            let fde = partial.parse(EhFrame::cie_from_offset).unwrap();
            let mut rows = fde.rows(&section, &bases, &mut context).unwrap();
            while let Some(row) = rows.next_row().unwrap() {
                let is_signal_frame = fde.is_signal_trampoline();
                let thorough = FrameRow::new(&section, row, &x86_64::WANTED, is_signal_frame);
                let Some(quick) = x86_64::ordinary_rule(row) else {
                    other += 1;
                    continue;
                };
                assert_eq!(quick, x86_64::rule_of_row(&thorough));
                ordinary += 1;
            }
        }
        assert!(
            ordinary > 10_000 && other > 0,
            "{ordinary} ordinary, {other} other"
        );
    }
}
