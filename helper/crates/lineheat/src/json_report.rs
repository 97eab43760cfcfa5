//! The stable JSON of `report` and `annotate`, in both forms.

use std::collections::BTreeMap;

use analysis::{
    AllocationSite, Amount, Amounts, Analyzed, FileHeat, SystemCallRow, WaitingLine, WaitsOnLines,
    called_functions, flame_graph, function_table, line_table, thread_table,
};
use serde::Serialize;
use serde_json::Value;

use crate::instructions_per_cycle::{JsonCounter, JsonPerCycle, PerCycle, json_counters};
use crate::json::object;
use crate::json_calls::{JsonCalls, json_price};
use crate::json_flags::Schema;
use crate::json_memory::{JsonMemory, JsonSite};
use crate::json_syscalls::JsonSyscall;
use crate::json_totals::{Measured, Reason, Stacks, kernel_counted_ns, measured, reasons, stacks};
use crate::json_wall_time::JsonWallTime;
use crate::report_blame::{JsonBlame, json_blame};
use crate::report_locks::{JsonLock, json_locks};
use crate::report_tree::totals;
use crate::report_waits::{JsonWait, json_waits};
use crate::selected_run::SelectedRun;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema: u32,
    /// Null: the file does not say.
    total_samples: Option<u64>,
    lost_samples: u64,
    unit: &'a str,
    #[serde(flatten)]
    totals: Totals<'a>,
    /// In words; absent: everything. The totals above are of it.
    #[serde(skip_serializing_if = "str::is_empty")]
    selection: &'a str,
    problems: Vec<String>,
    executions: Vec<Execution>,
    /// Absent: memory was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<JsonMemory>,
    /// Absent: none were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counters: Vec<JsonCounter<'a>>,
    #[serde(flatten)]
    rows: Rows<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Totals<'a> {
    /// `…Ns` columns hold the value that `value` and `unit` name: nanoseconds in all runs of Lineheat.
    #[serde(rename_all = "camelCase")]
    One {
        total_cpu_ns: u64,
        value: &'a str,
        total_value: u64,
        /// How many stacks ended where; "root" is the thread's start. Empty for profiles of others.
        stack_ends: BTreeMap<&'a str, u64>,
    },
    #[serde(rename_all = "camelCase")]
    Two {
        measures: Vec<Measured<'a>>,
        /// The one that the rows are of.
        measure: &'a str,
        total: u64,
        /// By the kernel's own count; null: unknown.
        cpu_time_ns: Option<u64>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<Reason<'a>>,
        /// Null: the run has no waits.
        wall_time: Option<Box<JsonWallTime<'a>>>,
        #[serde(flatten)]
        stacks: Option<Stacks<'a>>,
    },
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
    /// Of memory, whatever the measure.
    Allocations(Vec<JsonSite<'a>>),
    Calls(Vec<JsonCalls<'a, Heat>>),
    /// Of waiting time, whatever the measure.
    Waits(Vec<JsonWait<'a>>),
    Locks(Vec<JsonLock<'a>>),
    Blame(Vec<JsonBlame<'a>>),
    /// By time, whatever the measure.
    Syscalls(Vec<JsonSyscall<'a>>),
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
    /// Absent: cycles and instructions were not both counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions_per_cycle: Option<JsonPerCycle>,
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
    samples: Option<u64>,
    #[serde(flatten)]
    value: ThreadValue,
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
    /// Null: the file does not say.
    self_samples: Option<u64>,
    total_samples: Option<u64>,
    #[serde(flatten)]
    values: Values,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Values {
    #[serde(rename_all = "camelCase")]
    One { self_ns: u64, total_ns: u64 },
    Two {
        #[serde(rename = "self")]
        self_: u64,
        total: u64,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum ThreadValue {
    One { ns: u64 },
    Two { value: u64 },
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
    /// Beside CPU time: lines that threads waited at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits: Vec<JsonLineWaits>,
    #[serde(flatten)]
    report: Report<'a>,
}

/// Without idle threads and the run queue.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLineWaits {
    line: u32,
    changed: bool,
    waited_ns: u64,
    waits: u64,
    reasons: Vec<Reason<'static>>,
}

impl JsonLineWaits {
    fn of(of: &WaitingLine) -> JsonLineWaits {
        let reasons =
            (of.reasons.iter()).map(|(reason, amount)| Reason::new(reason.name(), *amount));
        JsonLineWaits {
            line: of.line,
            changed: of.changed,
            waited_ns: of.waited.value,
            waits: of.waited.samples,
            reasons: reasons.collect(),
        }
    }
}

/// A run, and the form in which it is asked for.
pub struct JsonReport<'a> {
    pub run: &'a SelectedRun,
    pub schema: Schema,
}

impl<'a> JsonReport<'a> {
    pub fn functions(&self, limit: usize) -> Value {
        let analyzed = &self.run.analyzed;
        let per_cycle = PerCycle::of_functions(analyzed);
        let rows = (function_table(analyzed, self.run.measure)
            .iter()
            .take(limit))
        .map(|row| {
            let function = analyzed.function(row.function);
            Row {
                name: analyzed.text(function.name),
                module: analyzed.text(function.module),
                file: analyzed.text(function.file),
                line: function.line,
                heat: self.heat(row.amounts),
                instructions_per_cycle: per_cycle.json(row.function),
            }
        })
        .collect();
        object(&self.report(Rows::Functions(rows)))
    }

    pub fn lines(&self, limit: usize) -> Value {
        let analyzed = &self.run.analyzed;
        let per_cycle = PerCycle::of_lines(analyzed);
        let rows = (line_table(analyzed, self.run.measure).iter().take(limit))
            .map(|row| {
                let function = analyzed.function(analyzed.function_of_place(row.id));
                Row {
                    name: analyzed.text(function.name),
                    module: analyzed.text(function.module),
                    file: analyzed.file_path(row.place.file),
                    line: row.place.line,
                    heat: self.heat(row.amounts),
                    instructions_per_cycle: per_cycle.json(row.id),
                }
            })
            .collect();
        object(&self.report(Rows::Lines(rows)))
    }

    pub fn tree(&self, limit: usize) -> Value {
        let graph = flame_graph(&self.run.analyzed, self.run.measure);
        let totals = totals(&graph);
        let mut depth = vec![0u32; graph.frame.len()];
        let text = |id: u32| &*graph.frames.strings[id as usize];
        let mut rows = Vec::new();
        for node in 0..graph.frame.len().min(limit) {
            if node > 0 {
                depth[node] = depth[node - graph.parent_distance[node] as usize] + 1;
            }
            let frame = graph.frame[node] as usize;
            let amount = |(value, samples)| Amount { samples, value };
            let self_ = (graph.self_value[node], graph.self_samples[node].into());
            rows.push(Call {
                name: text(graph.frames.name[frame]),
                module: text(graph.frames.module[frame]),
                file: text(graph.frames.file[frame]),
                line: graph.line[node],
                depth: depth[node],
                heat: self.heat(Amounts {
                    self_: amount(self_),
                    total: amount(totals[node]),
                }),
            });
        }
        object(&self.report(Rows::Tree(rows)))
    }

    pub fn threads(&self, limit: usize) -> Value {
        let analyzed = &self.run.analyzed;
        let rows = (thread_table(analyzed, self.run.measure).iter().take(limit))
            .map(|row| Thread {
                pid: row.thread.pid,
                tid: row.thread.tid,
                process: analyzed.text(row.thread.process),
                thread: analyzed.text(row.thread.thread),
                samples: self.run.samples(row.amount),
                value: match self.schema {
                    Schema::One => ThreadValue::One {
                        ns: row.amount.value,
                    },
                    Schema::Two => ThreadValue::Two {
                        value: row.amount.value,
                    },
                },
            })
            .collect();
        object(&self.report(Rows::Threads(rows)))
    }

    pub fn sites(&self, sites: &[AllocationSite], limit: usize) -> Value {
        let rows = sites.iter().take(limit);
        let rows = rows.map(|site| JsonSite::new(&self.run.analyzed, site));
        object(&self.report(Rows::Allocations(rows.collect())))
    }

    pub fn syscalls(&self, rows: &[SystemCallRow<'_>], limit: usize) -> Value {
        let rows = rows.iter().take(limit);
        let rows = rows.map(|row| JsonSyscall::new(&self.run.analyzed, row));
        object(&self.report(Rows::Syscalls(rows.collect())))
    }

    /// Of the functions that were counted.
    pub fn calls(&self, limit: usize) -> Value {
        let rows = called_functions(&self.run.analyzed, self.run.measure).unwrap_or_default();
        let rows = (rows.into_iter().take(limit))
            .map(|row| JsonCalls::new(self.heat(row.amounts), row))
            .collect();
        let counts = self.run.analyzed.profile().run.as_ref();
        let price = counts.and_then(|run| run.calls.as_ref()?.price.as_ref());
        let mut report = object(&self.report(Rows::Calls(rows)));
        report["callPrice"] = json_price(price);
        report
    }

    /// Waits by line and reason.
    pub fn waits(&self, limit: usize) -> Value {
        object(&self.report(Rows::Waits(json_waits(&self.run.analyzed, limit))))
    }

    /// Waits for locks.
    pub fn locks(&self, limit: usize) -> Value {
        object(&self.report(Rows::Locks(json_locks(&self.run.analyzed, limit))))
    }

    /// Waiting time by what caused it.
    pub fn blame(&self, limit: usize) -> Value {
        object(&self.report(Rows::Blame(json_blame(&self.run.analyzed, limit))))
    }

    /// Lines of one file, ascending.
    pub fn annotated(&self, path: &str, heat: &FileHeat, waits: &WaitsOnLines) -> Value {
        let rows = (heat.lines.iter())
            .map(|line| AnnotatedLine {
                file: path,
                line: line.line,
                changed: line.changed,
                heat: self.heat(line.amounts),
            })
            .collect();
        object(&AnnotatedFile {
            file: path,
            notice: &heat.notice,
            waits: waits.lines.iter().map(JsonLineWaits::of).collect(),
            report: self.report(Rows::Annotated(rows)),
        })
    }

    fn report<'b>(&'b self, rows: Rows<'b>) -> Report<'b> {
        let (analyzed, measure) = (&self.run.analyzed, self.run.measure);
        let summary = profile::summarize(analyzed.profile());
        let total = analyzed.total(measure);
        Report {
            schema: self.schema.number(),
            total_samples: self.run.samples(total),
            lost_samples: summary.lost,
            unit: analyzed.unit(measure),
            totals: match self.schema {
                Schema::One => Totals::One {
                    total_cpu_ns: cpu_ns(analyzed),
                    value: analyzed.value_name(measure),
                    total_value: total.value,
                    stack_ends: stack_ends(analyzed),
                },
                Schema::Two => Totals::Two {
                    measures: measured(analyzed),
                    measure: analyzed.value_name(measure),
                    total: total.value,
                    cpu_time_ns: kernel_counted_ns(analyzed),
                    reasons: reasons(analyzed, measure),
                    wall_time: (self.run.wall_time.as_ref())
                        .map(|of| Box::new(JsonWallTime::new(analyzed, of))),
                    stacks: stacks(analyzed),
                },
            },
            selection: &self.run.selection,
            problems: (self.run.problems().into_iter())
                .chain(Some(analyzed.selection_notice()).filter(|notice| !notice.is_empty()))
                .collect(),
            executions: executions(&summary),
            memory: JsonMemory::new(self.run),
            counters: json_counters(analyzed),
            rows,
        }
    }

    fn heat(&self, amounts: Amounts) -> Heat {
        let (self_, total) = (amounts.self_.value, amounts.total.value);
        Heat {
            self_samples: self.run.samples(amounts.self_),
            total_samples: self.run.samples(amounts.total),
            values: match self.schema {
                Schema::One => Values::One {
                    self_ns: self_,
                    total_ns: total,
                },
                Schema::Two => Values::Two { self_, total },
            },
        }
    }
}

fn cpu_ns(analyzed: &Analyzed) -> u64 {
    let cpu = analyzed.profile().find_sample_type("cpu", "nanoseconds");
    cpu.map_or(0, |measure| analyzed.total(measure).value)
}

fn stack_ends(analyzed: &Analyzed) -> BTreeMap<&str, u64> {
    let ends = analyzed.profile().run.iter().flat_map(|r| &r.stack_ends);
    ends.map(|end| (&*end.cause, end.count)).collect()
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
