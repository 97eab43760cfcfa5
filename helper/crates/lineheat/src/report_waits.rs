//! `lineheat report --waits`: where threads waited, and for what.

use analysis::{Analyzed, WaitRow, wait_rows};
use profile::WaitReason;
use serde::Serialize;

use crate::report_locks::{JsonPlace, waited_at};
use crate::row_texts::rest;
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, share, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// # Errors
/// A sentence: the run has no waits, so it does not show `what`.
pub fn check(run: &SelectedRun, what: &str) -> Result<(), String> {
    let profile = run.analyzed.profile();
    match profile.find_sample_type("wait", "nanoseconds") {
        Some(_) => Ok(()),
        None => Err(format!(
            "This run has no waiting time, so it does not show {what}. Record without --no-waiting, with the privileged sampler: `lineheat doctor` shows what is missing."
        )),
    }
}

pub fn table(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let rows = wait_rows(&run.analyzed);
    if rows.is_empty() {
        return "No thread waited.\n".to_owned();
    }
    let busy = rows.iter().filter(|row| !row.is_idle);
    let all_ns = busy.map(|row| row.amount.value).sum();
    let mut table = Table::new(&[
        ("waited", Align::Right),
        ("", Align::Right),
        ("waits", Align::Right),
        ("mean", Align::Right),
        ("threads", Align::Right),
        ("for", Align::Left),
        ("waiting at", Align::Path),
    ]);
    for row in rows.iter().take(limit) {
        let (of_all, idle) = match row.is_idle {
            true => (String::new(), " (idle)"),
            false => (share(row.amount.value, all_ns, None), ""),
        };
        let mean = (row.mean_ns()).map_or(String::new(), |ns| value(ns, "nanoseconds"));
        let plain = |text: String| (text, Style::Plain);
        table.row(vec![
            plain(value(row.amount.value, "nanoseconds")),
            (of_all, Style::Faint),
            plain(count(row.amount.samples)),
            plain(mean),
            plain(count(row.threads as u64)),
            plain(format!("{}{idle}", row.reason.name())),
            plain(visible(&place(&run.analyzed, row)).into_owned()),
        ]);
    }
    let (column, least) = (6, 24);
    let flexible = [Flexible { column, least }];
    let mut text = table.render(terminal, &flexible) + &rest(terminal, rows.len(), limit, "rows");
    if rows.iter().take(limit).any(|row| row.is_idle) {
        let note = "idle: threads that waited nearly all the time, like workers without work. They are in no share.";
        text += &format!("{}\n", terminal.paint(Style::Faint, note));
    }
    text
}

fn place(analyzed: &Analyzed, row: &WaitRow) -> String {
    match row.place {
        Some(at) => waited_at(analyzed, at),
        None if row.reason == WaitReason::RunQueue => "ready, while others ran".to_owned(),
        None => "(unknown)".to_owned(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonWait<'a> {
    waited_ns: u64,
    waits: u64,
    threads: usize,
    reason: &'a str,
    /// Null: the stack is not known, or the thread could have run.
    at: Option<JsonPlace<'a>>,
    idle: bool,
}

pub fn json_waits(analyzed: &Analyzed, limit: usize) -> Vec<JsonWait<'_>> {
    let rows = wait_rows(analyzed).into_iter().take(limit);
    rows.map(|row| JsonWait {
        waited_ns: row.amount.value,
        waits: row.amount.samples,
        threads: row.threads,
        reason: row.reason.name(),
        at: row.place.map(|at| JsonPlace::of_wait(analyzed, at)),
        idle: row.is_idle,
    })
    .collect()
}
