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
    /// Places where it was inlined.
    pub inlined: u32,
}

/// ELF virtual addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionCode {
    pub start: u64,
    /// No other function begins before it.
    pub end: u64,
}
