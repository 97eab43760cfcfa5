//! Entries that stand in another unit than the one that refers to them: of the same file (link-time optimisation,
//! `dwz`), or of the file that `dwz` moved common entries to.

use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Dwarf, Unit, UnitHeader, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;

/// Units read because an entry of another unit refers into them.
#[derive(Default)]
pub(crate) struct OtherUnits<'a> {
    /// By the DWARF that they are in: of the module, of a part of split debug information, of the shared file.
    indices: FxHashMap<usize, UnitIndex<'a>>,
}

struct UnitIndex<'a> {
    headers: Vec<UnitHeader<Reader<'a>>>,
    units: FxHashMap<usize, Rc<Unit<Reader<'a>>>>,
}

/// An entry and the unit that it is in.
pub(crate) struct Entry<'u, 'a> {
    dwarf: &'u Dwarf<Reader<'a>>,
    unit: Held<'u, 'a>,
    pub(crate) offset: UnitOffset,
}

enum Held<'u, 'a> {
    Lent(&'u Unit<Reader<'a>>),
    Kept(Rc<Unit<Reader<'a>>>),
}

impl<'u, 'a> Entry<'u, 'a> {
    pub(crate) fn new(unit: UnitRef<'u, Reader<'a>>, offset: UnitOffset) -> Entry<'u, 'a> {
        Entry {
            dwarf: unit.dwarf,
            unit: Held::Lent(unit.unit),
            offset,
        }
    }

    pub(crate) fn unit(&self) -> UnitRef<'_, Reader<'a>> {
        let unit = match &self.unit {
            Held::Lent(unit) => unit,
            Held::Kept(unit) => &**unit,
        };
        UnitRef::new(self.dwarf, unit)
    }

    /// The entry that an attribute of this one refers to.
    pub(crate) fn referred(
        &self,
        value: &AttributeValue<Reader<'a>>,
        others: &mut OtherUnits<'a>,
    ) -> Option<Entry<'u, 'a>> {
        match *value {
            AttributeValue::UnitRef(offset) => Some(Entry {
                dwarf: self.dwarf,
                unit: match &self.unit {
                    Held::Lent(unit) => Held::Lent(unit),
                    Held::Kept(unit) => Held::Kept(Rc::clone(unit)),
                },
                offset,
            }),
            AttributeValue::DebugInfoRef(offset) => others.entry(self.dwarf, offset),
            AttributeValue::DebugInfoRefSup(offset) => others.entry(self.dwarf.sup()?, offset),
            _ => None,
        }
    }
}

/// What tells a unit from all others of a lookup: the DWARF that it is in, and where.
pub(crate) fn unit_key(unit: UnitRef<'_, Reader<'_>>) -> (usize, usize) {
    let offset = unit.header.debug_info_offset();
    (
        std::ptr::from_ref(unit.dwarf).addr(),
        offset.map_or(usize::MAX, |offset| offset.0),
    )
}

impl<'a> OtherUnits<'a> {
    fn entry<'u>(
        &mut self,
        dwarf: &'u Dwarf<Reader<'a>>,
        offset: DebugInfoOffset,
    ) -> Option<Entry<'u, 'a>> {
        let index = self
            .indices
            .entry(std::ptr::from_ref(dwarf).addr())
            .or_insert_with(|| UnitIndex::of(dwarf));
        let (unit, offset) = index.entry(dwarf, offset)?;
        Some(Entry {
            dwarf,
            unit: Held::Kept(unit),
            offset,
        })
    }
}

impl<'a> UnitIndex<'a> {
    fn of(dwarf: &Dwarf<Reader<'a>>) -> UnitIndex<'a> {
        let mut headers = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            headers.push(header);
        }
        UnitIndex {
            headers,
            units: FxHashMap::default(),
        }
    }

    fn entry(
        &mut self,
        dwarf: &Dwarf<Reader<'a>>,
        offset: DebugInfoOffset,
    ) -> Option<(Rc<Unit<Reader<'a>>>, UnitOffset)> {
        let start =
            |header: &UnitHeader<Reader<'a>>| header.debug_info_offset().map(|start| start.0);
        let after = self
            .headers
            .partition_point(|header| start(header) <= Some(offset.0));
        let header = self.headers.get(after.checked_sub(1)?)?;
        let within = offset.to_unit_offset(header)?;
        let key = start(header)?;
        if let Some(unit) = self.units.get(&key) {
            return Some((Rc::clone(unit), within));
        }
        let unit = Rc::new(dwarf.unit(*header).ok()?);
        self.units.insert(key, Rc::clone(&unit));
        Some((unit, within))
    }
}
