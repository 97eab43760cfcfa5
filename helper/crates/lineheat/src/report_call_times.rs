//! The part of `report --calls` that says how long calls took.

use analysis::CalledRow;

use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, duration};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

const FUNCTION: usize = 6;

/// Empty: none of these were timed.
pub fn call_times(terminal: &Terminal, rows: &[CalledRow], limit: usize) -> String {
    let times = |row: &&CalledRow| {
        row.counted
            .times
            .as_ref()
            .is_some_and(|of| of.measured() > 0)
    };
    let mut timed = rows.iter().take(limit).filter(times).peekable();
    if timed.peek().is_none() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("timed", Align::Right),
        ("mean", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
        ("max", Align::Right),
        ("function", Align::Left),
    ]);
    for row in timed {
        let Some(times) = &row.counted.times else {
            continue;
        };
        let quantile = |part| times.quantile(part).map_or_else(String::new, duration);
        let cells = [
            count(times.measured()),
            times.mean().map_or_else(String::new, duration),
            quantile(0.5),
            quantile(0.9),
            quantile(0.99),
            duration(times.longest_ns as f64),
            visible(&row.counted.name).into_owned(),
        ];
        table.row(cells.into_iter().map(|text| (text, Style::Plain)).collect());
    }
    let head = "How long each call took, waiting included:";
    let flexible = [Flexible {
        column: FUNCTION,
        least: 8,
    }];
    format!("\n{head}\n{}", table.render(terminal, &flexible))
}
