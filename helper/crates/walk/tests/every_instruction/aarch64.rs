//! Of aarch64 programs, in emulation on any machine.

use std::path::Path;

use crate::support::emulated_program::EmulatedProgram;
use crate::support::watch::{Change, Watched, assert_right, watch};
use crate::{BARE, compile_with};

fn start(flags: &[&str], directory: &Path) -> EmulatedProgram {
    let program = compile_with("aarch64-linux-gnu-gcc", "stack_forms.c", flags, directory);
    EmulatedProgram::start(&program, directory)
}

fn watch_forms(flags: &[&str]) -> Watched {
    let directory = tempfile::tempdir().unwrap();
    let mut process = start(flags, directory.path());
    process.run_to_breakpoint();
    let watched = watch(&mut process, 20_000);
    assert!(watched.steps > 1000, "{flags:?}: {}", watched.steps);
    watched
}

#[test]
fn stacks_of_many_forms_are_whole_at_every_aarch64_instruction() {
    for flags in [
        &["-O2", "-fomit-frame-pointer", "-static"][..],
        &["-O0", "-static"],
        &["-O2", "-mbranch-protection=standard", "-static"],
    ] {
        assert_right(&watch_forms(flags), &format!("{flags:?}"));
    }
}

#[test]
fn aarch64_functions_without_call_frame_information_are_whole_by_their_instructions() {
    for flags in [
        &["-O2", "-fomit-frame-pointer"][..],
        &["-O0"],
        &["-O0", "-fomit-frame-pointer"],
        &["-O3", "-mbranch-protection=standard"],
        &["-O2", "-fomit-frame-pointer", "-s"],
    ] {
        let flags = [flags, &["-static"], &BARE].concat();
        assert_right(&watch_forms(&flags), &format!("{flags:?}"));
    }
}

#[test]
fn lazy_binding_on_aarch64_is_whole_but_for_one_instruction() {
    let watched = watch_forms(&["-O2", "-mbranch-protection=standard", "-Wl,-z,lazy"]);
    // The first of _dl_runtime_resolve, of which glibc does not say that the stub before it has pushed something.
    let place = watched.cut.first().expect("what the test is about").0;
    let is_there = |stack: &[u64]| stack[0] == place;
    assert!(watched.cut.iter().all(|(ip, _)| *ip == place));
    let touches_it = |(old, new): &Change| is_there(old) || is_there(new);
    assert!(watched.impossible.iter().all(touches_it));
}

#[test]
fn a_static_aarch64_program_is_whole_from_its_first_instruction_on() {
    let flags = ["-O2", "-DWHOLE", "-static"];
    let directory = tempfile::tempdir().unwrap();
    let mut process = start(&flags, directory.path());
    let watched = watch(&mut process, 40_000);
    assert!(watched.steps > 10_000, "{}", watched.steps);
    assert_right(&watched, &format!("{flags:?}"));
}
