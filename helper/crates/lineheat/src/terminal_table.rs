//! A table of text: columns as wide as their widest cell; on a narrow terminal some of them give way.

use crate::terminal::{Style, Terminal};
use crate::terminal_text::{cut, cut_start, width};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
    /// Left; of a cell that is too wide the start is cut, as fits a path.
    Path,
}

/// A column that gives way when the terminal is too narrow, down to `least`.
pub struct Flexible {
    pub column: usize,
    pub least: usize,
}

pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<(String, Style)>>,
}

/// Between columns.
const GAP: &str = "  ";

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

    /// `flexible`: the first of them gives way first.
    pub fn render(&self, terminal: &Terminal, flexible: &[Flexible]) -> String {
        let mut widths: Vec<usize> = (self.columns.iter().enumerate())
            .map(|(index, (title, _))| {
                let cells = self.rows.iter().map(|row| width(&row[index].0));
                cells.max().unwrap_or(0).max(width(title))
            })
            .collect();
        if let Some(available) = terminal.width {
            let all: usize = widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1);
            let mut over = all.saturating_sub(available);
            for Flexible { column, least } in flexible {
                let given = over.min(widths[*column].saturating_sub(*least));
                widths[*column] -= given;
                over -= given;
            }
        }
        let mut text = String::new();
        let titles: Vec<(String, Style)> = (self.columns.iter())
            .map(|(title, _)| (title.clone(), Style::Faint))
            .collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            let mut pending = 0;
            for (index, (cell, style)) in row.iter().enumerate() {
                let cell = match self.columns[index].1 {
                    Align::Path => cut_start(cell, widths[index]),
                    Align::Left | Align::Right => cut(cell, widths[index]),
                };
                let padding = widths[index] - width(&cell);
                let (before, after) = match self.columns[index].1 {
                    Align::Left | Align::Path => (0, padding),
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
    fn columns_align_and_the_flexible_ones_give_way_in_order() {
        let mut table = Table::new(&[
            ("n", Align::Right),
            ("path", Align::Path),
            ("m", Align::Left),
        ]);
        let plain = |text: &str| (text.to_owned(), Style::Plain);
        table.row(vec![
            plain("1"),
            plain("/project/src/main.c"),
            plain("application"),
        ]);
        table.row(vec![plain("123"), plain("y"), plain("")]);
        let flexible = [(2, 6), (1, 12)].map(|(column, least)| Flexible { column, least });
        let rendered = |width| {
            let terminal = Terminal {
                width,
                ..Terminal::PLAIN
            };
            let text = table.render(&terminal, &flexible);
            text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            rendered(None),
            ["  1  /project/src/main.c  application", "123  y"]
        );
        assert_eq!(
            rendered(Some(33)),
            ["  1  /project/src/main.c  appli..", "123  y"]
        );
        assert_eq!(
            rendered(Some(28)),
            ["  1  ..ct/src/main.c  appl..", "123  y"]
        );
    }

    #[test]
    fn wide_and_combining_characters_line_up() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        for (name, number) in [
            ("計算する", "1"),
            ("re\u{301}sume\u{301}", "22"),
            ("plain", "333"),
        ] {
            let cell = |text: &str| (text.to_owned(), Style::Plain);
            table.row(vec![cell(name), cell(number)]);
        }
        assert_eq!(
            table
                .render(&Terminal::PLAIN, &[])
                .lines()
                .collect::<Vec<_>>(),
            [
                "name        n",
                "計算する    1",
                "re\u{301}sume\u{301}     22",
                "plain     333",
            ]
        );
    }
}
