//! The stable JSON of `report` and `annotate`. Additions are allowed; a change of meaning raises `schema`.

use analysis::{Amounts, Analyzed, FileHeat, Measure, flame_graph, function_table, line_table};
use serde_json::{Value, json};

use crate::report_tree::totals;

pub const SCHEMA: u32 = 1;

pub fn functions(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let rows: Vec<Value> = (function_table(analyzed, measure).iter().take(limit))
        .map(|row| {
            let function = analyzed.function(row.function);
            let mut entry = amounts(row.amounts);
            entry["name"] = json!(analyzed.text(function.name));
            entry["module"] = json!(analyzed.text(function.module));
            entry["file"] = json!(analyzed.text(function.file));
            entry["line"] = json!(function.line);
            entry
        })
        .collect();
    object(analyzed, measure, "functions", rows)
}

pub fn lines(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let rows: Vec<Value> = (line_table(analyzed, measure).iter().take(limit))
        .map(|row| {
            let function = analyzed.function(analyzed.function_of_place(row.id));
            let mut entry = amounts(row.amounts);
            entry["name"] = json!(analyzed.text(function.name));
            entry["module"] = json!(analyzed.text(function.module));
            entry["file"] = json!(analyzed.file_path(row.place.file));
            entry["line"] = json!(row.place.line);
            entry
        })
        .collect();
    object(analyzed, measure, "lines", rows)
}

/// Call paths depth first; `depth` 0 is the root of all.
pub fn tree(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let graph = flame_graph(analyzed, measure);
    let totals = totals(&graph);
    let mut depth = vec![0u32; graph.frame.len()];
    let text = |id: u32| &graph.frames.strings[id as usize];
    let mut rows = Vec::new();
    for node in 0..graph.frame.len().min(limit) {
        if node > 0 {
            depth[node] = depth[node - graph.parent_distance[node] as usize] + 1;
        }
        let frame = graph.frame[node] as usize;
        rows.push(json!({
            "name": text(graph.frames.name[frame]),
            "module": text(graph.frames.module[frame]),
            "file": text(graph.frames.file[frame]),
            "line": graph.line[node],
            "depth": depth[node],
            "selfSamples": graph.self_samples[node],
            "totalSamples": totals[node].1,
            "selfNs": graph.self_value[node],
            "totalNs": totals[node].0,
        }));
    }
    object(analyzed, measure, "tree", rows)
}

/// Lines of one file, ascending.
pub fn annotated(analyzed: &Analyzed, measure: Measure, path: &str, heat: &FileHeat) -> Value {
    let rows: Vec<Value> = (heat.lines.iter())
        .map(|line| {
            let mut entry = amounts(line.amounts);
            entry["file"] = json!(path);
            entry["line"] = json!(line.line);
            entry["changed"] = json!(line.changed);
            entry
        })
        .collect();
    let mut object = object(analyzed, measure, "lines", rows);
    object["file"] = json!(path);
    object["notice"] = json!(heat.notice);
    object
}

fn amounts(amounts: Amounts) -> Value {
    json!({
        "selfSamples": amounts.self_.samples,
        "totalSamples": amounts.total.samples,
        "selfNs": amounts.self_.value,
        "totalNs": amounts.total.value,
    })
}

/// `…Ns` columns hold the value that `value` and `unit` name: nanoseconds in all runs of Lineheat.
fn object(analyzed: &Analyzed, measure: Measure, rows_name: &str, rows: Vec<Value>) -> Value {
    let summary = profile::summarize(analyzed.profile());
    let total = analyzed.total(measure);
    let mut object = json!({
        "schema": SCHEMA,
        "totalSamples": total.samples,
        "totalCpuNs": summary.cpu_ns,
        "lostSamples": summary.lost,
        "value": analyzed.value_name(measure),
        "unit": analyzed.unit(measure),
        "totalValue": total.value,
        "problems": crate::report_header::problems(analyzed),
        "stackEnds": stack_ends(analyzed),
        "executions": executions(&summary),
    });
    object[rows_name] = Value::Array(rows);
    object
}

/// Each run of the command that counts, the warm-up runs first; empty: unknown.
fn executions(summary: &profile::RunSummary) -> Vec<Value> {
    let each = summary.executions.iter().map(|e| {
        json!({
            "wallNs": e.wall_ns,
            "userNs": e.user_ns,
            "systemNs": e.system_ns,
            "work": e.work,
            "samples": e.samples,
            "warmUp": e.warm_up,
        })
    });
    each.collect()
}

/// How many stacks ended where; "root" is the thread's start. Empty for profiles of others.
fn stack_ends(analyzed: &Analyzed) -> Value {
    let ends = analyzed.profile().run.iter().flat_map(|r| &r.stack_ends);
    ends.map(|end| (end.cause.clone(), json!(end.count)))
        .collect()
}
