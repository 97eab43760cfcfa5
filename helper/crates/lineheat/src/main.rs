//! `lineheat`: records where a native program spends its time, and shows it on source lines.

mod allocation_table;
mod annotate;
mod at_once;
mod compare_commands;
mod completions;
mod contradictions;
mod convert;
mod demangling;
mod diff;
mod diff_explanation;
mod diff_markdown;
mod diff_numbers;
mod diff_parts;
mod diff_sides;
mod diff_text;
mod doctor_command;
mod instructions_per_cycle;
mod interrupts;
mod json;
mod json_calls;
mod json_diff;
mod json_flags;
mod json_memory;
mod json_report;
mod json_syscalls;
mod json_totals;
mod json_wall_time;
mod manual_pages;
mod measure_flag;
mod memory_figures;
mod record_command;
mod record_flag_values;
mod record_flags;
mod record_option_flags;
mod record_progress;
mod repetition_table;
mod report;
mod report_blame;
mod report_call_times;
mod report_calls;
mod report_header;
mod report_locks;
mod report_syscalls;
mod report_tree;
mod report_waits;
mod row_texts;
mod selected_run;
mod selection_flags;
mod stdout_aside;
mod sweep_command;
mod sweep_json;
mod sweep_text;
mod terminal;
mod terminal_numbers;
mod terminal_table;
mod terminal_text;
mod wrong_usage;

use std::error::Error;
use std::num::ParseIntError;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

/// Shows where a native program spends its CPU time, on the lines that spend it.
#[derive(Parser)]
#[command(
    name = "lineheat",
    version,
    after_help = "\
First steps:
  lineheat doctor                                    check what this machine allows
  lineheat record -- ./program ARGUMENTS             run and record a program
  lineheat report RUN                                show its hottest functions
  lineheat annotate RUN file.cpp                     show a source file with its heat
  lineheat diff OLD-RUN --against NEW-RUN            show what became slower or faster
  lineheat compare-commands -- ./old ::: ./new       run both alternately and compare them
  lineheat sweep --set size=1,2,4 -- ./prog {size}   run every value and find the fastest

A run is an ordinary pprof file: `go tool pprof RUN` opens it too.
Exit status: 0 success, 1 the comparison found a slowdown, 2 wrong usage, 3 cannot record or read."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Record(record_command::Args),
    Sweep(sweep_command::Args),
    Report(report::Args),
    Annotate(annotate::Args),
    Diff(diff::Args),
    CompareCommands(compare_commands::Args),
    Convert(convert::Args),
    /// Check what this machine allows and how to fix what is missing
    Doctor(doctor_command::Args),
    /// Answer an editor's requests on standard input and output (protobuf frames)
    Serve,
    Completions(completions::Args),
    #[command(hide = true)]
    ManualPages(manual_pages::Args),
    #[command(hide = true)]
    SymbolizeWorker,
    #[command(hide = true)]
    OpenWorker,
    /// Ends at once: what the doctor records.
    #[command(hide = true)]
    Nothing,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let error = contradictions::with_what_contradicts(with_what_was_wanted(error));
            return misunderstood(&with_who_has_it(error));
        }
    };
    match cli.command {
        Command::Record(args) => record_command::run(args),
        Command::Sweep(args) => sweep_command::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Annotate(args) => annotate::run(&args),
        Command::CompareCommands(args) => compare_commands::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Doctor(args) => doctor_command::run(&args),
        Command::Serve => serve::run(),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::ManualPages(args) => manual_pages::run(&args, Cli::command()),
        Command::SymbolizeWorker => recorder::symbolize_worker::run(),
        Command::OpenWorker => recorder::open_worker::run(),
        Command::Nothing => ExitCode::SUCCESS,
    }
}

/// What is no number is told by the parser in the words of a programming language.
fn with_what_was_wanted(error: clap::Error) -> clap::Error {
    let is_no_number = (error.source()).is_some_and(|cause| cause.is::<ParseIntError>());
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(said)) if is_no_number => Some(said.clone()),
        _ => None,
    };
    match (
        said(ContextKind::InvalidArg),
        said(ContextKind::InvalidValue),
    ) {
        (Some(option), Some(value)) => clap::Error::raw(
            ErrorKind::ValueValidation,
            format!(
                "invalid value '{value}' for '{option}': expected a whole number\n\nFor more information, try '--help'.\n"
            ),
        ),
        _ => error,
    }
}

/// An option that only another command has.
fn with_who_has_it(error: clap::Error) -> clap::Error {
    let (Some(ContextValue::String(option)), ErrorKind::UnknownArgument) =
        (error.get(ContextKind::InvalidArg), error.kind())
    else {
        return error;
    };
    let words = std::env::args().skip(1);
    match unknown_option(&words.collect::<Vec<_>>(), option) {
        Some(sentence) => clap::Error::raw(ErrorKind::UnknownArgument, sentence),
        None => error,
    }
}

/// `words`: the command line. None: no command has the option.
fn unknown_option(words: &[String], option: &str) -> Option<String> {
    let commands = Cli::command();
    let has_it = |command: &clap::Command| {
        let mut own = command.get_arguments().filter_map(clap::Arg::get_long);
        own.any(|long| option.strip_prefix("--") == Some(long))
    };
    let mut shown = commands.get_subcommands().filter(|of| !of.is_hide_set());
    let asked = words
        .iter()
        .find_map(|word| commands.find_subcommand(word))?
        .get_name();
    let other = shown.find(|of| has_it(of))?.get_name();
    let how = match asked {
        "compare-commands" => {
            "Record each command with it, then compare the runs: lineheat diff BASE-RUN --against NEW-RUN".to_owned()
        }
        _ => format!("lineheat {other} --help explains it."),
    };
    Some(format!(
        "{asked} has no option {option}: it is one of lineheat {other}. {how}\n\nFor more information, try 'lineheat {asked} --help'.\n"
    ))
}

/// The parser repeats arguments as they came: those that would steer the terminal are said in visible escapes.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let is_evil = |argument: std::ffi::OsString| {
        let argument = argument.to_string_lossy().into_owned();
        terminal_text::visible(&argument) != argument
    };
    if !std::env::args_os().skip(1).any(is_evil) {
        error.exit();
    }
    for line in text.lines() {
        eprintln!("{}", terminal_text::visible(line));
    }
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_another_command_is_refused_with_who_has_it() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let refused = |line: &str, option: &str| unknown_option(&words(line), option);
        let latency = refused("compare-commands --latency -- a ::: b", "--latency");
        let latency = latency.expect("record has it");
        let expected = "compare-commands has no option --latency: it is one of lineheat record.";
        assert!(latency.starts_with(expected), "{latency}");
        assert!(
            latency.contains("lineheat diff BASE-RUN --against NEW-RUN"),
            "{latency}"
        );
        let threads = refused("record --threads -- a", "--threads").expect("report has it");
        assert!(threads.contains("one of lineheat report"), "{threads}");
        assert_eq!(refused("record --thraeds -- a", "--thraeds"), None);
    }

    #[test]
    fn what_is_no_whole_number_is_told_so_and_other_mistakes_as_before() {
        let told = |arguments: &[&str]| {
            let all = ["lineheat"].iter().chain(arguments);
            let error = Cli::try_parse_from(all).err().unwrap();
            with_what_was_wanted(error).to_string()
        };
        for (option, command) in [("--freq <HZ>", "record"), ("--limit <N>", "report")] {
            let name = option.split(' ').next().unwrap();
            let text = told(&[command, name, "1e3"]);
            let wanted = format!("invalid value '1e3' for '{option}': expected a whole number");
            assert!(text.contains(&wanted), "{text}");
        }
        let text = told(&["record", "--freq", "0", "--", "true"]);
        assert!(text.contains("0 is not in 1..=9999"), "{text}");
        let text = told(&["record", "--duration", "x", "--", "true"]);
        assert!(text.contains("expected a number of seconds"), "{text}");
    }
}
