//! Source files of languages' standard libraries: code that a program runs and nobody here has written.

/// Parts of paths below which they are kept.
const STANDARD: [&str; 5] = [
    "/rustc/",
    "/usr/include/",
    "/include/c++/",
    "/library/std/",
    "/library/core/",
];

/// `file`: as recorded. An empty one is none.
pub fn is_standard_library(file: &str) -> bool {
    STANDARD.iter().any(|part| file.contains(part))
}
