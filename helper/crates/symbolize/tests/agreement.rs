//! Line for line the same as `addr2line -i -f` of binutils (of LLVM for clang's files), over the whole code of programs from every compiler here.

use crate::support::{Peer, agree, code_addresses, comparable, compiled, ours, peer};

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
        let has_line = |chain: &[crate::support::Place]| chain.iter().any(|(_, _, line)| *line > 0);
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
