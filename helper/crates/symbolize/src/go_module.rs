//! Go's `runtime.moduledata`: where the code begins that `.gopclntab` counts from, and where functions keep the data
//! of their inlined calls. Found by its first word, the address of `.gopclntab`.

use object::{Object, ObjectSection, RelocationTarget};

use crate::elf::Elf;

/// Words of moduledata; 1.20 added two for coverage before the second.
const TEXT: u64 = 22;
const FUNCTION_DATA_1_18: u64 = 38;
const FUNCTION_DATA_1_20: u64 = 40;
/// Where linkers put it: a section of its own since 1.26.
const SECTIONS: [&str; 4] = [".go.module", ".noptrdata", ".data", ".data.rel.ro"];

/// What 1.20 changed: functions and inlined calls say at which line they begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Go118,
    Go120,
}

pub(crate) struct GoModule<'a> {
    pub(crate) text: u64,
    function_data: Option<&'a [u8]>,
}

impl<'a> GoModule<'a> {
    /// `text_start` is what the table itself says (until 1.25; 0: nothing).
    pub(crate) fn of(
        elf: &'a Elf<'a>,
        layout: Layout,
        table: u64,
        text_start: u64,
    ) -> Option<GoModule<'a>> {
        let found = Words::find(elf, table);
        let text = match (text_start, &found) {
            (0, Some(words)) => words.word(TEXT)?,
            (0, None) => elf.object.section_by_name(".text")?.address(),
            (start, _) => start,
        };
        let place = match layout {
            Layout::Go118 => FUNCTION_DATA_1_18,
            Layout::Go120 => FUNCTION_DATA_1_20,
        };
        let function_data = found.and_then(|words| {
            let address = words.word(place).filter(|address| *address != 0)?;
            let section = elf.object.sections().find(|section| {
                let end = section.address().saturating_add(section.size());
                section.address() != 0 && (section.address()..end).contains(&address)
            })?;
            let skipped = usize::try_from(address - section.address()).ok()?;
            section.data().ok()?.get(skipped..)
        });
        Some(GoModule {
            text,
            function_data,
        })
    }

    pub(crate) fn function_data(&self, offset: u64, length: usize) -> Option<&'a [u8]> {
        let start = usize::try_from(offset).ok()?;
        self.function_data?.get(start..start.checked_add(length)?)
    }
}

/// The words of moduledata, in the file or, in a position-independent program, in its relocations.
enum Words<'a> {
    Content(&'a [u8]),
    Relocated { elf: &'a Elf<'a>, address: u64 },
}

impl<'a> Words<'a> {
    fn find(elf: &'a Elf<'a>, table: u64) -> Option<Words<'a>> {
        let in_content = SECTIONS.iter().find_map(|name| {
            let content = elf.object.section_by_name(name)?.data().ok()?;
            let at = content
                .chunks_exact(8)
                .position(|word| word == table.to_le_bytes())?;
            content.get(8 * at..)
        });
        if let Some(content) = in_content {
            return Some(Words::Content(content));
        }
        let mut relocations = elf.object.dynamic_relocations()?;
        let (address, _) =
            relocations.find(|(_, relocation)| points_to(relocation) == Some(table))?;
        Some(Words::Relocated { elf, address })
    }

    fn word(&self, index: u64) -> Option<u64> {
        match self {
            Words::Content(content) => u64_at(content, 8 * index),
            Words::Relocated { elf, address } => {
                let wanted = address.checked_add(8 * index)?;
                let mut relocations = elf.object.dynamic_relocations()?;
                let (_, relocation) = relocations.find(|(at, _)| *at == wanted)?;
                points_to(&relocation)
            }
        }
    }
}

fn points_to(relocation: &object::Relocation) -> Option<u64> {
    let is_relative = matches!(relocation.target(), RelocationTarget::Absolute);
    is_relative.then(|| relocation.addend() as u64)
}

pub(crate) fn u64_at(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let end = at.checked_add(8)?;
    Some(u64::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}
