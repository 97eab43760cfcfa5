//! One ELF file: its build-id and its DWARF sections, decompressed within bounds.

use std::borrow::Cow;

use gimli::{DwarfSections, EndianSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection};

/// What compressed sections of one file may unpack to, together.
const UNPACKED_BYTES_MAX: u64 = 2 << 30;

pub(crate) type Reader<'a> = EndianSlice<'a, LittleEndian>;

pub(crate) struct Elf<'a> {
    pub(crate) object: object::File<'a>,
    pub(crate) build_id: String,
}

impl<'a> Elf<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, String> {
        let object = object::File::parse(bytes)
            .map_err(|error| format!("not a readable ELF file ({error})"))?;
        if !object.is_little_endian() {
            return Err("a big-endian ELF file, which no supported machine runs".to_owned());
        }
        let build_id = object
            .build_id()
            .ok()
            .flatten()
            .map(hexadecimal)
            .unwrap_or_default();
        Ok(Elf { object, build_id })
    }

    pub(crate) fn has_debug_lines(&self) -> bool {
        self.section_size(".debug_line") > 0 || self.section_size(".zdebug_line") > 0
    }

    /// A file stripped to its symbols may keep `.debug_*` headers without bytes: those do not count.
    pub(crate) fn has_debug_units(&self) -> bool {
        self.section_size(".debug_info") > 0 || self.section_size(".zdebug_info") > 0
    }

    pub(crate) fn has_symbol_table(&self) -> bool {
        self.section_size(".symtab") > 0
    }

    /// Made by the Go compiler.
    pub(crate) fn is_go(&self) -> bool {
        [".gopclntab", ".go.buildinfo", ".data.rel.ro.gopclntab"]
            .iter()
            .any(|name| self.section_size(name) > 0)
    }

    /// Linked by the Rust compiler, which leaves its name where compilers do.
    pub(crate) fn is_rust(&self) -> bool {
        let comment = self.object.section_by_name(".comment");
        let comment = comment.and_then(|section| section.data().ok());
        comment.is_some_and(|text| text.windows(6).any(|word| word == b"rustc "))
    }

    fn section_size(&self, name: &str) -> u64 {
        self.object
            .section_by_name(name)
            .and_then(|section| section.file_range())
            .map_or(0, |(_, size)| size)
    }

    /// The DWARF sections; an absent one is empty.
    pub(crate) fn dwarf_sections(&self) -> Result<DwarfSections<Cow<'a, [u8]>>, String> {
        let mut unpacked = 0u64;
        DwarfSections::load(|id: SectionId| {
            let section = self.object.section_by_name(id.name());
            let Some(section) = section.filter(|_| is_needed(id)) else {
                return Ok(Cow::Borrowed(&[][..]));
            };
            let content = section
                .compressed_data()
                .map_err(|error| format!("section {} is malformed ({error})", id.name()))?;
            if content.format != object::CompressionFormat::None {
                unpacked = unpacked.saturating_add(content.uncompressed_size);
                if unpacked > UNPACKED_BYTES_MAX {
                    return Err(format!(
                        "compressed debug sections unpack to more than {UNPACKED_BYTES_MAX} bytes"
                    ));
                }
            }
            content
                .decompress()
                .map_err(|error| format!("section {} cannot be unpacked ({error})", id.name()))
        })
    }
}

/// Variables, macros and type units name no address: not worth unpacking.
pub(crate) fn is_needed(id: SectionId) -> bool {
    !matches!(
        id,
        SectionId::DebugLoc
            | SectionId::DebugLocLists
            | SectionId::DebugMacinfo
            | SectionId::DebugMacro
            | SectionId::DebugNames
            | SectionId::DebugTypes
    )
}

pub(crate) fn reader(section: &[u8]) -> Reader<'_> {
    EndianSlice::new(section, LittleEndian)
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
