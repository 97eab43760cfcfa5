//! Many small libraries, each a file of its own with its own name, source file and build-id.
#![allow(dead_code)] // Each test program uses a part.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// In the source, the name of the source file and the build-id: as long as what takes its place.
const NUMBERED: &str = "plugin_00000";

/// The name of the function of library `number` that works.
pub fn function_of(number: usize) -> String {
    format!("plugin_{number:05}")
}

/// Builds `count` libraries, called `00000.so` and so on: the first by gcc, the others from its bytes.
pub fn build(folder: &Path, count: usize) {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let source = fs::read_to_string(programs.join("library.c")).expect("readable");
    let build_id: String = NUMBERED.bytes().map(|byte| format!("{byte:02x}")).collect();
    let source_file = |number| folder.join(format!("{}.c", function_of(number)));
    let library = |number| -> PathBuf { folder.join(format!("{number:05}.so")) };
    fs::write(source_file(0), &source).expect("writable");
    let gcc = Command::new("gcc")
        .current_dir(folder)
        .args(["-O2", "-g", "-fomit-frame-pointer", "-fPIC", "-shared"])
        .arg(format!("-Wl,--build-id=0x{build_id}{}", "00".repeat(8)))
        .arg("-o")
        .args([&library(0), &source_file(0)])
        .status();
    assert!(gcc.expect("gcc is installed").success());
    let first = fs::read(library(0)).expect("readable");
    let places: Vec<usize> = (0..first.len())
        .filter(|at| first[*at..].starts_with(NUMBERED.as_bytes()))
        .collect();
    assert!(
        places.len() >= 3,
        "name, source file and build-id: {places:?}"
    );
    for number in 1..count {
        let mut bytes = first.clone();
        for at in &places {
            bytes[*at..*at + NUMBERED.len()].copy_from_slice(function_of(number).as_bytes());
        }
        fs::write(library(number), bytes).expect("writable");
        let text = source.replace(NUMBERED, &function_of(number));
        fs::write(source_file(number), text).expect("writable");
    }
}
