//! `lineheat sweep`: a command for every combination of some parameters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;

use recorder::{Target, new_run_path};
use sweeps::{
    Asked, Cell, Parameter, cells, check_use, parse_parameter, record_sweep, replaced, sweep_table,
};

use crate::demangling::DemangleChoice;
use crate::interrupts::watch_interrupts;
use crate::record_flags::Recording;
use crate::record_option_flags::{OfSweep, RecordFlags};
use crate::record_progress::{Teller, say, say_error};
use crate::stdout_aside::StdoutAside;
use crate::sweep_json::json;
use crate::sweep_text::{csv, text};
use crate::terminal::{ColorChoice, Terminal, failure, print};
use crate::terminal_text::visible;

/// Run a command for every combination of some parameters, and say which is quickest and what grows
#[derive(clap::Args)]
#[command(after_help = "\
{NAME} in the command's arguments and in --env is replaced by each value of the parameter. Every combination becomes an
ordinary run, so `lineheat diff` can compare any two. Up to eight combinations run interleaved (A B C A B C), so drift
affects all of them equally. More than eight run in batches of eight.

Examples:
  lineheat sweep --set threads=1,2,4 --set chunk=5000,20000 -- ./prog {threads} {chunk}
  lineheat sweep --set size=1,2,4 --repeat 3 --env RAYON_NUM_THREADS={size} -- ./prog
  lineheat sweep --show .lineheat/runs/20261122-*-*.pb.gz --csv table.csv")]
pub struct Args {
    /// A parameter and its values. May be given several times
    #[arg(long, value_name = "NAME=V,V…", value_parser = parse_parameter, required_unless_present = "show")]
    set: Vec<Parameter>,
    /// Environment variable for the command, not stored in the run. May be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    #[command(flatten)]
    own: OfSweep,
    #[command(flatten)]
    flags: RecordFlags,
    /// How to store function names. Reports can show them differently [default: templates]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// Folder for the runs [default: .lineheat/runs]
    #[arg(long, value_name = "FOLDER")]
    output_folder: Option<PathBuf>,
    /// Print the table again from the saved runs of a sweep
    #[arg(long, value_name = "RUN", num_args = 1.., conflicts_with_all = ["set", "command"])]
    show: Vec<PathBuf>,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print one JSON object instead of text. The command's standard output then goes to stderr
    #[arg(long)]
    json: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "show")]
    command: Vec<OsString>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = (text.split_once('=').filter(|(name, _)| !name.is_empty()))
        .ok_or_else(|| "expected NAME=VALUE, such as OMP_NUM_THREADS={threads}".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

pub fn run(args: &Args) -> ExitCode {
    if !args.show.is_empty() {
        return show(args, &args.show);
    }
    let asked = args.flags.check().and_then(|()| asked(args));
    let asked = match asked {
        Ok(asked) => asked,
        Err(sentence) => {
            eprintln!("lineheat: {}", visible(&sentence));
            return ExitCode::from(2);
        }
    };
    let (control, receiver) = channel();
    let folder = folder(args);
    let cells = asked.cells.iter().enumerate();
    let outputs = cells
        .map(|(at, _)| output(&asked.sweep, folder, at))
        .collect();
    if let Err(e) = watch_interrupts(control, outputs) {
        eprintln!("lineheat: cannot handle Ctrl+C: {e}");
        return ExitCode::from(3);
    }
    let teller = Teller::start();
    let total = asked.cells.len();
    let options = |at: usize, cell: &Cell| {
        args.flags
            .options(recording(args, &asked.sweep, folder, at, cell))
    };
    let aside = args.json.then(StdoutAside::begin);
    let outcomes = record_sweep(&asked, options, &receiver, |told| {
        let name = asked.cells[told.cell].name();
        let place = format!("{name} (cell {} of {total}): ", told.cell + 1);
        teller.tell(&place, told.event);
    });
    drop(aside);
    teller.end();
    let mut runs = Vec::new();
    let mut failed = false;
    for (outcome, cell) in outcomes.iter().zip(&asked.cells) {
        match outcome {
            Ok(recorded) => {
                for problem in &recorded.problems {
                    say(&format!(
                        "lineheat: {}: {}\n",
                        visible(&cell.name()),
                        visible(problem)
                    ));
                }
                runs.extend(recorded.run.clone());
            }
            Err(error) => {
                failed = true;
                say(&format!("lineheat: {}:\n", visible(&cell.name())));
                say_error(error);
            }
        }
    }
    if runs.is_empty() {
        say("lineheat: nothing was recorded.\n");
        return ExitCode::from(3);
    }
    let shown = show(args, &runs);
    if failed { ExitCode::from(3) } else { shown }
}

fn folder(args: &Args) -> &Path {
    (args.output_folder.as_deref()).unwrap_or(Path::new(".lineheat/runs"))
}

fn asked(args: &Args) -> Result<Asked, String> {
    let cells = cells(&args.set)?;
    let words: Vec<&str> = (args.command.iter())
        .filter_map(|word| word.to_str())
        .chain(args.env.iter().map(|(_, value)| value.as_str()))
        .collect();
    check_use(&args.set, words.iter().copied())?;
    let id = new_run_path(folder(args));
    let id = id
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let sweep = id.strip_suffix(".pb.gz").unwrap_or(&id).to_owned();
    Ok(Asked { sweep, cells })
}

fn recording(args: &Args, sweep: &str, folder: &Path, at: usize, cell: &Cell) -> Recording {
    // What is not UTF-8 holds no parameter.
    let word = |word: &OsString| {
        word.to_str()
            .map_or_else(|| word.clone(), |w| replaced(w, cell).into())
    };
    let mut command = args.command.iter().map(word);
    Recording {
        target: Target::Launch {
            program: command.next().expect("clap requires it").into(),
            args: command.collect(),
            cwd: None,
            env: (args.env.iter())
                .map(|(name, value)| (name.into(), replaced(value, cell).into()))
                .collect(),
            terminal: None,
        },
        choices: args.own.choices(&args.flags),
        until: None,
        layouts: None,
        calls: Vec::new(),
        counters: Vec::new(),
        output: output(sweep, folder, at),
        name: cell.name(),
        demangle: args.demangle,
    }
}

fn output(sweep: &str, folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("{sweep}-{:03}.pb.gz", at + 1))
}

fn show(args: &Args, runs: &[PathBuf]) -> ExitCode {
    let table = match sweep_table(runs) {
        Ok(table) => table,
        Err(message) => return failure(&message),
    };
    if let Some(path) = &args.csv
        && let Err(e) = user_files::write_file(path, &csv(&table))
    {
        return failure(&format!("cannot write {}: {e}", path.display()));
    }
    match args.json {
        true => print(&format!("{:#}\n", json(&table))),
        false => print(&text(&Terminal::of_stdout(args.color), &table)),
    }
}
