//! Arguments that clap lets pass and that make no sense together.

use std::process::ExitCode;

/// Says so as clap does; `command`: the subcommand.
pub fn wrong_usage(command: &str, message: &str) -> ExitCode {
    eprintln!(
        "error: {}\n\nFor more information, try 'lineheat {command} --help'.",
        crate::terminal_text::visible(message)
    );
    ExitCode::from(2)
}
