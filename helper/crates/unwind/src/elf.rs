//! Where an ELF file's code lies: in the file, and in its own address space.

use std::fmt;

use object::elf::{PF_X, PT_INTERP, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf::FileHeader64};
use records::Segment;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElfLayout {
    /// Executable segments only: page-rounded file ranges of neighbouring PT_LOADs may overlap (lld), and a mapping
    /// of code must not be matched with a segment of data.
    pub segments: Vec<Segment>,
    /// The dynamic loader that the file asks for.
    pub interpreter: Option<Vec<u8>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct LayoutError(String);

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a readable 64-bit ELF file: {}", self.0)
    }
}

impl std::error::Error for LayoutError {}

const SEGMENTS_MAX: usize = 64;

/// # Errors
/// When `bytes` is no 64-bit ELF file.
pub fn layout_of_elf(bytes: &[u8]) -> Result<ElfLayout, LayoutError> {
    let error = |e: object::Error| LayoutError(e.to_string());
    let header = FileHeader64::<Endianness>::parse(bytes).map_err(error)?;
    let endian = header.endian().map_err(error)?;
    let mut layout = ElfLayout {
        segments: Vec::new(),
        interpreter: None,
    };
    for segment in header.program_headers(endian, bytes).map_err(error)? {
        if segment.p_type(endian) == PT_INTERP {
            let path = segment.data(endian, bytes).unwrap_or_default();
            let path = path.split(|b| *b == 0).next().unwrap_or_default();
            layout.interpreter = Some(path.to_vec());
        }
        let executable = segment.p_flags(endian).contains(PF_X);
        if segment.p_type(endian) == PT_LOAD && executable && layout.segments.len() < SEGMENTS_MAX {
            layout.segments.push(Segment {
                file_offset: segment.p_offset(endian),
                size: segment.p_filesz(endian),
                vaddr: segment.p_vaddr(endian),
            });
        }
    }
    Ok(layout)
}

impl ElfLayout {
    /// As [`records::vaddr_of_offset`].
    pub fn vaddr_of_offset(&self, file_offset: u64, page_bytes: u64) -> Option<u64> {
        records::vaddr_of_offset(&self.segments, file_offset, page_bytes)
    }
}
