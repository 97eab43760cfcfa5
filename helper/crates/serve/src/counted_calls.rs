//! Functions whose calls were counted: those of a file, and their columns in the table of functions.

use std::collections::HashMap;

use analysis::{CalledRow, FileId, FunctionRow, Measure, called_functions};
use profile::Family;
use profile::run::CallTimes;
use runs::call_note;
use wire::{CallDuration, CalledFunction, FunctionTable, PerCall};

use super::measured::Measured;

/// Of a file, most calls first, with the lines of their definitions as in the text now. Empty for a selection.
pub fn of_file(of: Measured, file: FileId, text_now: Option<&str>) -> Vec<CalledFunction> {
    let analyzed = &of.run.analyzed;
    let measure = measure_per_call(of);
    let path = analyzed.file_path(file);
    let rows = called_functions(analyzed, measure).unwrap_or_default();
    let mut here = (rows.into_iter().filter(|row| row.counted.file == path)).peekable();
    if here.peek().is_none() {
        return Vec::new();
    }
    let alignment = analysis::alignment(analyzed, file, text_now);
    here.map(|row| {
        let line = row.counted.line;
        CalledFunction {
            name: row.counted.name.clone(),
            module: row.module.to_owned(),
            line: match line {
                0 => 0,
                line => alignment.to_new(line).map_or(0, |now| now.line),
            },
            counted: is_counted(&row),
            calls: row.counted.calls,
            per_call: row.per_call.map(|each| PerCall {
                value: each.value,
                low: each.low,
                high: each.high,
            }),
            unit: analyzed.unit(measure).to_owned(),
            note: call_note(row.counted).unwrap_or_default(),
            duration: row.counted.times.as_ref().and_then(duration),
        }
    })
    .collect()
}

/// Fills in the columns of calls, if the run has any.
pub fn fill_in(of: Measured, rows: &[FunctionRow], table: &mut FunctionTable) {
    let analyzed = &of.run.analyzed;
    let measure = measure_per_call(of);
    let Some(called) = called_functions(analyzed, measure) else {
        return;
    };
    let counted: HashMap<(&str, &str), &CalledRow> = (called.iter().filter(|row| is_counted(row)))
        .flat_map(|row| {
            let names = std::iter::once(&row.counted.name).chain(&row.counted.same_code);
            names.map(move |name| ((name.as_str(), row.module), row))
        })
        .collect();
    let times = called.iter().filter_map(|row| row.counted.times.as_ref());
    let are_timed = { times }.any(|times| times.measured() > 0);
    for row in rows {
        let function = analyzed.function(row.function);
        let name = (analyzed.text(function.name), analyzed.text(function.module));
        let found = counted.get(&name);
        (table.calls).push(found.map_or(f64::NAN, |row| row.counted.calls as f64));
        let times = found.and_then(|row| row.counted.times.as_ref());
        let quantile = |part| {
            times
                .and_then(|times| times.quantile(part))
                .unwrap_or(f64::NAN)
        };
        if are_timed {
            table.call_p50_ns.push(quantile(0.5));
            table.call_p90_ns.push(quantile(0.9));
            table.call_p99_ns.push(quantile(0.99));
            let longest = times.filter(|times| times.measured() > 0);
            (table.call_longest_ns).push(longest.map_or(f64::NAN, |times| times.longest_ns as f64));
        }
        let each = found.and_then(|row| row.per_call);
        let [value, low, high] = each.map_or([f64::NAN; 3], |of| [of.value, of.low, of.high]);
        table.per_call.push(value);
        table.per_call_low.push(low);
        table.per_call_high.push(high);
    }
    table.per_call_unit = analyzed.unit(measure).to_owned();
}

fn duration(times: &CallTimes) -> Option<CallDuration> {
    Some(CallDuration {
        p50_ns: times.quantile(0.5)?,
        p99_ns: times.quantile(0.99)?,
        longest_ns: times.longest_ns as f64,
    })
}

fn is_counted(row: &CalledRow) -> bool {
    row.counted.not_counted.is_empty()
}

/// Calls per call are no figure: where calls are shown, it is the usual measure that they are put beside.
fn measure_per_call(Measured { run, measure }: Measured) -> Measure {
    match run.analyzed.measures()[measure].family {
        Family::Calls => run.measure,
        _ => measure,
    }
}
