//! The stable JSON of `report` and `annotate`.

use std::collections::BTreeMap;

use analysis::{Amounts, Analyzed, FileHeat, Measure, flame_graph, function_table, line_table};
use serde::Serialize;
use serde_json::Value;

use crate::json::{SCHEMA, object};
use crate::report_tree::totals;

/// `…Ns` columns hold the value that `value` and `unit` name: nanoseconds in all runs of Lineheat.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema: u32,
    total_samples: u64,
    total_cpu_ns: u64,
    lost_samples: u64,
    value: &'a str,
    unit: &'a str,
    total_value: u64,
    problems: Vec<String>,
    /// How many stacks ended where; "root" is the thread's start. Empty for profiles of others.
    stack_ends: BTreeMap<&'a str, u64>,
    executions: Vec<Execution>,
    #[serde(flatten)]
    rows: Rows<'a>,
}

/// The name of the variant is the key of the rows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Rows<'a> {
    Functions(Vec<Row<'a>>),
    Lines(Vec<Row<'a>>),
    /// Call paths depth first.
    Tree(Vec<Call<'a>>),
    #[serde(rename = "lines")]
    Annotated(Vec<AnnotatedLine<'a>>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    module: &'a str,
    file: &'a str,
    line: u32,
    #[serde(flatten)]
    heat: Heat,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Call<'a> {
    name: &'a str,
    module: &'a str,
    file: &'a str,
    line: u32,
    /// 0 is the root of all.
    depth: u32,
    #[serde(flatten)]
    heat: Heat,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnnotatedLine<'a> {
    file: &'a str,
    line: u32,
    changed: bool,
    #[serde(flatten)]
    heat: Heat,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Heat {
    self_samples: u64,
    total_samples: u64,
    self_ns: u64,
    total_ns: u64,
}

/// One time that the command ran.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Execution {
    wall_ns: u64,
    user_ns: u64,
    system_ns: u64,
    /// Null: unknown.
    work: Option<f64>,
    samples: u64,
    warm_up: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnnotatedFile<'a> {
    file: &'a str,
    notice: &'a str,
    #[serde(flatten)]
    report: Report<'a>,
}

pub fn functions(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let rows = (function_table(analyzed, measure).iter().take(limit))
        .map(|row| {
            let function = analyzed.function(row.function);
            Row {
                name: analyzed.text(function.name),
                module: analyzed.text(function.module),
                file: analyzed.text(function.file),
                line: function.line,
                heat: row.amounts.into(),
            }
        })
        .collect();
    object(&report(analyzed, measure, Rows::Functions(rows)))
}

pub fn lines(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let rows = (line_table(analyzed, measure).iter().take(limit))
        .map(|row| {
            let function = analyzed.function(analyzed.function_of_place(row.id));
            Row {
                name: analyzed.text(function.name),
                module: analyzed.text(function.module),
                file: analyzed.file_path(row.place.file),
                line: row.place.line,
                heat: row.amounts.into(),
            }
        })
        .collect();
    object(&report(analyzed, measure, Rows::Lines(rows)))
}

pub fn tree(analyzed: &Analyzed, measure: Measure, limit: usize) -> Value {
    let graph = flame_graph(analyzed, measure);
    let totals = totals(&graph);
    let mut depth = vec![0u32; graph.frame.len()];
    let text = |id: u32| &*graph.frames.strings[id as usize];
    let mut rows = Vec::new();
    for node in 0..graph.frame.len().min(limit) {
        if node > 0 {
            depth[node] = depth[node - graph.parent_distance[node] as usize] + 1;
        }
        let frame = graph.frame[node] as usize;
        rows.push(Call {
            name: text(graph.frames.name[frame]),
            module: text(graph.frames.module[frame]),
            file: text(graph.frames.file[frame]),
            line: graph.line[node],
            depth: depth[node],
            heat: Heat {
                self_samples: graph.self_samples[node].into(),
                total_samples: totals[node].1,
                self_ns: graph.self_value[node],
                total_ns: totals[node].0,
            },
        });
    }
    object(&report(analyzed, measure, Rows::Tree(rows)))
}

/// Lines of one file, ascending.
pub fn annotated(analyzed: &Analyzed, measure: Measure, path: &str, heat: &FileHeat) -> Value {
    let rows = (heat.lines.iter())
        .map(|line| AnnotatedLine {
            file: path,
            line: line.line,
            changed: line.changed,
            heat: line.amounts.into(),
        })
        .collect();
    object(&AnnotatedFile {
        file: path,
        notice: &heat.notice,
        report: report(analyzed, measure, Rows::Annotated(rows)),
    })
}

fn report<'a>(analyzed: &'a Analyzed, measure: Measure, rows: Rows<'a>) -> Report<'a> {
    let summary = profile::summarize(analyzed.profile());
    let total = analyzed.total(measure);
    let ends = analyzed.profile().run.iter().flat_map(|r| &r.stack_ends);
    Report {
        schema: SCHEMA,
        total_samples: total.samples,
        total_cpu_ns: summary.cpu_ns,
        lost_samples: summary.lost,
        value: analyzed.value_name(measure),
        unit: analyzed.unit(measure),
        total_value: total.value,
        problems: crate::run_problems::problems(analyzed.profile()),
        stack_ends: ends.map(|end| (&*end.cause, end.count)).collect(),
        executions: executions(&summary),
        rows,
    }
}

impl From<Amounts> for Heat {
    fn from(amounts: Amounts) -> Heat {
        Heat {
            self_samples: amounts.self_.samples,
            total_samples: amounts.total.samples,
            self_ns: amounts.self_.value,
            total_ns: amounts.total.value,
        }
    }
}

/// The warm-up executions first; empty: unknown.
fn executions(summary: &profile::RunSummary) -> Vec<Execution> {
    let each = summary.executions.iter().map(|e| Execution {
        wall_ns: e.wall_ns,
        user_ns: e.user_ns,
        system_ns: e.system_ns,
        work: (e.work > 0.0).then_some(e.work),
        samples: e.samples,
        warm_up: e.warm_up,
    });
    each.collect()
}
