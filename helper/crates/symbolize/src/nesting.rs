//! Refuses debug information whose inlined calls nest deeper than a stack can follow.
//!
//! addr2line reads the inlined calls of a function by recursion, and a stack overflow ends the process. A hostile
//! file can nest one level a byte. Lookups run on stacks of [`STACK_BYTES`]; a unit too short to nest deeper than
//! that needs no look, and the others are walked before they are used.

use gimli::{DebugInfoOffset, Dwarf, Section, UnitHeader};

use crate::elf::Reader;

/// Address space of a lookup thread; memory is used only as far as the stack really grows.
pub(crate) const STACK_BYTES: usize = 512 << 20;
/// What one level of nesting takes of it, with a margin (measured: below 600 bytes on x86-64).
const LEVEL_BYTES_MAX: usize = 1024;
const LEVELS_MAX: usize = STACK_BYTES / LEVEL_BYTES_MAX;

/// The first unit that nests too deep for a lookup.
pub(crate) fn first_too_deep(dwarf: &Dwarf<Reader<'_>>) -> Option<DebugInfoOffset> {
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if is_too_deep(dwarf, &header) {
            return header.debug_info_offset();
        }
    }
    None
}

pub(crate) fn is_too_deep(dwarf: &Dwarf<Reader<'_>>, header: &UnitHeader<Reader<'_>>) -> bool {
    let length = header.length_including_self();
    let may_be = length > LEVELS_MAX && length / smallest_level_bytes(dwarf, header) > LEVELS_MAX;
    may_be && nests_deeper(dwarf, header).unwrap_or(false)
}

fn nests_deeper(dwarf: &Dwarf<Reader<'_>>, header: &UnitHeader<Reader<'_>>) -> gimli::Result<bool> {
    let unit = dwarf.unit(*header)?;
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() {
        if let Some(abbreviation) = entries.read_abbreviation()? {
            entries.skip_attributes(abbreviation.attributes())?;
        }
        if entries.next_depth() > LEVELS_MAX as isize {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The fewest bytes that an inlined call with children takes in this unit, by its abbreviations.
fn smallest_level_bytes(dwarf: &Dwarf<Reader<'_>>, header: &UnitHeader<Reader<'_>>) -> usize {
    let table = dwarf.debug_abbrev.reader().slice();
    let start = header.debug_abbrev_offset().0;
    let mut bytes = table.get(start..).unwrap_or_default();
    let mut smallest = usize::MAX;
    while let Some(level) = next_abbreviation(&mut bytes) {
        smallest = smallest.min(level);
    }
    smallest
}

/// Reads one abbreviation: the fewest bytes of an entry of it, or `usize::MAX` when it is no inlined call with children.
fn next_abbreviation(bytes: &mut &[u8]) -> Option<usize> {
    let code = leb128(bytes)?;
    if code == 0 {
        return None;
    }
    let tag = leb128(bytes)?;
    let (has_children, rest) = bytes.split_first()?;
    *bytes = rest;
    let mut size = 1usize;
    loop {
        let name = leb128(bytes)?;
        let form = leb128(bytes)?;
        if form == u64::from(gimli::DW_FORM_implicit_const.0) {
            leb128(bytes)?;
        }
        if name == 0 && form == 0 {
            break;
        }
        size = size.saturating_add(form_bytes_min(form));
    }
    let nests = tag == u64::from(gimli::DW_TAG_inlined_subroutine.0) && *has_children != 0;
    Some(if nests { size } else { usize::MAX })
}

fn form_bytes_min(form: u64) -> usize {
    match u16::try_from(form).map(gimli::DwForm) {
        Ok(
            gimli::DW_FORM_data4
            | gimli::DW_FORM_ref4
            | gimli::DW_FORM_strp
            | gimli::DW_FORM_line_strp
            | gimli::DW_FORM_sec_offset
            | gimli::DW_FORM_ref_addr
            | gimli::DW_FORM_addr,
        ) => 4,
        Ok(gimli::DW_FORM_data8 | gimli::DW_FORM_ref8) => 8,
        Ok(
            gimli::DW_FORM_data1
            | gimli::DW_FORM_ref1
            | gimli::DW_FORM_udata
            | gimli::DW_FORM_sdata
            | gimli::DW_FORM_addrx
            | gimli::DW_FORM_rnglistx
            | gimli::DW_FORM_data2
            | gimli::DW_FORM_ref2,
        ) => 1,
        _ => 0,
    }
}

/// An unsigned or signed LEB128 number; only its value below 64 bits matters here.
fn leb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift < 64 {
            value |= u64::from(byte & 0x7f) << shift;
        }
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
