//! What is found out about addresses of one module.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::build::Build;
use crate::functions_listed::FunctionList;
use crate::language::Language;
use crate::text::Text;

/// One source-level frame of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Demangled as [`crate::Options::demangle`] says; empty: only the line is known.
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
    /// If they were asked for.
    pub functions: FunctionList,
}
