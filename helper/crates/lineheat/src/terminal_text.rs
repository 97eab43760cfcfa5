//! Foreign text made safe for a terminal, and text cut and padded to columns.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
            column += columns(c);
        }
    }
    visible(expanded.trim_end_matches('\r')).into_owned()
}

/// Columns that `text` takes on a terminal: wide characters two, combining ones none.
pub fn width(text: &str) -> usize {
    text.width()
}

/// In lines of at most `limit` columns where that is possible, broken behind a comma or dot that separates. `None`: unbounded.
pub fn wrapped(text: &str, limit: Option<usize>) -> Vec<String> {
    let Some(limit) = limit else {
        return vec![text.to_owned()];
    };
    let mut lines: Vec<String> = Vec::new();
    for word in text
        .split_inclusive(", ")
        .flat_map(|part| part.split_inclusive("· "))
    {
        let fits = |line: &&mut String| width(line) + width(word.trim_end()) <= limit;
        match lines.last_mut().filter(fits) {
            Some(last) => last.push_str(word),
            None => lines.push(word.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// At most `limit` columns; the end is replaced by dots when it does not fit.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let kept = fitting(text.char_indices(), limit.saturating_sub(2));
    let end = kept.last().map_or(0, |(at, c)| at + c.len_utf8());
    Cow::Owned(text[..end].to_owned() + "..")
}

/// The same, but of a path the start goes: its end says more.
pub fn cut_start(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let kept = fitting(text.char_indices().rev(), limit.saturating_sub(2));
    // What combines with a character that is gone goes with it.
    let first = kept.filter(|(_, c)| columns(*c) > 0).last();
    let start = first.map_or(text.len(), |(at, _)| at);
    Cow::Owned("..".to_owned() + &text[start..])
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The characters of which all before and including them fit into `limit` columns.
fn fitting(
    characters: impl Iterator<Item = (usize, char)>,
    limit: usize,
) -> impl Iterator<Item = (usize, char)> {
    let mut used = 0;
    characters.take_while(move |(_, c)| {
        used += columns(*c);
        used <= limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_where_its_parts_end() {
        let text = "6.90 s wall · 5.20 s waiting (lock 3.90 s, sleep 1.30 s) · 100 ms run queue";
        assert_eq!(wrapped(text, None), [text]);
        assert_eq!(wrapped(text, Some(76)), [text]);
        let broken = [
            "6.90 s wall · 5.20 s waiting (lock 3.90 s,",
            "sleep 1.30 s) · 100 ms run queue",
        ];
        assert_eq!(wrapped(text, Some(50)), broken);
        assert_eq!(wrapped("a word, that is long", Some(5)).len(), 2);
    }

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

    #[test]
    fn wide_and_combining_characters_take_the_columns_that_they_have() {
        assert_eq!(["aé", "ae\u{301}", "日本", "🦀"].map(width), [2, 2, 4, 2]);
        assert_eq!(cut("日本語のファイル", 8), "日本語..");
        assert_eq!(cut("日本語のファイル", 7), "日本..");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}e\u{301}", 3), "e\u{301}..");
        assert_eq!(cut_start("/名前/計算.cpp", 9), "..算.cpp");
        assert_eq!(cut_start("aae\u{301}bc", 4), "..bc");
        assert_eq!(cut_start("aae\u{301}b", 3), "..b");
        assert_eq!(visible_source("日\tx"), "日  x");
    }
}
