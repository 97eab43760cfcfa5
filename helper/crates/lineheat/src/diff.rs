//! `lineheat diff`: what became slower or faster from one run, or set of runs, to another.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use analysis::{Analyzed, Comparison, Side, Verdict, compared_functions, compared_lines, merge};
use profile::Profile;

use crate::demangling::{DemangleChoice, rename_functions};
use crate::diff_text::text;
use crate::json_diff;
use crate::terminal::{ColorChoice, Terminal, failure, print};

/// Compare runs: what became slower or faster
#[derive(clap::Args)]
#[command(after_help = "\
Several runs on a side are added up and shown per run. Change is new - base: + is slower.
A verdict needs 10 samples and more than counting error; noise between runs is not known yet, so repeat
a surprising result. Where self time rests on fewer samples, the verdict is about total time.

Examples:
  lineheat diff before.pb.gz --against after.pb.gz
  lineheat diff old1 old2 old3 --against new1 new2 new3 --lines
  lineheat diff old --against new --fail-on-slower     exit status 1 when the whole became slower")]
pub struct Args {
    /// Run files of the base
    #[arg(required = true, value_name = "BASE")]
    base: Vec<PathBuf>,
    /// Run files to compare with the base
    #[arg(long, required = true, num_args = 1.., value_name = "NEW")]
    against: Vec<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// What of a comparison is printed, and how.
#[derive(clap::Args)]
pub struct Shown {
    /// One row a function (this is the default)
    #[arg(long, group = "what")]
    functions: bool,
    /// One row a source line
    #[arg(long, group = "what")]
    lines: bool,
    /// Rows to show [default: 30; all with --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Exit with status 1 when the whole became slower
    #[arg(long)]
    fail_on_slower: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// How names of functions are shown [default: as recorded]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
}

const ROWS_DEFAULT: usize = 30;

impl Shown {
    /// Standard output is to hold what is printed and nothing else.
    pub fn is_for_machines(&self) -> bool {
        self.json
    }
}

pub fn run(args: &Args) -> ExitCode {
    show(&args.base, &args.against, &args.shown)
}

/// Compares run files and prints what is asked for; the exit status is that of `lineheat diff`.
pub fn show(base: &[PathBuf], against: &[PathBuf], args: &Shown) -> ExitCode {
    let comparison = open_side(base, args.demangle)
        .and_then(|base| Comparison::new(base, open_side(against, args.demangle)?));
    let comparison = match comparison {
        Ok(comparison) => comparison,
        Err(message) => return failure(&message),
    };
    let rows = match args.lines {
        true => compared_lines(&comparison),
        false => compared_functions(&comparison),
    };
    let what = if args.lines { "lines" } else { "functions" };
    let printed = match args.json {
        true => {
            let limit = args.limit.unwrap_or(usize::MAX);
            let object = json_diff::object(&comparison, &rows[..rows.len().min(limit)], what);
            print(&format!("{object:#}\n"))
        }
        false => {
            let limit = args.limit.unwrap_or(ROWS_DEFAULT);
            let sides = [named(base), named(against)];
            print(&text(
                &Terminal::of_stdout(args.color),
                &comparison,
                &sides,
                &rows,
                what,
                limit,
            ))
        }
    };
    if args.fail_on_slower
        && printed == ExitCode::SUCCESS
        && comparison.verdict() == Verdict::Slower
    {
        return ExitCode::from(1);
    }
    printed
}

fn named(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

fn open_side(paths: &[PathBuf], demangle: Option<DemangleChoice>) -> Result<Side, String> {
    let profiles: Vec<Profile> = (paths.iter())
        .map(|path| {
            let mut profile = Profile::open(path).map_err(|error| error.message)?;
            rename_functions(&mut profile, demangle);
            Ok(profile)
        })
        .collect::<Result<_, String>>()?;
    Ok(Side {
        runs: profiles.len() as u64,
        analyzed: Arc::new(Analyzed::new(merge(profiles)?)),
    })
}
