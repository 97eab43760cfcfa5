//! The functions of a unit by address, and the calls that were inlined into each.
//!
//! As addr2line has it, with two differences: GCC says where an entry's children end, so the thousands of types and
//! bodies of a C++ unit are passed over; and a function is read without recursion, however deep its calls nest.

use std::rc::Rc;

use gimli::{AttributeValue, EntriesRaw, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::code_ranges::CodeRanges;
use crate::elf::Reader;
use crate::lines::Place;
use crate::other_units::{Entry, OtherUnits, unit_key};

/// Entries that refer to themselves exist in shipped libraries: the way to a name ends after so many steps.
const STEPS_MAX: usize = 16;

/// Functions met so far, by unit.
#[derive(Default)]
pub(crate) struct Functions {
    units: FxHashMap<(usize, usize), UnitFunctions>,
}

/// A function, or one that was inlined into the next of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) entry: UnitOffset,
    /// Where it was inlined; nothing for the function itself.
    pub(crate) site: Place,
}

#[derive(Default)]
struct UnitFunctions {
    /// Start, end and entry, sorted.
    ranges: Vec<(u64, u64, UnitOffset)>,
    /// Nothing was passed over.
    is_complete: bool,
    bodies: FxHashMap<usize, Rc<Body>>,
}

/// What was inlined into a function.
#[derive(Default)]
struct Body {
    calls: Vec<Call>,
    /// In the order of `calls` within one caller. Those of several callers overlap, and now and then those of one.
    ranges: Vec<CallRange>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CallRange {
    /// Number of the call that this one is in, from 1; 0: the function itself.
    caller: usize,
    /// From 1.
    call: usize,
    start: u64,
    end: u64,
}

impl Functions {
    /// The calls at an address, innermost first, the function itself last; empty: it lies in no function of the unit.
    pub(crate) fn at(
        &mut self,
        unit: UnitRef<'_, Reader<'_>>,
        vaddr: u64,
    ) -> gimli::Result<Vec<Call>> {
        let functions = match self.units.entry(unit_key(unit)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(UnitFunctions::of(unit, true)?)
            }
        };
        let mut found = functions.find(vaddr);
        if found.is_none() && !functions.is_complete {
            // GNU C has functions within functions.
            *functions = UnitFunctions::of(unit, false)?;
            found = functions.find(vaddr);
        }
        let Some(entry) = found else {
            return Ok(Vec::new());
        };
        let body = match functions.bodies.get(&entry.0) {
            Some(known) => Rc::clone(known),
            None => {
                let body = Rc::new(Body::of(unit, entry)?);
                functions.bodies.insert(entry.0, Rc::clone(&body));
                body
            }
        };
        let mut calls = body.at(vaddr);
        calls.reverse();
        calls.push(Call {
            entry,
            site: Place::default(),
        });
        Ok(calls)
    }
}

impl UnitFunctions {
    fn of(unit: UnitRef<'_, Reader<'_>>, passes_over: bool) -> gimli::Result<UnitFunctions> {
        let mut functions = UnitFunctions {
            is_complete: true,
            ..UnitFunctions::default()
        };
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let entry = entries.next_offset();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            let is_function = abbreviation.tag() == gimli::DW_TAG_subprogram;
            let may_be_passed = passes_over
                && abbreviation.has_children()
                && !matches!(
                    abbreviation.tag(),
                    gimli::DW_TAG_compile_unit
                        | gimli::DW_TAG_partial_unit
                        | gimli::DW_TAG_namespace
                        | gimli::DW_TAG_module
                );
            if !is_function && !may_be_passed {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let mut ranges = CodeRanges::default();
            let mut sibling = None;
            for specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(*specification)?;
                match (attribute.name(), attribute.value()) {
                    (gimli::DW_AT_sibling, AttributeValue::UnitRef(next)) => sibling = Some(next),
                    (name, value) if is_function => ranges.read(unit, name, value)?,
                    _ => {}
                }
            }
            ranges.each(unit, |start, end| {
                functions.ranges.push((start, end, entry));
            })?;
            if let Some(next) =
                sibling.filter(|next| may_be_passed && *next > entries.next_offset())
            {
                entries = unit.entries_raw(Some(next))?;
                functions.is_complete = false;
            }
        }
        functions.ranges.sort_unstable();
        Ok(functions)
    }

    fn find(&self, vaddr: u64) -> Option<UnitOffset> {
        let after = self.ranges.partition_point(|(start, ..)| *start <= vaddr);
        let (_, end, entry) = self.ranges[after.checked_sub(1)?];
        (vaddr < end).then_some(entry)
    }
}

impl Body {
    fn of(unit: UnitRef<'_, Reader<'_>>, function: UnitOffset) -> gimli::Result<Body> {
        let mut body = Body::default();
        let mut entries = unit.entries_raw(Some(function))?;
        let own_depth = entries.next_depth();
        if let Some(abbreviation) = entries.read_abbreviation()? {
            entries.skip_attributes(abbreviation.attributes())?;
        }
        // The calls that the next entry is in: their depths and numbers.
        let mut open: Vec<(isize, usize)> = Vec::new();
        let mut nested_function = None;
        while !entries.is_empty() && entries.next_depth() > own_depth {
            let (entry, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            if nested_function.is_some_and(|nested| depth > nested) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            nested_function = None;
            while open.last().is_some_and(|(opened, _)| *opened >= depth) {
                open.pop();
            }
            match abbreviation.tag() {
                gimli::DW_TAG_inlined_subroutine => {
                    let caller = open.last().map_or(0, |(_, call)| *call);
                    body.read_call(unit, &mut entries, abbreviation, entry, caller)?;
                    open.push((depth, body.calls.len()));
                }
                gimli::DW_TAG_subprogram => {
                    entries.skip_attributes(abbreviation.attributes())?;
                    nested_function = Some(depth);
                }
                _ => entries.skip_attributes(abbreviation.attributes())?,
            }
        }
        body.ranges.sort_unstable();
        Ok(body)
    }

    fn read_call<'a>(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entries: &mut EntriesRaw<'_, Reader<'a>>,
        abbreviation: &gimli::Abbreviation,
        entry: UnitOffset,
        caller: usize,
    ) -> gimli::Result<()> {
        let mut ranges = CodeRanges::default();
        let mut site = Place::default();
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            let number = || attribute.udata_value().map_or(0, |value| value as u32);
            match (attribute.name(), attribute.value()) {
                // Before DWARF 5, file 0 is none.
                (gimli::DW_AT_call_file, AttributeValue::FileIndex(file)) => {
                    site.file = (file > 0 || unit.header.version() >= 5).then_some(file);
                }
                (gimli::DW_AT_call_line, _) => site.line = number(),
                (gimli::DW_AT_call_column, _) => site.column = number(),
                (name, value) => ranges.read(unit, name, value)?,
            }
        }
        self.calls.push(Call { entry, site });
        let call = self.calls.len();
        ranges.each(unit, |start, end| {
            self.ranges.push(CallRange {
                caller,
                call,
                start,
                end,
            });
        })
    }

    /// Outermost first.
    fn at(&self, vaddr: u64) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut caller = 0;
        loop {
            let first = self.ranges.partition_point(|range| range.caller < caller);
            let inside = self.ranges[first..].iter();
            let inside = inside.take_while(|range| range.caller == caller);
            let around = inside.filter(|range| (range.start..range.end).contains(&vaddr));
            // Where optimisation has mixed two calls, the narrower range is meant, as binutils have it.
            let Some(range) = around.min_by_key(|range| range.end - range.start) else {
                return calls;
            };
            calls.push(self.calls[range.call - 1]);
            caller = range.call;
        }
    }
}

/// The name that the linker knows a function by, or else its own, and where it stands: in its entry or in the one that
/// this refers to.
pub(crate) fn name_of<'a>(
    unit: UnitRef<'_, Reader<'a>>,
    entry: UnitOffset,
    others: &mut OtherUnits<'a>,
) -> Option<Reader<'a>> {
    let mut entry = Entry::new(unit, entry);
    for _ in 0..STEPS_MAX {
        let unit = entry.unit();
        let mut entries = unit.entries_raw(Some(entry.offset)).ok()?;
        let abbreviation = entries.read_abbreviation().ok()??;
        let (mut name, mut origin) = (None, None);
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification).ok()?;
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    if let Ok(text) = unit.attr_string(attribute.value()) {
                        return Some(text);
                    }
                }
                gimli::DW_AT_name => name = unit.attr_string(attribute.value()).ok(),
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    origin = Some(attribute.value());
                }
                _ => {}
            }
        }
        if name.is_some() {
            return name;
        }
        entry = entry.referred(&origin?, others)?;
    }
    None
}
