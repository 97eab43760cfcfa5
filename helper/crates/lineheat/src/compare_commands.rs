//! `lineheat compare-commands`: two commands, run in turns and compared.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;

use recorder::{
    Choices, DrawnLayouts, MissingCalls, RecordError, RecordOptions, Recorded, Target,
    new_run_path, record_in_turns,
};

use crate::diff;
use crate::interrupts::watch_interrupts;
use crate::measure_flag::MeasureFlag;
use crate::record_flags::Recording;
use crate::record_option_flags::{OfCompareCommands, RecordFlags};
use crate::record_progress::{Teller, say, say_error};
use crate::repetition_table::repetition_table;
use crate::stdout_aside::StdoutAside;
use crate::terminal::Terminal;
use crate::terminal_text::visible;

/// Run two commands alternately and compare them
#[derive(clap::Args)]
#[command(after_help = "\
Drift of the machine (heat, other load) affects both commands equally, so this detects smaller differences than two
separate recordings. The order within each round is random, the next round has the reverse order. Each side becomes an ordinary run with several executions. The output is that of `lineheat diff`.

Examples:
  lineheat compare-commands --repeat 10 --warm-up 1 -- ./old input ::: ./new input
  lineheat compare-commands --until 2% -- ./old ::: ./new         as many executions as it takes
  lineheat compare-commands --fail-on-slower -- ./old ::: ./new   status 1 if ./new is slower
  lineheat compare-commands --alloc --measure alloc_space -- ./old ::: ./new   which allocates less")]
pub struct Args {
    #[command(flatten)]
    own: OfCompareCommands,
    /// Execute both commands until a change of so many percent in CPU time would show, or a larger one is certain
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    until: Option<f64>,
    /// Give each execution another environment size, which moves its stack
    ///
    /// An extra variable of 0 to 4095 bytes, drawn for each turn; both commands of a turn have the same. Needed where address-space randomization is off (setarch -R, kernel.randomize_va_space=0); otherwise each execution has a layout of its own anyway.
    #[arg(long)]
    layouts: bool,
    #[command(flatten)]
    flags: RecordFlags,
    /// Run file for the first command [default: .lineheat/runs/ID-base.pb.gz]
    #[arg(long, value_name = "RUN")]
    output_base: Option<PathBuf>,
    /// Run file for the second command [default: .lineheat/runs/ID-new.pb.gz]
    #[arg(long, value_name = "RUN")]
    output_new: Option<PathBuf>,
    #[command(flatten)]
    measure: MeasureFlag,
    #[command(flatten)]
    shown: diff::Shown,
    /// Base command with its arguments, then :::, then the new command with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    commands: Vec<OsString>,
}

const SIDES: [&str; 2] = ["base", "new"];
const REPEAT: u32 = 10;
const UNTIL_REPEAT_MAX: u32 = 100;
/// Percent; of what would take days.
const UNTIL_LEAST: f64 = 0.1;

pub fn run(args: &Args) -> ExitCode {
    let options = args.flags.check().and_then(|()| options(args));
    let options = match options {
        Ok(options) => options,
        Err(sentence) => {
            eprintln!("lineheat: {sentence}");
            return ExitCode::from(2);
        }
    };
    let (control, receiver) = channel();
    let outputs = options
        .iter()
        .filter_map(|one| one.output.clone())
        .collect();
    if let Err(e) = watch_interrupts(control, outputs) {
        eprintln!("lineheat: cannot handle Ctrl+C: {e}");
        return ExitCode::from(3);
    }
    let teller = Teller::start();
    let aside = args.shown.is_for_machines().then(StdoutAside::begin);
    let outcomes = record_in_turns(options, &receiver, |side, event| {
        teller.tell(&format!("{}: ", SIDES[side]), event);
    });
    drop(aside);
    teller.end();
    let runs: Vec<Option<PathBuf>> = (outcomes.iter().zip(SIDES))
        .map(|(outcome, side)| told(side, outcome))
        .collect();
    match &runs[..] {
        [Some(base), Some(new)] => diff::show(
            std::slice::from_ref(base),
            std::slice::from_ref(new),
            &args.shown,
            &args.measure,
        ),
        _ => {
            say("lineheat: nothing was recorded, so there is nothing to compare.\n");
            ExitCode::from(3)
        }
    }
}

/// Says what came of one side; gives its run.
fn told(side: &str, outcome: &Result<Recorded, RecordError>) -> Option<PathBuf> {
    let recorded = match outcome {
        Ok(recorded) => recorded,
        Err(error) => {
            say(&format!("lineheat: {side}:\n"));
            say_error(error);
            return None;
        }
    };
    let run = recorded.run.as_ref();
    let path = run.map_or(String::new(), |path| format!(" saved {}", path.display()));
    say(&format!(
        "lineheat: {side}:{} {} samples\n",
        visible(&path),
        recorded.samples
    ));
    for problem in &recorded.problems {
        say(&format!("lineheat: {side}: {}\n", visible(problem)));
    }
    say(&repetition_table(
        &Terminal::of_stderr(),
        &recorded.repetitions,
    ));
    let whole = recorded
        .repetitions
        .iter()
        .filter(|r| !r.warm_up && !r.cut)
        .count();
    run.filter(|_| whole > 0).cloned()
}

/// # Errors
/// A sentence, when there are not two commands, or one place for both runs.
fn options(args: &Args) -> Result<Vec<RecordOptions>, String> {
    let sides: Vec<&[OsString]> = args.commands.split(|word| word == ":::").collect();
    let [base, new] = sides[..] else {
        return Err(format!(
            "expected two commands separated by :::, but got {}; write -- ./old ARGUMENTS ::: ./new ARGUMENTS",
            sides.len()
        ));
    };
    let id = new_run_path(Path::new(".lineheat/runs"));
    let id = id.to_string_lossy();
    let id = id.strip_suffix(".pb.gz").unwrap_or(&id);
    let path = |given: &Option<PathBuf>, side: &str| {
        given
            .clone()
            .unwrap_or_else(|| PathBuf::from(format!("{id}-{side}.pb.gz")))
    };
    let outputs = [
        path(&args.output_base, SIDES[0]),
        path(&args.output_new, SIDES[1]),
    ];
    if outputs[0] == outputs[1] {
        return Err(format!(
            "both runs would be written to {}; choose different names for --output-base and --output-new",
            outputs[0].display()
        ));
    }
    let layouts = args.layouts.then(DrawnLayouts::draw);
    let mut options = Vec::new();
    for ((words, side), output) in [base, new].into_iter().zip(SIDES).zip(outputs) {
        let Some((program, arguments)) = words.split_first() else {
            return Err(format!(
                "the {side} command is empty: write -- ./old ARGUMENTS ::: ./new ARGUMENTS"
            ));
        };
        let mut one = args.flags.options(Recording {
            target: Target::Launch {
                program: program.into(),
                args: arguments.to_vec(),
                cwd: None,
                env: vec![],
                terminal: None,
            },
            choices: Choices {
                repeat: args.own.repeat.unwrap_or(match args.until {
                    Some(_) => UNTIL_REPEAT_MAX,
                    None => REPEAT,
                }),
                ..args.own.choices(&args.flags)
            },
            until: args.until,
            layouts,
            calls: args.own.calls.clone(),
            counters: Vec::new(),
            output,
            name: String::new(),
            demangle: None,
        });
        // One of the commands may not have the function any more, or not yet.
        one.missing_calls = MissingCalls::LeftOut;
        options.push(one);
    }
    Ok(options)
}

/// Relative.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent: Option<f64> = number.parse().ok();
    percent
        .filter(|percent| (UNTIL_LEAST..=100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| {
            format!("expected a change in percent from {UNTIL_LEAST} to 100, such as 2%")
        })
}
