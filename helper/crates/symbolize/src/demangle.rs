//! Readable names of C++, Rust and OCaml symbols, with bounds on what goes in and what comes out. D and Swift stay raw.

use std::fmt::{self, Write};
use std::panic::catch_unwind;

use serde::{Deserialize, Serialize};

use crate::clones::without_marks;
use crate::itanium::{self, Shown};
use crate::ocaml_names;
use crate::standard_names::shorten;

const INPUT_BYTES_MAX: usize = 64 << 10;
const OUTPUT_BYTES_MAX: usize = 16 << 10;

/// Of a stub through which a module calls a function of another ([`crate::plt`]).
const STUB_MARK: &str = "@plt";

/// How much of a C++ name is shown. Rust names have no hash in any mode but `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DemangleMode {
    /// The symbol as it is.
    None,
    /// No parameters and no template arguments: `std::map::operator[]`.
    Simplified,
    /// Template arguments but for the standard library's defaults, no parameters, no return type:
    /// `std::map<int, Foo>::operator[]`.
    #[default]
    Templates,
    /// All of it.
    Full,
}

/// The readable form of `symbol`, or `symbol` itself when it is not mangled, malformed or beyond the bounds.
/// Clone suffixes (`.part.0`, `.cold`, `.llvm.123`) are left out of readable names, those of C functions too.
pub fn demangle(symbol: &str, mode: DemangleMode) -> String {
    // A demangler that panics costs its own name only.
    catch_unwind(|| readable(symbol, mode))
        .ok()
        .flatten()
        .unwrap_or_else(|| symbol.to_owned())
}

/// Whether `symbol` is mangled, by C++ or by Rust.
pub(crate) fn is_linkage_name(symbol: &str) -> bool {
    symbol.starts_with("_Z") || symbol.starts_with("_R")
}

/// Whether the readable form of `symbol` is another than `symbol` itself: it is mangled, or names a clone.
pub fn is_made_name(symbol: &str) -> bool {
    is_linkage_name(symbol)
        || ocaml_names::readable(symbol).is_some()
        || without_marks(symbol).len() < symbol.len()
}

fn readable(symbol: &str, mode: DemangleMode) -> Option<String> {
    if mode == DemangleMode::None || symbol.len() > INPUT_BYTES_MAX {
        return None;
    }
    if let Some(called) = symbol.strip_suffix(STUB_MARK) {
        return readable(called, mode).map(|name| name + STUB_MARK);
    }
    if !is_linkage_name(symbol) {
        let plain = without_marks(symbol);
        return ocaml_names::readable(plain)
            .or_else(|| (plain.len() < symbol.len()).then(|| plain.to_owned()));
    }
    let without_suffix = without_rust_suffix(symbol);
    if is_rust(without_suffix)
        && let Ok(rust) = rustc_demangle::try_demangle(without_suffix)
    {
        let mut name = BoundedName::default();
        write!(name, "{rust:#}").ok()?;
        return Some(name.text);
    }
    cpp_name(without_cpp_suffix(symbol), mode)
}

fn cpp_name(symbol: &str, mode: DemangleMode) -> Option<String> {
    let shown = match mode {
        DemangleMode::Full => return itanium::demangled(symbol, Shown::Full, OUTPUT_BYTES_MAX),
        DemangleMode::Simplified => Shown::Simplified,
        _ => Shown::Templates,
    };
    itanium::demangled(symbol, shown, OUTPUT_BYTES_MAX).map(|name| shorten(&name))
}

/// Rust's older names are nested C++ names whose last part is a hash.
fn is_rust(symbol: &str) -> bool {
    let hash = (symbol.strip_suffix('E')).and_then(|name| name.get(name.len().checked_sub(19)?..));
    symbol.starts_with("_R")
        || hash.is_some_and(|hash| {
            hash.starts_with("17h") && hash[3..].bytes().all(|byte| byte.is_ascii_hexdigit())
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(symbol: &str, simplified: &str, templates: &str, full: &str) {
        assert_eq!(demangle(symbol, DemangleMode::None), symbol);
        assert_eq!(demangle(symbol, DemangleMode::Simplified), simplified);
        assert_eq!(demangle(symbol, DemangleMode::Templates), templates);
        assert_eq!(demangle(symbol, DemangleMode::Full), full);
    }

    fn same(symbol: &str, readable: &str) {
        check(symbol, readable, readable, readable);
    }

    #[test]
    fn cpp_names_have_as_much_as_the_mode_says() {
        check(
            "_ZN3FooIiE3barEiRKSs",
            "Foo::bar",
            "Foo<int>::bar",
            "Foo<int>::bar(int, std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
        );
        check(
            "_Z3maxIiET_S0_S0_",
            "max",
            "max<int>",
            "int max<int>(int, int)",
        );
        check(
            "_ZNK3FooclEi",
            "Foo::operator()",
            "Foo::operator()",
            "Foo::operator()(int) const",
        );
        check("_Z5applyPFvvE", "apply", "apply", "apply(void (*)())");
        check(
            "_ZStlsRSoi",
            "std::operator<<",
            "std::operator<<",
            "std::operator<<(std::basic_ostream<char, std::char_traits<char> >&, int)",
        );
        check(
            "_ZZ4mainENKUliE_clEi",
            "main::{lambda(int)#1}::operator()",
            "main::{lambda(int)#1}::operator()",
            "main::{lambda(int)#1}::operator()(int) const",
        );
        check(
            "_ZSt4swapIiENSt9enable_ifIXsrSt6__and_IJSt6__not_ISt15__is_tuple_likeIT_EESt21is_move_constructibleIS4_ESt18is_move_assignableIS4_EEE5valueEvE4typeERS4_SE_",
            "std::swap",
            "std::swap<int>",
            "std::enable_if<std::__and_<std::__not_<std::__is_tuple_like<int> >, std::is_move_constructible<int>, std::is_move_assignable<int> >::value, void>::type std::swap<int>(int&, int&)",
        );
        same("_ZTV3Foo", "vtable for Foo");
        // A variable, which looks like an older Rust name without its hash.
        same(
            "_ZN12_GLOBAL__N_110messages_cE",
            "(anonymous namespace)::messages_c",
        );
    }

    #[test]
    fn copies_of_a_function_have_its_name() {
        check("_Z3foov.part.0", "foo", "foo", "foo()");
        check("_Z3foov.constprop.0.cold", "foo", "foo", "foo()");
        same("sum.part.0.cold", "sum");
        same("camlFoo__bar_12", "Foo.bar");
    }

    #[test]
    fn rust_names_have_no_hash() {
        same("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
        same(
            "_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234",
            "core::fmt::write",
        );
        same(
            "_ZN4core3fmt5write17h0123456789abcdefE.cold",
            "core::fmt::write",
        );
        same("_RNvCs1234_7mycrate3foo", "mycrate::foo");
        same("_RINvCs1234_7mycrate3foohE", "mycrate::foo::<u8>");
    }

    #[test]
    fn a_stub_has_the_readable_name_of_what_it_calls() {
        let stub = |mode| demangle("_ZdlPv@plt", mode);
        assert_eq!(stub(DemangleMode::Templates), "operator delete@plt");
        assert_eq!(stub(DemangleMode::Full), "operator delete(void*)@plt");
        assert_eq!(stub(DemangleMode::None), "_ZdlPv@plt");
    }

    #[test]
    fn what_is_not_mangled_stays() {
        for name in [
            "main",
            "",
            "_",
            "_Z",
            "_R",
            "_start",
            "_Zfoo",
            "_D3foo3barFZv",
            "$s4main3fooyyF",
            "memcpy@plt",
            "operator()",
        ] {
            same(name, name);
        }
    }

    #[test]
    fn names_made_to_hurt_stay_raw() {
        let long = format!("_Z{}{}", 70_000, "a".repeat(70_000));
        same(&long, &long);
        let pointers = format!("_Z1f{}i", "P".repeat(60_000));
        same(&pointers, &pointers);
        // Each substitution doubles the name before it.
        let mut doubling = "_Z1fI1aE".to_owned();
        for level in 0..60 {
            let reference = if level == 0 {
                "S_".to_owned()
            } else {
                format!("S{}_", level - 1)
            };
            doubling.push_str(&format!("1bI{reference}{reference}E"));
        }
        assert!(demangle(&doubling, DemangleMode::Full).len() <= OUTPUT_BYTES_MAX);
        let nested = format!("_RNv{}C1a1b", "INvC1a1b".repeat(2000));
        assert!(demangle(&nested, DemangleMode::Full).len() <= OUTPUT_BYTES_MAX);
    }
}
