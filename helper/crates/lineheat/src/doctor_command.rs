//! `lineheat doctor`: what this machine allows, what is missing, and the exact command that helps.

mod install;

use std::process::ExitCode;

use doctor::{Check, State, can_record, checks};
use serde::Serialize;

use self::install::Consent;
use crate::json::{SCHEMA, object};

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema: u32,
    can_record: bool,
    checks: &'a [Check],
}

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Install the sampler so that this user can record without sudo. Shows the commands, then asks
    #[arg(long, conflicts_with_all = ["json", "uninstall"])]
    install: bool,
    /// Uninstall the sampler
    #[arg(long, conflicts_with = "json")]
    uninstall: bool,
    /// Only show the commands of --install or --uninstall
    #[arg(long, conflicts_with = "yes")]
    print: bool,
    /// Run the commands of --install or --uninstall without asking
    #[arg(long)]
    yes: bool,
}

pub fn run(args: &Args) -> ExitCode {
    let consent = match (args.print, args.yes) {
        (true, _) => Consent::PrintOnly,
        (_, true) => Consent::Given,
        _ => Consent::Ask,
    };
    match (args.install, args.uninstall) {
        (true, _) => return install::install(consent),
        (_, true) => return install::uninstall(consent),
        _ => {}
    }
    let checks = checks();
    if args.json {
        let report = Report {
            schema: SCHEMA,
            can_record: can_record(&checks),
            checks: &checks,
        };
        println!("{}", object(&report));
    } else {
        for check in &checks {
            let mark = match check.state {
                State::Ok => "ok     ",
                State::Warning => "warning",
                State::Missing => "MISSING",
            };
            println!("{mark}  {}: {}", check.title, check.detail);
            if !check.command.is_empty() {
                println!("         try: {}", check.command);
            }
        }
        println!("\n{}", verdict(&checks));
    }
    ExitCode::from(if can_record(&checks) { 0 } else { 3 })
}

fn verdict(checks: &[Check]) -> &'static str {
    let works = |id| checks.iter().any(|c| c.id == id && c.state == State::Ok);
    if works("recording") {
        "This user can record with Lineheat on this machine."
    } else if can_record(checks) {
        "This user can record on this machine without privileges, in user space only. Kernel time is missing."
    } else {
        "This user cannot record with Lineheat on this machine."
    }
}
