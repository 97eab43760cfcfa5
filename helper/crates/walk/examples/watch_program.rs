//! `watch_program PROGRAM ARGUMENT…` executes a program instruction by instruction and says where its stack could not be
//! walked to the start, and where it changed as no instruction can change it. For code that nobody tried yet.

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
    let program = arguments.next().expect("the path of a program");
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null());
    let watched = watch(&mut StoppedProcess::start(command), STEPS_MAX);
    println!(
        "{} instructions: {} stacks cut, {} impossible changes",
        watched.steps,
        watched.cut.len(),
        watched.impossible.len()
    );
    for (ip, end) in watched.cut.iter().take(SHOWN) {
        println!("at {ip:#x}: {}", end.name());
    }
    for (before, after) in watched.impossible.iter().take(SHOWN) {
        println!("{before:x?}\n  then {after:x?}");
    }
}
