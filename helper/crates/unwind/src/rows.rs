//! An ELF file's rows, from all that says how its code is left: its call frame information first, then what is known
//! of code that has none.

use std::fmt;

use gimli::BaseAddresses;
use object::{CompressionFormat, Object, ObjectSection};

use crate::bare_code::{code_range, entry_span, returned_to_spans};
use crate::cfi::{spans_of_debug_frame, spans_of_eh_frame};
use crate::code_rules::spans_of_code;
use crate::machine::{Elf, Machine};
use crate::plt::plt_spans;
use crate::realigned::correct_epilogues;
use crate::spans::{Row, Spans};
use crate::{
    clone_code_aarch64, code_rules_aarch64, go, go_aarch64, start_up_aarch64, start_up_code,
};

/// What a compressed `.debug_frame` may unpack to. That of a browser has some 20 MB.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum RowsError {
    NotElf(String),
    WrongMachine,
    /// Nothing says how its code is left: frames are followed by frame pointers.
    NoCfi,
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotElf(why) => write!(f, "not a readable ELF file: {why}"),
            Self::WrongMachine => f.write_str("neither x86-64 nor aarch64 code"),
            Self::NoCfi => f.write_str("no .eh_frame and no .debug_frame section"),
        }
    }
}

impl std::error::Error for RowsError {}

/// All rows of an ELF file, sorted by vaddr, equal neighbours merged, gaps between functions as `RuleKind::None`.
/// A malformed function description is left out; its code is then followed by frame pointers.
///
/// # Errors
/// When `bytes` is no x86-64 or aarch64 ELF file or has nothing to unwind by.
pub fn rows_of_elf(bytes: &[u8]) -> Result<Vec<Row>, RowsError> {
    let file = Elf::parse(bytes).map_err(|e| RowsError::NotElf(e.to_string()))?;
    let machine = match file.architecture() {
        object::Architecture::X86_64 => Machine::X86_64,
        object::Architecture::Aarch64 => Machine::Aarch64,
        _ => return Err(RowsError::WrongMachine),
    };
    let address_of = |name: &str| file.section_by_name(name).map_or(0, |s| s.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(address_of(".eh_frame"))
        .set_text(address_of(".text"))
        .set_got(address_of(".got"));
    let section = |name: &str| {
        let content = file.section_by_name(name)?.compressed_data().ok()?;
        let is_packed = content.format != CompressionFormat::None;
        if is_packed && content.uncompressed_size > UNPACKED_BYTES_MAX {
            return None;
        }
        let data = content.decompress().ok()?;
        (!data.is_empty()).then_some(data)
    };
    let code = code_range(&file);
    let mut spans = section(".eh_frame").map_or_else(Spans::default, |data| {
        spans_of_eh_frame(&data, &bases, machine, &code)
    });
    spans = match machine {
        Machine::X86_64 => correct_epilogues(&file, spans),
        Machine::Aarch64 => clone_code_aarch64::clone_spans(&file).over(spans),
    };
    let mut more = section(".debug_frame").map_or_else(Spans::default, |data| {
        spans_of_debug_frame(&data, &bases, machine, &code, &spans)
    });
    more = match machine {
        Machine::X86_64 => go::adjust_go_spans(&file, more),
        Machine::Aarch64 => go_aarch64::adjust_go_spans(&file, more),
    };
    spans = spans.over(more);
    spans = returned_to_spans(&file, machine).over(spans);
    spans = spans.over(plt_spans(&file, machine));
    if machine == Machine::X86_64 {
        let of_code = spans_of_code(&file, &spans);
        spans = spans.over(of_code);
    }
    spans = spans.over(match machine {
        Machine::X86_64 => start_up_code::start_up_spans(&file),
        Machine::Aarch64 => start_up_aarch64::start_up_spans(&file),
    });
    if machine == Machine::Aarch64 {
        let of_code = code_rules_aarch64::spans_of_code(&file, &spans);
        spans = spans.over(of_code);
    }
    let spans = match entry_span(&file, &spans) {
        Some(entry) => Spans::new(vec![entry]).over(spans),
        None => spans,
    };
    if spans.is_empty() {
        return Err(RowsError::NoCfi);
    }
    Ok(spans.rows())
}
