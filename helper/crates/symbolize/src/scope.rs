//! Full names for functions that have no linkage name: GCC gives none to lambdas and to what is local to a file.
//!
//! Debug entries know their children, not their parents, so a unit is walked once when the first such function is
//! met in it. C has no scopes and is never walked.

use gimli::{AttributeValue, DwTag, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::elf::Reader;

const STEPS_MAX: usize = 16;
const DEPTH_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct Scopes {
    units: FxHashMap<usize, UnitScopes>,
}

/// Namespaces, classes and functions of a unit as a tree.
#[derive(Default)]
struct UnitScopes {
    scopes: Vec<Scope>,
    /// The scope that a function entry stands in, by the entry's offset.
    around: FxHashMap<usize, usize>,
}

struct Scope {
    parent: Option<usize>,
    tag: DwTag,
    entry: UnitOffset,
}

impl Scopes {
    /// `entry`'s name with everything around it, such as `main::{lambda}::operator()`; `None` when nothing is.
    pub(crate) fn qualified(
        &mut self,
        unit: UnitRef<'_, Reader<'_>>,
        entry: UnitOffset,
        name: &str,
    ) -> Option<String> {
        let named = named_entry(unit, entry)?;
        let key = unit.header.debug_info_offset()?.0;
        let scopes = self
            .units
            .entry(key)
            .or_insert_with(|| UnitScopes::of(unit));
        let mut parts = vec![name.to_owned()];
        let mut scope = scopes.around.get(&named.0).copied();
        while let Some(index) = scope {
            let around = &scopes.scopes[index];
            parts.push(around.shown(unit, &parts[parts.len() - 1]));
            scope = around.parent;
        }
        if parts.len() == 1 {
            return None;
        }
        parts.reverse();
        Some(parts.join("::"))
    }
}

impl Scope {
    fn shown(&self, unit: UnitRef<'_, Reader<'_>>, inner: &str) -> String {
        match entry_name(unit, self.entry) {
            Some(name) => name,
            None if self.tag == gimli::DW_TAG_namespace => "(anonymous namespace)".to_owned(),
            None if self.tag == gimli::DW_TAG_subprogram => "{function}".to_owned(),
            None if inner == "operator()" => "{lambda}".to_owned(),
            None => "{unnamed}".to_owned(),
        }
    }
}

impl UnitScopes {
    fn of(unit: UnitRef<'_, Reader<'_>>) -> UnitScopes {
        let mut scopes = UnitScopes::default();
        // What was found before a malformed entry stays.
        let _ = scopes.walk(unit);
        scopes
    }

    fn walk(&mut self, unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<()> {
        // The scopes that the next entry is in, with their depths.
        let mut open: Vec<(isize, usize)> = Vec::new();
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let entry = entries.next_offset();
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            entries.skip_attributes(abbreviation.attributes())?;
            let tag = abbreviation.tag();
            let is_function = tag == gimli::DW_TAG_subprogram;
            let is_scope = is_function
                || tag == gimli::DW_TAG_namespace
                || tag == gimli::DW_TAG_structure_type
                || tag == gimli::DW_TAG_class_type
                || tag == gimli::DW_TAG_union_type;
            if !is_scope {
                continue;
            }
            while open.last().is_some_and(|(opened, _)| *opened >= depth) {
                open.pop();
            }
            let parent = open.last().map(|(_, scope)| *scope);
            // One with a linkage name is never asked for.
            let has_linkage_name = || {
                abbreviation
                    .attributes()
                    .iter()
                    .any(|attribute| attribute.name() == gimli::DW_AT_linkage_name)
            };
            if let Some(parent) = parent.filter(|_| is_function && !has_linkage_name()) {
                self.around.insert(entry.0, parent);
            }
            if abbreviation.has_children() && open.len() < DEPTH_MAX {
                self.scopes.push(Scope { parent, tag, entry });
                open.push((depth, self.scopes.len() - 1));
            }
        }
        Ok(())
    }
}

fn entry_name(unit: UnitRef<'_, Reader<'_>>, entry: UnitOffset) -> Option<String> {
    let at = named_entry(unit, entry)?;
    let mut entries = unit.entries_raw(Some(at)).ok()?;
    let abbreviation = entries.read_abbreviation().ok()??;
    for specification in abbreviation.attributes() {
        let attribute = entries.read_attribute(*specification).ok()?;
        if attribute.name() == gimli::DW_AT_name {
            let text = unit.attr_string(attribute.value()).ok()?;
            return Some(text.to_string_lossy().into_owned());
        }
    }
    None
}

/// The entry that `entry` stands for and that has the name: a concrete function refers to its abstract one, a
/// definition to its declaration.
fn named_entry(unit: UnitRef<'_, Reader<'_>>, entry: UnitOffset) -> Option<UnitOffset> {
    let mut at = entry;
    for _ in 0..STEPS_MAX {
        let mut entries = unit.entries_raw(Some(at)).ok()?;
        let abbreviation = entries.read_abbreviation().ok()??;
        let mut origin = None;
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification).ok()?;
            if let (
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification,
                AttributeValue::UnitRef(offset),
            ) = (attribute.name(), attribute.value())
            {
                origin = Some(offset)
            }
        }
        match origin {
            Some(offset) => at = offset,
            None => return Some(at),
        }
    }
    None
}
