//! A table of text: columns as wide as their widest cell, the last one cut to what the terminal has left.

use crate::terminal::{Style, Terminal};
use crate::terminal_text::{cut, width};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<(String, Style)>>,
}

/// Between columns.
const GAP: &str = "  ";
/// The last column but one keeps at least this much.
const NAME_WIDTH_MIN: usize = 24;

impl Table {
    pub fn new(columns: &[(&str, Align)]) -> Table {
        Table {
            columns: (columns.iter())
                .map(|(title, align)| ((*title).to_owned(), *align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// One cell per column.
    pub fn row(&mut self, cells: Vec<(String, Style)>) {
        assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// `flexible`: the column that gives way when the terminal is too narrow.
    pub fn render(&self, terminal: &Terminal, flexible: usize) -> String {
        let mut widths: Vec<usize> = (self.columns.iter().enumerate())
            .map(|(index, (title, _))| {
                let cells = self.rows.iter().map(|row| width(&row[index].0));
                cells.max().unwrap_or(0).max(width(title))
            })
            .collect();
        if let Some(available) = terminal.width {
            let all: usize = widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1);
            let over = all.saturating_sub(available);
            widths[flexible] = widths[flexible]
                .saturating_sub(over)
                .max(NAME_WIDTH_MIN.min(widths[flexible]));
        }
        let mut text = String::new();
        let titles: Vec<(String, Style)> = (self.columns.iter())
            .map(|(title, _)| (title.clone(), Style::Faint))
            .collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            let mut pending = 0;
            for (index, (cell, style)) in row.iter().enumerate() {
                let cell = cut(cell, widths[index]);
                let padding = widths[index] - width(&cell);
                let (before, after) = match self.columns[index].1 {
                    Align::Left => (0, padding),
                    Align::Right => (padding, 0),
                };
                if !cell.is_empty() {
                    line.push_str(&" ".repeat(pending + before));
                    line.push_str(&terminal.paint(*style, &cell));
                    pending = after + GAP.len();
                } else {
                    pending += widths[index] + GAP.len();
                }
            }
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_the_flexible_one_gives_way() {
        let mut table = Table::new(&[
            ("n", Align::Right),
            ("name", Align::Left),
            ("m", Align::Left),
        ]);
        let plain = |text: &str| (text.to_owned(), Style::Plain);
        table.row(vec![plain("1"), plain(&"x".repeat(40)), plain("app")]);
        table.row(vec![plain("123"), plain("y"), plain("")]);
        let narrow = Terminal {
            width: Some(40),
            ..Terminal::PLAIN
        };
        let text = table.render(&narrow, 1);
        assert_eq!(text.lines().map(|l| l.chars().count()).max(), Some(40));
        assert_eq!(text.lines().last(), Some("123  y"));
        assert!(text.lines().nth(1).unwrap().ends_with("xx..  app"));
    }
}
