//! Where a function is declared: `DW_AT_decl_file` and `DW_AT_decl_line` of its entry, followed through
//! abstract origins and specifications, also into other units and the shared part that `dwz` makes.

use std::rc::Rc;

use gimli::{AttributeValue, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;
use crate::other_units::{Entry, OtherUnits, unit_key};
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
pub(crate) struct Declarations {
    known: FxHashMap<((usize, usize), usize), Declaration>,
}

impl Declarations {
    pub(crate) fn of<'a>(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entry: UnitOffset,
        others: &mut OtherUnits<'a>,
    ) -> Declaration {
        let key = (unit_key(unit), entry.0);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut declaration = Declaration::default();
        let mut next = Some(Entry::new(unit, entry));
        for _ in 0..STEPS_MAX {
            let Some(entry) = next.take() else { break };
            // A malformed entry costs the declaration only.
            next = declaration
                .read(entry.unit(), entry.offset)
                .ok()
                .flatten()
                .filter(|_| declaration.line == 0 || declaration.file.is_none())
                .and_then(|origin| entry.referred(&origin, others));
        }
        self.known.insert(key, declaration.clone());
        declaration
    }
}

impl Declaration {
    /// Adds what one entry says; gives the reference to the entry that says more.
    fn read<'a>(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entry: UnitOffset,
    ) -> gimli::Result<Option<AttributeValue<Reader<'a>>>> {
        let mut origin = None;
        let mut entries = unit.entries_raw(Some(entry))?;
        let Some(abbreviation) = entries.read_abbreviation()? else {
            return Ok(None);
        };
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match attribute.name() {
                gimli::DW_AT_decl_line if self.line == 0 => {
                    self.line = attribute
                        .udata_value()
                        .and_then(|line| u32::try_from(line).ok())
                        .unwrap_or(0);
                }
                gimli::DW_AT_decl_file if self.file.is_none() => {
                    if let AttributeValue::FileIndex(index) = attribute.value() {
                        self.file = file_path(unit, index).map(Rc::from);
                    }
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    origin = Some(attribute.value());
                }
                _ => {}
            }
        }
        Ok(origin)
    }
}

/// The path of file number `index` in the unit's line table.
pub(crate) fn file_path(unit: UnitRef<'_, Reader<'_>>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    path_of(unit, header.file(index)?, header)
}

/// The path of a file of the unit's line table.
pub(crate) fn path_of<'a>(
    unit: UnitRef<'_, Reader<'a>>,
    file: &gimli::FileEntry<Reader<'a>>,
    header: &gimli::LineProgramHeader<Reader<'a>>,
) -> Option<String> {
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
