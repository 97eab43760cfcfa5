//! `lineheat annotate`: one source file with the heat beside its lines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::demangling::DemangleChoice;
use crate::json_flags::JsonFlags;
use crate::json_report::JsonReport;
use crate::measure_flag::MeasureFlag;
use crate::report_header::header;
use crate::row_texts::short_path;
use crate::selected_run::SelectedRun;
use crate::selection_flags::SelectionFlags;
use crate::terminal::{ColorChoice, Style, Terminal, failure, print};
use crate::terminal_numbers::{heat_style, known_count, share, value};
use crate::terminal_text::{visible, visible_source, width};
use analysis::{
    Amount, Analyzed, FileId, Measure, WaitingLine, file_heat, hot_files, waits_on_lines,
};

/// Show a source file with the heat beside its lines
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  lineheat annotate RUN ledger.hpp            a unique end of the path is enough
  lineheat annotate RUN ledger.hpp --context 2

Shows the text that was saved with the run, so the figures match the lines.")]
pub struct Args {
    /// Run file
    run: PathBuf,
    /// Source file: its path or the end of it
    file: String,
    /// Show only N lines around each line with samples
    #[arg(long, value_name = "N")]
    context: Option<u32>,
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

/// There is little room beside the lines.
const WAIT_REASONS_MAX: usize = 2;

/// Larger sources are not read from disk.
const SOURCE_BYTES_MAX: u64 = 16 << 20;

pub fn run(args: &Args) -> ExitCode {
    let run = match SelectedRun::open(&args.run, args.demangle, &args.selection, &args.measure) {
        Ok(run) => run,
        Err(message) => return failure(&message),
    };
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let file = match analyzed.find_file(&args.file) {
        Ok(Some(file)) => file,
        Ok(None) => return failure(&no_such_file(analyzed, measure, &args.file)),
        Err(several) => {
            return failure(&format!(
                "{} matches several files of the run: {}. Give more of the path.",
                args.file,
                several.join(", ")
            ));
        }
    };
    if args.json.json {
        let heat = file_heat(analyzed, measure, file, None);
        let report = JsonReport {
            run: &run,
            schema: args.json.schema,
        };
        let waits = waits_on_lines(analyzed, measure, file, None);
        let object = report.annotated(analyzed.file_path(file), &heat, &waits);
        return print(&format!("{object:#}\n"));
    }
    let terminal = Terminal::of_stdout(args.color);
    match source_text(analyzed, file) {
        Ok((text, note)) => {
            let source = Source {
                file,
                text: &text,
                note,
            };
            print(&listing(&terminal, &args.run, &run, &source, args.context))
        }
        Err(message) => failure(&message),
    }
}

fn no_such_file(analyzed: &Analyzed, measure: Measure, wanted: &str) -> String {
    let mut hottest = hot_files(analyzed, measure);
    // The user's own files first: those below the working directory.
    hottest.sort_by_key(|hot| short_path(analyzed, hot.file) == analyzed.file_path(hot.file));
    let known: Vec<String> = (hottest.iter().take(5))
        .map(|hot| short_path(analyzed, hot.file))
        .collect();
    match known.as_slice() {
        [] => format!(
            "Cannot show {wanted}: this run has no source lines, because the target has no line tables. Build it with -g, or debug = 1."
        ),
        known => format!(
            "{wanted} has no samples in this run. The hottest files are: {}.",
            known.join(", ")
        ),
    }
}

/// `lock 3.90 s, disk 200 ms`.
fn waits_text(of: &WaitingLine) -> String {
    let reasons = of.reasons.iter().take(WAIT_REASONS_MAX);
    let mut shown: Vec<String> = reasons
        .map(|(reason, amount)| format!("{} {}", reason.name(), value(amount.value, "nanoseconds")))
        .collect();
    match of.reasons.len() - shown.len() {
        0 => {}
        1 => shown.push("1 other reason".to_owned()),
        left => shown.push(format!("{left} other reasons")),
    }
    shown.join(", ")
}

struct Source<'a> {
    file: FileId,
    text: &'a str,
    /// Where the text is from, when not from the run.
    note: &'static str,
}

/// From the run, else from disk with a note.
fn source_text(analyzed: &Analyzed, file: FileId) -> Result<(String, &'static str), String> {
    let path = analyzed.file_path(file);
    if let Some(saved) = analyzed.saved_text(path) {
        return Ok((saved.text.clone(), ""));
    }
    let cwd = (analyzed.profile().run.as_ref()).map_or("", |run| run.cwd.as_str());
    let on_disk = Path::new(cwd).join(path);
    let text = read_source(&on_disk).map_err(|error| {
        format!(
            "Cannot show {path}: its text was not saved with the run, and {} cannot be read: {error}.",
            on_disk.display()
        )
    })?;
    Ok((
        text,
        "The text was not saved with the run. This is the current file; its lines may have moved.",
    ))
}

fn read_source(path: &Path) -> std::io::Result<String> {
    let wrong = |what: &str| std::io::Error::other(what.to_owned());
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(wrong("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(SOURCE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SOURCE_BYTES_MAX {
        return Err(wrong("it is larger than 16 MiB"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn listing(
    terminal: &Terminal,
    path: &Path,
    run: &SelectedRun,
    source: &Source,
    context: Option<u32>,
) -> String {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let heat = file_heat(analyzed, measure, source.file, None);
    let all = analyzed.total(measure);
    let by_line: HashMap<u32, _> = heat
        .lines
        .iter()
        .map(|line| (line.line, line.amounts))
        .collect();
    let waits: BTreeMap<u32, String> = (waits_on_lines(analyzed, measure, source.file, None)
        .lines
        .iter())
    .map(|line| (line.line, waits_text(line)))
    .collect();
    let waits_width = match waits.values().map(|text| width(text)).max() {
        Some(widest) => widest.max("waits".len()) + 2,
        None => 0,
    };
    let with_figures: BTreeSet<u32> = (by_line.keys().chain(waits.keys())).copied().collect();
    // Lines that the text does not have are shown only where they have samples: their numbers are foreign.
    let end = source.text.lines().count() as u32;
    let beyond = with_figures.range(end + 1..).copied();

    let mut text = header(terminal, path, run, "# ");
    let mut note = |title: &str, content: &str| {
        if !content.is_empty() {
            let title = terminal.paint(Style::Faint, &format!("{title:<9}"));
            text.push_str(&format!("# {title}{}\n", visible(content)));
        }
    };
    note("file", analyzed.file_path(source.file));
    note("note", source.note);
    note("note", &heat.notice);
    let waits_title = if waits.is_empty() { "" } else { "  waits" };
    let title = format!(
        "# {:>7} {:>9} {:>9}{waits_title:<waits_width$} {:>6} | source",
        "self  ", "total  ", "samples", "line"
    );
    text.push_str(&format!("{}\n", terminal.paint(Style::Faint, &title)));

    let mut lines = source.text.lines();
    let mut skipped = false;
    for number in (1..=end).chain(beyond) {
        let code = lines.next();
        if context.is_some_and(|context| !is_near(&with_figures, number, context)) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            text.push_str(&format!("{:>1$} |\n", "...", 36 + waits_width));
        }
        let amounts = by_line.get(&number).copied().unwrap_or_default();
        let share = |amount: Amount| share(amount.value, all.value, run.chance_samples(amount));
        let style =
            |amount: Amount| heat_style(amount.value, all.value, run.chance_samples(amount));
        let samples = known_count(run.samples(amounts.total).filter(|&samples| samples > 0));
        let mut cell = |text_of_cell: &str, columns: usize, style: Style| {
            text.push_str(&" ".repeat(columns.saturating_sub(width(text_of_cell))));
            text.push_str(&terminal.paint(style, text_of_cell));
        };
        cell(&share(amounts.self_), 9, style(amounts.self_));
        cell(&share(amounts.total), 10, style(amounts.total));
        cell(&samples, 10, Style::Plain);
        if waits_width > 0 {
            let waited = waits.get(&number).map_or("", String::as_str);
            let gap = " ".repeat(waits_width - 2 - width(waited));
            cell(&format!("  {waited}{gap}"), waits_width, Style::Plain);
        }
        cell(&number.to_string(), 7, Style::Faint);
        text.push_str(" |");
        let code = code.map_or_else(|| "(after the end of this text)".to_owned(), visible_source);
        if !code.is_empty() {
            // Few samples are faint as figures, but code stays readable.
            let style = match style(amounts.total) {
                Style::Faint => Style::Plain,
                style => style,
            };
            text.push(' ');
            text.push_str(&terminal.paint(style, &code));
        }
        text.push('\n');
    }
    text
}

fn is_near(with_figures: &BTreeSet<u32>, line: u32, context: u32) -> bool {
    let near = line.saturating_sub(context)..=line.saturating_add(context);
    with_figures.range(near).next().is_some()
}
