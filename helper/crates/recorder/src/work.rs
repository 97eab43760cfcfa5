//! The work that a run of the command has done: said beforehand, or read from what it prints.

use regex::bytes::Regex;

/// Units of work of each run of the command.
#[derive(Debug, Clone)]
pub enum Work {
    Unknown,
    Each(f64),
    /// The first group of the last line of output that matches.
    FromOutput(Regex),
}

/// What the output of one run said.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundWork {
    Nothing,
    Units(f64),
    /// The group matched this.
    NotANumber(String),
}

impl FoundWork {
    /// 0: unknown.
    pub(crate) fn units(&self) -> f64 {
        match self {
            FoundWork::Units(units) => *units,
            FoundWork::Nothing | FoundWork::NotANumber(_) => 0.0,
        }
    }
}

/// An expression over lines of output, with a group.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn work_expression(text: &str) -> Result<Regex, String> {
    let expression = Regex::new(text).map_err(|e| e.to_string())?;
    if expression.captures_len() < 2 {
        return Err(format!(
            "the expression has no group: put the number in parentheses, as in 'items: (\\d+)', not '{text}'"
        ));
    }
    Ok(expression)
}

/// Reads output in pieces as they come and keeps the unfinished line only.
#[derive(Debug)]
pub struct LineScanner {
    expression: Regex,
    line: Vec<u8>,
}

/// Of a longer line the end is searched.
const LINE_BYTES_MAX: usize = 64 << 10;

impl LineScanner {
    pub fn new(expression: Regex) -> LineScanner {
        LineScanner {
            expression,
            line: Vec::new(),
        }
    }

    /// What the last matching line of these bytes says; None: no line matched.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<FoundWork> {
        let mut found = None;
        let mut lines = bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r'));
        for piece in &mut lines {
            self.append(piece);
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                found = self.end_of_line().or(found);
            }
        }
        found
    }

    /// The same of a last line without an end.
    pub fn end_of_line(&mut self) -> Option<FoundWork> {
        let found = self.work_in_line();
        self.line.clear();
        found
    }

    fn append(&mut self, piece: &[u8]) {
        let piece = &piece[piece.len().saturating_sub(LINE_BYTES_MAX)..];
        let over = (self.line.len() + piece.len()).saturating_sub(LINE_BYTES_MAX);
        self.line.drain(..over);
        self.line.extend_from_slice(piece);
    }

    fn work_in_line(&self) -> Option<FoundWork> {
        let line = self.line.trim_ascii_end();
        let captures = self.expression.captures(line)?;
        let text = captures.get(1).map_or(&b""[..], |group| group.as_bytes());
        let text = String::from_utf8_lossy(text);
        let units = text.trim().parse::<f64>().ok();
        Some(match units.filter(|n| n.is_finite() && *n > 0.0) {
            Some(units) => FoundWork::Units(units),
            None => FoundWork::NotANumber(text.chars().take(40).collect()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pieces: &[&[u8]]) -> Option<FoundWork> {
        let mut scanner = LineScanner::new(work_expression(r"items: (\S+)").unwrap());
        let mut found = None;
        for piece in pieces {
            found = scanner.feed(piece).or(found);
        }
        scanner.end_of_line().or(found)
    }

    #[test]
    fn the_last_matching_line_counts_however_the_output_is_cut() {
        assert_eq!(
            found(&[b"items: 5\nitems: 7\nend\n"]),
            Some(FoundWork::Units(7.0))
        );
        assert_eq!(
            found(&[b"it", b"ems: 1", b"2e3\r\nx"]),
            Some(FoundWork::Units(12_000.0))
        );
        assert_eq!(found(&[b"items: 8"]), Some(FoundWork::Units(8.0)));
        assert_eq!(found(&[b"nothing\n"]), None);
        let word = FoundWork::NotANumber("many".to_owned());
        assert_eq!(found(&[b"items: many\n"]), Some(word));
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut scanner = LineScanner::new(work_expression(r"items: (\d+)").unwrap());
        for _ in 0..100 {
            assert_eq!(scanner.feed(&[b'x'; 50_000]), None);
            assert!(scanner.line.capacity() <= 4 * LINE_BYTES_MAX);
        }
        assert_eq!(scanner.feed(b" items: 3\n"), Some(FoundWork::Units(3.0)));
    }

    #[test]
    fn an_expression_needs_a_group() {
        assert!(work_expression("items").unwrap_err().contains("no group"));
        assert!(work_expression("(").unwrap_err().contains("unclosed group"));
    }
}
