//! `lineheat convert`: a run, or a part of it, as a file of its own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::demangling::DemangleChoice;
use crate::measure_flag::MeasureFlag;
use crate::selected_run::SelectedRun;
use crate::selection_flags::SelectionFlags;
use crate::terminal::{failure, print};
use crate::terminal_numbers::{count, value};
use crate::terminal_text::visible;

/// Write a run, or a part of it, to a file of its own
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  lineheat convert RUN part.pb.gz --time 2.7-3.1   only that time
  lineheat convert RUN user.pb.gz --hide-kernel    without the kernel

OUT is a pprof file, as all runs are; its name must end in .pb.gz.")]
pub struct Args {
    /// Run file, any pprof file, or a file of another profiler (docs/formats.md lists the formats)
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// File to write; replaced if it exists
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// How to write function names [default: as recorded]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    #[command(flatten)]
    selection: SelectionFlags,
}

pub fn run(args: &Args) -> ExitCode {
    if !args.to.to_string_lossy().ends_with(".pb.gz") {
        return failure(&format!(
            "{}: cannot write this kind of file. Give it a name that ends in .pb.gz, for a pprof file.",
            args.to.display()
        ));
    }
    if is_same_file(&args.from, &args.to) {
        return failure(&format!(
            "{}: a run cannot be replaced by a part of itself. Give the part another name.",
            args.to.display()
        ));
    }
    let run = match SelectedRun::open(
        &args.from,
        args.demangle,
        &args.selection,
        &MeasureFlag::default(),
    ) {
        Ok(run) => run,
        Err(message) => return failure(&message),
    };
    let made = run.analyzed.to_profile(&run.selection);
    if let Err(error) = profile::save(&made, &args.to) {
        return failure(&error.message);
    }
    let part = run.analyzed.total(run.measure);
    let unit = run.analyzed.unit(run.measure);
    let (part, whole) = match run.samples(part).zip(run.samples(run.whole)) {
        Some((part, whole)) => (count(part), format!("{} samples", count(whole))),
        None => (value(part.value, unit), value(run.whole.value, unit)),
    };
    let mut text = format!("{part} of {whole} written to {}\n", args.to.display());
    // What was found while reading has no place in a pprof file.
    for problem in &run.analyzed.profile().problems {
        let problem = visible(problem);
        text.push_str(&format!("note     The new file does not say: {problem}\n"));
    }
    print(&text)
}

fn is_same_file(from: &Path, to: &Path) -> bool {
    match (from.canonicalize(), to.canonicalize()) {
        (Ok(from), Ok(to)) => from == to,
        _ => false,
    }
}
