//! What an ELF file says about leaving its functions, as rows that the BPF sampler can follow.
//!
//! `rows_of_elf` reads `.eh_frame`, `.debug_frame` and what is known of code without either into rows sorted by vaddr;
//! each row holds until the next one. `PackedPages` packs them for the sampler: by page, four bytes a row, rules kept
//! once. Does not read memory or processes.

pub mod aarch64;
mod bare_code;
mod cfi;
mod clone_code;
mod clone_code_aarch64;
mod code_flow;
mod code_listing;
mod code_rules;
mod code_rules_aarch64;
mod elf;
mod expression;
mod frame_row;
mod frame_state;
mod frame_state_aarch64;
mod go;
mod go_aarch64;
mod go_stack_table;
mod instructions_aarch64;
mod kept_rows;
mod machine;
mod pages;
mod plt;
mod realigned;
mod rows;
mod spans;
mod start_up_aarch64;
mod start_up_code;
mod written_registers;
mod x86_64;

pub use elf::{ElfLayout, LayoutError, layout_of_elf};
pub use kept_rows::{FileRows, ROWS_MADE_BY, build_id_of_elf};
pub use machine::Machine;
pub use pages::{PackedPages, RuleSet};
pub use rows::{RowsError, rows_of_elf};
pub use spans::Row;
