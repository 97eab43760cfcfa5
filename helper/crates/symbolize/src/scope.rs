//! Full names for functions that have no linkage name: GCC gives none to lambdas and to what is local to a file.
//!
//! Debug entries know their children, not their parents: the way to an entry is searched from the top of its unit, by
//! lists of what has children, one a level, each made when it is first needed. C has no scopes and is never searched.

use gimli::{AttributeValue, DwTag, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;
use crate::other_units::{Entry, OtherUnits, unit_key};

const STEPS_MAX: usize = 16;
const DEPTH_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct Scopes {
    units: FxHashMap<(usize, usize), UnitScopes>,
}

/// What stands in an entry and has children itself, by the entry's offset.
#[derive(Default)]
struct UnitScopes {
    levels: FxHashMap<usize, Vec<Scope>>,
}

#[derive(Clone, Copy)]
struct Scope {
    entry: UnitOffset,
    /// Where the next entry of the same level begins.
    end: UnitOffset,
    tag: DwTag,
}

impl Scopes {
    /// `entry`'s name with everything around it, such as `main::{lambda}::operator()`; `None` when nothing is.
    pub(crate) fn qualified<'a>(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entry: UnitOffset,
        name: &str,
        others: &mut OtherUnits<'a>,
    ) -> Option<String> {
        let named = named_entry(Entry::new(unit, entry), others)?;
        let unit = named.unit();
        let scopes = self.units.entry(unit_key(unit)).or_default();
        let around = scopes.around(unit, named.offset);
        if around.is_empty() {
            return None;
        }
        let mut parts = vec![name.to_owned()];
        for scope in around.iter().rev() {
            parts.push(scope.shown(unit, &parts[parts.len() - 1], others));
        }
        parts.reverse();
        Some(parts.join("::"))
    }
}

impl Scope {
    fn shown<'a>(
        &self,
        unit: UnitRef<'_, Reader<'a>>,
        inner: &str,
        others: &mut OtherUnits<'a>,
    ) -> String {
        match entry_name(Entry::new(unit, self.entry), others) {
            Some(name) => name,
            None if self.tag == gimli::DW_TAG_namespace => "(anonymous namespace)".to_owned(),
            None if self.tag == gimli::DW_TAG_subprogram => "{function}".to_owned(),
            None if inner == "operator()" => "{lambda}".to_owned(),
            None => "{unnamed}".to_owned(),
        }
    }
}

impl UnitScopes {
    /// Namespaces, classes and functions that an entry stands in, outermost first.
    fn around(&mut self, unit: UnitRef<'_, Reader<'_>>, entry: UnitOffset) -> Vec<Scope> {
        let mut around = Vec::new();
        let mut level = unit.header.root_offset();
        for _ in 0..DEPTH_MAX {
            let read = || level_below(unit, level);
            let scopes = self.levels.entry(level.0).or_insert_with(read);
            let after = scopes.partition_point(|scope| scope.entry < entry);
            let Some(scope) = after.checked_sub(1).map(|at| scopes[at]) else {
                break;
            };
            if entry >= scope.end {
                break;
            }
            if is_shown(scope.tag) {
                around.push(scope);
            }
            level = scope.entry;
        }
        around
    }
}

fn is_shown(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_subprogram
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
    )
}

/// The entries with children that stand in `parent`. What was found before a malformed entry stays.
fn level_below(unit: UnitRef<'_, Reader<'_>>, parent: UnitOffset) -> Vec<Scope> {
    let mut scopes = Vec::new();
    let _ = read_level(unit, parent, &mut scopes);
    scopes
}

fn read_level(
    unit: UnitRef<'_, Reader<'_>>,
    parent: UnitOffset,
    scopes: &mut Vec<Scope>,
) -> gimli::Result<()> {
    let mut entries = unit.entries_raw(Some(parent))?;
    if let Some(abbreviation) = entries.read_abbreviation()? {
        entries.skip_attributes(abbreviation.attributes())?;
    }
    // The level of what is read: a jump to a sibling begins to count anew.
    let mut level = 1;
    while !entries.is_empty() && entries.next_depth() >= level {
        let (entry, depth) = (entries.next_offset(), entries.next_depth());
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if depth > level || !abbreviation.has_children() {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        let mut next = None;
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            if attribute.name() == gimli::DW_AT_sibling
                && let AttributeValue::UnitRef(offset) = attribute.value()
            {
                next = Some(offset).filter(|next| *next > entry);
            }
        }
        match next {
            Some(next) => {
                entries = unit.entries_raw(Some(next))?;
                level = 0;
            }
            None => {
                while !entries.is_empty() && entries.next_depth() > level {
                    if let Some(abbreviation) = entries.read_abbreviation()? {
                        entries.skip_attributes(abbreviation.attributes())?;
                    }
                }
            }
        }
        scopes.push(Scope {
            entry,
            end: entries.next_offset(),
            tag: abbreviation.tag(),
        });
    }
    Ok(())
}

fn entry_name<'a>(entry: Entry<'_, 'a>, others: &mut OtherUnits<'a>) -> Option<String> {
    let named = named_entry(entry, others)?;
    let unit = named.unit();
    let name = attribute(unit, named.offset, |name| name == gimli::DW_AT_name)?;
    let text = unit.attr_string(name).ok()?;
    Some(text.to_string_lossy().into_owned())
}

/// The entry that `entry` stands for and that has the name: a concrete function refers to its abstract one, a
/// definition to its declaration.
fn named_entry<'u, 'a>(
    mut entry: Entry<'u, 'a>,
    others: &mut OtherUnits<'a>,
) -> Option<Entry<'u, 'a>> {
    let refers = |name| name == gimli::DW_AT_abstract_origin || name == gimli::DW_AT_specification;
    for _ in 0..STEPS_MAX {
        match attribute(entry.unit(), entry.offset, refers) {
            Some(origin) => entry = entry.referred(&origin, others)?,
            None => return Some(entry),
        }
    }
    None
}

/// The last attribute of an entry that has a wanted name.
fn attribute<'a>(
    unit: UnitRef<'_, Reader<'a>>,
    entry: UnitOffset,
    is_wanted: impl Fn(gimli::DwAt) -> bool,
) -> Option<AttributeValue<Reader<'a>>> {
    let mut entries = unit.entries_raw(Some(entry)).ok()?;
    let abbreviation = entries.read_abbreviation().ok()??;
    let mut found = None;
    for specification in abbreviation.attributes() {
        let attribute = entries.read_attribute(*specification).ok()?;
        if is_wanted(attribute.name()) {
            found = Some(attribute.value());
        }
    }
    found
}
