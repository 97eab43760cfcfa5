//! `lineheat symbolize-worker`: the engine's own process for reading foreign files, started by the engine only.

use std::process::{Command, ExitCode};

use crate::own_program::own_program;

const NAME: &str = "symbolize-worker";

pub(crate) fn command() -> Command {
    own_program(NAME)
}

/// Answers on standard input and output until nobody asks any more.
pub fn run() -> ExitCode {
    match symbolize::serve_as_worker() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}
