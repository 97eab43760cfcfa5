//! `lineheat diff`: what became slower or faster from one run, or set of runs, to another, and what is noise.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use analysis::{
    ComparedTable, Comparison, EarlierRuns, Normalisation, Selection, Side, both, explanation,
    recording_identity, unknown_in_both,
};
use profile::Profile;
use runs::earlier_runs;
use runs::rename_functions;
use symbolize::DemangleMode;

use crate::demangling::DemangleChoice;
use crate::diff_parts::{PartFlags, Parts};
use crate::diff_sides::Sides;
use crate::json_diff::JsonDiff;
use crate::json_flags::JsonFlags;
use crate::measure_flag::MeasureFlag;
use crate::selection_flags::{SelectionFlags, words};
use crate::terminal::{ColorChoice, Terminal, failure, print};
use crate::wrong_usage::wrong_usage;
use crate::{diff_explanation, diff_markdown, diff_parts, diff_text};

/// Compare runs: what became slower or faster, and what is noise
#[derive(clap::Args)]
#[command(after_help = "\
A run may hold one execution or several (lineheat record --repeat N). Several files on one side are pooled. With
several executions on both sides, each difference gets a 95 % interval and a verdict at a false discovery rate
of 5 %. One execution per side cannot show noise, so only large changes are found.
A change is new - base: + is slower. See docs/comparing.md.

Examples:
  lineheat diff before.pb.gz --against after.pb.gz
  lineheat diff before.pb.gz --against after.pb.gz --explain
  lineheat diff old1 old2 old3 --against new1 new2 new3 --lines
  lineheat diff old --against new --fail-on-slower --by 2   status 1 if over 2 % slower
  lineheat diff old --against new --hide-kernel             without the kernel
  lineheat diff RUN --time 2-3 --rest                       one second against the others
  lineheat diff RUN --time 2-3 --base-time 0-1              one second against another
  lineheat diff old --against new --markdown > comment.md   for a pull request")]
pub struct Args {
    /// Run files of the base side
    #[arg(required = true, value_name = "BASE")]
    base: Vec<PathBuf>,
    /// Run files of the new side
    #[arg(long, num_args = 1.., value_name = "NEW")]
    against: Vec<PathBuf>,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    measure: MeasureFlag,
    #[command(flatten)]
    selection: SelectionFlags,
    #[command(flatten)]
    parts: PartFlags,
}

/// What of a comparison is printed, and how.
#[derive(clap::Args)]
pub struct Shown {
    /// Show one row per function (the default)
    #[arg(long, group = "what")]
    functions: bool,
    /// Show one row per source line
    #[arg(long, group = "what")]
    lines: bool,
    /// Explain the difference: functions sorted by their contribution, with the source lines that changed
    #[arg(long, group = "what", conflicts_with_all = ["json", "markdown"])]
    explain: bool,
    /// Number of rows to show [default: 30; 10 with --explain and --markdown; all with --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Unit to compare per [default: work if both sides know it, otherwise run; wall if attached or stopped]
    #[arg(long, value_name = "UNIT", value_enum)]
    per: Option<Per>,
    /// Exit with status 1 if the new side is slower: its overall 95 % interval is above 0, or above --by
    #[arg(long)]
    fail_on_slower: bool,
    /// Slowdown in percent that --fail-on-slower allows
    #[arg(long, value_name = "PERCENT", requires = "fail_on_slower", value_parser = percent)]
    by: Option<f64>,
    /// Print a pull request comment in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    json: JsonFlags,
    /// How to show function names [default: as recorded]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
}

impl Shown {
    /// Standard output is to hold what is printed and nothing else.
    pub fn is_for_machines(&self) -> bool {
        self.json.json || self.markdown
    }

    fn normalisation(&self) -> Option<Normalisation> {
        self.per.map(|per| match per {
            Per::Work => Normalisation::Work,
            Per::Run => Normalisation::Run,
            Per::Wall => Normalisation::Wall,
            Per::Share => Normalisation::Share,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Per {
    /// CPU time per unit of work (record with --work or --work-from)
    Work,
    /// CPU time per execution of the command
    Run,
    /// CPU time per second of wall time
    Wall,
    /// Share of the total, with the new side scaled to the size of the base: if one function grows, others seem to shrink
    Share,
}

const ROWS_DEFAULT: usize = 30;
const ROWS_OF_SUMMARY: usize = 10;

pub fn run(args: &Args) -> ExitCode {
    let compared = Compared {
        selection: args.selection.selection(),
        measure: args.measure.clone(),
    };
    match (args.parts).parts(&args.base, &args.against, &compared.selection) {
        Ok(None) => show_part(&args.base, &args.against, &args.shown, &compared),
        Ok(Some(parts)) => show_parts(&args.base[0], &parts, &args.shown, &compared.measure),
        Err(message) => wrong_usage("diff", &message),
    }
}

fn show_parts(run: &Path, parts: &Parts, shown: &Shown, measure: &MeasureFlag) -> ExitCode {
    let demangle = shown.demangle.map(DemangleChoice::mode);
    let sides = diff_parts::open(run, parts, demangle, measure.measure.as_deref());
    let compared = sides.and_then(|[base, new]| Comparison::new(base, new, shown.normalisation()));
    finish(compared, &diff_parts::described(run, parts), shown)
}

/// What of the runs is compared.
#[derive(Default)]
struct Compared {
    selection: Selection,
    measure: MeasureFlag,
}

/// Compares run files and prints what is asked for; the exit status is that of `lineheat diff`.
pub fn show(
    base: &[PathBuf],
    against: &[PathBuf],
    shown: &Shown,
    measure: &MeasureFlag,
) -> ExitCode {
    let compared = Compared {
        measure: measure.clone(),
        ..Compared::default()
    };
    show_part(base, against, shown, &compared)
}

fn show_part(
    base: &[PathBuf],
    against: &[PathBuf],
    shown: &Shown,
    compared: &Compared,
) -> ExitCode {
    let selection = &compared.selection;
    let demangle = shown.demangle.map(DemangleChoice::mode);
    let comparison = open_sides(base, against, demangle, compared).and_then(|sides| {
        // What they tell is of whole runs.
        let earlier = match selection.is_everything() {
            true => earlier_runs(&sides, [base, against], demangle),
            false => EarlierRuns::default(),
        };
        let [base, new] = sides;
        Comparison::knowing(earlier, base, new, shown.normalisation())
    });
    let sides = Sides {
        names: [named(base), named(against)],
        selection: words(selection),
        is_of_parts: false,
    };
    finish(comparison, &sides, shown)
}

fn finish(comparison: Result<Comparison, String>, sides: &Sides, shown: &Shown) -> ExitCode {
    let comparison = match comparison {
        Ok(comparison) => comparison,
        Err(message) => return failure(&message),
    };
    let printed = print(&printed(&comparison, sides, shown));
    if !shown.fail_on_slower || printed != ExitCode::SUCCESS {
        return printed;
    }
    let low = comparison.whole().low;
    if low > shown.by.unwrap_or(0.0) / 100.0 {
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn printed(comparison: &Comparison, sides: &Sides, shown: &Shown) -> String {
    let terminal = Terminal::of_stdout(shown.color);
    let limit = |default: usize| shown.limit.unwrap_or(default);
    if shown.explain {
        let found = explanation(comparison, limit(ROWS_OF_SUMMARY));
        return diff_explanation::text(&terminal, comparison, sides, &found);
    }
    let (table, what) = match shown.lines {
        true => (ComparedTable::lines(comparison), "lines"),
        false => (ComparedTable::functions(comparison), "functions"),
    };
    if shown.markdown {
        let rows = table.rows();
        return diff_markdown::comment(comparison, sides, &rows, what, limit(ROWS_OF_SUMMARY));
    }
    if shown.json.json {
        let rows = table.rows();
        let rows = &rows[..rows.len().min(limit(usize::MAX))];
        let diff = JsonDiff {
            comparison,
            sides,
            schema: shown.json.schema,
        };
        let object = match shown.lines {
            true => diff.lines(rows),
            false => diff.functions(rows),
        };
        return format!("{object:#}\n");
    }
    diff_text::text(
        &terminal,
        comparison,
        sides,
        &table,
        what,
        limit(ROWS_DEFAULT),
    )
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent),
        _ => Err("expected a percentage of 0 or more, such as 2.5".to_owned()),
    }
}

fn named(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

fn open_sides(
    base: &[PathBuf],
    against: &[PathBuf],
    demangle: Option<DemangleMode>,
    compared: &Compared,
) -> Result<[Side; 2], String> {
    let open = |paths: &[PathBuf]| -> Result<Vec<Profile>, String> {
        let mut opener = interchange::Opener::naming_by(recorder::symbolize_worker::symbols_of);
        (paths.iter())
            .map(|path| {
                let mut profile = opener.open(path).map_err(|error| error.message)?;
                rename_functions(&mut profile, demangle);
                Ok(profile)
            })
            .collect()
    };
    let [base_profiles, new_profiles] = both(|| open(base), || open(against));
    let (base_profiles, new_profiles) = (base_profiles?, new_profiles?);
    let paths = base.iter().chain(against);
    refuse_same_recording(paths.zip(base_profiles.iter().chain(&new_profiles)))?;
    let side = |profiles: Vec<Profile>| {
        let mut unknown = Vec::new();
        let mut side = Side::of_selected(profiles, &compared.selection, &mut unknown)?;
        if let Some(measure) = &compared.measure.measure {
            side = side.about(measure)?;
        }
        Ok::<_, String>((side, unknown))
    };
    let [base, new] = both(|| side(base_profiles), || side(new_profiles));
    let ((base, in_base), (new, in_new)) = (base?, new?);
    // A function or thread of one side only may be selected: the comparison calls it new or gone.
    match unknown_in_both(in_base, &in_new).into_iter().next() {
        Some(unknown) => Err(unknown.sentence),
        None => Ok([base, new]),
    }
}

/// A recording counted twice seems to have no noise.
fn refuse_same_recording<'a>(
    files: impl Iterator<Item = (&'a PathBuf, &'a Profile)>,
) -> Result<(), String> {
    let mut known: HashMap<u64, &PathBuf> = HashMap::new();
    for (path, profile) in files {
        let former = recording_identity(profile).and_then(|identity| known.insert(identity, path));
        match former {
            Some(former) if former == path => {
                return Err(format!(
                    "{} is given twice. Give each recording once, on one side.",
                    path.display()
                ));
            }
            Some(former) => {
                return Err(format!(
                    "{} and {} hold the same recording. Give each recording once, on one side.",
                    former.display(),
                    path.display()
                ));
            }
            None => {}
        }
    }
    Ok(())
}
