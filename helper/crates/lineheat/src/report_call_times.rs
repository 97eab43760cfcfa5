//! The part of `report --calls` that says how long calls took.

use analysis::CalledRow;
use profile::run::CallPrice;

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

/// What counting and timing cost the program; empty: unknown.
pub fn price(price: Option<&CallPrice>) -> String {
    let Some(price) = price else {
        return String::new();
    };
    let counted = duration(price.counted_ns.into());
    let timed = match price.timed_ns {
        0 => String::new(),
        ns => format!(", and timing it {} more", duration(ns.into())),
    };
    format!(
        "On this machine, counting a call took about {counted} of the program's CPU time{timed} (measured before the recording, with a function that does nothing).\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_of_counting_and_of_timing_if_calls_were_timed() {
        let of = |counted_ns, timed_ns| {
            price(Some(&CallPrice {
                counted_ns,
                timed_ns,
            }))
        };
        let both = of(736, 25_300);
        assert!(
            both.contains("about 736 ns of the program's CPU time, and timing it 25.3 us more"),
            "{both}"
        );
        let counted = of(736, 0);
        assert!(counted.contains("CPU time (measured before"), "{counted}");
        assert_eq!(price(None), "");
    }
}
