//! Function symbols of ELF files, for addresses that no DWARF names, and for code that several functions share.

use std::cmp::Reverse;

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, SymbolKind};
use rustc_hash::FxHashMap;

use crate::plt::PltStub;

/// What the symbols say of sorted addresses.
#[derive(Debug)]
pub(crate) struct SymbolNames<'a> {
    /// One for each address: name and start of the function that has it.
    pub(crate) functions: Vec<Option<(&'a str, u64)>>,
    /// One for each address: all functions whose code is exactly this one; empty when it is one function's alone.
    pub(crate) folded: Vec<Vec<&'a str>>,
    /// The files have function symbols at all.
    pub(crate) any: bool,
}

#[derive(Debug, Clone, Copy)]
struct FunctionSymbol<'a> {
    start: u64,
    end: u64,
    name: &'a str,
    sized: bool,
    global: bool,
}

impl FunctionSymbol<'_> {
    /// The nearest start wins; at one address sized before unsized, global before local.
    fn rank(&self) -> impl Ord {
        (self.start, self.sized, self.global, Reverse(self.name))
    }
}

/// Looks `asked` (sorted) up in `.symtab` and `.dynsym` of each file (the module, then its debug file), and in the
/// stubs of its linkage table.
///
/// A symbol without a size (assembly) reaches to the next symbol or the end of its section; one with a size reaches no
/// further than that: a wrong name is worse than none. The symbols themselves are not kept: a program has a hundred
/// thousand of them.
pub(crate) fn names_at<'a>(
    files: &[&object::File<'a>],
    stubs: &'a [PltStub],
    asked: &[u64],
) -> SymbolNames<'a> {
    let mut search = Search {
        asked,
        covering: vec![None; asked.len()],
        nearest: vec![None; asked.len()],
        sharing: FxHashMap::default(),
        any: false,
    };
    for file in files {
        let code_ends = code_ends(file);
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            if let Some(symbol) = function_symbol(&symbol, &code_ends) {
                search.any = true;
                search.add(symbol);
            }
        }
    }
    for stub in stubs {
        search.add(FunctionSymbol {
            start: stub.start,
            end: stub.end,
            name: &stub.name,
            sized: true,
            global: false,
        });
    }
    search.finish()
}

/// All function symbols of the files that have a size, but for those whose code only chooses another function (`IFUNC`). One that
/// several tables have comes several times.
pub(crate) fn each_sized<'a>(
    files: &[&object::File<'a>],
    mut found: impl FnMut(&'a str, u64, u64),
) {
    for file in files {
        let code_ends = code_ends(file);
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let of = function_symbol(&symbol, &code_ends);
            if let Some(of) = of.filter(|of| of.sized && !chooses_another(&symbol)) {
                found(of.name, of.start, of.end);
            }
        }
    }
}

fn chooses_another(symbol: &object::Symbol<'_, '_>) -> bool {
    match symbol.flags() {
        object::SymbolFlags::Elf { st_info, .. } => st_info.st_type() == object::elf::STT_GNU_IFUNC,
        _ => false,
    }
}

struct Search<'a, 'asked> {
    asked: &'asked [u64],
    /// The best symbol with a size that covers the address.
    covering: Vec<Option<FunctionSymbol<'a>>>,
    /// The best symbol that starts at or before this address and after the address before it.
    nearest: Vec<Option<FunctionSymbol<'a>>>,
    /// Names of the symbols with one start and end.
    sharing: FxHashMap<(u64, u64), Vec<&'a str>>,
    any: bool,
}

impl<'a> Search<'a, '_> {
    fn add(&mut self, symbol: FunctionSymbol<'a>) {
        let first = self.asked.partition_point(|vaddr| *vaddr < symbol.start);
        let Some(nearest) = self.nearest.get_mut(first) else {
            return;
        };
        keep_better(nearest, symbol);
        if !symbol.sized || self.asked[first] >= symbol.end {
            return;
        }
        let names = self.sharing.entry((symbol.start, symbol.end)).or_default();
        if !names.contains(&symbol.name) {
            names.push(symbol.name);
        }
        let covered = self.asked[first..].iter().zip(&mut self.covering[first..]);
        for (_, best) in covered.take_while(|(vaddr, _)| **vaddr < symbol.end) {
            keep_better(best, symbol);
        }
    }

    fn finish(self) -> SymbolNames<'a> {
        let mut found = SymbolNames {
            functions: Vec::with_capacity(self.asked.len()),
            folded: vec![Vec::new(); self.asked.len()],
            any: self.any,
        };
        let mut nearest: Option<FunctionSymbol> = None;
        for (at, vaddr) in self.asked.iter().enumerate() {
            nearest = self.nearest[at].or(nearest);
            let unsized_reaches = nearest.filter(|symbol| !symbol.sized && *vaddr < symbol.end);
            let symbol = unsized_reaches.or(self.covering[at]);
            let function = symbol.map(|symbol| (symbol.name, symbol.start));
            found.functions.push(function);
            let sharing = symbol.and_then(|symbol| self.sharing.get(&(symbol.start, symbol.end)));
            if let Some(names) = sharing.filter(|names| names.len() > 1) {
                found.folded[at].clone_from(names);
                found.folded[at].sort_unstable();
            }
        }
        found
    }
}

fn keep_better<'a>(best: &mut Option<FunctionSymbol<'a>>, symbol: FunctionSymbol<'a>) {
    if best.is_none_or(|best| best.rank() < symbol.rank()) {
        *best = Some(symbol);
    }
}

/// Sections of code and their ends. By their flags: in a debug file they have addresses but no content.
fn code_ends(file: &object::File<'_>) -> FxHashMap<SectionIndex, u64> {
    let is_code = |flags| match flags {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & object::elf::SHF_EXECINSTR.0 != 0,
        _ => false,
    };
    file.sections()
        .filter(|section| is_code(section.flags()))
        .map(|section| {
            let end = section.address().saturating_add(section.size());
            (section.index(), end)
        })
        .collect()
}

fn function_symbol<'a>(
    symbol: &object::Symbol<'a, '_>,
    code_ends: &FxHashMap<SectionIndex, u64>,
) -> Option<FunctionSymbol<'a>> {
    let section_end = *code_ends.get(&symbol.section_index()?)?;
    if !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown) {
        return None;
    }
    let name = symbol.name().ok()?;
    if name.is_empty() || name.starts_with('$') {
        return None;
    }
    let start = symbol.address();
    let end = match symbol.size() {
        0 => section_end,
        size => start.saturating_add(size),
    };
    Some(FunctionSymbol {
        start,
        end,
        name,
        sized: symbol.size() > 0,
        global: symbol.is_global(),
    })
}
