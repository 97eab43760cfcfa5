//! Line for line the same as `addr2line -i -f` of binutils (of LLVM for clang's files), over the whole code of programs from every compiler here.

mod support;

use std::path::Path;

use support::{Peer, code_addresses, compiled, peer};
use symbolize::{DemangleMode, Frame, ModuleFile, Options, symbolize_module_with};

/// `(system name, file, line)` as binutils writes them.
type Place = (String, String, u32);

fn ours(path: &Path, vaddrs: &[u64]) -> Vec<Vec<Place>> {
    let options = Options {
        demangle: DemangleMode::None,
        ..Options::default()
    };
    let place = |frame: Frame| {
        (
            match frame.system_name {
                unknown if unknown.is_empty() => "??".to_owned(),
                name => name,
            },
            frame.file.unwrap_or_else(|| "??".to_owned()),
            frame.line,
        )
    };
    symbolize_module_with(&ModuleFile::at_path(path), vaddrs, &options)
        .chains
        .into_iter()
        .map(|chain| chain.into_iter().map(place).collect())
        .collect()
}

/// Removes `.` and `..` as our paths do, and what binutils says of unknown places.
fn comparable(chain: Vec<Place>) -> Vec<Place> {
    chain
        .into_iter()
        .filter(|(name, file, _)| name != "??" || file != "??")
        .map(|(name, file, line)| {
            let mut parts: Vec<&str> = Vec::new();
            for part in file.split('/') {
                match part {
                    "." => {}
                    ".." => drop(parts.pop()),
                    _ => parts.push(part),
                }
            }
            (name, parts.join("/"), line)
        })
        .collect()
}

/// Binutils shows the symbol of the whole function instead of the innermost frame's name when that has no linkage name.
fn agree(expected: &[Place], got: &[Place]) -> bool {
    let mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    expected.len() == got.len()
        && expected.iter().zip(got).all(|(expected, got)| {
            (&expected.1, expected.2) == (&got.1, got.2)
                && (expected.0 == got.0 || (mangled(&expected.0) && !mangled(&got.0)))
        })
}

/// Every address that has a line agrees, all inlined frames included.
fn check(compiler: &str, source: &str, flags: &[&str]) {
    // Binutils 2.40 loses the inlined frames of clang's DWARF 5.
    let reference = if compiler.starts_with("clang") {
        Peer::Llvm
    } else {
        Peer::Binutils
    };
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), compiler, source, flags);
    let vaddrs = code_addresses(&path, 3);
    let expected = peer(reference, &path, &vaddrs);
    let got = ours(&path, &vaddrs);
    let mut with_lines = 0;
    let mut wrong = Vec::new();
    for ((vaddr, expected), got) in vaddrs.iter().zip(expected).zip(got) {
        let expected = comparable(expected);
        // Elsewhere there are symbols only, which binutils stretches over padding.
        let has_line = |chain: &[Place]| chain.iter().any(|(_, _, line)| *line > 0);
        if !has_line(&expected) && !has_line(&got) {
            continue;
        }
        with_lines += 1;
        if !agree(&expected, &got) {
            wrong.push(format!(
                "{vaddr:#x}\n  expected {expected:?}\n  ours     {got:?}"
            ));
        }
    }
    println!(
        "{compiler} {flags:?}: {} addresses, {with_lines} with lines, {} wrong",
        vaddrs.len(),
        wrong.len()
    );
    assert!(
        with_lines > 20,
        "{compiler} {flags:?}: only {with_lines} addresses have lines"
    );
    assert!(
        wrong.is_empty(),
        "{compiler} {source} {flags:?}: {} of {} differ\n{}",
        wrong.len(),
        vaddrs.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

#[test]
fn c_of_gcc() {
    check("gcc", "sums.c", &["-O2", "-gdwarf-4"]);
    check("gcc", "sums.c", &["-O2", "-gdwarf-5"]);
    check("gcc", "sums.c", &["-O2", "-g1"]);
    check("gcc", "sums.c", &["-O0", "-g"]);
}

#[test]
fn c_of_clang() {
    check("clang", "sums.c", &["-O2", "-gdwarf-4"]);
    check("clang", "sums.c", &["-O2", "-gdwarf-5"]);
    check("clang", "sums.c", &["-O2", "-g1"]);
}

#[test]
fn cpp_of_gcc() {
    check("g++", "shapes.cpp", &["-O2", "-gdwarf-4"]);
    check("g++", "shapes.cpp", &["-O2", "-gdwarf-5"]);
    check("g++", "shapes.cpp", &["-O2", "-g1"]);
}

#[test]
fn cpp_of_clang() {
    check("clang++", "shapes.cpp", &["-O2", "-gdwarf-5"]);
    check("clang++", "shapes.cpp", &["-O2", "-gdwarf-4", "-gz"]);
}

#[test]
fn rust() {
    check("rustc", "words.rs", &["-Copt-level=3", "-Cdebuginfo=2"]);
    check(
        "rustc",
        "words.rs",
        &["-Copt-level=3", "-Cdebuginfo=line-tables-only"],
    );
}
