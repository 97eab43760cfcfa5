//! Every form that debug information comes in, and what it gives: names of functions, lines, inlined calls.
//! One small program in all of them, made by the machine's own tools.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{code_addresses, program, run};
use symbolize::{Frame, ModuleFile, Options, symbolize_module, symbolize_module_with};

/// What an address in `sum_to` (C, into which `twice` and `add` are inlined) gives.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Gives {
    Inlines,
    Lines,
    Names,
    Nothing,
}
use Gives::{Inlines, Lines, Names, Nothing};

/// The folder that a form is built in; its program is `program`.
struct Build {
    folder: tempfile::TempDir,
}

impl Build {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, program: &str, arguments: &[&str]) {
        run(Command::new(program)
            .args(arguments)
            .current_dir(self.folder.path()));
    }

    fn compile(&self, compiler: &str, flags: &str) {
        let source = program("sums.c");
        let mut arguments: Vec<&str> = flags.split_whitespace().collect();
        arguments.extend(["-O2", "-o", "program", source.to_str().unwrap()]);
        self.tool(compiler, &arguments);
    }

    fn remove_dwo_files(&self) {
        for entry in self.folder.path().read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "dwo") {
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    fn gives(&self) -> (Gives, Option<String>) {
        let path = self.path("program");
        let options = Options {
            debug_directories: vec![self.path("debug")],
            ..Options::default()
        };
        let module = ModuleFile::at_path(&path);
        let symbols = symbolize_module_with(&module, &code_addresses(&path, 1), &options);
        let any =
            |wanted: &dyn Fn(&[Frame]) -> bool| symbols.chains.iter().any(|chain| wanted(chain));
        let chain_is = |chain: &[Frame], wanted: &[(&str, &str, u32)]| {
            chain.len() == wanted.len()
                && chain.iter().zip(wanted).all(|(frame, (name, file, line))| {
                    let found = frame.file.as_deref().unwrap_or("");
                    frame.name == *name && found.ends_with(file) && frame.line == *line
                })
        };
        let inlined = [
            ("add", "/sums.h", 4),
            ("twice", "/sums.c", 7),
            ("sum_to", "/sums.c", 14),
        ];
        let gives = if any(&|chain| chain_is(chain, &inlined)) {
            Inlines
        } else if any(&|chain| chain_is(chain, &[("sum_to", "/sums.c", 14)])) {
            Lines
        } else if any(&|chain| chain.last().is_some_and(|frame| frame.name == "sum_to")) {
            Names
        } else {
            Nothing
        };
        (gives, symbols.problem)
    }
}

fn compiled(compiler: &'static str, flags: &'static str) -> impl Fn(&Build) {
    move |build| build.compile(compiler, flags)
}

/// Split debug information gathered into `program.dwp`; the `.dwo` files are gone.
fn packaged(
    compiler: &'static str,
    flags: &'static str,
    packager: &'static str,
) -> impl Fn(&Build) {
    move |build| {
        build.compile(compiler, flags);
        build.tool(packager, &["-e", "program", "-o", "program.dwp"]);
        build.remove_dwo_files();
    }
}

fn recompressed(form: &'static str) -> impl Fn(&Build) {
    move |build| {
        build.compile("gcc", "-g");
        let option = format!("--compress-debug-sections={form}");
        build.tool("objcopy", &[&option, "program"]);
    }
}

/// Debug information moved to `program.debug`.
fn separated(build: &Build) {
    build.compile("gcc", "-g");
    build.tool(
        "objcopy",
        &["--only-keep-debug", "program", "program.debug"],
    );
    build.tool("objcopy", &["--strip-all", "program"]);
}

fn linked(build: &Build) {
    separated(build);
    build.tool("objcopy", &["--add-gnu-debuglink=program.debug", "program"]);
}

fn below_build_id(build: &Build) {
    separated(build);
    let module = ModuleFile::at_path(build.path("program"));
    let build_id = symbolize::symbolize_module(&module, &[]).build_id;
    let folder = build.path("debug/.build-id").join(&build_id[..2]);
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("{}.debug", &build_id[2..]);
    std::fs::rename(build.path("program.debug"), folder.join(name)).unwrap();
}

/// Entries that two programs have in common, moved to a third file.
fn shared_by_dwz(flags: &'static str) -> impl Fn(&Build) {
    move |build| {
        build.compile("gcc", flags);
        std::fs::copy(build.path("program"), build.path("second")).unwrap();
        build.tool(
            "dwz",
            &[
                "-m",
                "shared.debug",
                "-M",
                "shared.debug",
                "program",
                "second",
            ],
        );
        assert!(build.path("shared.debug").exists());
    }
}

/// As Fedora ships programs: the symbol table alone, compressed, in a section of the stripped program.
fn with_mini_debug_info(build: &Build) {
    build.compile("gcc", "");
    let keep = [
        "--only-keep-debug",
        "--remove-section=.debug*",
        "program",
        "mini",
    ];
    build.tool("objcopy", &keep);
    build.tool("xz", &["mini"]);
    build.tool("objcopy", &["--strip-all", "program"]);
    build.tool(
        "objcopy",
        &["--add-section=.gnu_debugdata=mini.xz", "program"],
    );
}

/// Symbols alone in a separate file: its sections have addresses but no content.
fn with_symbols_apart(build: &Build) {
    build.compile("gcc", "");
    build.tool(
        "objcopy",
        &["--only-keep-debug", "program", "program.debug"],
    );
    build.tool("objcopy", &["--strip-all", "program"]);
    build.tool("objcopy", &["--add-gnu-debuglink=program.debug", "program"]);
}

fn stripped(flags: &'static str) -> impl Fn(&Build) {
    move |build| {
        build.compile("gcc", flags);
        build.tool("strip", &["program"]);
    }
}

#[test]
fn every_form_gives_what_is_in_it() {
    let lost = |compiler, flags| {
        move |build: &Build| {
            compiled(compiler, flags)(build);
            build.remove_dwo_files();
        }
    };
    type Form = (&'static str, Gives, Box<dyn Fn(&Build)>);
    let forms: Vec<Form> = vec![
        (
            "gcc, DWARF 4",
            Inlines,
            Box::new(compiled("gcc", "-gdwarf-4")),
        ),
        (
            "gcc, DWARF 5",
            Inlines,
            Box::new(compiled("gcc", "-gdwarf-5")),
        ),
        (
            "clang, DWARF 4",
            Inlines,
            Box::new(compiled("clang", "-gdwarf-4")),
        ),
        (
            "clang, DWARF 5",
            Inlines,
            Box::new(compiled("clang", "-gdwarf-5")),
        ),
        ("gcc -g1", Inlines, Box::new(compiled("gcc", "-g1"))),
        ("clang -g1", Inlines, Box::new(compiled("clang", "-g1"))),
        (
            "gcc, DWARF 4, .dwo",
            Inlines,
            Box::new(compiled("gcc", "-gdwarf-4 -gsplit-dwarf")),
        ),
        (
            "gcc, DWARF 5, .dwo",
            Inlines,
            Box::new(compiled("gcc", "-gdwarf-5 -gsplit-dwarf")),
        ),
        (
            "clang, DWARF 4, .dwo",
            Inlines,
            Box::new(compiled("clang", "-gdwarf-4 -gsplit-dwarf")),
        ),
        (
            "clang, DWARF 5, .dwo",
            Inlines,
            Box::new(compiled("clang", "-gdwarf-5 -gsplit-dwarf")),
        ),
        (
            "gcc, DWARF 4, .dwp",
            Inlines,
            Box::new(packaged("gcc", "-gdwarf-4 -gsplit-dwarf", "dwp")),
        ),
        // The packagers of Debian 12 (binutils 2.40, LLVM 14) crash or hang on what gcc 12 splits as DWARF 5.
        (
            "clang, DWARF 5, .dwp",
            Inlines,
            Box::new(packaged("clang", "-gdwarf-5 -gsplit-dwarf", "llvm-dwp")),
        ),
        (
            "gcc, DWARF 5, .dwo lost",
            Lines,
            Box::new(lost("gcc", "-gdwarf-5 -gsplit-dwarf")),
        ),
        ("zlib", Inlines, Box::new(recompressed("zlib"))),
        ("zstd", Inlines, Box::new(recompressed("zstd"))),
        (".zdebug_*", Inlines, Box::new(recompressed("zlib-gnu"))),
        (".gnu_debuglink", Inlines, Box::new(linked)),
        ("build-id directory", Inlines, Box::new(below_build_id)),
        (
            "dwz -m, DWARF 4",
            Inlines,
            Box::new(shared_by_dwz("-gdwarf-4")),
        ),
        (
            "dwz -m, DWARF 5",
            Inlines,
            Box::new(shared_by_dwz("-gdwarf-5")),
        ),
        (".gnu_debugdata", Names, Box::new(with_mini_debug_info)),
        (
            "symbols in a separate file",
            Names,
            Box::new(with_symbols_apart),
        ),
        (".symtab", Names, Box::new(compiled("gcc", ""))),
        (".dynsym", Names, Box::new(stripped("-rdynamic"))),
        ("stripped", Nothing, Box::new(stripped(""))),
    ];
    let mut wrong = Vec::new();
    for (form, expected, make) in &forms {
        let build = Build {
            folder: tempfile::tempdir().unwrap(),
        };
        make(&build);
        let (gives, problem) = build.gives();
        println!(
            "{form:<28} {gives:?}  {}",
            problem.clone().unwrap_or_default()
        );
        if gives != *expected || problem.is_some() != (*expected != Inlines) {
            wrong.push(format!(
                "{form}: {gives:?} instead of {expected:?}, {problem:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All that was found, compared between a run that fills the cache and one that uses it.
#[test]
fn what_the_cache_gives_is_what_was_resolved() {
    let build = Build {
        folder: tempfile::tempdir().unwrap(),
    };
    build.compile("clang", "-gdwarf-5");
    let path = build.path("program");
    // Of a small module nothing is kept. What follows the sections belongs to none of them.
    let mut program = std::fs::File::options().append(true).open(&path).unwrap();
    program.write_all(&[0; 64 << 10]).unwrap();
    let cache = build.path("cache");
    let options = Options {
        cache: Some(cache.clone()),
        ..Options::default()
    };
    let symbols =
        |vaddrs: &[u64]| symbolize_module_with(&ModuleFile::at_path(&path), vaddrs, &options);
    let all = code_addresses(&path, 1);
    let expected = symbolize_module(&ModuleFile::at_path(&path), &all);
    // Some, then all (the rest is added), then all from the cache, then after damage.
    symbols(&all[..all.len() / 2]);
    assert_eq!(symbols(&all), expected);
    assert_eq!(symbols(&all), expected);
    let files: Vec<PathBuf> = (cache.read_dir().unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    let [file] = files.as_slice() else {
        panic!("{files:?}")
    };
    std::fs::write(file, b"LHSYMBOL and nothing of use").unwrap();
    assert_eq!(symbols(&all), expected);
    assert_eq!(symbols(&all), expected);
}
