//! Separate debug files: found by build-id and by link, and only when they belong.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{code_addresses, compiled, run};
use symbolize::{ModuleFile, ModuleSymbols, Options, symbolize_module_with};

/// A program stripped into `folder/program` and `folder/program.debug`.
fn stripped(folder: &Path, flags: &[&str]) -> PathBuf {
    let path = compiled(folder, "gcc", "sums.c", flags);
    let debug = folder.join("program.debug");
    run(Command::new("objcopy")
        .arg("--only-keep-debug")
        .args([&path, &debug]));
    run(Command::new("objcopy").arg("--strip-all").arg(&path));
    run(Command::new("objcopy")
        .current_dir(folder)
        .args(["--add-gnu-debuglink=program.debug", "program"]));
    path
}

fn symbols(path: &Path, directories: Vec<PathBuf>) -> ModuleSymbols {
    let options = Options {
        debug_directories: directories,
        ..Options::default()
    };
    symbolize_module_with(
        &ModuleFile::at_path(path),
        &code_addresses(path, 1),
        &options,
    )
}

fn has_inlined_add(symbols: &ModuleSymbols) -> bool {
    symbols
        .chains
        .iter()
        .any(|chain| chain.len() == 3 && chain[0].name == "add" && chain[0].line > 0)
}

#[test]
fn a_debug_link_beside_the_program_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = stripped(folder.path(), &["-O2", "-g"]);
    let found = symbols(&path, Vec::new());
    assert!(has_inlined_add(&found));
    assert!(found.has_lines);
    assert_eq!(found.problem, None);
}

#[test]
fn without_a_build_id_the_crc_of_the_link_decides() {
    let folder = tempfile::tempdir().unwrap();
    let path = stripped(folder.path(), &["-O2", "-g", "-Wl,--build-id=none"]);
    assert!(has_inlined_add(&symbols(&path, Vec::new())));

    let debug = folder.path().join("program.debug");
    let mut bytes = std::fs::read(&debug).unwrap();
    bytes.push(0);
    std::fs::write(&debug, bytes).unwrap();
    let found = symbols(&path, Vec::new());
    assert!(!has_inlined_add(&found));
    assert!(found.problem.unwrap().contains("stripped"));
}

#[test]
fn a_stripped_program_is_called_stripped_wherever_it_was_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let path = stripped(folder.path(), &["-O2", "-g", "-Wl,-z,lazy"]);
    std::fs::remove_file(folder.path().join("program.debug")).unwrap();
    // A stub's name is made from the function it leads to: the program has no symbol of its own for all that.
    let stub = crate::support::section_addresses(&path, ".plt")[16..].to_vec();
    let own = code_addresses(&path, 1);
    for vaddrs in [own.clone(), [stub, own].concat()] {
        let module = ModuleFile::at_path(&path);
        let found = symbolize_module_with(&module, &vaddrs, &Options::default());
        let problem = found.problem.unwrap();
        assert!(problem.contains("stripped"), "{problem}");
    }
}

#[test]
fn a_build_id_directory_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = stripped(folder.path(), &["-O2", "-g"]);
    let build_id = symbols(&path, Vec::new()).build_id;
    let directory = folder.path().join("debug/.build-id").join(&build_id[..2]);
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::rename(
        folder.path().join("program.debug"),
        directory.join(format!("{}.debug", &build_id[2..])),
    )
    .unwrap();
    assert!(!has_inlined_add(&symbols(&path, Vec::new())));
    assert!(has_inlined_add(&symbols(
        &path,
        vec![folder.path().join("debug")]
    )));
}

#[test]
fn the_debug_file_of_another_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = stripped(folder.path(), &["-O2", "-g"]);
    let other = tempfile::tempdir().unwrap();
    stripped(other.path(), &["-O1", "-g"]);
    std::fs::copy(
        other.path().join("program.debug"),
        folder.path().join("program.debug"),
    )
    .unwrap();
    assert!(!has_inlined_add(&symbols(&path, Vec::new())));
}

#[test]
fn entries_that_dwz_shared_between_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let first = compiled(folder.path(), "g++", "shapes.cpp", &["-O2", "-gdwarf-4"]);
    let second = folder.path().join("second");
    std::fs::copy(&first, &second).unwrap();
    let before = symbols(&first, Vec::new());
    run(Command::new("dwz").current_dir(folder.path()).args([
        "-m",
        "shared.debug",
        "-M",
        "shared.debug",
        "program",
        "second",
    ]));
    let after = symbols(&first, Vec::new());
    let pairs = before.chains.iter().zip(&after.chains);
    let different: Vec<_> = pairs.filter(|(before, after)| before != after).collect();
    if let Some((before, after)) = different.first() {
        panic!(
            "{} differ: {before:#?}\ninstead became {after:#?}",
            different.len()
        );
    }
}

#[test]
fn a_file_that_took_the_place_of_the_mapped_one_gives_no_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), "gcc", "sums.c", &["-O2", "-g"]);
    let module = ModuleFile::at_path(&path).expecting_build_id("00ff");
    let found = symbolize::symbolize_module(&module, &code_addresses(&path, 1));
    assert!(found.chains.iter().all(Vec::is_empty));
    assert!(
        found
            .problem
            .unwrap()
            .contains("changed since it was loaded")
    );
}
