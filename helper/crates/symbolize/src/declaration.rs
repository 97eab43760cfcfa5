//! Where a function is declared: `DW_AT_decl_file` and `DW_AT_decl_line` of its entry, followed through
//! abstract origins and specifications, also into other units and the shared part that `dwz` makes.

use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Dwarf, Unit, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;
use crate::source_path;

/// Entries that refer to themselves exist in shipped libraries: the way ends after so many steps.
const STEPS_MAX: usize = 16;

#[derive(Debug, Clone, Default)]
pub(crate) struct Declaration {
    pub(crate) file: Option<Rc<str>>,
    pub(crate) line: u32,
}

/// Declarations met so far, by unit and entry.
#[derive(Default)]
pub(crate) struct Declarations<'a> {
    known: FxHashMap<(usize, usize), Declaration>,
    own_units: Option<UnitIndex<'a>>,
    shared_units: Option<UnitIndex<'a>>,
}

/// Units by their offset, read when an entry of another unit refers into them.
struct UnitIndex<'a> {
    headers: Vec<gimli::UnitHeader<Reader<'a>>>,
    units: FxHashMap<usize, Rc<Unit<Reader<'a>>>>,
}

impl<'a> Declarations<'a> {
    pub(crate) fn of(&mut self, unit: UnitRef<'_, Reader<'a>>, entry: UnitOffset) -> Declaration {
        let key = (
            unit.header
                .debug_info_offset()
                .map_or(usize::MAX, |offset| offset.0),
            entry.0,
        );
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut declaration = Declaration::default();
        // A malformed entry costs the declaration only.
        let _ = self.follow(unit, entry, &mut declaration, STEPS_MAX);
        self.known.insert(key, declaration.clone());
        declaration
    }

    fn follow(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entry: UnitOffset,
        declaration: &mut Declaration,
        steps: usize,
    ) -> gimli::Result<()> {
        let mut origin = None;
        let mut entries = unit.entries_raw(Some(entry))?;
        let Some(abbreviation) = entries.read_abbreviation()? else {
            return Ok(());
        };
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match attribute.name() {
                gimli::DW_AT_decl_line if declaration.line == 0 => {
                    declaration.line = attribute
                        .udata_value()
                        .and_then(|line| u32::try_from(line).ok())
                        .unwrap_or(0);
                }
                gimli::DW_AT_decl_file if declaration.file.is_none() => {
                    if let AttributeValue::FileIndex(index) = attribute.value() {
                        declaration.file = file_path(unit, index).map(Rc::from);
                    }
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    origin = Some(attribute.value());
                }
                _ => {}
            }
        }
        if (declaration.line > 0 && declaration.file.is_some()) || steps == 0 {
            return Ok(());
        }
        match origin {
            Some(AttributeValue::UnitRef(offset)) => {
                self.follow(unit, offset, declaration, steps - 1)
            }
            Some(AttributeValue::DebugInfoRef(offset)) => {
                let index = self
                    .own_units
                    .get_or_insert_with(|| UnitIndex::of(unit.dwarf));
                let Some((other, offset)) = index.entry(unit.dwarf, offset) else {
                    return Ok(());
                };
                self.follow(
                    UnitRef::new(unit.dwarf, &other),
                    offset,
                    declaration,
                    steps - 1,
                )
            }
            Some(AttributeValue::DebugInfoRefSup(offset)) => {
                let Some(shared) = unit.dwarf.sup() else {
                    return Ok(());
                };
                let index = self
                    .shared_units
                    .get_or_insert_with(|| UnitIndex::of(shared));
                let Some((other, offset)) = index.entry(shared, offset) else {
                    return Ok(());
                };
                self.follow(UnitRef::new(shared, &other), offset, declaration, steps - 1)
            }
            _ => Ok(()),
        }
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
        let start = |header: &gimli::UnitHeader<Reader<'a>>| {
            header.debug_info_offset().map(|start| start.0)
        };
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

/// The path of file number `index` in the unit's line table.
fn file_path(unit: UnitRef<'_, Reader<'_>>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |value| Some(unit.attr_string(value).ok()?.to_string_lossy().into_owned());
    let mut path = unit.comp_dir.map_or_else(String::new, |directory| {
        directory.to_string_lossy().into_owned()
    });
    if file.directory_index() != 0
        && let Some(directory) = file.directory(header)
    {
        path = source_path::joined(&path, &text(directory)?);
    }
    Some(source_path::normalized(&source_path::joined(
        &path,
        &text(file.path_name())?,
    )))
}
