//! `lineheat report --syscalls`: system calls by name.

use analysis::{HottestSite, SystemCallRow, system_call_measures, system_calls};

use crate::row_texts::{rest, short_path};
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, duration, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// Most time first.
///
/// # Errors
/// A sentence where the file has none.
pub fn rows(run: &SelectedRun) -> Result<Vec<SystemCallRow<'_>>, String> {
    match system_call_measures(&run.analyzed) {
        Some(_) => Ok(system_calls(&run.analyzed)),
        None => Err(
            "This run has no system calls. Record them with `lineheat record --syscalls`."
                .to_owned(),
        ),
    }
}

pub fn table(
    terminal: &Terminal,
    run: &SelectedRun,
    rows: &[SystemCallRow],
    limit: usize,
) -> String {
    let mut table = Table::new(&[
        ("calls", Align::Right),
        ("errors", Align::Right),
        ("time", Align::Right),
        ("mean", Align::Right),
        ("call", Align::Left),
        ("line with most time", Align::Path),
        ("function", Align::Left),
    ]);
    for row in rows.iter().take(limit) {
        let plain = |text: String| (text, Style::Plain);
        let [place, function] = row.hottest.map(|site| names(run, site)).unwrap_or_default();
        table.row(vec![
            plain(count(row.calls.value)),
            plain(match row.errors {
                0 => String::new(),
                errors => count(errors),
            }),
            plain(value(row.time.value, "nanoseconds")),
            plain(mean_ns(row).map_or_else(String::new, duration)),
            plain(visible(row.name).into_owned()),
            (visible(&place).into_owned(), Style::Faint),
            (visible(&function).into_owned(), Style::Faint),
        ]);
    }
    let flexible = [(FUNCTION, 14), (PLACE, 24), (FUNCTION, 8)];
    let flexible = flexible.map(|(column, least)| Flexible { column, least });
    let note =
        "Time in a system call includes waiting. It is not added to CPU time or waiting time.";
    table.render(terminal, &flexible)
        + &rest(terminal, rows.len(), limit, "system calls")
        + &format!("{}\n", terminal.paint(Style::Faint, note))
}

/// Columns that give way.
const PLACE: usize = 5;
const FUNCTION: usize = 6;

/// Of one call; `None`: there was none.
pub fn mean_ns(row: &SystemCallRow) -> Option<f64> {
    (row.calls.value > 0).then(|| row.time.value as f64 / row.calls.value as f64)
}

/// "src/ledger.c:31" and "book"; without a line, the module.
fn names(run: &SelectedRun, site: HottestSite) -> [String; 2] {
    let analyzed = &run.analyzed;
    let function = analyzed.function(site.function);
    let place = match site.place {
        Some(place) => {
            let place = analyzed.places()[place as usize];
            format!("{}:{}", short_path(analyzed, place.file), place.line)
        }
        None => analyzed.text(function.module).to_owned(),
    };
    [place, analyzed.text(function.name).to_owned()]
}
