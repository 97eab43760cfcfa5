//! Function symbols of an ELF file, for addresses that no DWARF covers.

use object::{Object, ObjectSection, ObjectSymbol, SectionIndex, SymbolKind};

#[derive(Debug, Clone, Copy)]
struct FunctionSymbol<'a> {
    start: u64,
    end: u64,
    name: &'a str,
    sized: bool,
    global: bool,
}

/// Sorted by start; of several symbols at one address the best is kept.
#[derive(Debug, Default)]
pub(crate) struct SymbolTable<'a> {
    functions: Vec<FunctionSymbol<'a>>,
}

impl<'a> SymbolTable<'a> {
    /// Reads `.symtab` and `.dynsym` of each file (the module, then its debug file).
    pub(crate) fn of(files: &[&object::File<'a>]) -> SymbolTable<'a> {
        let mut functions = Vec::new();
        for file in files {
            collect(file, file.symbols(), &mut functions);
            collect(file, file.dynamic_symbols(), &mut functions);
        }
        functions.sort_unstable_by(|a, b| {
            // The first of an address is kept: sized before unsized, global before local.
            (a.start, !a.sized, !a.global, a.name).cmp(&(b.start, !b.sized, !b.global, b.name))
        });
        functions.dedup_by_key(|function| function.start);
        SymbolTable { functions }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The name of the function that has `vaddr`. A symbol without a size (assembly) reaches to the next symbol or
    /// the end of its section; one with a size reaches no further than that: a wrong name is worse than none.
    pub(crate) fn name_at(&self, vaddr: u64) -> Option<&'a str> {
        let after = self
            .functions
            .partition_point(|function| function.start <= vaddr);
        let mut lower = self.functions[..after].iter().rev();
        let nearest = lower.next()?;
        if vaddr < nearest.end {
            return Some(nearest.name);
        }
        // A small function may lie inside a bigger one (an alternative entry): look a few symbols back.
        lower
            .take(4)
            .find(|function| function.sized && vaddr < function.end)
            .map(|function| function.name)
    }
}

fn collect<'a, 'file, S: ObjectSymbol<'a>>(
    file: &'file object::File<'a>,
    symbols: impl Iterator<Item = S>,
    functions: &mut Vec<FunctionSymbol<'a>>,
) {
    let executable: Vec<(SectionIndex, u64)> = file
        .sections()
        .filter(|section| section.kind() == object::SectionKind::Text)
        .map(|section| {
            (
                section.index(),
                section.address().saturating_add(section.size()),
            )
        })
        .collect();
    for symbol in symbols {
        let Some(section_end) = symbol
            .section_index()
            .and_then(|index| executable.iter().find(|(text, _)| *text == index))
            .map(|(_, end)| *end)
        else {
            continue;
        };
        let is_function = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
        let Ok(name) = symbol.name() else { continue };
        if !is_function || name.is_empty() || name.starts_with('$') {
            continue;
        }
        let start = symbol.address();
        let end = match symbol.size() {
            0 => section_end,
            size => start.saturating_add(size),
        };
        functions.push(FunctionSymbol {
            start,
            end,
            name,
            sized: symbol.size() > 0,
            global: symbol.is_global(),
        });
    }
}
