//! `lineheat`: records where a native program spends its time, and shows it on source lines.

use clap::{Parser, Subcommand};

/// Shows where a native program spends its time, on the lines that spend it.
#[derive(Parser)]
#[command(name = "lineheat", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {}

fn main() {
    match Cli::parse().command {}
}
