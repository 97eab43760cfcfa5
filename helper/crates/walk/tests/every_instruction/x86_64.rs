//! Of x86-64 programs, under ptrace.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::stopped_process::StoppedProcess;
use crate::support::watch::{Change, Watched, assert_no_wrong_caller, assert_right, watch};
use crate::{BARE, build, compile_with, source};

fn compile(name: &str, flags: &[&str], directory: &Path) -> PathBuf {
    compile_with("gcc", name, flags, directory)
}

fn start(program: &Path) -> StoppedProcess {
    let mut command = Command::new(program);
    command
        .stdout(Stdio::null())
        .env("LC_ALL", "C")
        .env_remove("LD_BIND_NOW")
        // A handler that pushes a call for preemption has half changed the interrupted stack for three instructions.
        .env("GODEBUG", "asyncpreemptoff=1");
    StoppedProcess::start(command)
}

fn assert_whole_from_breakpoint(program: &Path, steps_max: usize, what: &str) {
    let mut process = start(program);
    process.run_to_breakpoint();
    let watched = watch(&mut process, steps_max);
    assert!(watched.steps > 1000, "{}", watched.steps);
    assert_right(&watched, what);
}

#[test]
fn stacks_of_many_forms_are_whole_at_every_instruction() {
    let flags_of = [
        &["-O2", "-fomit-frame-pointer"][..],
        &["-O0"],
        &["-O2", "-mavx", "-Wl,-z,lazy"],
        &["-O2", "-fcf-protection", "-Wl,-z,now"],
    ];
    for flags in flags_of {
        let directory = tempfile::tempdir().unwrap();
        let program = compile("stack_forms.c", flags, directory.path());
        assert_whole_from_breakpoint(&program, 60_000, &format!("{flags:?}"));
    }
}

#[test]
fn functions_without_call_frame_information_are_whole_by_their_instructions() {
    let flags_of = [
        &["-O2", "-fomit-frame-pointer"][..],
        &["-O0"],
        &["-O3", "-mavx", "-static"],
        &["-Os", "-fomit-frame-pointer"],
        &["-O2", "-fno-omit-frame-pointer"],
        &["-O2", "-fomit-frame-pointer", "-s"],
    ];
    for flags in flags_of {
        let directory = tempfile::tempdir().unwrap();
        let flags = [flags, &BARE].concat();
        let program = compile("stack_forms.c", &flags, directory.path());
        assert_whole_from_breakpoint(&program, 60_000, &format!("{flags:?}"));
    }
}

#[test]
fn a_static_musl_program_is_whole_from_its_first_instruction_to_its_last() {
    for flags in [&["-O2"][..], &["-O0"], &["-O2", "-s"]] {
        let Some(watched) = watch_with_musl(&[flags, &["-static"], &BARE].concat()) else {
            return;
        };
        assert!(watched.steps > 2000, "{}", watched.steps);
        assert_right(&watched, &format!("{flags:?}"));
    }
}

#[test]
fn a_dynamic_musl_program_is_whole_but_where_its_loader_starts_it() {
    let Some(watched) = watch_with_musl(&["-O2"]) else {
        return;
    };
    assert!(watched.steps > 20_000, "{}", watched.steps);
    assert_no_wrong_caller(&watched, "musl");
    // The jump to the program's entry, with rsp where its arguments are.
    assert!(watched.cut.len() <= 1, "{:x?}", watched.cut);
    assert_eq!(watched.impossible, []);
}

/// None: there is no musl.
fn watch_with_musl(flags: &[&str]) -> Option<Watched> {
    if Command::new("musl-gcc").arg("--version").output().is_err() {
        println!("SKIPPED: musl-gcc is not installed (Debian: musl-tools)");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let flags = [flags, &["-DWHOLE"]].concat();
    let program = compile_with("musl-gcc", "stack_forms.c", &flags, directory.path());
    Some(watch(&mut start(&program), 1_000_000))
}

/// longjmp gives up its frames while it still runs: from there the stack is that of the call of setjmp.
#[test]
fn frames_that_are_jumped_over_and_new_threads_leave_the_stack_whole() {
    for flags in [&["-O2"][..], &["-O0", "-static"]] {
        let directory = tempfile::tempdir().unwrap();
        let program = compile(
            "jumps.c",
            &[flags, &["-pthread"]].concat(),
            directory.path(),
        );
        let mut process = start(&program);
        process.run_to_breakpoint();
        let watched = watch(&mut process, 60_000);
        assert!(watched.steps > 1000, "{}", watched.steps);
        assert_eq!(watched.cut, [], "{flags:?}");
        // Calls and returns do not say what longjmp does: main and what started it are as before.
        let outer = |frames: &[u64]| frames[frames.len() - 4..].to_vec();
        let is_outside = |(callers, walk): &&Change| outer(callers) == outer(walk);
        let others: Vec<_> = watched.wrong.iter().filter(|w| !is_outside(w)).collect();
        assert!(others.is_empty(), "{flags:?}: {others:x?}");
    }
}

#[test]
fn code_without_rows_ends_the_walk_and_invents_no_caller() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile("bare_code.S", &[], directory.path());
    let mut process = start(&program);
    process.run_to_breakpoint();
    let watched = watch(&mut process, 100);
    assert_eq!((watched.steps, watched.cut.len()), (12, 10));
    assert_no_wrong_caller(&watched, "assembly without a function's symbol");
}

#[test]
fn go_is_whole_through_its_changes_of_stack_also_when_stripped() {
    let flags_of = [
        &[][..],
        &["-ldflags=-s -w"],
        &["-ldflags=-s -w", "-buildmode=pie"],
    ];
    for flags in flags_of {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        let mut compiler = Command::new("go");
        compiler.arg("build").args(flags).arg("-o").arg(&program);
        build(compiler.arg(source("stacks.go")));
        let mut process = start(&program);
        process.run_to_breakpoint();
        let watched = watch(&mut process, 40_000);
        assert_eq!(watched.cut, [], "Go {flags:?}");
        // Functions that write rsp as they like are followed by rbp, which for one instruction is still the caller's.
        let lacks_one = |(callers, walk): &&Change| callers[1..] == walk[1..];
        let others: Vec<_> = watched.wrong.iter().filter(|w| !lacks_one(w)).collect();
        assert!(others.is_empty(), "Go {flags:?}: {others:x?}");
        assert!(watched.wrong.len() < 40 && watched.impossible.len() < 80);
    }
}

#[test]
fn ocaml_is_whole_through_c_exceptions_and_collections() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    for name in ["stacks.ml", "trap.c"] {
        std::fs::copy(source(name), directory.path().join(name)).unwrap();
    }
    let mut compiler = Command::new("ocamlopt");
    compiler.current_dir(directory.path()); // what it makes lies beside the sources
    build(compiler.args(["-g", "-o", "program", "trap.c", "stacks.ml"]));
    let mut process = start(&program);
    process.run_to_breakpoint();
    let watched = watch(&mut process, 60_000);
    assert!(watched.steps > 10_000, "{}", watched.steps);
    // Raising moves rsp to the handler and pops twice; OCaml describes nothing of it. 9 exceptions, 2 instructions.
    let unknown: Vec<_> = watched.cut.iter().map(|(ip, _)| *ip).collect();
    let places: HashSet<_> = unknown.iter().collect();
    assert!(unknown.len() < 200 && places.len() <= 6, "{unknown:x?}");
    assert!(watched.impossible.len() <= 100, "{:x?}", watched.impossible);
}

#[test]
fn a_program_is_whole_from_its_first_instruction_to_its_last() {
    for flags in [&["-O2"][..], &["-O2", "-fcf-protection", "-static"]] {
        let directory = tempfile::tempdir().unwrap();
        let flags = [flags, &["-DWHOLE"]].concat();
        let program = compile("stack_forms.c", &flags, directory.path());
        let mut process = start(&program);
        let watched = watch(&mut process, 1_000_000);
        assert!(watched.steps > 50_000, "{}", watched.steps);
        assert_right(&watched, &format!("{flags:?}"));
    }
}
