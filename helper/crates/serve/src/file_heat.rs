//! Heat of one source file, on the lines as the editor shows them now.

use wire::{FileHeat, FileHeatRequest, FunctionHeat};

use super::amounts::{Columns, count};
use super::open_run::OpenRun;

/// A file without samples has no lines, and the totals of the run.
pub fn of(run: &OpenRun, request: &FileHeatRequest) -> FileHeat {
    let total = run.analyzed.total(run.measure);
    let mut heat = FileHeat {
        total_samples: total.samples,
        total_value: total.value,
        unit: run.analyzed.unit(run.measure).to_owned(),
        ..FileHeat::default()
    };
    let Some(file) = run.file_at(&request.path) else {
        return heat;
    };
    let text_now = request.has_text.then_some(request.text.as_str());
    run.align(file, text_now);
    let found = analysis::file_heat(&run.analyzed, run.measure, file, text_now);
    let mut columns = Columns::default();
    for line in &found.lines {
        heat.line.push(line.line);
        heat.changed.push(line.changed);
        columns.push(&line.amounts);
    }
    heat.self_samples = columns.self_samples;
    heat.total_samples_of_line = columns.total_samples;
    heat.self_value = columns.self_value;
    heat.total_value_of_line = columns.total_value;
    heat.functions = found
        .functions
        .into_iter()
        .map(|function| FunctionHeat {
            name: function.name,
            line: function.line,
            self_samples: count(function.amounts.self_.samples),
            total_samples: count(function.amounts.total.samples),
            self_value: function.amounts.self_.value,
            total_value: function.amounts.total.value,
            definition_self_value: function.definition.self_.value,
            definition_total_value: function.definition.total.value,
            definition_total_samples: count(function.definition.total.samples),
            function: function.row,
        })
        .collect();
    heat.newer_than_binary = found.newer_than_binary;
    heat.notice = found.notice;
    heat
}
