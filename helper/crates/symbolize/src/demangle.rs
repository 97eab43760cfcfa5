//! Readable names of C++ and Rust symbols, with bounds on what goes in and what comes out.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions};

const INPUT_BYTES_MAX: usize = 64 << 10;
const OUTPUT_BYTES_MAX: usize = 16 << 10;

/// How much of a C++ name is shown. Rust names have no hash in any mode but `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DemangleMode {
    /// The symbol as it is.
    None,
    /// No parameters and no template arguments: `std::map::operator[]`.
    Simplified,
    /// Template arguments, no parameters, no return type: `std::map<int, Foo>::operator[]`.
    #[default]
    Templates,
    /// All of it.
    Full,
}

/// The readable form of `symbol`, or `symbol` itself when it is not mangled, malformed or beyond the bounds.
/// Clone suffixes (`.part.0`, `.cold`, `.llvm.123`) are left out of readable names.
pub fn demangle(symbol: &str, mode: DemangleMode) -> String {
    readable(symbol, mode).unwrap_or_else(|| symbol.to_owned())
}

/// Whether `symbol` is mangled, by C++ or by Rust.
pub(crate) fn is_linkage_name(symbol: &str) -> bool {
    symbol.starts_with("_Z") || symbol.starts_with("_R")
}

fn readable(symbol: &str, mode: DemangleMode) -> Option<String> {
    if mode == DemangleMode::None || symbol.len() > INPUT_BYTES_MAX {
        return None;
    }
    if !is_linkage_name(symbol) {
        return None;
    }
    if let Ok(rust) = rustc_demangle::try_demangle(without_rust_suffix(symbol)) {
        let mut name = BoundedName::default();
        write!(name, "{rust:#}").ok()?;
        return Some(name.text);
    }
    cpp_name(without_cpp_suffix(symbol), mode)
}

fn cpp_name(symbol: &str, mode: DemangleMode) -> Option<String> {
    let parsed =
        cpp_demangle::Symbol::new_with_options(symbol.as_bytes(), &ParseOptions::default()).ok()?;
    let options = match mode {
        DemangleMode::Full => DemangleOptions::new(),
        _ => DemangleOptions::new().no_params().no_return_type(),
    };
    let mut name = CppName {
        name: BoundedName::default(),
        template_arguments: (mode == DemangleMode::Simplified).then_some(0),
        nodes: Vec::new(),
    };
    parsed.structured_demangle(&mut name, &options).ok()?;
    Some(name.name.text)
}

/// `_Z3foov.part.0` → `_Z3foov`: what a compiler appends to copies of a function.
fn without_cpp_suffix(symbol: &str) -> &str {
    symbol.split_once('.').map_or(symbol, |(name, _)| name)
}

/// As above, but legacy Rust names may have dots inside (`vtable.shim`): their own part ends with `E`.
fn without_rust_suffix(symbol: &str) -> &str {
    if symbol.starts_with("_R") {
        return without_cpp_suffix(symbol);
    }
    symbol.find("E.").map_or(symbol, |end| &symbol[..end + 1])
}

/// Text that refuses to grow beyond `OUTPUT_BYTES_MAX`, which also ends the demangler that writes it.
#[derive(Default)]
struct BoundedName {
    text: String,
}

impl Write for BoundedName {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > OUTPUT_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// Leaves out template arguments when it counts them.
struct CppName {
    name: BoundedName,
    /// How many template argument lists are open; `None`: they are kept.
    template_arguments: Option<usize>,
    nodes: Vec<DemangleNodeType>,
}

impl DemangleWrite for CppName {
    fn push_demangle_node(&mut self, node: DemangleNodeType) {
        if let Some(open) = &mut self.template_arguments {
            *open += usize::from(node == DemangleNodeType::TemplateArgs);
            self.nodes.push(node);
        }
    }

    fn pop_demangle_node(&mut self) {
        if let (Some(open), Some(node)) = (&mut self.template_arguments, self.nodes.pop()) {
            *open -= usize::from(node == DemangleNodeType::TemplateArgs);
        }
    }

    fn write_string(&mut self, part: &str) -> fmt::Result {
        if self.template_arguments.unwrap_or(0) > 0 {
            return Ok(());
        }
        self.name.write_str(part)
    }
}
