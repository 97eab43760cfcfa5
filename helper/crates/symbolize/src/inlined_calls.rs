//! Where calls of each function were inlined, by the debug information of one file.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;

use gimli::{AttributeValue, Dwarf, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::code_ranges::CodeRanges;
use crate::dwarf::Lookup;
use crate::elf::Reader;
use crate::functions_listed::InlinedPlace;
use crate::options::Options;
use crate::split_dwarf::SplitDwarf;
use crate::text::Text;
use crate::units::Units;

/// Places where a function was inlined.
#[derive(Default)]
pub(crate) struct InlinedCalls {
    /// By name and the linker's name.
    pub(crate) places: FxHashMap<(Text, Text), Vec<InlinedPlace>>,
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
    let mut found: Vec<Vec<InlinedPlace>> = Vec::new();
    let mut names: FxHashMap<(Text, Text), usize> = FxHashMap::default();
    for unit in units.all() {
        let of_unit = match unit.dwo_id {
            None if Instant::now() <= deadline => places(unit, is_code).ok(),
            _ => None, // in another file, or too late
        };
        let Some(of_unit) = of_unit else {
            calls.are_incomplete = true;
            continue;
        };
        lookup.build_of(unit);
        for (entry, mut of_function) in of_unit {
            let function = lookup.function_of(unit, entry);
            let next = names.len();
            let name = (function.name, function.system_name);
            let number = *names.entry(name).or_insert(next);
            found.resize(names.len(), Vec::new());
            mark_shared(&mut of_function);
            found[number].append(&mut of_function);
        }
    }
    for places in &mut found {
        places.sort_unstable();
        places.dedup();
    }
    let mut take = |at: usize| std::mem::take(&mut found[at]);
    let named = names.into_iter().map(|(name, at)| (name, take(at)));
    calls
        .places
        .extend(named.filter(|(name, _)| !name.0.is_empty()));
    calls
}

/// Places of one function in one unit that have the same code.
fn mark_shared(places: &mut [InlinedPlace]) {
    places.sort_unstable();
    for at in 1..places.len() {
        let (before, rest) = places.split_at_mut(at);
        let (one, other) = (&mut before[at - 1], &mut rest[0]);
        if (&one.ranges, one.entry) == (&other.ranges, other.entry) {
            (one.is_shared, other.is_shared) = (true, true);
        }
    }
}

/// The calls that were inlined in a unit, by what was inlined; with an entry of such a call.
fn places(
    unit: UnitRef<'_, Reader<'_>>,
    is_code: &dyn Fn(u64) -> bool,
) -> gimli::Result<Vec<(UnitOffset, Vec<InlinedPlace>)>> {
    let mut by_origin: FxHashMap<(u8, usize), (UnitOffset, Vec<InlinedPlace>)> =
        FxHashMap::default();
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
        let (mut origin, mut begins) = (None, None);
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
                (gimli::DW_AT_entry_pc, value) => begins = Some(value),
                (name, value) => ranges.read(unit, name, value)?,
            }
        }
        let mut place = InlinedPlace {
            ranges: Vec::new(),
            entry: ranges.address(unit, begins)?,
            is_shared: false,
        };
        ranges.each(unit, |start, end| place.ranges.push((start, end)))?;
        place.ranges.sort_unstable();
        if let Some(origin) = origin.filter(|_| place.first().is_some_and(is_code)) {
            let calls = by_origin.entry(origin).or_insert((entry, Vec::new()));
            calls.1.push(place);
        }
    }
    Ok(by_origin.into_values().collect())
}
