//! Whether a file is a program that can be started, and what its debug information promises.

use std::path::Path;

use object::{Object, ObjectSymbol};

use crate::elf::Elf;
use crate::module::{map_file, open_regular};

/// `DT_FLAGS_1` and its bit for position-independent programs (elf.h).
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;
const DT_NULL: u64 = 0;

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

/// Newer linkers mark programs; of older ones the loader's name tells.
fn is_position_independent_program(elf: &Elf) -> bool {
    use object::ObjectSection;
    let section = |name: &str| elf.object.section_by_name(name);
    if let Some(dynamic) = section(".dynamic").and_then(|section| section.data().ok()) {
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        for entry in dynamic.chunks_exact(16) {
            let (tag, value) = (word(&entry[..8]), word(&entry[8..]));
            if tag == DT_NULL {
                break;
            }
            if tag == DT_FLAGS_1 {
                return value & DF_1_PIE != 0;
            }
        }
    }
    section(".interp").is_some()
}
