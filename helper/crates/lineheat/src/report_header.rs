//! What stands above every report: the run, its target, time, samples, losses and what the user should know.

use std::path::Path;

use analysis::{Analyzed, Measure, MemoryKind, lock_waits, wait_reasons};
use profile::run::EndReason;
use profile::{Family, Nature, RunSummary};
use runs::{lock_note, wall_time_hint, wall_time_lines};

use crate::instructions_per_cycle::{counted, precision};
use crate::memory_figures::{
    error_text, interval, memory_figures, peak_at_ns, relative_error, title,
};
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, date, share, value};
use crate::terminal_text::{visible, wrapped};

/// Columns of a title.
const TITLE: usize = 9;

/// Lines of "title  text", each ending in a newline. `mark` stands before each line ("# " in listings).
pub fn header(terminal: &Terminal, path: &Path, run: &SelectedRun, mark: &str) -> String {
    let analyzed = &run.analyzed;
    let summary = profile::summarize(analyzed.profile());
    let mut text = String::new();
    let mut line = |title: &str, content: &str| {
        if !content.is_empty() {
            let title = terminal.paint(Style::Faint, &format!("{title:<TITLE$}"));
            text.push_str(&format!("{mark}{title}{}\n", visible(content)));
        }
    };
    line("run", &path.to_string_lossy());
    line("target", &target(&summary));
    line("recorded", &recorded(&summary));
    if let Some(recorded) = &analyzed.profile().run {
        line("rights", &recorded.way);
    }
    for (at, text) in wall_time(terminal, run, mark).iter().enumerate() {
        line(if at == 0 { "time" } else { "" }, text);
    }
    let locks = lock_waits(analyzed);
    if let Some(note) = lock_note(analyzed, &locks) {
        line("locks", &note);
    }
    match exactly_counted(run) {
        _ if run.family() == Family::Waiting => line("waits", &waits(run)),
        Some(text) => line("counted", &text),
        None => {
            let text = events(run).or_else(|| allocations(run));
            line("samples", &text.unwrap_or_else(|| samples(run, &summary)));
        }
    }
    line("counters", &counted(run));
    line("", &precision(run));
    line("memory", &memory(run));
    line("selected", &selected(run));
    let notice = Some(analyzed.selection_notice()).filter(|notice| !notice.is_empty());
    let (notes, others) = run.notes();
    for problem in notes.into_iter().chain(others_note(&others)).chain(notice) {
        let title = terminal.paint(Style::Warning, &format!("{:<TITLE$}", "note"));
        text.push_str(&format!("{mark}{title}{}\n", visible(&problem)));
    }
    text
}

/// Where the notes are that concern other measures only.
fn others_note(others: &[(usize, &str)]) -> Option<String> {
    let count: usize = others.iter().map(|(notes, _)| notes).sum();
    let flags: Vec<String> = (others.iter())
        .map(|(_, measure)| format!("--measure {measure}"))
        .collect();
    let notes = match count {
        0 => return None,
        1 => "1 note on another measure is".to_owned(),
        _ => format!("{count} notes on other measures are"),
    };
    Some(format!("{notes} shown with {}.", flags.join(", ")))
}

/// Where it went; in `report` of a run that cannot say it, how to record one that can.
fn wall_time(terminal: &Terminal, run: &SelectedRun, mark: &str) -> Vec<String> {
    let lines = match &run.wall_time {
        Some(of) => wall_time_lines(&run.analyzed, of),
        None if mark.is_empty() && run.selection.is_empty() => {
            wall_time_hint(&run.analyzed).into_iter().collect()
        }
        None => Vec::new(),
    };
    let width = terminal
        .width
        .map(|width| width.saturating_sub(TITLE + mark.len()));
    let separator = if terminal.unicode { " · " } else { ", " };
    let lines = lines.iter().map(|line| line.replace(" · ", separator));
    lines.flat_map(|line| wrapped(&line, width)).collect()
}

fn target(summary: &RunSummary) -> String {
    if summary.command.is_empty() {
        return summary.target.clone();
    }
    summary.command.join(" ")
}

fn recorded(summary: &RunSummary) -> String {
    let parts = [
        date(summary.started_unix_ns),
        summary.end.clone(),
        match summary.git_commit.get(..10) {
            Some(commit) if summary.git_dirty => format!("commit {commit} with changes"),
            Some(commit) => format!("commit {commit}"),
            None => String::new(),
        },
        match summary.git_branch.as_str() {
            "" => String::new(),
            branch => format!("branch {branch}"),
        },
    ];
    let known: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    known.join(", ")
}

/// What the selection is, and how much of the run: what percentages are of.
fn selected(run: &SelectedRun) -> String {
    if run.selection.is_empty() {
        return String::new();
    }
    let (part, unit) = (
        run.analyzed.total(run.measure),
        run.analyzed.unit(run.measure),
    );
    let figures = match unit {
        "count" => count(part.value),
        unit => match run.samples(part) {
            Some(samples) => {
                let all = run.counted();
                let what = if samples == 1 {
                    all.trim_end_matches('s')
                } else {
                    all
                };
                format!("{} {what}, {}", count(samples), value(part.value, unit))
            }
            None => value(part.value, unit),
        },
    };
    let of_whole = share(part.value, run.whole.value, run.chance_samples(part));
    let reasons = reasons(run);
    format!(
        "{}: {figures}, {} of the run{reasons}",
        run.selection,
        of_whole.trim()
    )
}

/// Of our own recordings with the reasons, where no part is selected that has reasons of its own.
fn waits(run: &SelectedRun) -> String {
    let (total, unit) = (run.whole, run.analyzed.unit(run.measure));
    let mut text = run.samples(total).map_or("count unknown".to_owned(), count);
    if unit != "count" {
        text.push_str(&format!(", {} in all", value(total.value, unit)));
    }
    if run.selection.is_empty() {
        text.push_str(&reasons(run));
    }
    text
}

/// Why threads waited in what is selected, each with its time or number; empty: it is not of waits.
fn reasons(run: &SelectedRun) -> String {
    let unit = run.analyzed.unit(run.measure);
    let reasons = wait_reasons(&run.analyzed, run.measure);
    let each = reasons.iter().map(|(reason, amount)| {
        let share = share(amount.value, run.analyzed.total(run.measure).value, None);
        format!("{reason} {} ({})", value(amount.value, unit), share.trim())
    });
    let each: Vec<String> = each.collect();
    match each.as_slice() {
        [] => String::new(),
        each => format!(": {}", each.join(", ")),
    }
}

/// Of page faults and system calls in our own recordings: each is counted, and some have a stack.
fn events(run: &SelectedRun) -> Option<String> {
    let name = run.analyzed.value_name(run.measure);
    let is_ours = (run.analyzed.profile().run.as_ref()).is_some_and(|run| run.format > 0);
    let are_counted = name.starts_with("fault") || name.starts_with("syscall");
    let total = value(run.whole.value, run.analyzed.unit(run.measure));
    let stacks = run.samples(run.whole)?;
    (is_ours && are_counted).then(|| match name {
        "syscall_errors" => format!("{total} {name}, each counted"),
        _ if name.ends_with("_samples") => format!("{total} stacks"),
        "syscall" => format!("{} stacks; {name} {total} in all", count(stacks)),
        _ => format!("{} stacks; {name} {total}, each counted", count(stacks)),
    })
}

/// Of memory in our own recordings: how far an estimate from so many samples may be off (the standard error of a count).
fn allocations(run: &SelectedRun) -> Option<String> {
    let interval = interval(run).filter(|_| run.family() == Family::Memory)?;
    let samples = run.samples(run.whole)?;
    let unit = run.analyzed.unit(run.measure);
    let total = match unit {
        "count" => format!("about {} objects", count(run.whole.value)),
        unit => format!("about {}", value(run.whole.value, unit)),
    };
    let error = error_text(relative_error(run, run.whole));
    let of = run.analyzed.value_name(run.measure);
    Some(format!(
        "{}, on average {} or more apart: {of} {total}{error}",
        count(samples),
        value(interval, "bytes")
    ))
}

/// All sums of memory, where the run has them and no part of it is selected, or one of the time.
fn memory(run: &SelectedRun) -> String {
    let is_part_of_time = run.analyzed.is_part_of_time();
    if !run.selection.is_empty() && !is_part_of_time {
        return String::new();
    }
    let figures = memory_figures(run);
    let in_use = figures.iter().find(|of| of.kind == MemoryKind::InUse);
    let in_use = in_use.map_or(0, |of| of.bytes);
    let each = figures.iter().map(|figure| {
        let kind = match figure.kind {
            MemoryKind::InUse if is_part_of_time => "of it in use when the selected time ends",
            MemoryKind::InUse => "in use at end",
            kind => title(kind),
        };
        let when = match (figure.kind, peak_at_ns(run)) {
            (MemoryKind::Peak, Some(ns)) => format!(" at {}", value(ns, "nanoseconds")),
            (MemoryKind::Peak, None) if figure.bytes > 0 => {
                " (sum of the peaks of all executions)".to_owned()
            }
            _ => String::new(),
        };
        let why = match figure.kind {
            MemoryKind::Peak if figure.bytes < in_use => {
                " (less than in use at end: the processes did not run at the same time)"
            }
            _ => "",
        };
        let error = error_text(figure.error);
        format!("{kind} {}{error}{when}{why}", value(figure.bytes, "bytes"))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// "8,919,401 Ir", where no samples were taken.
fn exactly_counted(run: &SelectedRun) -> Option<String> {
    let of = run.analyzed.measures().get(run.measure)?;
    let is_exact = of.nature == Nature::Exact && !of.is_counted();
    is_exact.then(|| {
        let total = value(run.whole.value, &of.unit);
        format!("{total} {} exactly, without sampling", of.name)
    })
}

fn samples(run: &SelectedRun, summary: &RunSummary) -> String {
    let (analyzed, measure, total) = (&run.analyzed, run.measure, run.whole);
    let mut text = run.samples(total).map_or("count unknown".to_owned(), count);
    if analyzed.unit(measure) != "count" {
        let name = match analyzed.value_name(measure) {
            "cpu" => "CPU time",
            name => name,
        };
        let total = value(total.value, analyzed.unit(measure));
        text.push_str(&format!(", {name} {total}"));
        text.push_str(&kernels_count(analyzed, measure));
    }
    if let Some(run) = analyzed.profile().run.as_ref().filter(|run| run.format > 0) {
        text.push_str(&format!(", {} Hz of {}", run.asked_hz, run.event));
        text.push_str(&match summary.lost {
            // What came after the last that was saved is not known.
            0 if run.partial || run.end_reason() == EndReason::SamplerLost => {
                ", an unknown number lost at the end".to_owned()
            }
            0 => ", none lost".to_owned(),
            lost => {
                let share = 100.0 * lost as f64 / run.samples_taken.max(lost) as f64;
                format!(", {} lost ({share:.1} %)", count(lost))
            }
        });
    }
    text
}

/// What the samples of CPU time should add up to.
fn kernels_count(analyzed: &Analyzed, measure: Measure) -> String {
    let run = analyzed.profile().run.as_ref();
    match run.map_or(0, |run| run.kernel_counted_ns) {
        ns @ 1.. if analyzed.value_name(measure) == "cpu" => {
            let counted = value(ns, analyzed.unit(measure));
            format!(" (the kernel counted {counted})")
        }
        _ => String::new(),
    }
}
