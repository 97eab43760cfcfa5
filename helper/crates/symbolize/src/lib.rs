//! Turns addresses of one module into source frames: DWARF 4 and 5 lines and inlined calls, the symbol table where
//! no DWARF covers an address, separate debug files, demangled names.
//!
//! A module is foreign input. Nothing here fails: what cannot be read costs the names of that module and leaves a
//! sentence in [`ModuleSymbols::problem`]. Only regular files are opened. Kernel addresses are not known here.

mod debug_file;
mod declaration;
mod demangle;
mod dwarf;
mod elf;
mod executable;
mod module;
mod nesting;
mod quiet_panics;
mod scope;
mod source_path;
mod standard_names;
mod symbol_table;
mod symbolize;
mod truncation;

pub use demangle::{DemangleMode, demangle};
pub use executable::{ExecutableFile, inspect_executable};
pub use module::ModuleFile;
pub use symbolize::{Options, symbolize_module, symbolize_module_with};

/// One source-level frame of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Demangled as [`Options::demangle`] says; empty: only the line is known.
    pub name: String,
    /// As the linker or the debug information has it.
    pub system_name: String,
    /// Absolute where the compiler recorded its directory; `.` and `..` removed. `None`: unknown.
    pub file: Option<String>,
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
    /// Lower-case hexadecimal; empty: the module has none.
    pub build_id: String,
    /// Distinct `DW_AT_producer` of the compile units that the addresses lie in, sorted.
    pub producers: Vec<String>,
    /// Line tables were found, in the module or in its debug file.
    pub has_lines: bool,
    /// Why names or lines are missing, as a sentence.
    pub problem: Option<String>,
}
