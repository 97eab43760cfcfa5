//! A sweep's table as text and CSV.

use sweeps::{Spread, SweepRow, SweepTable};

use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::duration;
use crate::terminal_table::{Align, Table};
use crate::terminal_text::visible;

/// Functions that grow, and parameters: more fills the screen.
const GROWING_MAX: usize = 20;

fn per(table: &SweepTable) -> &'static str {
    if table.per_unit {
        "per unit"
    } else {
        "per execution"
    }
}

pub fn text(terminal: &Terminal, table: &SweepTable) -> String {
    let (wall, cpu) = (
        format!("wall {}", per(table)),
        format!("CPU {}", per(table)),
    );
    let mut columns: Vec<(&str, Align)> = (table.parameters.iter())
        .map(|name| (name.as_str(), Align::Right))
        .collect();
    columns.push(("executions", Align::Right));
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
        "\nSelf CPU time {} depends on a parameter (time ~ parameter ^ exponent; from its smallest to its largest value):\n",
        per(table)
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

/// A record a cell, as RFC 4180 says. A figure that is not known is empty.
pub fn csv(table: &SweepTable) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    let mut write = |fields: Vec<String>| {
        writer
            .write_record(fields)
            .expect("in memory, and every row has a value for each parameter");
    };
    let figures = [
        "runs",
        "mean_wall_ns",
        "sd_wall_ns",
        "mean_cpu_ns",
        "sd_cpu_ns",
        "mark",
        "run",
    ];
    let titles = table.parameters.iter().cloned();
    write(titles.chain(figures.map(str::to_owned)).collect());
    for row in &table.rows {
        let times = [
            row.wall_ns.mean,
            row.wall_ns.sd,
            row.cpu_ns.mean,
            row.cpu_ns.sd,
        ];
        let mut fields = row.values.clone();
        fields.push(row.runs.to_string());
        fields.extend(times.map(|time| match time.is_finite() {
            true => format!("{time:.3}"),
            false => String::new(),
        }));
        fields.push(mark(row).to_owned());
        fields.push(row.path.to_string_lossy().into_owned());
        write(fields);
    }
    writer.into_inner().expect("in memory")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sweep_json::json;

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
        assert_eq!(
            lines[0],
            "mode executions wall per execution sd CPU per execution sd run"
        );
        assert_eq!(
            lines[1],
            "a,b 3 2.00 ms \u{b1}2.0 % 2.00 ms like best a.pb.gz"
        );
        assert_eq!(lines[2], "c 3 1.90 ms \u{b1}2.0 % 1.90 ms best a.pb.gz");
        let csv = String::from_utf8(csv(&table)).unwrap();
        assert!(
            csv.contains("\r\n\"a,b\",3,2000000.000,40000.000,2000000.000,,like best,a.pb.gz\r\n")
        );
        assert_eq!(json(&table)["cells"][1]["best"], true);
        assert_eq!(json(&table)["cells"][1]["values"]["mode"], "c");
        assert_eq!(json(&table)["cells"][1]["sdCpuNs"], Value::Null);
    }

    #[test]
    fn a_reader_of_csv_gets_every_name_and_value_back() {
        let hard = [
            "",
            " a ",
            "a,b",
            "say \"yes\"",
            "two\r\nlines",
            "\n",
            "é;\t'",
        ];
        let spread = Spread {
            mean: 1.0,
            sd: f64::INFINITY,
        };
        let table = SweepTable {
            parameters: hard.map(str::to_owned).to_vec(),
            rows: vec![SweepRow {
                path: "runs, \"old\"/a.pb.gz".into(),
                values: hard.map(str::to_owned).to_vec(),
                runs: 1,
                wall_ns: spread,
                cpu_ns: spread,
                best: true,
                like_best: false,
            }],
            per_unit: false,
            growing: vec![],
            problems: vec![],
        };
        let written = csv(&table);
        assert!(written.starts_with(b", a ,\"a,b\",\"say \"\"yes\"\"\",\"two\r\nlines\",\"\n\","));
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(&*written);
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 2);
        for record in &records {
            assert!(record.iter().take(hard.len()).eq(hard));
        }
        let figures: Vec<&str> = records[1].iter().skip(hard.len()).collect();
        let expected = [
            "1",
            "1.000",
            "",
            "1.000",
            "",
            "best",
            "runs, \"old\"/a.pb.gz",
        ];
        assert_eq!(figures, expected);
    }
}
