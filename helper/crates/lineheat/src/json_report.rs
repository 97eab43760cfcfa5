//! The stable JSON of `report` and `annotate`.

use std::collections::BTreeMap;

use analysis::{
    Amounts, Analyzed, FileHeat, flame_graph, function_table, line_table, thread_table,
};
use serde::Serialize;
use serde_json::Value;

use crate::json::{SCHEMA, object};
use crate::report_tree::totals;
use crate::selected_run::SelectedRun;

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
    /// In words; absent: everything. The totals above are of it.
    #[serde(skip_serializing_if = "str::is_empty")]
    selection: &'a str,
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
    Threads(Vec<Thread<'a>>),
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
struct Thread<'a> {
    pid: u32,
    tid: u32,
    process: &'a str,
    thread: &'a str,
    samples: u64,
    ns: u64,
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

pub fn functions(run: &SelectedRun, limit: usize) -> Value {
    let (analyzed, measure) = (&run.analyzed, run.measure);
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
    object(&report(run, Rows::Functions(rows)))
}

pub fn lines(run: &SelectedRun, limit: usize) -> Value {
    let (analyzed, measure) = (&run.analyzed, run.measure);
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
    object(&report(run, Rows::Lines(rows)))
}

pub fn tree(run: &SelectedRun, limit: usize) -> Value {
    let (analyzed, measure) = (&run.analyzed, run.measure);
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
    object(&report(run, Rows::Tree(rows)))
}

pub fn threads(run: &SelectedRun, limit: usize) -> Value {
    let analyzed = &run.analyzed;
    let rows = (thread_table(analyzed, run.measure).iter().take(limit))
        .map(|row| Thread {
            pid: row.thread.pid,
            tid: row.thread.tid,
            process: analyzed.text(row.thread.process),
            thread: analyzed.text(row.thread.thread),
            samples: row.amount.samples,
            ns: row.amount.value,
        })
        .collect();
    object(&report(run, Rows::Threads(rows)))
}

/// Lines of one file, ascending.
pub fn annotated(run: &SelectedRun, path: &str, heat: &FileHeat) -> Value {
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
        report: report(run, Rows::Annotated(rows)),
    })
}

fn report<'a>(run: &'a SelectedRun, rows: Rows<'a>) -> Report<'a> {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let summary = profile::summarize(analyzed.profile());
    let total = analyzed.total(measure);
    let ends = analyzed.profile().run.iter().flat_map(|r| &r.stack_ends);
    Report {
        schema: SCHEMA,
        total_samples: total.samples,
        total_cpu_ns: cpu_ns(analyzed),
        lost_samples: summary.lost,
        value: analyzed.value_name(measure),
        unit: analyzed.unit(measure),
        total_value: total.value,
        selection: &run.selection,
        problems: crate::run_problems::problems(analyzed.profile())
            .into_iter()
            .chain(Some(analyzed.selection_notice()).filter(|notice| !notice.is_empty()))
            .collect(),
        stack_ends: ends.map(|end| (&*end.cause, end.count)).collect(),
        executions: executions(&summary),
        rows,
    }
}

fn cpu_ns(analyzed: &Analyzed) -> u64 {
    let cpu = analyzed.profile().find_sample_type("cpu", "nanoseconds");
    cpu.map_or(0, |measure| analyzed.total(measure).value)
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
