//! Whether a file is a program that can be started, and what its debug information promises.

use std::fs::File;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

use crate::elf::Elf;
use crate::module::{map_file, open_regular};
use crate::truncation::GuardedMap;

/// `DT_FLAGS_1` and its bit for position-independent programs (elf.h).
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;
const DT_NULL: u64 = 0;
const DT_SONAME: u64 = 14;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutableFile {
    pub has_debug_lines: bool,
    /// It has no symbol table (`.symtab`).
    pub is_stripped: bool,
    /// Lower-case hexadecimal; empty: none.
    pub build_id: String,
}

/// What the program at `path` is; `None` for anything that is not one: scripts, objects, shared libraries, devices.
pub fn inspect_executable(path: &Path) -> Option<ExecutableFile> {
    let map = map_file(&open_regular(path).ok()?, path).ok()?;
    // Most files of a workspace are no ELF files: look before parsing.
    if map.get(..4) != Some(b"\x7fELF") {
        return None;
    }
    let elf = Elf::parse(&map).ok()?;
    let is_program = match elf.object.kind() {
        object::ObjectKind::Executable => true,
        object::ObjectKind::Dynamic => is_position_independent_program(&elf),
        _ => false,
    };
    is_program.then(|| ExecutableFile {
        has_debug_lines: elf.has_debug_lines(),
        is_stripped: !elf.object.symbols().any(|symbol| symbol.is_definition()),
        build_id: elf.build_id,
    })
}

/// The name by which the loader looks for a shared library (`DT_SONAME`). `None`: it has none, or it is none.
pub fn soname_of(library: &File) -> Option<String> {
    let map = GuardedMap::of(library).ok()?;
    let elf = Elf::parse(&map).ok()?;
    let at = dynamic_value(&elf, DT_SONAME)?;
    let names = elf.object.section_by_name(".dynstr")?.data().ok()?;
    let name = names.get(usize::try_from(at).ok()?..)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    String::from_utf8(name[..end].to_vec()).ok()
}

/// Where in the file the code of an exported function begins.
pub fn offset_of_export(library: &File, name: &str) -> Option<u64> {
    let map = GuardedMap::of(library).ok()?;
    let elf = Elf::parse(&map).ok()?;
    let mut symbols = elf.object.dynamic_symbols();
    let symbol = symbols.find(|symbol| symbol.is_definition() && symbol.name() == Ok(name))?;
    let vaddr = symbol.address();
    elf.object.segments().find_map(|segment| {
        let (offset, size) = segment.file_range();
        let at = vaddr.checked_sub(segment.address())?;
        (at < size).then(|| offset + at)
    })
}

/// Newer linkers mark programs; of older ones the loader's name tells.
fn is_position_independent_program(elf: &Elf) -> bool {
    match dynamic_value(elf, DT_FLAGS_1) {
        Some(flags) => flags & DF_1_PIE != 0,
        None => elf.object.section_by_name(".interp").is_some(),
    }
}

/// The value of the first entry of this kind in the dynamic section.
fn dynamic_value(elf: &Elf, wanted: u64) -> Option<u64> {
    let section = elf.object.section_by_name(".dynamic")?.data().ok()?;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let entries = section.chunks_exact(16);
    (entries.map(|entry| (word(&entry[..8]), word(&entry[8..]))))
        .take_while(|(tag, _)| *tag != DT_NULL)
        .find_map(|(tag, value)| (tag == wanted).then_some(value))
}
