//! Which `.dwo` files a program's debug information names, and how a copy of one is called.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gimli::{Dwarf, DwoId};

use crate::elf::{Elf, Reader, reader};
use crate::truncation::GuardedMap;

/// A program of more translation units than this is larger than what is copied anyway.
const FILES_MAX: usize = 20_000;

/// Split debug information of one unit, where the compiler wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitFile {
    pub path: PathBuf,
    /// The name under which a copy of it is found beside a copy of the program: two units may have files of one name.
    pub copy_name: String,
}

/// The `.dwo` files that `module` names. Empty: it has none, or its debug information cannot be read.
pub fn split_files_of(module: &File) -> Vec<SplitFile> {
    let Ok(map) = GuardedMap::of(module) else {
        return Vec::new();
    };
    // A parser that panics costs the copies, not the recording.
    catch_unwind(AssertUnwindSafe(|| named_in(&map))).unwrap_or_default()
}

fn named_in(map: &[u8]) -> Vec<SplitFile> {
    let sections = Elf::parse(map).and_then(|elf| elf.dwarf_sections());
    let Ok(sections) = sections else {
        return Vec::new();
    };
    let dwarf: Dwarf<Reader> = sections.borrow(|section| reader(section));
    let mut found = Vec::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let (Some(id), Ok(Some(name))) = (unit.dwo_id, unit.dwo_name()) else {
            continue;
        };
        let Ok(name) = dwarf.attr_string(&unit, name) else {
            continue;
        };
        let directory = unit.comp_dir.map_or(&[][..], |directory| directory.slice());
        let path = Path::new(OsStr::from_bytes(directory)).join(OsStr::from_bytes(name.slice()));
        if path.is_absolute() && found.len() < FILES_MAX {
            found.push(SplitFile {
                path,
                copy_name: copy_name(id),
            });
        }
    }
    found
}

pub(crate) fn copy_name(id: DwoId) -> String {
    format!("{:016x}.dwo", id.0)
}
