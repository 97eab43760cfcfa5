//! `lineheat report --blame`: waiting time by the line that caused it.

use analysis::{Analyzed, BlamedOn, blame};
use runs::waker_text;
use serde::Serialize;

use crate::report_locks::{JsonPlace, placed};
use crate::row_texts::rest;
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, share, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

pub fn table(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let rows = blame(&run.analyzed);
    if rows.is_empty() {
        return "No thread waited.\n".to_owned();
    }
    let busy = rows.iter().filter(|row| row.on != BlamedOn::Idle);
    let all_ns = busy.map(|row| row.amount.value).sum();
    let mut table = Table::new(&[
        ("waited", Align::Right),
        ("", Align::Right),
        ("waits", Align::Right),
        ("caused at", Align::Path),
        ("by", Align::Left),
    ]);
    for row in rows.iter().take(limit) {
        let (place, why) = match row.on {
            BlamedOn::Holder(of) => {
                let place = placed(&run.analyzed, of.file, of.line);
                (
                    format!("{} {place}", of.function),
                    "holding a lock".to_owned(),
                )
            }
            BlamedOn::Waker(of) => {
                let place = placed(&run.analyzed, of.file, of.line);
                let why = "ending the wait".to_owned();
                (format!("{} {place}", of.function), why)
            }
            BlamedOn::Nobody { reason, ended_by } => {
                let why = ended_by.map_or(reason.to_owned(), |of| {
                    format!("{reason}, ended by {}", waker_text(of))
                });
                ("no line of the program".to_owned(), why)
            }
            BlamedOn::Idle => (String::new(), "idle threads, in no share".to_owned()),
        };
        let of_all = match row.on {
            BlamedOn::Idle => String::new(),
            _ => share(row.amount.value, all_ns, None),
        };
        table.row(vec![
            (value(row.amount.value, "nanoseconds"), Style::Plain),
            (of_all, Style::Faint),
            (count(row.amount.samples), Style::Plain),
            (visible(&place).into_owned(), Style::Plain),
            (visible(&why).into_owned(), Style::Faint),
        ]);
    }
    let (column, least) = (3, 24);
    let flexible = [Flexible { column, least }];
    table.render(terminal, &flexible) + &rest(terminal, rows.len(), limit, "rows")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonBlame<'a> {
    waited_ns: u64,
    waits: u64,
    /// Null: no line of the program is known to have caused the waits.
    at: Option<JsonPlace<'a>>,
    /// "holder", "waker", why was waited, or "idle": threads that were parked all the time.
    cause: &'a str,
    /// Where `at` is null: what ended the waits. Null: not known.
    ended_by: Option<&'a str>,
    /// The name of another process that did.
    ended_by_process: Option<&'a str>,
}

pub fn json_blame(analyzed: &Analyzed, limit: usize) -> Vec<JsonBlame<'_>> {
    let rows = blame(analyzed).into_iter().take(limit);
    rows.map(|row| {
        let (at, cause, ended_by) = match row.on {
            BlamedOn::Holder(of) => (Some(JsonPlace::of(of)), "holder", None),
            BlamedOn::Waker(of) => (Some(JsonPlace::of_waker(of)), "waker", None),
            BlamedOn::Nobody { reason, ended_by } => (None, reason, ended_by),
            BlamedOn::Idle => (None, "idle", None),
        };
        JsonBlame {
            waited_ns: row.amount.value,
            waits: row.amount.samples,
            at,
            cause,
            ended_by: ended_by.map(|of| of.kind),
            ended_by_process: ended_by.map(|of| of.thread).filter(|name| !name.is_empty()),
        }
    })
    .collect()
}
