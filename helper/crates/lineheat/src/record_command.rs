//! `lineheat record`: the command line around [`recorder::record`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;

use recorder::{AttachTo, EndReason, Recorded, Target, new_run_path, record};
use runs::{NO_SAMPLES, few_samples};

use crate::demangling::DemangleChoice;
use crate::interrupts::watch_interrupts;
use crate::record_flags::Recording;
use crate::record_option_flags::{OfRecord, RecordFlags};
use crate::record_progress::{Teller, say, say_error};
use crate::repetition_table::repetition_table;
use crate::terminal::Terminal;
use crate::terminal_text::visible;

/// Run a command (or attach to a process) and record where it spends its CPU time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  lineheat record -- ./build/orders --orders 9   run and record a program
  lineheat record --freq 4999 -- make -j2        sample five times as often, including children
  lineheat record --repeat 100 -- ./build/parse  a short program: 100 executions in one run
  lineheat record --repeat 9 --work-from 'items: (\\d+)' -- ./bench   time per item
  lineheat record --pid 4242 --duration 10       ten seconds of a running process
  lineheat record --process postgres             all processes with this name, until Ctrl+C

The output of the command is not changed. Ctrl+C stops the recording and keeps it; a second Ctrl+C stops it immediately.
Build with optimization and line tables (gcc, clang: -O2 -g; Cargo: debug = 1).")]
pub struct Args {
    #[command(flatten)]
    flags: RecordFlags,
    /// Run file to write [default: .lineheat/runs/ID.pb.gz]
    #[arg(long, short, value_name = "RUN")]
    output: Option<PathBuf>,
    #[command(flatten)]
    own: OfRecord,
    /// Name shown for the run
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
    /// How to store function names. Reports can show them differently [default: templates]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// Exit with the command's own exit status
    #[arg(long)]
    exit_status: bool,
    /// The command and its arguments
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present = "attach"
    )]
    command: Vec<OsString>,
}

pub fn run(args: Args) -> ExitCode {
    let choices = args.own.choices(&args.flags);
    let attach_to = match (args.own.process, args.own.tree) {
        (Some(name), _) => Some(AttachTo::Named(name)),
        (_, Some(root)) => Some(AttachTo::Tree(root)),
        _ if !args.own.pid.is_empty() => Some(AttachTo::Pids(args.own.pid)),
        _ => None,
    };
    let target = match attach_to {
        Some(to) => Target::Attach(to),
        None => {
            let mut command = args.command.into_iter();
            Target::Launch {
                program: command.next().expect("clap requires it").into(),
                args: command.collect(),
                cwd: None,
                env: vec![],
                terminal: None,
            }
        }
    };
    let output = args
        .output
        .unwrap_or_else(|| new_run_path(Path::new(".lineheat/runs")));
    if let Err(sentence) = args.flags.check() {
        eprintln!("lineheat: {sentence}");
        return ExitCode::from(2);
    }
    let runs = vec![output.clone()];
    let options = args.flags.options(Recording {
        target,
        choices,
        until: None,
        layouts: None,
        calls: args.own.calls,
        counters: args.own.counters,
        output,
        name: args.name,
        demangle: args.demangle,
    });
    let (control, receiver) = channel();
    if let Err(e) = watch_interrupts(control, runs) {
        eprintln!("lineheat: cannot handle Ctrl+C: {e}");
        return ExitCode::from(3);
    }
    let teller = Teller::start();
    let outcome = record(&options, receiver, |event| teller.tell("", event));
    teller.end();
    match outcome {
        Ok(recorded) => {
            say(&format!(
                "{}\n",
                summary(&recorded, options.chosen.sample_hz)
            ));
            let own = if args.exit_status {
                own_status(&recorded)
            } else {
                0
            };
            ExitCode::from(own)
        }
        Err(e) => {
            say_error(&e);
            ExitCode::from(3)
        }
    }
}

/// As a shell reports it: 128 + signal.
fn own_status(recorded: &Recorded) -> u8 {
    recorded.exit.map_or(0, |e| {
        if e.signal == 0 {
            e.code as u8
        } else {
            128u8.saturating_add(e.signal as u8)
        }
    })
}

fn summary(r: &Recorded, hz: u32) -> String {
    let lost = match r.lost {
        _ if r.more_may_be_lost => "an unknown number of samples lost".to_owned(),
        0 => "none lost".to_owned(),
        n => format!(
            "{n} lost ({:.1} %)",
            100.0 * n as f64 / (n + r.samples) as f64
        ),
    };
    let ended = match (r.end_reason, r.exit) {
        (EndReason::Stopped, _) => "stopped".to_owned(),
        (EndReason::Duration, _) => "the time limit was reached".to_owned(),
        (_, Some(e)) if e.signal != 0 => format!("the command was killed by signal {}", e.signal),
        (_, Some(e)) => format!("the command exited with {}", e.code),
        (_, None) => "the process exited".to_owned(),
    };
    let place = if r.user_space_only {
        " in user space"
    } else {
        ""
    };
    let runs = match r.repetitions.iter().filter(|one| !one.warm_up).count() {
        0 | 1 => String::new(),
        n => format!(" from {n} executions"),
    };
    if r.run.is_none() {
        let said: Vec<String> = (r.problems.iter())
            .map(|problem| format!("lineheat: {}", visible(problem)))
            .collect();
        return said.join("\n");
    }
    let mut text = format!(
        "lineheat: {} samples{place}{runs} in {:.2} s at {hz} Hz, {lost}; {ended}",
        r.samples,
        r.wall.as_secs_f64()
    );
    let executions = r.repetitions.iter().filter(|one| !one.warm_up).count();
    let few = few_samples(r.samples, executions.max(1) as u64, r.exit.is_none());
    if let Some(few) = (r.samples == 0).then(|| NO_SAMPLES.to_owned()).or(few) {
        text += &format!("\nlineheat: {few}");
    }
    for problem in &r.problems {
        text += &format!("\nlineheat: {}", visible(problem));
    }
    let figures = repetition_table(&Terminal::of_stderr(), &r.repetitions);
    if !figures.is_empty() {
        text += &format!("\n{}", figures.trim_end());
    }
    if let Some(run) = &r.run {
        let run = run.to_string_lossy();
        let run = visible(&run);
        text += &format!("\nlineheat: saved {run}\nlineheat: next: lineheat report {run}");
    }
    text
}
