//! What a list of the functions of a module says.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionList {
    /// By name.
    pub functions: Vec<ListedFunction>,
    /// There may be places where functions were inlined that nobody knows: the debug information is missing, in part or at all.
    pub may_be_inlined: bool,
    /// The Go toolchain has made the module.
    pub is_go: bool,
}

/// What has one name, and one name of the linker but for the marks of copies (`.constprop.0`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListedFunction {
    /// As [`crate::Options::demangle`] says.
    pub name: String,
    pub system_name: String,
    /// Its code and that of its copies; empty: it was inlined everywhere.
    pub codes: Vec<FunctionCode>,
    /// Parts that lie elsewhere, start and end: `.cold`.
    pub parts: Vec<(u64, u64)>,
    /// Places where it was inlined, by their code.
    pub inlined: Vec<InlinedPlace>,
}

/// Code that was made for one call of a function that was inlined. ELF virtual addresses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InlinedPlace {
    /// Start and end of each piece, ascending; what was inlined into it is included. Empty: only its entry is known.
    pub ranges: Vec<(u64, u64)>,
    /// Where the call begins, as the compiler says (DW_AT_entry_pc); few compilers do.
    pub entry: Option<u64>,
    /// Other calls of the function have the same code, by the same description.
    pub is_shared: bool,
}

impl InlinedPlace {
    pub fn first(&self) -> Option<u64> {
        self.ranges.first().map(|(start, _)| *start).or(self.entry)
    }
}

/// ELF virtual addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionCode {
    pub start: u64,
    /// No other function begins before it.
    pub end: u64,
}
