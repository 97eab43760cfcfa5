//! Whose frames are those of a language's runtime or standard library, by their names: a profile has nothing else that says so.

use crate::analyzed::Analyzed;
use crate::frames::{FunctionKind, FunctionOf};

/// What programs of a language bring along. The order is that of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// The runtime of Go, without the functions that call the program's own.
    Go,
    /// Rust's `std`, `core` and `alloc`, and the schedulers of `futures` and `rayon`.
    Rust,
    /// The standard library of C++.
    Cpp,
    /// The runtime of OCaml and its `Stdlib`.
    Ocaml,
    /// What interrupted the program.
    Interrupts,
}

impl Runtime {
    pub const ALL: [Runtime; 5] = [
        Runtime::Go,
        Runtime::Rust,
        Runtime::Cpp,
        Runtime::Ocaml,
        Runtime::Interrupts,
    ];

    /// As the command line has it.
    pub fn word(self) -> &'static str {
        match self {
            Runtime::Go => "go",
            Runtime::Rust => "rust",
            Runtime::Cpp => "cpp",
            Runtime::Ocaml => "ocaml",
            Runtime::Interrupts => "interrupts",
        }
    }

    /// In a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Runtime::Go => "the Go runtime",
            Runtime::Rust => "Rust's standard library",
            Runtime::Cpp => "the C++ standard library",
            Runtime::Ocaml => "the OCaml runtime",
            Runtime::Interrupts => "interrupts",
        }
    }
}

impl Analyzed {
    /// Those that have a function in the profile.
    pub fn runtimes(&self) -> Vec<Runtime> {
        let mut found = [false; Runtime::ALL.len()];
        for function in self.functions() {
            if let Some(runtime) = self.runtime_of(function) {
                found[runtime as usize] = true;
            }
        }
        (Runtime::ALL.into_iter())
            .filter(|&runtime| found[runtime as usize])
            .collect()
    }

    /// `None`: it belongs to none.
    pub(crate) fn runtime_of(&self, function: &FunctionOf) -> Option<Runtime> {
        match function.kind {
            FunctionKind::Interrupts => Some(Runtime::Interrupts),
            FunctionKind::Kernel | FunctionKind::Unknown => None,
            FunctionKind::Native => named(
                self.text(function.name),
                self.text(function.file),
                self.text(function.module),
            ),
        }
    }
}

/// Outermost functions of Go: the program's own are below them.
const GO_ROOTS: [&str; 3] = ["runtime.main", "runtime.goexit", "runtime.goexit.abi0"];
const GO: [&str; 3] = ["runtime.", "runtime/", "internal/runtime/"];
/// What a compiler of C appends to the name of a function: one that is called `runtime` is not Go's.
const CLONES: [&str; 6] = ["part", "constprop", "isra", "cold", "llvm", "lto_priv"];

const RUST_CRATES: [&str; 7] = [
    "std",
    "core",
    "alloc",
    "hashbrown",
    "rayon",
    "rayon_core",
    "futures",
];
const RUST_CRATE_PREFIX: &str = "futures_";
/// Modules of Rust's `std`. C++ has a `std::thread`, too, whose inner names begin with `_`.
const RUST_STD_MODULES: [&str; 22] = [
    "alloc",
    "backtrace",
    "collections",
    "env",
    "error",
    "f32",
    "f64",
    "ffi",
    "fs",
    "hash",
    "io",
    "net",
    "num",
    "os",
    "panic",
    "panicking",
    "path",
    "process",
    "rt",
    "sync",
    "sys",
    "sys_common",
];

const CPP_NAMESPACES: [&str; 3] = ["std::", "__gnu_cxx::", "__cxxabiv1::"];
const CPP_MODULES: [&str; 3] = ["libstdc++.so", "libc++.so", "libc++abi.so"];

const OCAML: [&str; 3] = ["caml_", "camlStdlib", "Stdlib."];

fn named(name: &str, file: &str, module: &str) -> Option<Runtime> {
    let begins_with_any = |prefixes: &[&str]| prefixes.iter().any(|one| name.starts_with(one));
    if begins_with_any(&GO) {
        let rest = name.strip_prefix("runtime.").unwrap_or_default();
        let is_clone = CLONES.contains(&rest.split('.').next().unwrap_or_default());
        return (!is_clone && !GO_ROOTS.contains(&name)).then_some(Runtime::Go);
    }
    if begins_with_any(&OCAML) {
        return Some(Runtime::Ocaml);
    }
    if is_of_rust(name, file) {
        return Some(Runtime::Rust);
    }
    let is_of_cpp = CPP_MODULES.iter().any(|one| module.starts_with(one)) || {
        let name = cpp_name(name);
        !file.ends_with(".rs") && CPP_NAMESPACES.iter().any(|one| name.starts_with(one))
    };
    is_of_cpp.then_some(Runtime::Cpp)
}

/// The file tells languages apart where it is known.
fn is_of_rust(name: &str, file: &str) -> bool {
    let in_rust = file.ends_with(".rs");
    if !in_rust && !file.is_empty() {
        return false;
    }
    let krate = rust_crate(name);
    let is_library = RUST_CRATES.contains(&krate) || krate.starts_with(RUST_CRATE_PREFIX);
    if in_rust || !is_library {
        return is_library;
    }
    let Some(rest) = name.strip_prefix("std::") else {
        return !name.ends_with(')'); // parameters are C++'s
    };
    let mut parts = rest.split("::");
    match parts.next() {
        Some("thread") => parts.next().is_some_and(|inner| !inner.starts_with('_')),
        Some(module) => RUST_STD_MODULES.contains(&module),
        None => false,
    }
}

/// The crate that a function of Rust belongs to: of `<TYPE as TRAIT>::name` that of the type, or that of the trait when each crate
/// could have such a type; of `<[TYPE]>::name` the crate of slices.
fn rust_crate(name: &str) -> &str {
    let Some(inner) = name.strip_prefix('<') else {
        return first_part(name);
    };
    if let Some((of_type, of_trait)) = type_and_trait(inner) {
        let plain = without_wrappers(of_type);
        return match plain.contains("::") {
            true => first_part(plain),
            false => first_part(of_trait),
        };
    }
    match inner.starts_with(['[', '*', '&', '(']) {
        true => "core",
        false => first_part(inner),
    }
}

/// The type of references, pointers and slices.
fn without_wrappers(of_type: &str) -> &str {
    let mut plain = of_type;
    while let Some(rest) = ["&", "[", "(", "*const ", "*mut ", "mut ", "dyn "]
        .iter()
        .find_map(|wrapper| plain.strip_prefix(wrapper))
    {
        plain = rest;
    }
    let end = plain.find(['<', ',', ']', ')', ';', '>']);
    &plain[..end.unwrap_or(plain.len())]
}

/// `A` and `B` of `A as B>…`.
fn type_and_trait(inner: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    for (at, c) in inner.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if inner[..at].ends_with('-') => {}
            '>' | ')' | ']' => depth -= 1,
            ' ' if depth == 0 && inner[at..].starts_with(" as ") => {
                return Some((&inner[..at], &inner[at + 4..]));
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

fn first_part(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

/// A C++ name without the type that it returns: `std::string shop::name<int>(int)` is `shop::name<int>(int)`.
fn cpp_name(name: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let (mut start, mut depth) = (0, 0_i32);
    for (at, c) in name.char_indices() {
        match c {
            'o' if depth == 0 && is_operator(name, at) => break,
            '(' if depth == 0 && !name[at..].starts_with(ANONYMOUS) => break,
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    &name[start..]
}

/// What comes behind `operator` may be a bracket or a space.
fn is_operator(name: &str, at: usize) -> bool {
    const OPERATOR: &str = "operator";
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    name[at..]
        .strip_prefix(OPERATOR)
        .is_some_and(|rest| !rest.starts_with(is_word))
        && !name[..at].ends_with(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_of_the_runtime_that_its_name_says() {
        let check = |expected: Option<Runtime>, file: &str, names: &[&str]| {
            for name in names {
                assert_eq!(named(name, file, "shop"), expected, "{name} in {file}");
            }
        };
        check(
            Some(Runtime::Go),
            "",
            &[
                "runtime.mallocgc",
                "runtime.main.func1",
                "runtime.(*mheap).alloc",
                "runtime/internal/atomic.Load",
                "internal/runtime/maps.(*Map).getWithKey",
            ],
        );
        check(
            None,
            "",
            &[
                "runtime.main",
                "runtime.goexit",
                "runtime.goexit.abi0",
                "runtime.part.0",
                "runtimes.f",
                "main.main",
            ],
        );
        check(
            Some(Runtime::Rust),
            "/rustc/1/library/core/src/iter.rs",
            &[
                "core::iter::adapters::map::map_fold::{{closure}}",
                "<core::iter::adapters::map::Map<shop::I,F> as core::iter::traits::iterator::Iterator>::next",
                "<alloc::vec::Vec<shop::Item>>::push",
                "<[shop::Item]>::sort_by",
                "<&T as core::fmt::Debug>::fmt",
                "<u32 as core::fmt::Display>::fmt",
                "std::rt::lang_start",
                "std::thread::Builder::spawn_unchecked_",
                "std::vector::f",
                "rayon_core::join::join_context::{{closure}}",
                "rayon::iter::plumbing::bridge",
                "futures_util::future::poll",
                "hashbrown::map::HashMap<K,V,S,A>::insert",
            ],
        );
        check(
            Some(Runtime::Rust),
            "",
            &[
                "std::io::Write::write_all",
                "std::thread::spawn",
                "core::ptr::drop_in_place<shop::Item>",
            ],
        );
        check(
            None,
            "/project/src/main.rs",
            &[
                "<shop::Parser as core::iter::traits::iterator::Iterator>::next",
                "<&shop::Item as core::iter::traits::collect::IntoIterator>::into_iter",
                "shop::main::{{closure}}",
                "stdlib::f",
                "coreutils::f",
            ],
        );
        check(
            Some(Runtime::Cpp),
            "/usr/include/c++/13/bits/stl_vector.h",
            &[
                "std::vector<shop::Item>::push_back",
                "void std::sort<int*>(int*, int*)",
                "std::enable_if<true, int>::type std::__invoke_impl<int>(int)",
                "__gnu_cxx::__normal_iterator<int*>::operator++",
                "std::__1::basic_string<char>::append(char const*)",
                "std::function<void (int)>::operator()(int) const",
                "std::ostream& std::operator<< <char>(std::ostream&, char)",
            ],
        );
        check(
            Some(Runtime::Cpp),
            "",
            &[
                "std::thread::_State_impl<int>::_M_run()",
                "std::map::operator[]",
            ],
        );
        check(
            None,
            "/project/shop.cpp",
            &[
                "std::vector<int> shop::make<int>(std::vector<int>)",
                "std::string (anonymous namespace)::name(int)",
                "shop::operator<<(std::ostream&, shop::Item)",
                "core::render(core::Scene&)",
                "main::{lambda(std::string)#1}::operator()(std::string) const",
            ],
        );
        check(
            Some(Runtime::Ocaml),
            "",
            &[
                "caml_alloc_shr",
                "Stdlib.List.map",
                "camlStdlib__List__map_1",
            ],
        );
        check(None, "", &["camlia", "Shop.parse", "memcpy", ""]);
        assert_eq!(named("f", "", "libstdc++.so.6"), Some(Runtime::Cpp));
        assert_eq!(named("f", "", "libc++abi.so.1"), Some(Runtime::Cpp));
    }
}
