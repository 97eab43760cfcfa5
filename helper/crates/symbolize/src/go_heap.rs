//! Where a Go program samples its heap: the functions of its runtime that note a sampled block and its free, and two variables.

use std::fs::File;
use std::ops::RangeInclusive;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

use crate::elf::Elf;
use crate::truncation::GuardedMap;

/// A function of the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeFunction {
    pub vaddr: u64,
    /// In the file.
    pub offset: u64,
    pub code: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoHeap {
    /// As `go version` says it: go1.26.8.
    pub version: String,
    /// `mProf_Malloc` gets the address and the size of a block, and before them the thread, where this is true (runtime/mprof.go).
    pub has_thread_argument: bool,
    pub allocated: RuntimeFunction,
    /// `freeSpecial`, of what is kept for the block at its second argument, and `mProf_Free`, which it calls for a sampled one.
    pub free_begins: RuntimeFunction,
    pub freed: RuntimeFunction,
    /// Vaddr of `disableMemoryProfiling`, one byte: not 0 where the linker has seen nobody who would read samples.
    pub disabled: u64,
    /// Vaddr of `MemProfileRate`: bytes between samples, on average.
    pub rate: u64,
}

/// Why it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGoHeap {
    /// It has no symbol table, so its variables are not found.
    Stripped,
    /// Made by a version whose runtime is not known; empty: the file does not say.
    Version(String),
    /// The runtime is not as that version has it.
    Unusual,
}

/// Of Go 1: those whose runtime is known.
const MINOR_VERSIONS: RangeInclusive<u32> = 19..=26;
/// From this one on, `mProf_Malloc` gets the thread.
const THREAD_SINCE: u32 = 23;
/// No function of these is larger.
const CODE_BYTES_MAX: u64 = 64 << 10;

impl GoHeap {
    /// # Errors
    /// Why it is not known.
    pub fn of(program: &File) -> Result<GoHeap, NoGoHeap> {
        let map = GuardedMap::of(program).map_err(|_| NoGoHeap::Unusual)?;
        let elf = Elf::parse(&map).map_err(|_| NoGoHeap::Unusual)?;
        let version = version(&elf).unwrap_or_default();
        let minor = minor_version(&version).filter(|minor| MINOR_VERSIONS.contains(minor));
        let minor = minor.ok_or_else(|| NoGoHeap::Version(version.clone()))?;
        if !elf.has_symbol_table() {
            return Err(NoGoHeap::Stripped);
        }
        let found = (|| {
            Some(GoHeap {
                version,
                has_thread_argument: minor >= THREAD_SINCE,
                allocated: function(&elf, "runtime.mProf_Malloc")?,
                free_begins: function(&elf, "runtime.freeSpecial")?,
                freed: function(&elf, "runtime.mProf_Free")?,
                disabled: variable(&elf, "runtime.disableMemoryProfiling", 1)?,
                rate: variable(&elf, "runtime.MemProfileRate", 8)?,
            })
        })();
        found.ok_or(NoGoHeap::Unusual)
    }
}

/// Of `.go.buildinfo` as it is since Go 1.18: 32 bytes, of which flags are the 16th, and a length and the text (debug/buildinfo).
fn version(elf: &Elf) -> Option<String> {
    const HEAD_BYTES: usize = 32;
    const FLAGS_AT: usize = 15;
    const TEXT_FOLLOWS: u8 = 2;
    let section = elf.object.section_by_name(".go.buildinfo")?.data().ok()?;
    let follows =
        section.starts_with(b"\xff Go buildinf:") && section[FLAGS_AT] & TEXT_FOLLOWS != 0;
    let text = section.get(HEAD_BYTES..).filter(|_| follows)?;
    // A length below 128 is one byte.
    let (length, text) = text.split_first()?;
    let text = text.get(..usize::from(*length)).filter(|_| *length < 128)?;
    String::from_utf8(text.to_vec()).ok()
}

/// 26 of go1.26.8; of a version between releases, none.
fn minor_version(version: &str) -> Option<u32> {
    let rest = version.strip_prefix("go1.")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn symbol<'a>(elf: &'a Elf, name: &str) -> Option<object::Symbol<'a, 'a>> {
    let mut symbols = elf.object.symbols();
    symbols.find(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
}

fn variable(elf: &Elf, name: &str, bytes: u64) -> Option<u64> {
    let symbol = symbol(elf, name)?;
    (symbol.size() == bytes).then(|| symbol.address())
}

fn function(elf: &Elf, name: &str) -> Option<RuntimeFunction> {
    let symbol = symbol(elf, name)?;
    let vaddr = symbol.address();
    let size = symbol.size();
    let in_bounds = (1..=CODE_BYTES_MAX).contains(&size);
    elf.object
        .segments()
        .filter(|_| in_bounds)
        .find_map(|segment| {
            let (offset, _) = segment.file_range();
            let skipped = vaddr.checked_sub(segment.address())?;
            let code = segment.data().ok()?;
            let code = code.get(usize::try_from(skipped).ok()?..)?;
            Some(RuntimeFunction {
                vaddr,
                offset: offset + skipped,
                code: code.get(..usize::try_from(size).ok()?)?.to_vec(),
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_releases_have_a_minor_version() {
        assert_eq!(minor_version("go1.26.8"), Some(26));
        assert_eq!(minor_version("go1.19"), Some(19));
        assert_eq!(minor_version("go1.23rc1 X:nocoverageredesign"), Some(23));
        assert_eq!(minor_version("devel go1.27-abcdef"), None);
        assert_eq!(minor_version("go2.1"), None);
        assert_eq!(minor_version(""), None);
    }

    #[test]
    fn a_program_of_another_language_has_none() {
        let own = File::open("/proc/self/exe").unwrap();
        assert_eq!(GoHeap::of(&own), Err(NoGoHeap::Version(String::new())));
    }
}
