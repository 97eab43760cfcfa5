//! What a chain of frames says, on programs of known answer from real compilers.

mod support;

use std::path::Path;

use support::{code_addresses, compiled, program};
use symbolize::{Frame, ModuleFile, ModuleSymbols, symbolize_module};

fn all_of(path: &Path) -> ModuleSymbols {
    symbolize_module(&ModuleFile::at_path(path), &code_addresses(path, 1))
}

/// The longest chain whose innermost frame is called `name`.
fn chain_from<'a>(symbols: &'a ModuleSymbols, name: &str) -> &'a [Frame] {
    symbols
        .chains
        .iter()
        .filter(|chain| chain.first().is_some_and(|frame| frame.name == name))
        .max_by_key(|chain| chain.len())
        .unwrap_or_else(|| panic!("no address is in {name}"))
}

fn shown(chain: &[Frame]) -> Vec<String> {
    chain
        .iter()
        .map(|frame| {
            let file = frame.file.as_deref().unwrap_or("?");
            let file = file.rsplit('/').next().unwrap();
            let inlined = if frame.inlined { " inlined" } else { "" };
            format!(
                "{} {file}:{} from {}{inlined}",
                frame.name, frame.line, frame.function_line
            )
        })
        .collect()
}

#[test]
fn an_inlined_chain_names_the_line_of_each_call() {
    let folder = tempfile::tempdir().unwrap();
    for flags in [["-O2", "-gdwarf-5"], ["-O2", "-gdwarf-4"]] {
        let path = compiled(folder.path(), "gcc", "sums.c", &flags);
        let symbols = all_of(&path);
        assert_eq!(symbols.problem, None);
        assert!(symbols.has_lines);
        assert_eq!(
            shown(chain_from(&symbols, "add")),
            [
                "add sums.h:4 from 1 inlined",
                "twice sums.c:7 from 5 inlined",
                "sum_to sums.c:14 from 10",
            ]
        );
        let source = chain_from(&symbols, "sum_to")[0].file.clone().unwrap();
        assert_eq!(Path::new(&source), program("sums.c"));
        assert!(
            symbols
                .producers
                .iter()
                .any(|producer| producer.contains("-O2")),
            "{:?}",
            symbols.producers
        );
    }
}

#[test]
fn a_comp_dir_and_dots_become_one_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("build")).unwrap();
    std::fs::copy(program("sums.c"), folder.path().join("sums.c")).unwrap();
    std::fs::copy(program("sums.h"), folder.path().join("sums.h")).unwrap();
    support::run(
        std::process::Command::new("gcc")
            .current_dir(folder.path().join("build"))
            .args(["-O2", "-g", ".././sums.c", "-o", "program"]),
    );
    let symbols = all_of(&folder.path().join("build/program"));
    let source = chain_from(&symbols, "sum_to")[0].file.clone().unwrap();
    let expected = folder.path().canonicalize().unwrap().join("sums.c");
    assert_eq!(Path::new(&source), expected);
}

#[test]
fn names_of_cpp_keep_templates_and_scopes_but_no_parameters() {
    let folder = tempfile::tempdir().unwrap();
    for compiler in ["g++", "clang++"] {
        let path = compiled(folder.path(), compiler, "shapes.cpp", &["-O2", "-g"]);
        let symbols = all_of(&path);
        let names: Vec<&str> = symbols
            .chains
            .iter()
            .flatten()
            .map(|frame| frame.name.as_str())
            .collect();
        for expected in [
            "shapes::stride<int, 3>",
            "shapes::middle",
            "shapes::innermost",
            "shapes::(anonymous namespace)::hidden",
            "main",
        ] {
            assert!(names.contains(&expected), "{compiler}: no {expected}");
        }
        let map = names
            .iter()
            .find(|name| name.ends_with("::operator[]"))
            .unwrap();
        assert_eq!(*map, "std::map<int, shapes::Sample>::operator[]");
        let lambda = names
            .iter()
            .find(|name| name.starts_with("main::") && name.ends_with("operator()"))
            .unwrap_or_else(|| panic!("{compiler}: no lambda"));
        // GCC has no linkage name for it, clang numbers it.
        let expected = if compiler == "g++" {
            "main::{lambda}::operator()"
        } else {
            "main::$_0::operator()"
        };
        assert_eq!(*lambda, expected);
    }
}

#[test]
fn names_of_rust_have_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    for mangling in ["legacy", "v0"] {
        let mangling = format!("-Csymbol-mangling-version={mangling}");
        let flags = ["-Copt-level=2", "-g", &mangling];
        let folder = folder.path();
        let output = std::process::Command::new("rustc")
            .arg(program("words.rs"))
            .args(flags)
            .arg("-o")
            .arg(folder.join("program"))
            .env("RUSTC_BOOTSTRAP", "1")
            .arg("-Zunstable-options")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let program = folder.join("program");
        // The standard library comes with it: a look here and there will do.
        let symbols = symbolize_module(
            &ModuleFile::at_path(&program),
            &code_addresses(&program, 16),
        );
        let count = symbols
            .chains
            .iter()
            .flatten()
            .find(|frame| {
                frame.name.starts_with("program::count") || frame.name.starts_with("words::count")
            })
            .unwrap();
        assert!(!count.name.contains("::h"), "{}", count.name);
        assert!(count.system_name.starts_with("_Z") || count.system_name.starts_with("_R"));
    }
}

#[test]
fn a_name_stands_where_only_symbols_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), "gcc", "sums.c", &["-O2"]);
    let symbols = all_of(&path);
    assert!(!symbols.has_lines);
    assert_eq!(
        chain_from(&symbols, "sum_to"),
        [Frame {
            name: "sum_to".to_owned(),
            system_name: "sum_to".to_owned(),
            file: None,
            line: 0,
            column: 0,
            function_line: 0,
            inlined: false,
        }]
    );
    assert!(symbols.problem.unwrap().contains("Build it with -g"));
}

#[test]
fn the_vdso_is_symbolized_from_memory() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| line.ends_with("[vdso]")).unwrap();
    let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
    let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
    // SAFETY: the kernel maps the vDSO readable for the life of the process.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) }.to_vec();
    let addresses: Vec<u64> = (0..bytes.len() as u64).collect();
    let symbols = symbolize_module(&ModuleFile::from_bytes("[vdso]", bytes), &addresses);
    let has = |name: &str| {
        symbols
            .chains
            .iter()
            .flatten()
            .any(|frame| frame.name.ends_with(name))
    };
    assert!(has("clock_gettime"));
    assert!(!symbols.build_id.is_empty());
}

#[test]
fn every_address_has_a_place_in_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), "gcc", "sums.c", &["-O2", "-g"]);
    let known = code_addresses(&path, 1)
        .into_iter()
        .find(|vaddr| {
            let symbols = symbolize_module(&ModuleFile::at_path(&path), &[*vaddr]);
            symbols.chains[0]
                .first()
                .is_some_and(|frame| frame.name == "sum_to")
        })
        .unwrap();
    let symbols = symbolize_module(&ModuleFile::at_path(&path), &[known, 0, u64::MAX, known]);
    assert_eq!(symbols.chains.len(), 4);
    assert_eq!(symbols.chains[0], symbols.chains[3]);
    assert_eq!(symbols.chains[0][0].name, "sum_to");
    assert!(symbols.chains[1].is_empty() && symbols.chains[2].is_empty());
}
