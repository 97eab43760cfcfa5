//! C++ names after the Itanium C++ ABI (section 5.1, "External Names"), written as GNU c++filt writes them.
//!
//! `parser` and its neighbours turn a symbol into a tree (`tree`), `printer` and its neighbours the tree into text.
//! Depth and work of both are limited, so hostile symbols cost a bounded time and stack. What is not known here (names
//! of C++20 modules, requires-expressions) gives no name, and the symbol is shown as it is.

mod expressions;
mod limits;
mod names;
mod operators;
mod packs;
mod parser;
mod print_expression;
mod print_type;
mod printer;
mod special;
mod tree;
mod types;

use parser::{Parser, ScopesOfExpressions};
use printer::Printer;
pub use printer::Shown;

const WAYS_OF_READING: [ScopesOfExpressions; 3] = [
    ScopesOfExpressions::NamesOrType,
    ScopesOfExpressions::Type,
    ScopesOfExpressions::Names,
];

/// The C++ name that `symbol` stands for, of at most `bytes_max`; None when it is none, or beyond a limit.
pub fn demangled(symbol: &str, shown: Shown, bytes_max: usize) -> Option<String> {
    // Only symbols with `sr` can be read in several ways.
    let ways = if symbol.contains("sr") { 3 } else { 1 };
    (WAYS_OF_READING.iter().take(ways)).find_map(|scopes| {
        let mut parser = Parser::new(symbol, *scopes);
        let root = parser.mangled_name()?;
        Printer::new(&parser.tree, shown, bytes_max).print(root)
    })
}
