//! What tables of a run share beside their figures.

use analysis::Analyzed;

use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::count;

/// Below the run's working directory, a path is written from there.
pub fn short_path(analyzed: &Analyzed, file: u32) -> String {
    short_recorded(analyzed, analyzed.file_path(file))
}

/// The same of a path as it was recorded.
pub fn short_recorded(analyzed: &Analyzed, path: &str) -> String {
    let cwd = (analyzed.profile().run.as_ref()).map_or("", |run| run.cwd.as_str());
    match path
        .strip_prefix(cwd)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        Some(below) if !cwd.is_empty() => below.to_owned(),
        _ => path.to_owned(),
    }
}

pub fn rest(terminal: &Terminal, rows: usize, limit: usize, what: &str) -> String {
    if rows <= limit {
        return String::new();
    }
    let hidden = count((rows - limit) as u64);
    let text = format!(
        "... {hidden} of {} {what} not shown; --limit N shows more",
        count(rows as u64)
    );
    format!("{}\n", terminal.paint(Style::Faint, &text))
}
