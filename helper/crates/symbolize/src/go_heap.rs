//! Where a Go program samples its heap: the functions of its runtime that note a sampled block and its free, and two variables.

use std::fs::File;
use std::ops::RangeInclusive;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

use crate::elf::Elf;
use crate::go_table::GoTable;
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
    pub variables: GoVariables,
}

/// Where `disableMemoryProfiling` is, one byte: not 0 where the linker has seen nobody who would read samples. And `MemProfileRate`, 8
/// bytes: bytes between samples, on average.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoVariables {
    /// Their vaddrs.
    Named { disabled: u64, rate: u64 },
    /// Without symbols: the function that reads the one and sets the other, and those of which some read the other.
    InCode {
        sets: RuntimeFunction,
        read: Vec<RuntimeFunction>,
    },
}

/// Why it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGoHeap {
    /// It has no symbol table, and its code does not show where its variables are.
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
/// From this one on, `schedinit` sets the rate to 0 where nobody would read samples.
const SCHEDINIT_SETS_SINCE: u32 = 21;
const RATE_BYTES: u64 = 8;
/// Between functions.
const FILLER: u8 = 0xcc;
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
        let has_symbols = elf.has_symbol_table();
        let places = match has_symbols {
            true => named_functions(&elf),
            false => listed_functions(&elf),
        };
        let [allocated, free_begins, freed, ..] = &places;
        let found = (|| {
            Some(GoHeap {
                version: version.clone(),
                has_thread_argument: minor >= THREAD_SINCE,
                allocated: function(&elf, (*allocated)?)?,
                free_begins: function(&elf, (*free_begins)?)?,
                freed: function(&elf, (*freed)?)?,
                variables: match has_symbols {
                    true => GoVariables::Named {
                        disabled: variable(&elf, "runtime.disableMemoryProfiling", 1)?,
                        rate: variable(&elf, "runtime.MemProfileRate", RATE_BYTES)?,
                    },
                    false => variables_in_code(&elf, minor, &places)?,
                },
            })
        })();
        found.ok_or(match has_symbols {
            true => NoGoHeap::Unusual,
            false => NoGoHeap::Stripped,
        })
    }
}

/// The last ones are where the variables are read or set.
const FUNCTIONS: [&str; 8] = [
    "runtime.mProf_Malloc",
    "runtime.freeSpecial",
    "runtime.mProf_Free",
    "runtime.schedinit",
    "runtime.init",
    "runtime.mallocgc",
    "runtime.profilealloc",
    "runtime.mallocgcSmallNoscan",
];
const SCHEDINIT: usize = 3;
const INIT: usize = 4;
const READERS: usize = 5;

type Places = [Option<(u64, u64)>; FUNCTIONS.len()];

fn named_functions(elf: &Elf) -> Places {
    FUNCTIONS.map(|name| {
        let symbol = symbol(elf, name)?;
        Some((
            symbol.address(),
            symbol.address().checked_add(symbol.size())?,
        ))
    })
}

fn listed_functions(elf: &Elf) -> Places {
    GoTable::of(elf).map_or([None; FUNCTIONS.len()], |table| {
        table.functions_named(FUNCTIONS)
    })
}

fn variables_in_code(elf: &Elf, minor: u32, places: &Places) -> Option<GoVariables> {
    let sets = if minor >= SCHEDINIT_SETS_SINCE {
        SCHEDINIT
    } else {
        INIT
    };
    let read = places[READERS..].iter().flatten();
    Some(GoVariables::InCode {
        sets: function(elf, places[sets]?)?,
        read: read.filter_map(|place| function(elf, *place)).collect(),
    })
}

/// Whether the bytes of the file at these vaddrs can be those of the two variables: in data that the program may change, with the
/// values that the linker and the compiler give.
pub fn are_go_variables(program: &File, disabled: u64, rate: u64) -> bool {
    let Ok(map) = GuardedMap::of(program) else {
        return false;
    };
    let Ok(elf) = Elf::parse(&map) else {
        return false;
    };
    let is_switch = matches!(written_data(&elf, disabled, 1), Some([0 | 1]));
    let has_room = written_data(&elf, rate, RATE_BYTES as usize);
    // Before Go 1.21 it is set by code, and lies where the file has no bytes.
    let is_rate = has_room.is_some_and(|bytes| {
        bytes.is_empty() || bytes == [0; 8] || bytes == (512u64 << 10).to_le_bytes()
    });
    is_switch && is_rate && rate.is_multiple_of(RATE_BYTES)
}

/// Empty: the segment has no bytes in the file there.
fn written_data<'a>(elf: &Elf<'a>, vaddr: u64, length: usize) -> Option<&'a [u8]> {
    elf.object.segments().find_map(|segment| {
        let object::SegmentFlags::Elf { p_flags, .. } = segment.flags() else {
            return None;
        };
        let skipped = vaddr.checked_sub(segment.address())?;
        let is_inside = skipped.checked_add(length as u64)? <= segment.size();
        if !is_inside || !p_flags.contains(object::elf::PF_W) {
            return None;
        }
        let data = segment.data().ok()?;
        let rest = data.get(usize::try_from(skipped).ok()?..).unwrap_or(&[]);
        Some(rest.get(..length).unwrap_or(&[]))
    })
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

/// Of the bytes from the one to the other; what fills the rest is left out.
fn function(elf: &Elf, (vaddr, end): (u64, u64)) -> Option<RuntimeFunction> {
    let size = end.checked_sub(vaddr)?;
    let in_bounds = (1..=CODE_BYTES_MAX).contains(&size);
    elf.object
        .segments()
        .filter(|_| in_bounds)
        .find_map(|segment| {
            let (offset, _) = segment.file_range();
            let skipped = vaddr.checked_sub(segment.address())?;
            let code = segment.data().ok()?;
            let code = code.get(usize::try_from(skipped).ok()?..)?;
            let code = code.get(..usize::try_from(size).ok()?)?;
            let filled = code.iter().rev().take_while(|byte| **byte == FILLER);
            Some(RuntimeFunction {
                vaddr,
                offset: offset + skipped,
                code: code[..code.len() - filled.count()].to_vec(),
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
