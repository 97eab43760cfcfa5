//! `lineheat symbolize-worker`: the engine's own process for reading foreign files, started by the engine only.

use std::process::{Command, ExitCode};

const NAME: &str = "symbolize-worker";

#[derive(clap::Args)]
pub struct Args {}

/// This very program, even when its file was replaced meanwhile.
pub fn command() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(NAME);
    command
}

pub fn run(_: &Args) -> ExitCode {
    match symbolize::serve_as_worker() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}
