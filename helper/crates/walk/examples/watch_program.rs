//! `watch_program [INSTRUCTIONS] PROGRAM ARGUMENT…` executes a program instruction by instruction and says where its stack
//! could not be walked to the start, where it had a caller that did not call, and where it changed as no instruction can
//! change it. For code that nobody tried yet. A number before the program bounds how far it goes.

#[allow(dead_code)] // the tests use more of it
#[path = "../tests/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};

use support::stopped_process::StoppedProcess;
use support::watch::watch;

const STEPS_MAX: usize = 5_000_000;
const SHOWN: usize = 10;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let mut program = arguments.next().expect("the path of a program");
    let number = program.to_str().and_then(|text| text.parse().ok());
    if number.is_some() {
        program = arguments.next().expect("the path of a program");
    }
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null());
    let watched = watch(
        &mut StoppedProcess::start(command),
        number.unwrap_or(STEPS_MAX),
    );
    println!(
        "{} instructions: {} stacks cut, {} with a wrong caller, {} impossible changes",
        watched.steps,
        watched.cut.len(),
        watched.wrong.len(),
        watched.impossible.len()
    );
    for (ip, end) in watched.cut.iter().take(SHOWN) {
        println!("at {ip:#x}: {}", end.name());
    }
    for (callers, walked) in watched.wrong.iter().take(SHOWN) {
        println!("called by {callers:x?}\n  walked {walked:x?}");
    }
    for (before, after) in watched.impossible.iter().take(SHOWN) {
        println!("{before:x?}\n  then {after:x?}");
    }
}
