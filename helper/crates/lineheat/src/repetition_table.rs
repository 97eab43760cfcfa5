//! The runs of a command that was run several times, as a table: how long, and how much they differ.

use profile::run::Repetition;
use statistics::{Summary, outliers, summary};

use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::duration;
use crate::terminal_table::{Align, Table};

/// Lines, each with its end; "" when fewer than two runs count.
pub fn repetition_table(terminal: &Terminal, repetitions: &[Repetition]) -> String {
    let runs: Vec<(usize, &Repetition)> = (repetitions.iter())
        .filter(|r| !r.warm_up)
        .enumerate()
        .filter(|(_, r)| !r.cut)
        .collect();
    if runs.len() < 2 {
        return String::new();
    }
    let of = |figure: &dyn Fn(&Repetition) -> f64| -> Vec<f64> {
        runs.iter().map(|(_, r)| figure(r)).collect()
    };
    let cpu_ns = |r: &Repetition| (r.user_ns + r.system_ns) as f64;
    let mut rows = vec![
        ("wall time", of(&|r| r.wall_ns as f64)),
        ("CPU time", of(&cpu_ns)),
        ("user", of(&|r| r.user_ns as f64)),
        ("system", of(&|r| r.system_ns as f64)),
    ];
    if runs.iter().all(|(_, r)| r.work > 0.0) {
        rows.push(("wall time per unit", of(&|r| r.wall_ns as f64 / r.work)));
        rows.push(("CPU time per unit", of(&|r| cpu_ns(r) / r.work)));
    }
    let right = Align::Right;
    let title = format!("{} executions", runs.len());
    let columns = [
        (title.as_str(), Align::Left),
        ("mean", right),
        ("sd", right),
        ("median", right),
        ("CV", right),
        ("least", right),
        ("most", right),
    ];
    let mut table = Table::new(&columns);
    for (name, values) in &rows {
        if let Some(figures) = summary(values) {
            table.row(cells(name, &figures));
        }
    }
    let mut text = table.render(terminal, &[]);
    for (name, values) in rows.iter().take(2) {
        for ((number, _), value) in outlying(&runs, values) {
            text += &format!(
                "{} {name} of execution {} is {}, far from the others\n",
                terminal.paint(Style::Warning, "outlier:"),
                number + 1,
                duration(value)
            );
        }
    }
    text
}

fn cells(name: &str, figures: &Summary) -> Vec<(String, Style)> {
    let cv = match figures.cv.is_finite() {
        true => format!("{:.1} %", 100.0 * figures.cv),
        false => String::new(),
    };
    vec![
        (name.to_owned(), Style::Plain),
        (duration(figures.mean), Style::Plain),
        (duration(figures.standard_deviation), Style::Faint),
        (duration(figures.median), Style::Plain),
        (cv, Style::Plain),
        (duration(figures.least), Style::Faint),
        (duration(figures.greatest), Style::Faint),
    ]
}

fn outlying<T: Copy>(runs: &[T], values: &[f64]) -> Vec<(T, f64)> {
    let marks = outliers(values).into_iter();
    let all = runs.iter().copied().zip(values.iter().copied());
    all.zip(marks)
        .filter(|(_, is_out)| *is_out)
        .map(|(run, _)| run)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(wall_ms: u64, work: f64) -> Repetition {
        Repetition {
            wall_ns: wall_ms * 1_000_000,
            user_ns: wall_ms * 500_000,
            system_ns: 1_000_000,
            work,
            ..Repetition::default()
        }
    }

    #[test]
    fn runs_that_count_are_summed_up_and_those_that_stand_out_are_named() {
        let mut runs: Vec<Repetition> = [100, 101, 99, 100, 100, 150]
            .map(|ms| run(ms, 1000.0))
            .into();
        runs.insert(
            0,
            Repetition {
                warm_up: true,
                ..run(900, 0.0)
            },
        );
        runs.push(Repetition {
            cut: true,
            ..run(7, 0.0)
        });
        let text = repetition_table(&Terminal::PLAIN, &runs);
        let words = |line: usize| {
            text.lines()
                .nth(line)
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(words(0), "6 executions mean sd median CV least most");
        assert_eq!(
            words(1),
            "wall time 108 ms 20.4 ms 100 ms 18.9 % 99.0 ms 150 ms"
        );
        assert_eq!(
            words(5),
            "wall time per unit 108 us 20.4 us 100 us 18.9 % 99.0 us 150 us"
        );
        assert!(
            text.contains("outlier: wall time of execution 6 is 150 ms"),
            "{text}"
        );
    }

    #[test]
    fn one_run_has_no_table() {
        assert_eq!(repetition_table(&Terminal::PLAIN, &[run(100, 0.0)]), "");
    }
}
