//! A comparison as text: the verdict on the whole in one sentence, both sides, then rows by change, what is certain before
//! what may be noise.

use analysis::{Amount, Analyzed, ComparedRow, ComparedTable, Comparison, Normalisation, Verdict};

use crate::diff_numbers;
use crate::diff_sides::Sides;
use crate::row_texts::rest;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, difference, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// `sides`: the names of base and new. `what`: "functions" or "lines".
pub fn text(
    terminal: &Terminal,
    comparison: &Comparison,
    sides: &Sides,
    rows: &ComparedTable,
    what: &str,
    limit: usize,
) -> String {
    let unit = comparison.unit();
    // The function comes last: its name may be longer than any screen is wide.
    let (beside, name) = if what == "lines" { (8, 7) } else { (7, 8) };
    let flexible =
        [(beside, 14), (name, 24), (beside, 8)].map(|(column, least)| Flexible { column, least });
    let [base, new] = comparison.names().words();
    let mut table = Table::new(&[
        (base, Align::Right),
        (new, Align::Right),
        ("change", Align::Right),
        ("", Align::Right),
        ("95 %", Align::Left),
        ("samples", Align::Right),
        ("verdict", Align::Left),
        match what {
            "lines" => ("line", Align::Path),
            _ => ("module", Align::Left),
        },
        ("function", Align::Left),
    ]);
    let shown = rows.first_by(limit, |row| {
        let [base, new] = row.measured();
        let rank = match (row.verdict, row.about_self) {
            (Verdict::TooFew, _) => 3,
            (Verdict::Noise, _) => 2,
            (_, false) => 1,
            (_, true) => 0,
        };
        (rank, std::cmp::Reverse(new.value.abs_diff(base.value)))
    });
    let misses =
        |row: &ComparedRow| row.verdict == Verdict::TooFew && row.effect().missing_executions > 0;
    let missing = match shown.iter().any(misses) {
        true => terminal.paint(Style::Faint, diff_numbers::MISSING) + "\n",
        false => String::new(),
    };
    for row in &shown {
        let [base, new] = row.measured();
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
        let name = match row.note.as_str() {
            "" => row.name.clone(),
            note => format!("{} [{note}]", row.name),
        };
        table.row(vec![
            (value_or_nothing(base, unit), Style::Plain),
            (value_or_nothing(new, unit), Style::Plain),
            (difference(base.value, new.value, unit), style),
            (diff_numbers::percent(row.effect().change), style),
            (diff_numbers::interval(row.effect()), Style::Faint),
            (samples_of_both(comparison, [base, new]), Style::Faint),
            (verdict_text(terminal, comparison, row), style),
            (visible(&first).into_owned(), styles[0]),
            (visible(&name).into_owned(), styles[1]),
        ]);
    }
    head(terminal, comparison, sides)
        + "\n"
        + &table.render(terminal, &flexible)
        + &missing
        + &rest(terminal, rows.len(), limit, what)
}

/// The sentence first, then both sides and what must be known of them.
pub fn head(terminal: &Terminal, comparison: &Comparison, sides: &Sides) -> String {
    let whole = comparison.whole();
    let mut text = format!(
        "{}\n\n",
        terminal.paint(style(whole.verdict), &visible(&whole.sentence))
    );
    let names = comparison.names().words();
    let width = names.map(str::len).into_iter().fold(8, usize::max) + 1;
    let mut line = |title: &str, content: &str| {
        let title_style = if title == "note" {
            Style::Warning
        } else {
            Style::Faint
        };
        let title = terminal.paint(title_style, &format!("{title:<width$}"));
        text.push_str(&format!("{title}{}\n", visible(content)));
    };
    for (title, content) in (names.into_iter()).zip(described(comparison, &sides.names)) {
        line(title, &content);
    }
    if !sides.selection.is_empty() && !sides.is_of_parts {
        line("selected", &sides.selection);
    }
    if whole.smallest_detectable.is_finite() {
        line("shows", &smallest_detectable(comparison));
    }
    line("matched", &matched(comparison));
    line("method", &whole.method);
    for warning in comparison.warnings() {
        if warning != whole.method {
            line("note", &warning);
        }
    }
    text
}

/// Of both sides: "base.pb.gz: 5 executions, 1,942 samples, 1.94 s per execution".
pub fn described(comparison: &Comparison, names: &[String; 2]) -> [String; 2] {
    let totals = [comparison.base_total(), comparison.new_total()];
    let executions = comparison.executions();
    [0, 1].map(|side| {
        let runs = executions[side]
            .iter()
            .filter(|(one, _)| !one.warm_up)
            .count();
        let runs = match runs {
            1 => String::new(),
            runs => format!("{runs} executions, "),
        };
        let per = match comparison.normalisation() {
            Normalisation::Share => format!(
                "scaled to the size of the {}",
                comparison.names().words()[0]
            ),
            _ => format!("per {}", comparison.per()),
        };
        format!(
            "{}: {runs}{}{} {per}",
            names[side],
            match comparison.known_samples(totals[side]) {
                Some(samples) => format!("{} samples, ", count(samples)),
                None => String::new(),
            },
            value(totals[side].value, comparison.unit()),
        )
    })
}

pub fn smallest_detectable(comparison: &Comparison) -> String {
    format!(
        "an overall change of {:.1} % or more in 4 of 5 cases",
        100.0 * comparison.whole().smallest_detectable
    )
}

pub fn matched(comparison: &Comparison) -> String {
    format!(
        "{:.1} % of both, by function",
        100.0 * comparison.matched_share()
    )
}

/// "src/map.c:12", "src/map.c:12 (was 10)".
pub fn place(comparison: &Comparison, row: &ComparedRow) -> String {
    let file = short_path(comparison, &row.file);
    match (row.base_line, row.line) {
        (_, 0) => file.to_owned(),
        (base, new) if base == new || base == 0 => format!("{file}:{new}"),
        (base, new) => format!("{file}:{new} (was {base})"),
    }
}

/// Below the working directory of either run.
fn short_path<'a>(comparison: &Comparison, path: &'a str) -> &'a str {
    let cwd = |side: &Analyzed| {
        let run = side.profile().run.as_ref();
        run.map(|run| run.cwd.clone()).unwrap_or_default()
    };
    let cwds = [cwd(comparison.new_run()), cwd(comparison.base())];
    (cwds.iter().filter(|cwd| !cwd.is_empty()))
        .find_map(|cwd| path.strip_prefix(cwd.as_str())?.strip_prefix('/'))
        .unwrap_or(path)
}

fn samples_of_both(comparison: &Comparison, amounts: [Amount; 2]) -> String {
    let [base, new] = amounts.map(|amount| comparison.known_samples(amount));
    match base.zip(new) {
        Some((base, new)) => format!("{} > {}", count(base), count(new)),
        None => String::new(),
    }
}

fn value_or_nothing(amount: Amount, unit: &str) -> String {
    match amount.samples {
        0 => "-".to_owned(),
        _ => value(amount.value, unit),
    }
}

pub fn verdict_text(terminal: &Terminal, comparison: &Comparison, row: &ComparedRow) -> String {
    let glyph = if terminal.unicode {
        glyph(row.verdict)
    } else {
        ""
    };
    format!("{glyph}{}", diff_numbers::verdict(comparison, row))
}

pub fn glyph(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "▲ ",
        Verdict::Faster => "▼ ",
        Verdict::New => "✚ ",
        Verdict::Gone => "✕ ",
        Verdict::Moved => "↷ ",
        Verdict::MovedWithin => "⇄ ",
        Verdict::Noise | Verdict::TooFew => "· ",
    }
}

pub fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Slower | Verdict::New => Style::Slower,
        Verdict::Faster | Verdict::Gone => Style::Faster,
        Verdict::Noise | Verdict::Moved | Verdict::MovedWithin | Verdict::TooFew => Style::Faint,
    }
}
