//! Foreign text made safe for a terminal, and text cut and padded to columns.

use std::borrow::Cow;
use std::fmt::Write;

/// Control and escape characters, those that turn the direction of writing, and invisible ones as visible escapes.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            c if is_unsafe(c) => write!(safe, "\\u{{{:x}}}", c as u32).expect("a string takes all"),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// A line of source: tabs reach to the next multiple of four, the rest is made visible.
pub fn visible_source(line: &str) -> String {
    let mut expanded = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let spaces = 4 - column % 4;
            expanded.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            expanded.push(c);
            column += 1;
        }
    }
    visible(expanded.trim_end_matches('\r')).into_owned()
}

pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// At most `limit` columns; the end is replaced by dots when it does not fit.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(limit.saturating_sub(2)).collect();
    Cow::Owned(kept + "..")
}

/// The same, but of a path the start goes: its end says more.
pub fn cut_start(text: &str, limit: usize) -> Cow<'_, str> {
    let all = width(text);
    if all <= limit {
        return Cow::Borrowed(text);
    }
    let kept: String = (text.chars()).skip(all - limit.saturating_sub(2)).collect();
    Cow::Owned("..".to_owned() + &kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        assert_eq!(visible("plain ünï"), "plain ünï");
        assert_eq!(visible("\x1b[31mred\x07"), "\\u{1b}[31mred\\u{7}");
        assert_eq!(visible("a\u{202e}b\u{2066}c"), "a\\u{202e}b\\u{2066}c");
        assert_eq!(visible("two\nlines\r\u{9b}"), "two\\nlines\\u{d}\\u{9b}");
    }

    #[test]
    fn tabs_of_source_become_spaces() {
        assert_eq!(visible_source("\tx\ty\r"), "    x   y");
        assert_eq!(visible_source("a\x1bb"), "a\\u{1b}b");
    }

    #[test]
    fn long_text_is_cut_and_marked() {
        assert_eq!(cut("std::vector", 8), "std::v..");
        assert_eq!(cut("short", 8), "short");
        assert_eq!(cut_start("/project/src/main.cpp", 12), "..c/main.cpp");
    }
}
