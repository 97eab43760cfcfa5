//! Heat of one source file, on the lines as the editor shows them now.

use wire::{FileHeat, FileHeatRequest, FunctionHeat, LineReason, LineWaits};

use super::amounts::{Columns, count};
use super::counted_calls;
use super::failure::Failure;
use super::measured::Measured;
use super::open_run::OpenRun;

/// A file without samples has no lines, and the totals of the run.
pub fn of(run: &OpenRun, request: &FileHeatRequest) -> Result<FileHeat, Failure> {
    let measured = Measured::of(run, request.value)?;
    let total = measured.total();
    let mut heat = FileHeat {
        total_samples: total.samples,
        total_value: total.value,
        unit: run.analyzed.unit(measured.measure).to_owned(),
        value: measured.measure as u32,
        samples_unknown: !measured.is_counted(),
        complete: measured.is_complete(),
        ..FileHeat::default()
    };
    let Some(file) = run.file_at(&request.path) else {
        return Ok(heat);
    };
    let text_now = request.has_text.then_some(request.text.as_str());
    run.align(file, text_now);
    let found = analysis::file_heat(&run.analyzed, measured.measure, file, text_now);
    let mut columns = Columns::default();
    for line in &found.lines {
        heat.line.push(line.line);
        heat.changed.push(line.changed);
        columns.push(&measured.known_both(line.amounts));
    }
    heat.self_samples = columns.self_samples;
    heat.total_samples_of_line = columns.total_samples;
    heat.self_value = columns.self_value;
    heat.total_value_of_line = columns.total_value;
    heat.functions = found
        .functions
        .into_iter()
        .map(|function| {
            let own = measured.known_both(function.amounts);
            let definition = measured.known_both(function.definition);
            FunctionHeat {
                name: function.name,
                line: function.line,
                self_samples: count(own.self_.samples),
                total_samples: count(own.total.samples),
                self_value: own.self_.value,
                total_value: own.total.value,
                definition_self_value: definition.self_.value,
                definition_total_value: definition.total.value,
                definition_total_samples: count(definition.total.samples),
                module: function.module,
            }
        })
        .collect();
    let waits = analysis::waits_on_lines(&run.analyzed, measured.measure, file, text_now);
    heat.threads_ns = waits.threads_ns;
    heat.waits = waits.lines.into_iter().map(line_waits).collect();
    heat.calls = counted_calls::of_file(measured, file, text_now);
    heat.newer_than_binary = found.newer_than_binary;
    heat.notice = found.notice;
    Ok(heat)
}

fn line_waits(of: analysis::WaitingLine) -> LineWaits {
    let reasons = (of.reasons.iter()).map(|(reason, amount)| LineReason {
        reason: reason.name().to_owned(),
        value: amount.value,
        samples: count(amount.samples),
    });
    LineWaits {
        line: of.line,
        changed: of.changed,
        waited_ns: of.waited.value,
        reasons: reasons.collect(),
    }
}
