//! `lineheat report --locks`: who waited for a lock, and where its holder was.

use analysis::{Analyzed, LockHolderOf, LockWaits, WaitPlace, lock_waits};
use profile::{LockHolder, Waker};
use serde::Serialize;

use crate::row_texts::{rest, short_recorded};
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

pub fn locks(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let rows = lock_waits(&run.analyzed);
    if rows.is_empty() {
        return "No thread waited for a lock.\n".to_owned();
    }
    let mut table = Table::new(&[
        ("waited", Align::Right),
        ("waits", Align::Right),
        ("longest", Align::Right),
        ("threads", Align::Right),
        ("waiting at", Align::Path),
        ("held at", Align::Path),
        ("held by", Align::Left),
    ]);
    for row in rows.iter().take(limit) {
        let plain = |text: String| (text, Style::Plain);
        let (held_at, held_by) = held(&run.analyzed, row);
        let longest = match row.longest_ns {
            0 => String::new(),
            ns => value(ns, "nanoseconds"),
        };
        table.row(vec![
            plain(value(row.amount.value, "nanoseconds")),
            plain(count(row.amount.samples)),
            plain(longest),
            plain(count(row.threads as u64)),
            plain(visible(&waiting_at(&run.analyzed, row)).into_owned()),
            plain(visible(&held_at).into_owned()),
            (visible(&held_by).into_owned(), Style::Faint),
        ]);
    }
    let flexible = [(4, 24), (5, 24), (6, 12)];
    let flexible = flexible.map(|(column, least)| Flexible { column, least });
    let mut text = table.render(terminal, &flexible);
    text += &rest(terminal, rows.len(), limit, "rows");
    text + &notes(terminal, &rows)
}

fn notes(terminal: &Terminal, rows: &[LockWaits]) -> String {
    let is_unseen =
        |row: &LockWaits| matches!(row.holder, LockHolderOf::Known(of) if of.function.is_empty());
    let is_not_named = |row: &LockWaits| row.holder == LockHolderOf::NotNamed;
    let mut notes = Vec::new();
    if rows.iter().any(is_unseen) {
        notes.push(
            "not seen: the holder was running, and no sample of it was taken during the wait.",
        );
    }
    if rows.iter().any(is_not_named) {
        notes.push("not known: the lock did not name a thread when the wait began. Mutexes of glibc name their holder, except while it changes; locks of Rust's standard library and Go do not.");
    }
    (notes.into_iter())
        .map(|note| format!("{}\n", terminal.paint(Style::Faint, note)))
        .collect()
}

fn waiting_at(analyzed: &Analyzed, row: &LockWaits) -> String {
    row.waiting
        .map_or("(unknown)".to_owned(), |at| waited_at(analyzed, at))
}

pub fn waited_at(analyzed: &Analyzed, at: WaitPlace) -> String {
    let function = analyzed.text(at.function);
    match placed(analyzed, analyzed.text(at.file), at.line) {
        place if !place.is_empty() => format!("{function} {place}"),
        _ => format!("{function} in {}", analyzed.text(at.module)),
    }
}

pub fn placed(analyzed: &Analyzed, file: &str, line: u32) -> String {
    match (file, line) {
        ("", _) => String::new(),
        (file, 0) => short_recorded(analyzed, file),
        (file, line) => format!("{}:{line}", short_recorded(analyzed, file)),
    }
}

/// Where, and by which thread.
fn held(analyzed: &Analyzed, row: &LockWaits) -> (String, String) {
    match row.holder {
        LockHolderOf::NotNamed => ("not known".to_owned(), String::new()),
        LockHolderOf::Known(of) if of.function.is_empty() => {
            ("not seen".to_owned(), of.thread.to_owned())
        }
        LockHolderOf::Known(of) => {
            let place = placed(analyzed, of.file, of.line);
            (format!("{} {place}", of.function), of.thread.to_owned())
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonLock<'a> {
    waited_ns: u64,
    waits: u64,
    /// 0: not known.
    longest_ns: u64,
    threads: usize,
    /// Null: the stack is not known.
    waiting: Option<JsonPlace<'a>>,
    /// Null: the lock does not name its holder.
    holder: Option<JsonHolder<'a>>,
}

#[derive(Serialize)]
pub struct JsonPlace<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
}

impl<'a> JsonPlace<'a> {
    pub fn of_wait(analyzed: &'a Analyzed, at: WaitPlace) -> JsonPlace<'a> {
        JsonPlace {
            function: analyzed.text(at.function),
            file: analyzed.text(at.file),
            line: at.line,
        }
    }

    /// Where a holder was.
    pub fn of(holder: LockHolder<'a>) -> JsonPlace<'a> {
        JsonPlace {
            function: holder.function,
            file: holder.file,
            line: holder.line,
        }
    }

    /// Where a waker was.
    pub fn of_waker(waker: Waker<'a>) -> JsonPlace<'a> {
        JsonPlace {
            function: waker.function,
            file: waker.file,
            line: waker.line,
        }
    }
}

#[derive(Serialize)]
struct JsonHolder<'a> {
    thread: &'a str,
    /// Null: it was running, and was not sampled during the wait.
    at: Option<JsonPlace<'a>>,
}

pub fn json_locks(analyzed: &Analyzed, limit: usize) -> Vec<JsonLock<'_>> {
    let rows = lock_waits(analyzed).into_iter().take(limit);
    rows.map(|row| JsonLock {
        waited_ns: row.amount.value,
        waits: row.amount.samples,
        longest_ns: row.longest_ns,
        threads: row.threads,
        waiting: row.waiting.map(|at| JsonPlace::of_wait(analyzed, at)),
        holder: match row.holder {
            LockHolderOf::NotNamed => None,
            LockHolderOf::Known(of) => Some(JsonHolder {
                thread: of.thread,
                at: (!of.function.is_empty()).then(|| JsonPlace::of(of)),
            }),
        },
    })
    .collect()
}
