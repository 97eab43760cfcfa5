//! A comparison as a comment on a pull request: the sentence, what is certain as a table, the rest folded away.

use analysis::{ComparedRow, Comparison, Verdict};

use crate::diff_numbers::{interval, percent, q_value, verdict};
use crate::diff_sides::Sides;
use crate::diff_text::{described, glyph, matched, place, smallest_detectable};
use crate::terminal_numbers::value;
use crate::terminal_text::{cut, visible};

const NAME_WIDTH: usize = 80;

/// `what`: "functions" or "lines". At most `limit` rows.
pub fn comment(
    comparison: &Comparison,
    sides: &Sides,
    rows: &[ComparedRow],
    what: &str,
    limit: usize,
) -> String {
    let whole = comparison.whole();
    let mut text = format!(
        "### {}{}\n\n",
        glyph(whole.verdict),
        escaped(&whole.sentence)
    );
    let certain: Vec<&ComparedRow> = (rows.iter())
        .filter(|row| row.verdict.is_significant())
        .take(limit)
        .collect();
    if certain.is_empty() {
        text.push_str(&format!(
            "No single one of the {what} differs significantly.\n\n"
        ));
    } else {
        text.push_str(&table(comparison, &certain, what));
    }
    let noise = rows
        .iter()
        .filter(|row| row.verdict == Verdict::Noise)
        .count();
    let few = rows
        .iter()
        .filter(|row| row.verdict == Verdict::TooFew)
        .count();
    text.push_str("<details><summary>How this was measured</summary>\n\n");
    let names = comparison.names().words().map(capitalised);
    for (name, side) in (names.into_iter()).zip(described(comparison, &sides.names)) {
        text.push_str(&format!("- {name}: {}\n", escaped(&side)));
    }
    if !sides.selection.is_empty() && !sides.is_of_parts {
        text.push_str(&format!("- Selected: {}\n", escaped(&sides.selection)));
    }
    if whole.smallest_detectable.is_finite() {
        text.push_str(&format!(
            "- These runs can show {}\n",
            smallest_detectable(comparison)
        ));
    }
    text.push_str(&format!("- Matched: {}\n", matched(comparison)));
    text.push_str(&format!("- {}\n", escaped(&whole.method)));
    text.push_str(&format!(
        "- {noise} {what} are not distinguishable from noise, {few} have too few samples\n"
    ));
    for warning in comparison.warnings() {
        if warning != whole.method {
            text.push_str(&format!("- **Note:** {}\n", escaped(&warning)));
        }
    }
    text + "\n</details>\n"
}

fn table(comparison: &Comparison, rows: &[&ComparedRow], what: &str) -> String {
    let unit = comparison.unit();
    let [base, new] = comparison.names().words();
    let mut text = format!(
        "| {} | {base} | {new} | change | 95 % interval | q | verdict |\n|---|--:|--:|--:|---|--:|---|\n",
        what.trim_end_matches('s')
    );
    for row in rows {
        let [base, new] = row.measured();
        let name = match what {
            "lines" => place(comparison, row),
            _ => row.name.clone(),
        };
        let note = match row.note.as_str() {
            "" => String::new(),
            note => format!(", {}", escaped(note)),
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {}{}{note} |\n",
            code(&name),
            value(base.value, unit),
            value(new.value, unit),
            percent(row.effect().change),
            interval(row.effect()),
            q_value(row.effect().q).replace('<', "&lt;"),
            glyph(row.verdict),
            verdict(comparison, row),
        ));
    }
    text + "\n"
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// As code: a name may hold anything. No pipe ends a cell, no backtick the code.
fn code(name: &str) -> String {
    let name = cut(&visible(name), NAME_WIDTH)
        .replace('`', "'")
        .replace('|', "\\|");
    format!("`{name}`")
}

/// Plain text: nothing of it is markup or HTML, and it mentions nobody.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '@' => safe.push_str("&#64;"),
            '*' | '_' | '`' | '[' | ']' | '|' | '\\' | '#' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(code("a|b`c"), "`a\\|b'c`");
        assert_eq!(
            escaped("<img> @team *x* [y](z)"),
            "&lt;img&gt; &#64;team \\*x\\* \\[y\\](z)"
        );
    }
}
