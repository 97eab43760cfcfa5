//! `lineheat report`: the hottest functions, lines or call paths of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::allocation_table::{allocation_table, sites};
use crate::demangling::DemangleChoice;
use crate::instructions_per_cycle::{PerCycle, TITLES};
use crate::json_flags::JsonFlags;
use crate::json_report::JsonReport;
use crate::measure_flag::MeasureFlag;
use crate::repetition_table::repetition_table;
use crate::report_calls;
use crate::report_header::header;
use crate::report_syscalls;
use crate::report_tree::tree;
use crate::row_texts::{rest, short_path};
use crate::selected_run::SelectedRun;
use crate::selection_flags::SelectionFlags;
use crate::terminal::{ColorChoice, Style, Terminal, failure, print};
use crate::terminal_numbers::{heat_style, known_count, share, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;
use crate::{report_blame, report_locks, report_waits};
use analysis::{Amounts, ThreadRow, function_table, line_table, thread_table};

/// Show the hottest functions, lines or call paths of a run
#[derive(clap::Args)]
#[command(after_help = "\
self: the function or line itself was executing. total: it was executing or waiting for a call that it made;
a recursive call counts once. Inlined code counts for its own line and for the lines that called it.
A share marked ? rests on fewer than 10 samples. IPC: instructions per cycle of self, with the interval that
its samples leave open; a run has it if cycles and instructions were counted (record --counters).

Examples:
  lineheat report RUN                    functions, hottest first
  lineheat report RUN --lines            source lines
  lineheat report RUN --tree             who calls whom
  lineheat report RUN --threads          CPU time of each thread
  lineheat report RUN --waits            where it waited, and for what
  lineheat report RUN --time 2.7-3.1     only that time; percentages are then of it
  lineheat report RUN --json | jq .      for scripts

RUN can be any pprof file (.pb.gz, .pprof), whichever tool wrote it, and a file of perf script,
Callgrind, folded stacks or another format that docs/formats.md lists.")]
pub struct Args {
    /// Run file
    run: PathBuf,
    /// Show one row per function (the default)
    #[arg(long, group = "what")]
    functions: bool,
    /// Show one row per source line
    #[arg(long, group = "what")]
    lines: bool,
    /// Show the call tree
    #[arg(long, group = "what")]
    tree: bool,
    /// Show one row per thread
    #[arg(long, group = "what")]
    threads: bool,
    /// Show one row per line that allocates memory: allocated, never freed, in use at the peak, and temporary
    #[arg(long, group = "what")]
    alloc: bool,
    /// Show one row per function whose calls were counted (`record --calls`), with the time per call
    #[arg(long, group = "what")]
    calls: bool,
    /// Show where threads waited, and for what: one row per line and reason
    #[arg(long, group = "what")]
    waits: bool,
    /// Show who waited for a lock, and where its holder was: one row per waiting line and holder's line
    #[arg(long, group = "what")]
    locks: bool,
    /// Show what caused the waiting: one row per line that held a lock, and one per reason where no line of the program is known
    #[arg(long, group = "what")]
    blame: bool,
    /// Show one row per system call (`record --syscalls`): how many, how long, how many failed, and the line with most time
    #[arg(long, group = "what")]
    syscalls: bool,
    /// Number of rows to show [default: 30; all with --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    json: JsonFlags,
    #[command(flatten)]
    measure: MeasureFlag,
    /// How to show function names [default: as recorded]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
    #[command(flatten)]
    selection: SelectionFlags,
}

const ROWS_DEFAULT: usize = 30;

pub fn run(args: &Args) -> ExitCode {
    let run = match SelectedRun::open(&args.run, args.demangle, &args.selection, &args.measure) {
        Ok(run) => run,
        Err(message) => return failure(&message),
    };
    let analyzed = &run.analyzed;
    let sites = match args.alloc.then(|| sites(&run)).transpose() {
        Ok(sites) => sites,
        Err(message) => return failure(&message),
    };
    if args.calls
        && let Err(message) = report_calls::check(&run, args.demangle.is_some())
    {
        return failure(&message);
    }
    let of_waits = [
        (args.waits, "where threads waited"),
        (args.locks, "who waited for a lock"),
        (args.blame, "what caused it"),
    ];
    let wanted = of_waits.into_iter().find(|(is_wanted, _)| *is_wanted);
    if let Some(Err(message)) = wanted.map(|(_, what)| report_waits::check(&run, what)) {
        return failure(&message);
    }
    let syscalls = match args
        .syscalls
        .then(|| report_syscalls::rows(&run))
        .transpose()
    {
        Ok(rows) => rows,
        Err(message) => return failure(&message),
    };
    if args.json.json {
        let limit = args.limit.unwrap_or(usize::MAX);
        let report = JsonReport {
            run: &run,
            schema: args.json.schema,
        };
        let object = match (&sites, args.lines, args.tree, args.threads) {
            (Some(sites), ..) => report.sites(sites, limit),
            _ if args.calls => report.calls(limit),
            _ if args.waits => report.waits(limit),
            _ if args.locks => report.locks(limit),
            _ if args.blame => report.blame(limit),
            _ if args.syscalls => report.syscalls(syscalls.as_deref().unwrap_or_default(), limit),
            (_, true, ..) => report.lines(limit),
            (_, _, true, _) => report.tree(limit),
            (.., true) => report.threads(limit),
            _ => report.functions(limit),
        };
        return print(&format!("{object:#}\n"));
    }
    let terminal = Terminal::of_stdout(args.color);
    let limit = args.limit.unwrap_or(ROWS_DEFAULT);
    let body = match (&sites, args.lines, args.tree, args.threads) {
        (Some(sites), ..) => allocation_table(&terminal, &run, sites, limit),
        _ if args.calls => report_calls::calls(&terminal, &run, limit),
        _ if args.waits => report_waits::table(&terminal, &run, limit),
        _ if args.locks => report_locks::locks(&terminal, &run, limit),
        _ if args.blame => report_blame::table(&terminal, &run, limit),
        _ if args.syscalls => {
            let rows = syscalls.as_deref().unwrap_or_default();
            report_syscalls::table(&terminal, &run, rows, limit)
        }
        (_, true, ..) => lines(&terminal, &run, limit),
        (_, _, true, _) => tree(&terminal, &run, limit),
        (.., true) => threads(&terminal, &run, limit),
        _ => functions(&terminal, &run, limit),
    };
    let runs = (analyzed.profile().run.as_ref()).map_or("".to_owned(), |run| {
        repetition_table(&terminal, &run.repetitions)
    });
    let gap = if runs.is_empty() { "" } else { "\n" };
    print(&format!(
        "{}\n{runs}{gap}{body}",
        header(&terminal, &args.run, &run, "")
    ))
}

fn functions(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let rows = function_table(analyzed, measure);
    let per_cycle = PerCycle::of_functions(analyzed);
    let mut table = Table::new(&columns(
        run,
        &per_cycle,
        ("module", Align::Left),
        "function",
    ));
    for row in rows.iter().take(limit) {
        let function = analyzed.function(row.function);
        let mut cells = amount_cells(run, row.amounts);
        cells.extend(per_cycle.cells(row.function));
        cells.push((
            visible(analyzed.text(function.module)).into_owned(),
            Style::Faint,
        ));
        cells.push((
            visible(analyzed.text(function.name)).into_owned(),
            Style::Plain,
        ));
        table.row(cells);
    }
    let more = per_cycle.columns();
    table.render(terminal, &flexible(MODULE + more, 14, FUNCTION + more))
        + &rest(terminal, rows.len(), limit, "functions")
}

fn lines(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let rows = line_table(analyzed, measure);
    let per_cycle = PerCycle::of_lines(analyzed);
    let mut table = Table::new(&columns(run, &per_cycle, ("line", Align::Path), "function"));
    for row in rows.iter().take(limit) {
        let function = analyzed.function(analyzed.function_of_place(row.id));
        let place = format!(
            "{}:{}",
            short_path(analyzed, row.place.file),
            row.place.line
        );
        let mut cells = amount_cells(run, row.amounts);
        cells.extend(per_cycle.cells(row.id));
        cells.push((visible(&place).into_owned(), Style::Plain));
        cells.push((
            visible(analyzed.text(function.name)).into_owned(),
            Style::Faint,
        ));
        table.row(cells);
    }
    let more = per_cycle.columns();
    table.render(terminal, &flexible(FUNCTION + more, 14, PLACE + more))
        + &rest(terminal, rows.len(), limit, "lines")
}

fn threads(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let rows = thread_table(analyzed, measure);
    if rows.is_empty() {
        return "This file does not say which threads its samples are of.\n".to_owned();
    }
    let title = match analyzed.value_name(measure) {
        "cpu" => "CPU  ",
        _ => "value  ",
    };
    let mut table = Table::new(&[
        (title, Align::Right),
        ("", Align::Right),
        (run.counted(), Align::Right),
        ("pid", Align::Right),
        ("tid", Align::Right),
        ("process", Align::Left),
        ("thread", Align::Left),
    ]);
    let all = analyzed.total(measure);
    for ThreadRow { thread, amount } in rows.iter().take(limit) {
        let samples = run.samples(*amount);
        let by_chance = run.chance_samples(*amount);
        let style = heat_style(amount.value, all.value, by_chance);
        let text = |id| (visible(analyzed.text(id)).into_owned(), Style::Plain);
        table.row(vec![
            (share(amount.value, all.value, by_chance), style),
            (value(amount.value, analyzed.unit(measure)), Style::Faint),
            (known_count(samples), Style::Plain),
            (thread.pid.to_string(), Style::Faint),
            (thread.tid.to_string(), Style::Faint),
            text(thread.process),
            text(thread.thread),
        ]);
    }
    let flexible = [(5, 12), (6, 12)].map(|(column, least)| Flexible { column, least });
    table.render(terminal, &flexible) + &rest(terminal, rows.len(), limit, "threads")
}

/// Columns of the two tables, which end with the function: its name may be longer than any screen is wide. Those of instructions
/// per cycle are before them.
const MODULE: usize = 5;
const PLACE: usize = 5;
const FUNCTION: usize = 6;

/// What stands beside the name gives way first.
fn flexible(beside: usize, beside_least: usize, name: usize) -> [Flexible; 3] {
    [(beside, beside_least), (name, 24), (beside, 8)]
        .map(|(column, least)| Flexible { column, least })
}

fn columns<'a>(
    run: &SelectedRun,
    per_cycle: &PerCycle,
    first: (&'a str, Align),
    last: &'a str,
) -> Vec<(&'a str, Align)> {
    let amounts = ["self  ", "", "total  ", "", run.counted()];
    let titles = amounts.iter().chain(&TITLES[..per_cycle.columns()]);
    let figures = titles.map(|title| (*title, Align::Right));
    figures.chain([first, (last, Align::Left)]).collect()
}

/// Self and total as share and value, and the samples that the total rests on.
fn amount_cells(run: &SelectedRun, amounts: Amounts) -> Vec<(String, Style)> {
    let all = run.analyzed.total(run.measure);
    let unit = run.analyzed.unit(run.measure);
    let mut cells = Vec::with_capacity(7);
    for amount in [amounts.self_, amounts.total] {
        let by_chance = run.chance_samples(amount);
        let style = heat_style(amount.value, all.value, by_chance);
        cells.push((share(amount.value, all.value, by_chance), style));
        let text = match amount.samples {
            0 => String::new(),
            _ => value(amount.value, unit),
        };
        cells.push((text, Style::Faint));
    }
    cells.push((known_count(run.samples(amounts.total)), Style::Plain));
    cells
}
