//! All functions of a module: by its symbols, with the places where its debug information says that they were inlined.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use object::{Object, ObjectSection};

use crate::arena::Arena;
use crate::clones::{is_part, without_marks};
use crate::demangle::{DemangleMode, demangle};
use crate::elf::{Elf, reader};
use crate::functions_listed::{FunctionCode, FunctionList, ListedFunction};
use crate::inlined_calls::{InlinedCalls, inlined_calls};
use crate::mini_debug;
use crate::options::Options;
use crate::resolve::Files;
use crate::split_dwarf::SplitDwarf;
use crate::symbol_table;

/// Past `deadline`, inlined calls are not looked for any more.
pub(crate) fn list(files: &Files, options: &Options, deadline: Instant) -> FunctionList {
    let elf = files.elf;
    let debug = files.debug.unwrap_or(elf);
    let mini = (!elf.has_symbol_table() && !debug.has_symbol_table())
        .then(|| mini_debug::unpacked(elf))
        .flatten();
    let mini = mini.as_ref().and_then(|bytes| Elf::parse(bytes).ok());
    let mut objects = vec![&elf.object];
    objects.extend(files.debug.map(|debug| &debug.object));
    objects.extend(mini.as_ref().map(|mini| &mini.object));
    let mode = match elf.is_go() {
        true => DemangleMode::None, // dots are part of Go's names
        false => options.demangle,
    };
    let mut functions = by_symbols(&objects, mode);
    let inlined = inlined_in(files, options, deadline);
    let may_be_inlined = inlined.as_ref().is_none_or(|of| of.are_incomplete);
    for ((name, system_name), places) in inlined.into_iter().flat_map(|of| of.places) {
        let key = (name.to_string(), system_name.to_string());
        functions.entry(key).or_default().inlined = places;
    }
    FunctionList {
        functions: (functions.into_iter())
            .map(|((name, system_name), function)| ListedFunction {
                name,
                system_name,
                ..function
            })
            .collect(),
        may_be_inlined,
        is_go: elf.is_go(),
    }
}

fn by_symbols(
    objects: &[&object::File<'_>],
    mode: DemangleMode,
) -> BTreeMap<(String, String), ListedFunction> {
    let mut symbols = Vec::new();
    symbol_table::each_sized(objects, |name, start, end| symbols.push((start, end, name)));
    symbols.sort_unstable();
    symbols.dedup();
    let mut starts: Vec<u64> = symbols.iter().map(|(start, ..)| *start).collect();
    starts.dedup();
    let mut functions: BTreeMap<(String, String), ListedFunction> = BTreeMap::new();
    for (start, end, symbol) in symbols {
        let base = without_marks(symbol.split('@').next().unwrap_or(symbol));
        let key = (demangle(base, mode), base.to_owned());
        let function = functions.entry(key).or_default();
        let next = starts.get(starts.partition_point(|other| *other <= start));
        let end = next.map_or(end, |next| end.min(*next));
        match is_part(symbol) {
            true => function.parts.push((start, end)),
            false => function.codes.push(FunctionCode { start, end }),
        }
    }
    for function in functions.values_mut() {
        function.codes.sort_unstable();
        function.codes.dedup_by_key(|code| code.start);
    }
    functions.retain(|_, function| !function.codes.is_empty());
    functions
}

/// None: the module has no debug information that can be read.
fn inlined_in(files: &Files, options: &Options, deadline: Instant) -> Option<InlinedCalls> {
    let debug = files.debug.unwrap_or(files.elf);
    if !debug.has_debug_units() {
        return None;
    }
    let sections = debug.dwarf_sections().ok()?;
    let shared = files
        .shared
        .map(|found| Elf::parse(&found.map)?.dwarf_sections());
    let shared = shared.transpose().ok()?;
    let code: Vec<(u64, u64)> = (files.elf.object.sections())
        .filter(|section| section.kind() == object::SectionKind::Text)
        .map(|section| {
            (
                section.address(),
                section.address().saturating_add(section.size()),
            )
        })
        .collect();
    let is_code = |vaddr: u64| {
        code.iter()
            .any(|(start, end)| (*start..*end).contains(&vaddr))
    };
    // A parser that panics costs what it would have found.
    let counted = catch_unwind(AssertUnwindSafe(|| {
        let mut dwarf = sections.borrow_with_sup(shared.as_ref(), |section| reader(section));
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let arena = Arena::new();
        let split = SplitDwarf::new(files.package.as_ref(), &files.places, &arena);
        inlined_calls(dwarf, &split, &is_code, options, deadline)
    }));
    counted.ok()
}
