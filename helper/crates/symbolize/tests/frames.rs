//! What a chain of frames says, on programs of known answer from real compilers.

use std::path::Path;

use crate::support::{code_addresses, compiled, program};
use symbolize::{
    DemangleMode, Frame, ModuleFile, ModuleSymbols, Options, symbolize_module,
    symbolize_module_with,
};

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
        assert_eq!(Path::new(&*source), program("sums.c"));
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
    crate::support::run(
        std::process::Command::new("gcc")
            .current_dir(folder.path().join("build"))
            .args(["-O2", "-g", ".././sums.c", "-o", "program"]),
    );
    let symbols = all_of(&folder.path().join("build/program"));
    let source = chain_from(&symbols, "sum_to")[0].file.clone().unwrap();
    let expected = folder.path().canonicalize().unwrap().join("sums.c");
    assert_eq!(Path::new(&*source), expected);
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
            .map(|frame| &*frame.name)
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
            name: "sum_to".into(),
            system_name: "sum_to".into(),
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

#[test]
fn a_stub_of_another_module_s_function_says_whose_it_is() {
    let folder = tempfile::tempdir().unwrap();
    // Lazy, lazy with marked places for indirect branches, and bound at the start: three layouts of stubs.
    let marked = match cfg!(target_arch = "x86_64") {
        true => ["-O2", "-Wl,-z,ibtplt", "-fcf-protection=full"],
        false => ["-O2", "-Wl,-z,force-bti", "-mbranch-protection=standard"],
    };
    for flags in [
        ["-O2", "-Wl,-z,lazy", "-no-pie"],
        marked,
        ["-O2", "-Wl,-z,now", "-fno-plt"],
    ] {
        let path = compiled(folder.path(), "gcc", "sums.c", &flags);
        let sections = [".plt", ".plt.sec", ".plt.got"];
        let vaddrs: Vec<u64> = sections
            .iter()
            .flat_map(|name| crate::support::section_addresses(&path, name))
            .collect();
        let symbols = symbolize_module(&ModuleFile::at_path(&path), &vaddrs);
        let called = |name: &str| (symbols.chains.iter().flatten()).any(|frame| frame.name == name);
        // Without stubs for calls (-fno-plt) the one for the C library's own clean-up is left.
        let expected = if flags.contains(&"-fno-plt") {
            "__cxa_finalize@plt"
        } else {
            "printf@plt"
        };
        assert!(called(expected), "{flags:?}: no {expected}");
    }
}

#[test]
fn parts_and_clones_have_the_name_of_their_function() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, mode) in [
        (
            ["-O3", "-g0", "-freorder-blocks-and-partition"],
            DemangleMode::Templates,
        ),
        (
            ["-O3", "-g", "-freorder-blocks-and-partition"],
            DemangleMode::Templates,
        ),
        (
            ["-O3", "-g0", "-freorder-blocks-and-partition"],
            DemangleMode::None,
        ),
    ] {
        let path = compiled(folder.path(), "gcc", "parts.c", &flags);
        let options = Options {
            demangle: mode,
            ..Options::default()
        };
        let vaddrs = code_addresses(&path, 1);
        let symbols = symbolize_module_with(&ModuleFile::at_path(&path), &vaddrs, &options);
        let mut names: Vec<&str> = (symbols.chains.iter().flatten())
            .map(|frame| &*frame.name)
            .filter(|name| name.starts_with("checked"))
            .collect();
        names.dedup();
        names.sort_unstable();
        names.dedup();
        match mode {
            DemangleMode::None => assert!(names.contains(&"checked.cold"), "{names:?}"),
            _ => assert_eq!(names, ["checked"], "{flags:?}"),
        }
    }
}

/// How the units of a program's code were built, without optimisation or with.
fn unoptimized(path: &Path) -> Vec<bool> {
    let symbols = all_of(path);
    let is_ours = |frame: &Frame| frame.name == "sum_to" || frame.name.ends_with("::weight");
    let mut found: Vec<bool> = (symbols.chains.iter().zip(&symbols.builds))
        .filter(|(chain, _)| chain.iter().any(is_ours))
        .filter_map(|(_, build)| Some(build.as_ref()?.is_unoptimized))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn code_built_without_optimisation_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, source, flags, expected) in [
        ("gcc", "sums.c", ["-O0", "-g"], true),
        ("gcc", "sums.c", ["-O2", "-g"], false),
        ("clang", "sums.c", ["-O0", "-g"], true),
        ("clang", "sums.c", ["-O2", "-g"], false),
        ("rustc", "words.rs", ["-Copt-level=0", "-g"], true),
        ("rustc", "words.rs", ["-Copt-level=2", "-g"], false),
    ] {
        let path = compiled(folder.path(), compiler, source, &flags);
        assert_eq!(unoptimized(&path), [expected], "{compiler} {flags:?}");
    }
}

#[test]
fn the_sum_of_a_source_file_is_the_one_that_clang_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), "clang", "sums.c", &["-O2", "-gdwarf-5"]);
    let symbols = all_of(&path);
    for name in ["sums.c", "sums.h"] {
        let source = program(name);
        let sum = symbols
            .source_sums
            .iter()
            .find(|(path, _)| Path::new(&***path) == source);
        let content = std::fs::read(&source).unwrap();
        assert_eq!(sum.unwrap().1, &symbolize::md5(&content), "{name}");
    }
}

#[test]
fn functions_that_share_their_code_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "-O2",
        "-ffunction-sections",
        "-fuse-ld=gold",
        "-Wl,--icf=all",
    ];
    let path = compiled(folder.path(), "g++", "twins.cpp", &flags);
    let symbols = all_of(&path);
    let folded: Vec<_> = symbols
        .folded
        .iter()
        .filter(|names| !names.is_empty())
        .collect();
    assert!(!folded.is_empty());
    for names in folded {
        assert_eq!(
            names.iter().map(|name| &**name).collect::<Vec<_>>(),
            ["_Z5firsti", "_Z6secondi"]
        );
    }
}
