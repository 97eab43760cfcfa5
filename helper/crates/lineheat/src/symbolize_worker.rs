//! `lineheat symbolize-worker`: the engine's own process for reading foreign files, started by the engine only.

use std::process::{Command, ExitCode};

use crate::own_program::own_program;

const NAME: &str = "symbolize-worker";

#[derive(clap::Args)]
pub struct Args {}

pub fn command() -> Command {
    own_program(NAME)
}

pub fn run(_: &Args) -> ExitCode {
    match symbolize::serve_as_worker() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}
