//! `lineheat completions`: what a shell needs to complete commands, options and their values.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  lineheat completions bash > lineheat.bash   belongs in ~/.local/share/bash-completion/completions
  lineheat completions fish > lineheat.fish   belongs in ~/.config/fish/completions
  lineheat completions zsh > _lineheat        belongs in a folder of zsh's fpath

The packages for distributions already contain them.")]
pub struct Args {
    /// Shell to print them for
    shell: Shell,
}

pub fn run(args: &Args, mut command: Command) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lineheat", &mut text);
    // Whoever closes the pipe early has read enough.
    let _ = io::stdout().write_all(&text);
    ExitCode::SUCCESS
}
