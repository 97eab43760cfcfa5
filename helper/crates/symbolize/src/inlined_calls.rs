//! How many calls of each function were inlined, by the debug information of one file.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;

use gimli::{AttributeValue, Dwarf, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::code_ranges::CodeRanges;
use crate::dwarf::Lookup;
use crate::elf::Reader;
use crate::options::Options;
use crate::split_dwarf::SplitDwarf;
use crate::text::Text;
use crate::units::Units;

/// Places where a function was inlined.
#[derive(Default)]
pub(crate) struct InlinedCalls {
    /// By name and the linker's name.
    pub(crate) places: FxHashMap<(Text, Text), u32>,
    /// Not all units could be read, so there may be more.
    pub(crate) are_incomplete: bool,
}

/// `is_code`: whether an address is one of the module's code. What a linker threw away has another one.
pub(crate) fn inlined_calls<'a>(
    dwarf: Dwarf<Reader<'a>>,
    split: &SplitDwarf<'a>,
    is_code: &dyn Fn(u64) -> bool,
    options: &Options,
    deadline: Instant,
) -> InlinedCalls {
    let dwarf = Arc::new(dwarf);
    let Ok(units) = Units::of(&dwarf) else {
        return InlinedCalls {
            are_incomplete: true,
            ..InlinedCalls::default()
        };
    };
    let context = OnceCell::new();
    let mut lookup = Lookup::new(&dwarf, &units, &[], split, &context, options.demangle);
    let mut calls = InlinedCalls::default();
    // Several units may describe one function that the linker has kept once.
    let mut found: Vec<(u64, usize)> = Vec::new();
    let mut names: FxHashMap<(Text, Text), usize> = FxHashMap::default();
    for unit in units.all() {
        let of_unit = match unit.dwo_id {
            None if Instant::now() <= deadline => starts(unit, is_code).ok(),
            _ => None, // in another file, or too late
        };
        let Some(of_unit) = of_unit else {
            calls.are_incomplete = true;
            continue;
        };
        lookup.build_of(unit);
        for (entry, starts) in of_unit {
            let function = lookup.function_of(unit, entry);
            let next = names.len();
            let name = (function.name, function.system_name);
            let number = *names.entry(name).or_insert(next);
            found.extend(starts.into_iter().map(|start| (start, number)));
        }
    }
    found.sort_unstable();
    found.dedup();
    let mut counts = vec![0; names.len()];
    for (_, number) in found {
        counts[number] += 1;
    }
    let named = names.into_iter().map(|(name, at)| (name, counts[at]));
    calls
        .places
        .extend(named.filter(|(name, _)| !name.0.is_empty()));
    calls
}

/// The addresses where the calls begin that were inlined in a unit, by what was inlined; with an entry of such a call.
fn starts(
    unit: UnitRef<'_, Reader<'_>>,
    is_code: &dyn Fn(u64) -> bool,
) -> gimli::Result<Vec<(UnitOffset, Vec<u64>)>> {
    let mut by_origin: FxHashMap<(u8, usize), (UnitOffset, Vec<u64>)> = FxHashMap::default();
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() {
        let entry = entries.next_offset();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.tag() != gimli::DW_TAG_inlined_subroutine {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        let mut ranges = CodeRanges::default();
        let mut origin = None;
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_abstract_origin, AttributeValue::UnitRef(of)) => {
                    origin = Some((0, of.0));
                }
                (gimli::DW_AT_abstract_origin, AttributeValue::DebugInfoRef(of)) => {
                    origin = Some((1, of.0));
                }
                (gimli::DW_AT_abstract_origin, AttributeValue::DebugInfoRefSup(of)) => {
                    origin = Some((2, of.0));
                }
                (name, value) => ranges.read(unit, name, value)?,
            }
        }
        let mut first = u64::MAX;
        ranges.each(unit, |start, _| first = first.min(start))?;
        if let Some(origin) = origin.filter(|_| is_code(first)) {
            let calls = by_origin.entry(origin).or_insert((entry, Vec::new()));
            calls.1.push(first);
        }
    }
    Ok(by_origin.into_values().collect())
}
