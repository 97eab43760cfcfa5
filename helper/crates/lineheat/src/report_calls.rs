//! `lineheat report --calls`: counted calls, and the time under them.

use std::collections::BTreeSet;

use analysis::{CalledRow, called_functions};
use runs::call_note;

use crate::report_call_times::{call_times, price};
use crate::row_texts::rest;
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, duration, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// # Errors
/// A sentence: there are no counts of what is selected.
pub fn check(run: &SelectedRun, other_names: bool) -> Result<(), String> {
    let counts = (run.analyzed.profile().run.as_ref()).and_then(|run| run.calls.as_ref());
    if counts.is_none() {
        return Err("No calls were counted in this run. To count them, record with --calls: lineheat record --calls 'Ledger::*' -- COMMAND".to_owned());
    }
    if other_names {
        return Err("Calls are counted by the names that were recorded, so --calls cannot be combined with --demangle. Leave out one of them.".to_owned());
    }
    match run.selection.is_empty() {
        true => Ok(()),
        false => Err("Calls are counted over the whole run, so --calls cannot be combined with a selection. Leave out one of them.".to_owned()),
    }
}

pub fn calls(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let unit = run.analyzed.unit(run.measure);
    let rows = called_functions(&run.analyzed, run.measure).unwrap_or_default();
    let mut table = Table::new(&[
        ("calls", Align::Right),
        ("total", Align::Right),
        ("self", Align::Right),
        ("per call", Align::Right),
        ("95 %", Align::Right),
        ("module", Align::Left),
        ("function", Align::Left),
    ]);
    for row in rows.iter().take(limit) {
        let amount = |of: analysis::Amount| match of.samples {
            0 => String::new(),
            _ => value(of.value, unit),
        };
        let plain = |text: String| (text, Style::Plain);
        let [each, between] = per_call(row, unit);
        table.row(vec![
            plain(match row.counted.not_counted.is_empty() {
                true => count(row.counted.calls),
                false => "not counted".to_owned(),
            }),
            plain(amount(row.amounts.total)),
            plain(amount(row.amounts.self_)),
            plain(each),
            (between, Style::Faint),
            (visible(row.module).into_owned(), Style::Faint),
            plain(visible(&row.counted.name).into_owned()),
        ]);
    }
    let flexible = [(MODULE, 14), (FUNCTION, 24), (MODULE, 8)];
    let flexible = flexible.map(|(column, least)| Flexible { column, least });
    let mut text = table.render(terminal, &flexible);
    text += &rest(terminal, rows.len(), limit, "functions");
    text += &call_times(terminal, &rows, limit);
    let counts = run.analyzed.profile().run.as_ref();
    let cost = price(counts.and_then(|run| run.calls.as_ref()?.price.as_ref()));
    if !cost.is_empty() {
        text += &format!("{}\n", terminal.paint(Style::Faint, cost.trim_end()));
    }
    for row in rows.iter().take(limit) {
        if let Some(note) = call_note(row.counted) {
            let note = format!("{}: {}", visible(&row.counted.name), visible(&note));
            text += &format!("{}\n", terminal.paint(Style::Faint, &note));
        }
    }
    let unknown = rows
        .iter()
        .take(limit)
        .filter(|row| row.counted.may_be_inlined);
    for module in unknown.map(|row| row.module).collect::<BTreeSet<_>>() {
        let note = format!(
            "{}: Its debug information is missing or incomplete. Calls that were inlined are not counted, and it is unknown whether there are any.",
            visible(module)
        );
        text += &format!("{}\n", terminal.paint(Style::Faint, &note));
    }
    text
}

/// Columns that give way.
const MODULE: usize = 5;
const FUNCTION: usize = 6;

fn per_call(row: &CalledRow, unit: &str) -> [String; 2] {
    let of = |amount: f64| match unit {
        "nanoseconds" => duration(amount),
        unit => value(amount.round() as u64, unit),
    };
    row.per_call.map_or_else(Default::default, |each| {
        let between = format!("{} to {}", of(each.low), of(each.high));
        [of(each.value), between]
    })
}
