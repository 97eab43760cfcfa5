//! A comparison as text: both sides, the whole, then rows by change, what is certain before what may be noise.

use analysis::{Amount, ComparedRow, Comparison, Verdict};

use crate::report::rest;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, difference, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// `sides`: the names of base and new. `what`: "functions" or "lines".
pub fn text(
    terminal: &Terminal,
    comparison: &Comparison,
    sides: &[String; 2],
    rows: &[ComparedRow],
    what: &str,
    limit: usize,
) -> String {
    let unit = comparison.unit();
    // The function comes last: its name may be longer than any screen is wide.
    let (beside, name) = if what == "lines" { (7, 6) } else { (6, 7) };
    let flexible =
        [(beside, 14), (name, 24), (beside, 8)].map(|(column, least)| Flexible { column, least });
    let mut table = Table::new(&[
        ("base", Align::Right),
        ("new", Align::Right),
        ("change", Align::Right),
        ("", Align::Right),
        ("samples", Align::Right),
        ("verdict", Align::Left),
        match what {
            "lines" => ("line", Align::Path),
            _ => ("module", Align::Left),
        },
        ("function", Align::Left),
    ]);
    let mut shown: Vec<&ComparedRow> = rows.iter().collect();
    shown.sort_by_key(|row| style(row.verdict) == Style::Faint);
    for row in shown.into_iter().take(limit) {
        let [base, new] = measured(row);
        let style = style(row.verdict);
        let plain = if style == Style::Faint {
            Style::Faint
        } else {
            Style::Plain
        };
        let (first, styles) = match what {
            "lines" => (place(comparison, row), [plain, Style::Faint]),
            _ => (row.module.clone(), [Style::Faint, plain]),
        };
        table.row(vec![
            (value_or_nothing(base, unit), Style::Plain),
            (value_or_nothing(new, unit), Style::Plain),
            (difference(base.value, new.value, unit), style),
            (percent(base.value, new.value), style),
            (
                format!("{} > {}", count(base.samples), count(new.samples)),
                Style::Faint,
            ),
            (verdict_text(terminal, row), style),
            (visible(&first).into_owned(), styles[0]),
            (visible(&row.name).into_owned(), styles[1]),
        ]);
    }
    head(terminal, comparison, sides)
        + "\n"
        + &table.render(terminal, &flexible)
        + &rest(terminal, rows.len(), limit, what)
}

fn head(terminal: &Terminal, comparison: &Comparison, sides: &[String; 2]) -> String {
    let mut text = String::new();
    let mut line = |title: &str, style: Style, content: &str| {
        let title = terminal.paint(
            if style == Style::Warning {
                style
            } else {
                Style::Faint
            },
            &format!("{title:<9}"),
        );
        let content = terminal.paint(
            if style == Style::Warning {
                Style::Plain
            } else {
                style
            },
            &visible(content),
        );
        text.push_str(&format!("{title}{content}\n"));
    };
    let (base, new) = (comparison.base_total(), comparison.new_total());
    for (title, side, total) in [("base", &sides[0], base), ("new", &sides[1], new)] {
        let content = format!(
            "{side}: {} samples, {} per run",
            count(total.samples),
            value(total.value, comparison.unit())
        );
        line(title, Style::Plain, &content);
    }
    let whole = format!(
        "{} per run ({}), {}; {:.0} % of both matched by function",
        difference(base.value, new.value, comparison.unit()),
        percent(base.value, new.value),
        words(comparison.verdict()),
        comparison.matched_share() * 100.0
    );
    line("change", style(comparison.verdict()), &whole);
    for warning in comparison.warnings() {
        line("note", Style::Warning, &warning);
    }
    text
}

/// What the row's verdict is about.
pub fn measured(row: &ComparedRow) -> [Amount; 2] {
    match row.about_self {
        true => [row.base.self_, row.new.self_],
        false => [row.base.total, row.new.total],
    }
}

fn place(comparison: &Comparison, row: &ComparedRow) -> String {
    let cwd = |side: &analysis::Analyzed| {
        side.profile()
            .run
            .as_ref()
            .map(|run| run.cwd.clone())
            .unwrap_or_default()
    };
    let cwds = [cwd(comparison.new_run()), cwd(comparison.base())];
    let file = (cwds.iter().filter(|cwd| !cwd.is_empty()))
        .find_map(|cwd| row.file.strip_prefix(cwd.as_str())?.strip_prefix('/'))
        .unwrap_or(&row.file);
    match (row.base_line, row.line) {
        (base, new) if base == new || base == 0 => format!("{file}:{new}"),
        (base, new) => format!("{file}:{new} (was {base})"),
    }
}

fn value_or_nothing(amount: Amount, unit: &str) -> String {
    match amount.samples {
        0 => "-".to_owned(),
        _ => value(amount.value, unit),
    }
}

fn percent(base: u64, new: u64) -> String {
    if base == 0 {
        return String::new();
    }
    format!("{:+.1} %", 100.0 * (new as f64 / base as f64 - 1.0))
}

fn verdict_text(terminal: &Terminal, row: &ComparedRow) -> String {
    let glyph = match (row.verdict, terminal.unicode) {
        (Verdict::Slower, true) => "▲ ",
        (Verdict::Faster, true) => "▼ ",
        (Verdict::New, true) => "✚ ",
        (Verdict::Gone, true) => "✕ ",
        (Verdict::Noise | Verdict::TooFew | Verdict::Moved, true) => "· ",
        (_, false) => "",
    };
    let about = if row.about_self { "" } else { " (total)" };
    match row.verdict {
        Verdict::TooFew => format!("{glyph}too few samples"),
        verdict => format!("{glyph}{}{about}", verdict.word()),
    }
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Noise => "within counting error",
        Verdict::TooFew => "too few samples to say",
        verdict => verdict.word(),
    }
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Slower | Verdict::New => Style::Slower,
        Verdict::Faster | Verdict::Gone => Style::Faster,
        Verdict::Noise | Verdict::Moved | Verdict::TooFew => Style::Faint,
    }
}
