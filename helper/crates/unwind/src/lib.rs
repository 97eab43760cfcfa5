//! The call frame information of an ELF file as rows that the BPF sampler can follow.
//!
//! `rows_of_elf` reads `.eh_frame` (else `.debug_frame`) of an x86-64 file into rows sorted by vaddr; each row holds
//! until the next one. `Pages` packs them for the sampler: by 64 KiB page, four bytes a row, rules kept once.
//! Does not read memory or processes.

mod elf;
mod expression;
mod pages;
mod rows;

pub use elf::{ElfLayout, LayoutError, layout_of_elf};
pub use pages::{PackedPages, RuleSet};
pub use rows::{Row, RowsError, rows_of_elf};
