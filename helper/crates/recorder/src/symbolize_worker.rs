//! `lineheat symbolize-worker`: the engine's own process for reading foreign files, started by the engine only.

use std::process::{Command, ExitCode};

use symbolize::{
    AskedModule, Isolation, ModuleSymbols, Options, symbolize_isolated, user_cache_folder,
};

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

/// Names and lines of addresses in the files of modules, read by such a process.
pub fn symbols_of(asked: &[AskedModule]) -> Vec<ModuleSymbols> {
    let options = Options {
        cache: user_cache_folder(),
        ..Options::default()
    };
    symbolize_isolated(asked, &options, &mut Isolation::by(command()), || {})
}
