//! What a module is written in.

use serde::{Deserialize, Serialize};

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
