//! Where the code of a file is when it is loaded, for addresses that are known by their place in the file.

use std::path::Path;

use object::{Object, ObjectSegment};

use crate::elf::Elf;
use crate::module::{map_file, open_regular};

/// Programs have some ten.
const SEGMENTS_MAX: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedFile {
    /// Lower-case hexadecimal; empty: none.
    pub build_id: String,
    /// Offset and size in the file, and the address where they are loaded.
    segments: Vec<(u64, u64, u64)>,
}

impl LoadedFile {
    /// # Errors
    /// A sentence: there is no such file, it is none that is loaded, or it cannot be read.
    pub fn at_path(path: &Path) -> Result<LoadedFile, String> {
        let map = map_file(&open_regular(path)?, path)?;
        let elf = Elf::parse(&map).map_err(|why| format!("{}: {why}.", path.display()))?;
        let segments = elf.object.segments().take(SEGMENTS_MAX).map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        Ok(LoadedFile {
            segments: segments.collect(),
            build_id: elf.build_id,
        })
    }

    /// The lowest address that is loaded, of a page: what addresses in a library are counted from.
    pub fn base(&self) -> u64 {
        let lowest = self.segments.iter().map(|(_, _, vaddr)| *vaddr).min();
        lowest.unwrap_or(0) & !0xfff
    }

    /// The ELF virtual address of a place in the file. `None`: it is not loaded.
    pub fn vaddr(&self, offset: u64) -> Option<u64> {
        let holds = |(start, size, _): &&(u64, u64, u64)| {
            offset.checked_sub(*start).is_some_and(|at| at < *size)
        };
        // Segments may share a page: the code comes behind the headers.
        let (start, _, vaddr) = self.segments.iter().rev().find(holds)?;
        vaddr.checked_add(offset - start)
    }
}
