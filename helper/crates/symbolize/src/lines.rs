//! The lines of a unit at the addresses that are asked for. Its table is gone through once and not kept: it has
//! millions of rows, and few are asked for.

use gimli::{ColumnType, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;

/// A place in a source file of the unit's line table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: Option<u64>,
    /// 1-based; 0: unknown.
    pub(crate) line: u32,
    /// 1-based; 0: unknown.
    pub(crate) column: u32,
}

/// The places of those of the sorted addresses `asked` that the unit's line table covers.
pub(crate) fn places(
    unit: UnitRef<'_, Reader<'_>>,
    asked: &[u64],
) -> gimli::Result<FxHashMap<u64, Place>> {
    let mut places = FxHashMap::default();
    each_sequence(unit, |sequence, end| {
        let Some((start, _)) = sequence.first() else {
            return;
        };
        let first = asked.partition_point(|vaddr| vaddr < start);
        for vaddr in asked[first..].iter().take_while(|vaddr| **vaddr < end) {
            let after = sequence.partition_point(|(address, _)| address <= vaddr);
            places.entry(*vaddr).or_insert(sequence[after - 1].1);
        }
    })?;
    Ok(places)
}

/// The ranges of code that the unit's line table covers.
pub(crate) fn ranges(unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<Vec<(u64, u64)>> {
    let mut ranges = Vec::new();
    each_sequence(unit, |sequence, end| {
        let start = sequence.first().map(|(address, _)| *address);
        ranges.extend(start.filter(|start| *start < end).map(|start| (start, end)));
    })?;
    Ok(ranges)
}

/// Gives the rows of each sequence, of several at one address the last, and the address after the sequence.
fn each_sequence(
    unit: UnitRef<'_, Reader<'_>>,
    mut use_sequence: impl FnMut(&[(u64, Place)], u64),
) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else {
        return Ok(());
    };
    let mut sequence: Vec<(u64, Place)> = Vec::new();
    let mut rows = program.rows();
    while let Some((_, row)) = rows.next_row()? {
        if row.end_sequence() {
            use_sequence(&sequence, row.address());
            sequence.clear();
            continue;
        }
        let line = row.line().map_or(0, |line| line.get() as u32);
        let column = match row.column() {
            ColumnType::Column(column) if line != 0 => column.get() as u32,
            _ => 0,
        };
        let file = Some(row.file_index());
        let place = Place { file, line, column };
        match sequence.last_mut() {
            Some((address, last)) if *address == row.address() => *last = place,
            _ => sequence.push((row.address(), place)),
        }
    }
    Ok(())
}
