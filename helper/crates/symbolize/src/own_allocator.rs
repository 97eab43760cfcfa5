//! Whether a program manages its memory without the C library's functions, by its symbols.

use std::fs::File;

use object::{Object, ObjectSymbol};

use crate::elf::Elf;
use crate::truncation::GuardedMap;

/// What a program has in place of the C library's allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnAllocator {
    Jemalloc,
    Mimalloc,
    Tcmalloc,
    /// Its own functions of the usual names, which come before those of any library.
    Malloc,
    /// The heap of OCaml.
    Ocaml,
    /// The heap of Go.
    Go,
}

/// Whether a file was made by the Go compiler.
pub fn is_go(file: &File) -> bool {
    let map = GuardedMap::of(file);
    map.is_ok_and(|map| Elf::parse(&map).is_ok_and(|elf| elf.is_go()))
}

/// Functions that an allocator exports under its own name, as its manual has them. The usual ones come last: allocators have these
/// too.
const FUNCTIONS: &[(&str, OwnAllocator)] = &[
    ("mallocx", OwnAllocator::Jemalloc),
    ("je_malloc", OwnAllocator::Jemalloc),
    ("_rjem_malloc", OwnAllocator::Jemalloc),
    ("mi_malloc", OwnAllocator::Mimalloc),
    ("tc_malloc", OwnAllocator::Tcmalloc),
    ("caml_alloc_small_dispatch", OwnAllocator::Ocaml),
    ("malloc", OwnAllocator::Malloc),
];

impl OwnAllocator {
    pub fn name(self) -> &'static str {
        match self {
            OwnAllocator::Jemalloc => "jemalloc",
            OwnAllocator::Mimalloc => "mimalloc",
            OwnAllocator::Tcmalloc => "tcmalloc",
            OwnAllocator::Malloc => "its own malloc",
            OwnAllocator::Ocaml => "OCaml",
            OwnAllocator::Go => "Go",
        }
    }

    /// None: nothing shows one. A program without symbols shows little.
    pub fn of(program: &File) -> Option<OwnAllocator> {
        let map = GuardedMap::of(program).ok()?;
        let elf = Elf::parse(&map).ok()?;
        if elf.is_go() {
            return Some(OwnAllocator::Go);
        }
        let exported = elf.object.dynamic_symbols();
        let all = elf.object.symbols().chain(exported);
        let is_defined = all.filter(|symbol| symbol.is_definition());
        let found = is_defined.filter_map(|symbol| {
            let name = symbol.name().ok()?;
            FUNCTIONS.iter().position(|(function, _)| *function == name)
        });
        found.min().map(|first| FUNCTIONS[first].1)
    }
}
