//! Probes by which a program reports samples of its allocations: `otel_memory:alloc(ptr, size, weight)` and `otel_memory:free(ptr)`, as
//! SystemTap's notes describe them (`.note.stapsdt`, <https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation>).

use std::fs::File;

use object::{Object, ObjectSection, ObjectSegment};

use crate::elf::Elf;
use crate::truncation::GuardedMap;

const PROVIDER: &str = "otel_memory";
/// Of programs that inline their allocator, each copy has some.
const PROBES_MAX: usize = 256;
const NOTE_TYPE: u32 = 3;
const NOTE_OWNER: &[u8] = b"stapsdt\0";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryProbe {
    pub is_allocation: bool,
    /// Of its instruction, in the file, and that instruction's first byte.
    pub offset: u64,
    pub instruction: u8,
    /// Of the number that says whether anybody listens, in the file; 0: none.
    pub semaphore: u64,
    /// As the note has them, one for each argument: `8@%rax`, `-4@$5`, `8@-24(%rbp)`.
    pub arguments: Vec<String>,
}

/// Those of a program, in the order of the file. Empty: it has none.
pub fn memory_probes(program: &File) -> Vec<MemoryProbe> {
    let Ok(map) = GuardedMap::of(program) else {
        return Vec::new();
    };
    let Ok(elf) = Elf::parse(&map) else {
        return Vec::new();
    };
    let section = elf.object.section_by_name(".note.stapsdt");
    let Some(mut notes) = section.and_then(|section| section.data().ok()) else {
        return Vec::new();
    };
    // A linker that moved the program has moved this section, too.
    let base = elf.object.section_by_name(".stapsdt.base");
    let base = base.map(|section| section.address());
    let mut probes = Vec::new();
    while let Some((note, rest)) = first_note(notes)
        && probes.len() < PROBES_MAX
    {
        notes = rest;
        probes.extend(note.and_then(|note| probe_of(&elf, note, base)));
    }
    probes
}

/// The description of the first note, if it is one of a probe, and what follows it.
fn first_note(notes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let word = |at: usize| {
        let bytes = notes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    let aligned = |length: u32| (length as usize).next_multiple_of(4);
    let (owner_bytes, bytes, kind) = (word(0)?, word(4)?, word(8)?);
    let owner = notes.get(12..12 + owner_bytes as usize)?;
    let start = 12 + aligned(owner_bytes);
    let description = notes.get(start..start + bytes as usize)?;
    let is_probe = kind == NOTE_TYPE && owner == NOTE_OWNER;
    let rest = notes.get(start + aligned(bytes)..).unwrap_or_default();
    Some((is_probe.then_some(description), rest))
}

fn probe_of(elf: &Elf, note: &[u8], base: Option<u64>) -> Option<MemoryProbe> {
    let word = |at: usize| {
        let bytes = note.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    let (at, base_then, semaphore) = (word(0)?, word(8)?, word(16)?);
    let mut texts = note.get(24..)?.split(|byte| *byte == 0);
    let mut text = || std::str::from_utf8(texts.next()?).ok();
    let (provider, name, arguments) = (text()?, text()?, text()?);
    if provider != PROVIDER || !["alloc", "free"].contains(&name) {
        return None;
    }
    let moved = base.map_or(0, |base| base.wrapping_sub(base_then));
    let (offset, instruction) = in_file(elf, at.wrapping_add(moved))?;
    let semaphore = match semaphore {
        0 => 0,
        vaddr => in_file(elf, vaddr.wrapping_add(moved))?.0,
    };
    Some(MemoryProbe {
        is_allocation: name == "alloc",
        offset,
        instruction,
        semaphore,
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
    })
}

/// Where in the file a vaddr is, and the byte there.
fn in_file(elf: &Elf, vaddr: u64) -> Option<(u64, u8)> {
    elf.object.segments().find_map(|segment| {
        let skipped = vaddr.checked_sub(segment.address())?;
        let byte = *segment.data().ok()?.get(usize::try_from(skipped).ok()?)?;
        Some((segment.file_range().0 + skipped, byte))
    })
}
