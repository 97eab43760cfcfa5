//! Turns addresses of one module into source frames: DWARF 4 and 5 lines and inlined calls, the symbol table where
//! no DWARF covers an address, separate debug files, demangled names.
//!
//! A module is foreign input. Nothing here fails: what cannot be read costs the names of that module and leaves a
//! sentence in [`ModuleSymbols::problem`]. Only regular files are opened. Kernel addresses are not known here.

mod arena;
mod build;
mod cache;
mod cache_format;
mod clones;
mod code_ranges;
mod confined;
mod debug_file;
mod debuginfod;
mod declaration;
mod demangle;
mod dwarf;
mod elf;
mod executable;
mod functions;
mod go_module;
mod go_table;
mod isolated;
mod itanium;
mod known;
mod lines;
mod md5;
mod mini_debug;
mod module;
mod nesting;
mod ocaml_names;
mod other_units;
mod plt;
mod quiet_panics;
mod resolve;
mod scope;
mod source_path;
mod split_dwarf;
mod split_files;
mod standard_names;
mod symbol_table;
mod symbolize;
mod text;
mod truncation;
mod units;
mod worker;
mod worker_messages;

pub use build::Build;
pub use cache::user_folder as user_cache_folder;
pub use confined::confine;
pub use demangle::{DemangleMode, demangle, is_made_name};
pub use executable::{ExecutableFile, inspect_executable, soname_of};
pub use isolated::{AskedModule, Isolation, symbolize_isolated};
pub use md5::md5;
pub use module::ModuleFile;
pub use split_files::{SplitFile, split_files_of};
pub use symbolize::{Options, symbolize_module, symbolize_module_with};
pub use text::Text;
pub use truncation::GuardedMap;
pub use worker::serve_as_worker;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One source-level frame of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Demangled as [`Options::demangle`] says; empty: only the line is known.
    pub name: Text,
    /// As the linker or the debug information has it.
    pub system_name: Text,
    /// Absolute where the compiler recorded its directory; `.` and `..` removed. `None`: unknown.
    pub file: Option<Text>,
    /// 1-based; 0: unknown. For a frame that something was inlined into, the line of that call.
    pub line: u32,
    /// 1-based; 0: unknown.
    pub column: u32,
    /// Line of the function's definition in `file`; 0: unknown.
    pub function_line: u32,
    /// This frame was inlined into the next one of its chain.
    pub inlined: bool,
}

/// What is known about the asked addresses of one module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleSymbols {
    /// One for each asked address, innermost frame first; empty: nothing is known.
    pub chains: Vec<Vec<Frame>>,
    /// One for each asked address: how its code was built, where the debug information says so.
    pub builds: Vec<Option<Arc<Build>>>,
    /// One for each asked address: the linker's names of all functions that have exactly this code, where they are
    /// several (identical-code folding): which of them ran is unknown.
    pub folded: Vec<Vec<Text>>,
    /// MD5 sums of the source files, where the compiler recorded them.
    pub source_sums: BTreeMap<Text, [u8; 16]>,
    /// What most of the module is written in, told without debug information if need be.
    pub language: Language,
    /// Lower-case hexadecimal; empty: the module has none.
    pub build_id: String,
    /// Distinct `DW_AT_producer` of the compile units that the addresses lie in, sorted.
    pub producers: Vec<String>,
    /// Line tables were found, in the module or in its debug file.
    pub has_lines: bool,
    /// Why names or lines are missing, as a sentence.
    pub problem: Option<String>,
}

/// A language family with one way to be built.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Language {
    #[default]
    Unknown,
    /// C and C++.
    C,
    Rust,
    Go,
    OCaml,
}
