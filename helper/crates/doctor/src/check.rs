//! One line of the report: what was looked at, and how it is.

use serde::Serialize;

/// What a check has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    Ok,
    /// It works, with the loss that the detail names.
    Warning,
    Missing,
}

/// One line of the report.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// A stable word for scripts.
    pub id: &'static str,
    pub title: &'static str,
    pub state: State,
    pub detail: String,
    /// The command that helps; empty: none is needed or known.
    pub command: String,
}

pub fn check(id: &'static str, title: &'static str, state: State, detail: String) -> Check {
    Check {
        id,
        title,
        state,
        detail,
        command: String::new(),
    }
}

/// Advice may hold a command, on an indented line of its own.
pub fn command_in(advice: &str) -> String {
    let command = advice.lines().find_map(|line| line.strip_prefix("  "));
    command.unwrap_or_default().to_owned()
}
