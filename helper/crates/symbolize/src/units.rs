//! The compile units of a file by address. A unit is read when code of its is asked for: .debug_aranges, which GCC and
//! rustc write, tells whose code it is without reading any.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gimli::{Dwarf, Unit, UnitHeader, UnitRef, UnitType};

use crate::code_ranges::CodeRanges;
use crate::elf::Reader;
use crate::lines;

pub(crate) struct Units<'d, 'a> {
    dwarf: &'d Dwarf<Reader<'a>>,
    headers: Vec<UnitHeader<Reader<'a>>>,
    /// None: cannot be read.
    units: Vec<OnceCell<Option<Box<Unit<Reader<'a>>>>>>,
    by_tables: RangeTable,
    /// By what the units say themselves that are not in .debug_aranges.
    by_units: OnceCell<RangeTable>,
}

impl<'d, 'a> Units<'d, 'a> {
    pub(crate) fn of(dwarf: &'d Dwarf<Reader<'a>>) -> gimli::Result<Units<'d, 'a>> {
        let mut headers = Vec::new();
        let mut all = dwarf.units();
        while let Some(header) = all.next()? {
            // Partial units and units of types have no code.
            if matches!(
                header.type_(),
                UnitType::Compilation | UnitType::Skeleton(_)
            ) {
                headers.push(header);
            }
        }
        let mut units = Units {
            dwarf,
            units: headers.iter().map(|_| OnceCell::new()).collect(),
            headers,
            by_tables: RangeTable::default(),
            by_units: OnceCell::new(),
        };
        units.by_tables = RangeTable::new(units.ranges_of_tables()?);
        Ok(units)
    }

    /// Those that can be read.
    pub(crate) fn all(&self) -> impl Iterator<Item = UnitRef<'_, Reader<'a>>> {
        (0..self.headers.len()).filter_map(|index| self.unit(index))
    }

    /// The units whose code an address is.
    pub(crate) fn at<'s>(&'s self, vaddr: u64) -> Vec<UnitRef<'s, Reader<'a>>>
    where
        'd: 's,
    {
        let mut found = self.by_tables.at(vaddr);
        if found.is_empty() {
            let read_all = || RangeTable::new(self.ranges_of_units());
            found = self.by_units.get_or_init(read_all).at(vaddr);
        }
        let units = found.into_iter().filter_map(|unit| self.unit(unit));
        units.collect()
    }

    fn unit(&self, index: usize) -> Option<UnitRef<'_, Reader<'a>>> {
        let read = || self.dwarf.unit(self.headers[index]).ok().map(Box::new);
        let unit = self.units[index].get_or_init(read).as_deref()?;
        Some(UnitRef::new(self.dwarf, unit))
    }

    fn ranges_of_tables(&self) -> gimli::Result<Vec<Range>> {
        let offset = |header: &UnitHeader<Reader<'a>>| header.debug_info_offset();
        let by_offset: BTreeMap<_, usize> = (self.headers.iter().enumerate())
            .filter_map(|(index, header)| Some((offset(header)?.0, index)))
            .collect();
        let mut ranges = Vec::new();
        let mut tables = self.dwarf.debug_aranges.headers();
        while let Some(table) = tables.next()? {
            let Some(unit) = by_offset.get(&table.debug_info_offset().0) else {
                continue;
            };
            let mut entries = table.entries();
            while let Some(entry) = entries.next().transpose() {
                // rustc writes an overflowing one for a unit of one variable.
                if let Ok(entry) = entry
                    && entry.length() > 0
                {
                    let range = entry.range();
                    ranges.push(Range {
                        start: range.begin,
                        end: range.end,
                        unit: *unit,
                    });
                }
            }
        }
        Ok(ranges)
    }

    fn ranges_of_units(&self) -> Vec<Range> {
        let mut ranges = Vec::new();
        let has_table: BTreeSet<usize> = self.by_tables.ranges.iter().map(|r| r.unit).collect();
        for index in (0..self.headers.len()).filter(|index| !has_table.contains(index)) {
            let Some(unit) = self.unit(index) else {
                continue;
            };
            let own = ranges_of_unit(unit).unwrap_or_default().into_iter();
            ranges.extend(own.map(|(start, end)| Range {
                start,
                end,
                unit: index,
            }));
        }
        ranges
    }
}

fn ranges_of_unit(unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<Vec<(u64, u64)>> {
    let mut own = CodeRanges::default();
    let mut entries = unit.entries_raw(None)?;
    if let Some(abbreviation) = entries.read_abbreviation()? {
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            own.read(unit, attribute.name(), attribute.value())?;
        }
    }
    let mut ranges = Vec::new();
    own.each(unit, |start, end| ranges.push((start, end)))?;
    if ranges.is_empty() {
        ranges = lines::ranges(unit)?;
    }
    Ok(ranges)
}

struct Range {
    start: u64,
    end: u64,
    unit: usize,
}

/// Ranges, which may overlap, by address.
#[derive(Default)]
struct RangeTable {
    /// Sorted by start.
    ranges: Vec<Range>,
    /// The largest end of each range and those before it.
    ends: Vec<u64>,
}

impl RangeTable {
    fn new(mut ranges: Vec<Range>) -> RangeTable {
        ranges.sort_by_key(|range| (range.start, range.end, Reverse(range.unit)));
        let mut largest = 0;
        let ends = ranges.iter().map(|range| {
            largest = largest.max(range.end);
            largest
        });
        RangeTable {
            ends: ends.collect(),
            ranges,
        }
    }

    /// The units at an address, that of the nearest start first. Of several that claim the same range it is the first in
    /// the file: a linker keeps the first copy of an inline function, and has the others' debug information, which may
    /// describe other code of the same size, point to it.
    fn at(&self, vaddr: u64) -> Vec<usize> {
        let after = self.ranges.partition_point(|range| range.start <= vaddr);
        let before = (0..after)
            .rev()
            .take_while(|at| self.ends[*at] > vaddr)
            .map(|at| &self.ranges[at]);
        let mut units = Vec::new();
        for range in before.filter(|range| vaddr < range.end) {
            if !units.contains(&range.unit) {
                units.push(range.unit);
            }
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_all_found() {
        let range = |start, end, unit| Range { start, end, unit };
        let ranges = vec![
            range(10, 100, 0),
            range(20, 30, 1),
            range(25, 28, 1),
            range(40, 50, 2),
            range(40, 50, 1),
            range(200, 300, 3),
        ];
        let table = RangeTable::new(ranges);
        assert_eq!(table.at(26), [1, 0]);
        assert_eq!(table.at(45), [1, 2, 0]);
        assert_eq!((table.at(99), table.at(100)), (vec![0], vec![]));
        assert_eq!((table.at(9), table.at(250)), (vec![], vec![3]));
    }
}
