//! What explains the difference of two runs, on the wire.

use wire::{ExplainRequest, ExplainedFunction, Explanation, TextLine};

use super::effects::{single, verdict};
use super::open_comparison::OpenComparison;

const FUNCTIONS_DEFAULT: u32 = 20;
/// More are a table.
const FUNCTIONS_MAX: u32 = 500;

pub fn explain(comparison: &OpenComparison, request: &ExplainRequest) -> Explanation {
    let limit = match request.limit {
        0 => FUNCTIONS_DEFAULT,
        limit => limit.min(FUNCTIONS_MAX),
    };
    let found = analysis::explanation(&comparison.comparison, limit as usize);
    Explanation {
        net_change: found.net_change,
        churn: found.churn,
        functions: (found.functions.into_iter())
            .map(|function| {
                let row = function.row;
                ExplainedFunction {
                    path: comparison.path_of_recorded(&row.file),
                    base_self: row.base.self_.value,
                    new_self: row.new.self_.value,
                    self_effect: Some(single(&row.effects.self_)),
                    contribution: row.contribution,
                    line: row.line,
                    name: row.name,
                    module: row.module,
                    recorded_path: row.file,
                    note: row.note,
                    lines: function.lines.into_iter().map(text_line).collect(),
                    row: function.row_index,
                }
            })
            .collect(),
    }
}

fn text_line(line: analysis::TextLine) -> TextLine {
    TextLine {
        base_line: line.base_line,
        new_line: line.new_line,
        text: line.text,
        base_self: line.base_self,
        new_self: line.new_self,
        verdict: verdict(line.verdict).into(),
    }
}
