//! Memory of operators new, whichever library has them, under real BPF.

use std::path::Path;
use std::process::Command;

use crate::support::{Program, can_record, lineheat};
use serde_json::Value;

/// By its name, as the loader finds it.
fn library(name: &str) -> Option<String> {
    let output = Command::new("/sbin/ldconfig").arg("-p").output().ok()?;
    let known = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = known.lines().find(|line| line.trim().starts_with(name))?;
    let path = line.rsplit(" => ").next()?;
    Path::new(path).exists().then(|| path.to_owned())
}

/// The report of a run in which each byte was sampled.
fn record_exactly(program: &Program, preloaded: &str) -> Value {
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(program.run_path())
        .arg("--")
        .arg(&program.path)
        .env("LINEHEAT_ALLOC_INTERVAL", "1")
        .env("LD_PRELOAD", preloaded)
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("exited with 0"), "{said}");
    assert!(!said.contains("operators new"), "{said}");
    let output = lineheat(&["report", "--alloc", "--json", "--schema", "2"])
        .arg(program.run_path())
        .output()
        .expect("lineheat runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn each_operator_new_is_exact_also_that_of_an_allocator_which_does_not_call_malloc() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("operators");
    let allocators = [
        "libjemalloc.so.2",
        "libmimalloc.so.2",
        "libtcmalloc_minimal.so.4",
    ];
    let found = allocators.iter().filter_map(|name| library(name));
    for preloaded in [String::new()].into_iter().chain(found) {
        let report = record_exactly(&program, &preloaded);
        let sites = report["allocations"].as_array().expect("rows");
        for (marker, size) in [
            ("/* plain */", 100),
            ("/* of arrays */", 210),
            ("/* nothrow */", 330),
            ("/* of arrays, nothrow */", 440),
            ("/* aligned */", 576),
            ("/* of arrays, aligned */", 640),
            ("/* aligned, nothrow */", 704),
            ("/* all of it */", 832),
            ("/* sized */", 900),
            ("/* of arrays, sized */", 990),
            ("/* sized, aligned */", 1088),
            ("/* arrays, sized, aligned */", 1152),
            ("/* by an expression */", 128),
            ("/* malloc */", 50),
        ] {
            let line = program.line_of(marker);
            let row = sites.iter().find(|row| row["line"] == line);
            let row = row.unwrap_or_else(|| panic!("{preloaded}: no row of {marker}: {report:#}"));
            let of = |kind: &str| (row[kind]["bytes"].as_u64(), row[kind]["objects"].as_u64());
            let times = |count: u64| (Some(count * size), Some(count));
            assert_eq!(of("allocated"), times(10), "{preloaded} {marker}");
            assert_eq!(of("inUse"), times(2), "{preloaded} {marker}");
        }
    }
}

#[test]
fn an_operator_new_that_fails_throws_through_ours() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("operators");
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(program.run_path())
        .arg("--")
        .arg(&program.path)
        .arg("more than there is")
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("exited with 0"), "{said}");
}
