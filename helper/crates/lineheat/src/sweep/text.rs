//! A sweep's table as text and CSV.

use std::path::Path;

use super::table::{Spread, SweepRow, SweepTable};
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::duration;
use crate::terminal_table::{Align, Table};
use crate::terminal_text::visible;

/// Functions that grow, and parameters: more fills the screen.
const GROWING_MAX: usize = 20;

impl SweepTable {
    fn per(&self) -> &'static str {
        if self.per_unit { "per unit" } else { "per run" }
    }
}

pub fn text(terminal: &Terminal, table: &SweepTable) -> String {
    let (wall, cpu) = (
        format!("wall {}", table.per()),
        format!("CPU {}", table.per()),
    );
    let mut columns: Vec<(&str, Align)> = (table.parameters.iter())
        .map(|name| (name.as_str(), Align::Right))
        .collect();
    columns.push(("runs", Align::Right));
    columns.extend([(wall.as_str(), Align::Right), ("sd", Align::Right)]);
    columns.extend([(cpu.as_str(), Align::Right), ("sd", Align::Right)]);
    columns.extend([("", Align::Left), ("run", Align::Path)]);
    let mut cells = Table::new(&columns);
    for row in &table.rows {
        let mut line: Vec<(String, Style)> = (row.values.iter())
            .map(|value| (visible(value).into_owned(), Style::Plain))
            .collect();
        line.push((row.runs.to_string(), Style::Faint));
        let style = if row.best {
            Style::Faster
        } else {
            Style::Plain
        };
        line.extend([
            (duration(row.wall_ns.mean), style),
            (share_sd(row.wall_ns), Style::Faint),
        ]);
        line.extend([
            (duration(row.cpu_ns.mean), Style::Plain),
            (share_sd(row.cpu_ns), Style::Faint),
        ]);
        line.push((mark(row).to_owned(), style));
        line.push((
            visible(&row.path.to_string_lossy()).into_owned(),
            Style::Faint,
        ));
        cells.row(line);
    }
    let mut text = cells.render(terminal, &[]);
    if table.rows.iter().any(|row| row.like_best) {
        text += &terminal.paint(
            Style::Faint,
            "like best: not distinguishable from the best (q >= 0.05)\n",
        );
    }
    for problem in &table.problems {
        text += &format!("{} {problem}\n", terminal.paint(Style::Warning, "note"));
    }
    text + &growing(terminal, table)
}

fn growing(terminal: &Terminal, table: &SweepTable) -> String {
    if table.growing.is_empty() {
        return String::new();
    }
    let mut rows = Table::new(&[
        ("parameter", Align::Left),
        ("exponent", Align::Right),
        ("95 %", Align::Left),
        ("from", Align::Right),
        ("to", Align::Right),
        ("function", Align::Left),
    ]);
    for found in table.growing.iter().take(GROWING_MAX) {
        let style = if found.exponent > 0.0 {
            Style::Slower
        } else {
            Style::Faster
        };
        rows.row(vec![
            (
                visible(&table.parameters[found.parameter]).into_owned(),
                Style::Plain,
            ),
            (format!("{:+.2}", found.exponent), style),
            (
                format!("{:+.2} to {:+.2}", found.low, found.high),
                Style::Faint,
            ),
            (duration(found.from_ns), Style::Faint),
            (duration(found.to_ns), Style::Faint),
            (visible(&found.function.0).into_owned(), Style::Plain),
        ]);
    }
    let title = format!(
        "\nSelf CPU time {} follows a parameter (time ~ parameter ^ exponent; from its least value to its greatest):\n",
        table.per()
    );
    title
        + &rows.render(
            terminal,
            &[crate::terminal_table::Flexible {
                column: 5,
                least: 24,
            }],
        )
}

fn mark(row: &SweepRow) -> &'static str {
    match (row.best, row.like_best) {
        (true, _) => "best",
        (false, true) => "like best",
        (false, false) => "",
    }
}

fn share_sd(spread: Spread) -> String {
    match spread.sd / spread.mean {
        part if part.is_finite() => format!("\u{b1}{:.1} %", 100.0 * part),
        _ => String::new(),
    }
}

/// One line a cell, as RFC 4180 says.
pub fn csv(table: &SweepTable) -> String {
    let mut lines = Vec::new();
    let mut titles: Vec<String> = table.parameters.iter().map(|name| quoted(name)).collect();
    let figures = [
        "runs",
        "mean_wall_ns",
        "sd_wall_ns",
        "mean_cpu_ns",
        "sd_cpu_ns",
        "mark",
        "run",
    ];
    titles.extend(figures.map(str::to_owned));
    lines.push(titles.join(","));
    let number = |x: f64| {
        if x.is_finite() {
            format!("{x:.3}")
        } else {
            String::new()
        }
    };
    for row in &table.rows {
        let mut line: Vec<String> = row.values.iter().map(|value| quoted(value)).collect();
        line.push(row.runs.to_string());
        let times = [
            row.wall_ns.mean,
            row.wall_ns.sd,
            row.cpu_ns.mean,
            row.cpu_ns.sd,
        ];
        line.extend(times.map(number));
        line.push(mark(row).to_owned());
        line.push(quoted_path(&row.path));
        lines.push(line.join(","));
    }
    lines.join("\r\n") + "\r\n"
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::json::json;
    use super::*;

    #[test]
    fn the_best_is_marked_in_every_form_and_commas_are_quoted() {
        let row = |value: &str, mean, best, like_best| SweepRow {
            path: "a.pb.gz".into(),
            values: vec![value.to_owned()],
            runs: 3,
            wall_ns: Spread {
                mean,
                sd: mean / 50.0,
            },
            cpu_ns: Spread { mean, sd: f64::NAN },
            best,
            like_best,
        };
        let table = SweepTable {
            parameters: vec!["mode".to_owned()],
            rows: vec![
                row("a,b", 2e6, false, true),
                row("c", 1.9e6, true, false),
                row("d", 9e6, false, false),
            ],
            per_unit: false,
            growing: vec![],
            problems: vec![],
        };
        let lines: Vec<String> = (text(&Terminal::PLAIN, &table).lines())
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines[0], "mode runs wall per run sd CPU per run sd run");
        assert_eq!(
            lines[1],
            "a,b 3 2.00 ms \u{b1}2.0 % 2.00 ms like best a.pb.gz"
        );
        assert_eq!(lines[2], "c 3 1.90 ms \u{b1}2.0 % 1.90 ms best a.pb.gz");
        assert!(
            csv(&table)
                .contains("\r\n\"a,b\",3,2000000.000,40000.000,2000000.000,,like best,a.pb.gz\r\n")
        );
        assert_eq!(json(&table)["cells"][1]["best"], true);
        assert_eq!(json(&table)["cells"][1]["values"]["mode"], "c");
        assert_eq!(json(&table)["cells"][1]["sdCpuNs"], Value::Null);
    }
}
