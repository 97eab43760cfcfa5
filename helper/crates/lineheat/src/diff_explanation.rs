//! What explains a difference, as text: functions by their part in it, slower, new, gone, moved and faster ones apart, each
//! with the lines of its source that changed or cost otherwise.

use analysis::{ComparedRow, Comparison, ExplainedFunction, Explanation, TextLine, Verdict};

use crate::diff_numbers::{bounds, percent};
use crate::diff_sides::Sides;
use crate::diff_text::{glyph, head, place, style};
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{difference, value};
use crate::terminal_text::{visible, visible_source};

const CHANGED: [(Verdict, &str); 5] = [
    (Verdict::Slower, "Slower"),
    (Verdict::New, "New"),
    (Verdict::Faster, "Faster"),
    (Verdict::Gone, "Gone"),
    (Verdict::Moved, "Moved: the same cost in another place"),
];
const UNTOLD: [(Verdict, &str); 2] = [
    (Verdict::Noise, "Not distinguishable from noise"),
    (Verdict::TooFew, "Too few samples to compare"),
];
/// Both sums are told when they differ by more than this factor.
const CHURN_FACTOR: f64 = 1.5;

pub fn text(
    terminal: &Terminal,
    comparison: &Comparison,
    sides: &Sides,
    found: &Explanation,
) -> String {
    let mut text = head(terminal, comparison, sides);
    let unit = comparison.unit();
    let net = found.net_change.unsigned_abs();
    if found.churn as f64 > CHURN_FACTOR * net as f64 && found.churn > 0 {
        text.push_str(&format!(
            "{}{} of change over all functions, but only {} net: much of it cancels out\n",
            terminal.paint(Style::Faint, &format!("{:<9}", "churn")),
            value(found.churn, unit),
            value(net, unit)
        ));
    }
    if found.functions.is_empty() {
        return text + "\nNo function changed.\n";
    }
    let verdict_of = |function: &&ExplainedFunction| function.row.effects.self_.verdict;
    // The functions come by their part in the change: the group with the largest is told first.
    let mut changed = CHANGED;
    changed.sort_by_key(|(verdict, _)| {
        (found.functions.iter()).position(|function| verdict_of(&function) == *verdict)
    });
    for (verdict, heading) in changed.into_iter().chain(UNTOLD) {
        let of_group: Vec<&ExplainedFunction> = (found.functions.iter())
            .filter(|function| verdict_of(function) == verdict)
            .collect();
        if of_group.is_empty() {
            continue;
        }
        let heading = match comparison.verdict_word(verdict) {
            "more" => "More",
            "less" => "Less",
            _ => heading,
        };
        text.push_str(&format!("\n{}\n", terminal.paint(style(verdict), heading)));
        for function in of_group {
            text.push_str(&one(terminal, comparison, function));
        }
    }
    text
}

/// "60 % of all increases"; nothing of what did not change.
fn share_text(row: &ComparedRow) -> String {
    let direction = match row.self_change() {
        0 => return String::new(),
        change if change > 0 => "increases",
        _ => "decreases",
    };
    format!("{:.0} % of all {direction}", 100.0 * row.contribution.abs())
}

fn one(terminal: &Terminal, comparison: &Comparison, function: &ExplainedFunction) -> String {
    let row = &function.row;
    let unit = comparison.unit();
    let effect = &row.effects.self_;
    let mark = if terminal.unicode {
        glyph(effect.verdict)
    } else {
        ""
    };
    let change = difference(row.base.self_.value, row.new.self_.value, unit);
    let mut parts = vec![
        percent(effect.change),
        bounds(effect.low, effect.high),
        share_text(row),
        row.note.clone(),
    ];
    parts.retain(|part| !part.is_empty());
    let mut text = format!(
        "  {} {}  {}\n      {}\n",
        terminal.paint(style(effect.verdict), &format!("{mark}{change}")),
        visible(&row.name),
        terminal.paint(Style::Faint, &visible(&place(comparison, row))),
        visible(&parts.join(", ")),
    );
    if effect.verdict == Verdict::TooFew {
        return text;
    }
    for line in &function.lines {
        text.push_str(&source_line(terminal, line, unit));
    }
    text
}

/// "      -   12  1.20 s        > text": sign, line, value before and after, and the text.
fn source_line(terminal: &Terminal, line: &TextLine, unit: &str) -> String {
    let (sign, number) = match (line.base_line, line.new_line) {
        (base, 0) => ("-", base),
        (0, new) => ("+", new),
        (_, new) => (" ", new),
    };
    let shown = |amount: u64| match amount {
        0 => String::new(),
        amount => value(amount, unit),
    };
    let style = match sign {
        "-" => Style::Faster,
        "+" => Style::Slower,
        _ => Style::Plain,
    };
    format!(
        "      {} {number:>5}  {:>8} > {:<8}  {}\n",
        terminal.paint(style, sign),
        shown(line.base_self),
        shown(line.new_self),
        terminal.paint(style, &visible_source(&line.text)),
    )
}
