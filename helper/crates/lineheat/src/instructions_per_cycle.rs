//! Instructions per cycle in reports, and what the counters of a run have counted.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use analysis::{Analyzed, InstructionsAndCycles, InstructionsPerCycle};
use profile::run::EventCounter;
use serde::Serialize;
use statistics::Interval;

use crate::selected_run::SelectedRun;
use crate::terminal::Style;
use crate::terminal_numbers::{count, share, value};

/// The value and its interval.
pub const TITLES: [&str; 2] = ["IPC", "95 %"];

/// By row of a table. `None`: the run has not both counters.
pub struct PerCycle<Id = u32>(Option<HashMap<Id, InstructionsPerCycle>>);

impl PerCycle {
    pub fn of_functions(analyzed: &Analyzed) -> PerCycle {
        PerCycle(InstructionsAndCycles::of(analyzed).map(|of| of.of_functions(analyzed)))
    }

    pub fn of_lines(analyzed: &Analyzed) -> PerCycle {
        PerCycle(InstructionsAndCycles::of(analyzed).map(|of| of.of_lines(analyzed)))
    }
}

impl<Id: Copy + Eq + Hash> PerCycle<Id> {
    /// How many a table has of them.
    pub fn columns(&self) -> usize {
        if self.0.is_some() { TITLES.len() } else { 0 }
    }

    fn of(&self, row: Id) -> Option<InstructionsPerCycle> {
        let rows = self.0.as_ref()?;
        Some(rows.get(&row).copied().unwrap_or_default())
    }

    /// Of the row itself; empty texts where a counter has no samples there.
    pub fn cells(&self, row: Id) -> Vec<(String, Style)> {
        let Some(InstructionsPerCycle { self_, .. }) = self.of(row) else {
            return Vec::new();
        };
        let [value, between] = self_.map_or_else(Default::default, |of| {
            let between = format!("{:.2} to {:.2}", of.low, of.high);
            [format!("{:.2}", of.value), between]
        });
        vec![(value, Style::Plain), (between, Style::Faint)]
    }

    pub fn json(&self, row: Id) -> Option<JsonPerCycle> {
        let of = self.of(row)?;
        Some(JsonPerCycle {
            self_: of.self_.map(JsonInterval::of),
            total: of.total.map(JsonInterval::of),
        })
    }
}

/// Null: a counter has no samples there.
#[derive(Serialize)]
pub struct JsonPerCycle {
    #[serde(rename = "self")]
    self_: Option<JsonInterval>,
    total: Option<JsonInterval>,
}

#[derive(Serialize)]
struct JsonInterval {
    value: f64,
    low: f64,
    high: f64,
}

impl JsonInterval {
    fn of(of: Interval) -> JsonInterval {
        let Interval { value, low, high } = of;
        JsonInterval { value, low, high }
    }
}

/// Of the whole run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonCounter<'a> {
    name: &'a str,
    /// "count" or "nanoseconds".
    unit: &'static str,
    /// By the kernel.
    count: u64,
    /// What the samples add up to, and how many there are.
    sampled: u64,
    samples: u64,
    /// For how long it was to count, of all threads, and for how long it had a counter of the CPU.
    enabled_ns: u64,
    running_ns: u64,
    /// The share of the one in the other; null: it was not to count at all.
    counted_share: Option<f64>,
    /// As perf_event_open(2) has it, from 0 to 3.
    precise: u32,
    /// Empty: it was counted.
    refused: &'a str,
}

pub fn json_counters(analyzed: &Analyzed) -> Vec<JsonCounter<'_>> {
    let counters = analyzed.profile().run.iter().flat_map(|run| &run.counters);
    let each = counters.map(|of| JsonCounter {
        name: &of.name,
        unit: unit(of),
        count: of.count,
        sampled: of.sampled,
        samples: of.samples,
        enabled_ns: of.enabled_ns,
        running_ns: of.running_ns,
        counted_share: (of.enabled_ns > 0).then(|| of.running_ns as f64 / of.enabled_ns as f64),
        precise: of.precise,
        refused: &of.refused,
    });
    each.collect()
}

fn unit(of: &EventCounter) -> &'static str {
    match of.is_time {
        true => "nanoseconds",
        false => "count",
    }
}

/// "cycles 1,234,567 (samples: 1,230,000), …": what the kernel counted in the whole run, beside what the samples add up to. Empty: no
/// counters, or a part is selected.
pub fn counted(run: &SelectedRun) -> String {
    if !run.selection.is_empty() {
        return String::new();
    }
    let counters = run
        .analyzed
        .profile()
        .run
        .iter()
        .flat_map(|run| &run.counters);
    let counters: Vec<&EventCounter> = counters.filter(|of| of.refused.is_empty()).collect();
    let mut parts: Vec<String> = counters.iter().map(|of| one(of)).collect();
    let find = |name| counters.iter().find(|of| of.name == name && of.count > 0);
    if let (Some(instructions), Some(cycles)) = (find("instructions"), find("cycles")) {
        let ratio = whole(instructions) / whole(cycles);
        parts.push(format!("IPC {ratio:.2}"));
    }
    parts.join(", ")
}

/// "cycles, instructions: samples may be … (precise level 0 of 3)": how far from their events the samples of hardware counters are. Empty as
/// `counted`.
pub fn precision(run: &SelectedRun) -> String {
    if !run.selection.is_empty() {
        return String::new();
    }
    let recorded = run.analyzed.profile().run.iter();
    let known = recorder::known_counters();
    let is_software = |name: &str| known.iter().any(|of| of.is_software && of.name == name);
    let counters = recorded.flat_map(|run| &run.counters);
    let mut by_level = BTreeMap::<u32, Vec<&str>>::new();
    for of in counters.filter(|of| of.running_ns > 0 && !is_software(&of.name)) {
        by_level.entry(of.precise).or_default().push(&of.name);
    }
    let each = by_level.into_iter().map(|(level, names)| {
        let meaning = match level {
            0 => "samples may be some instructions after the event",
            1 => "samples are always about as far after the event",
            _ => "samples are at the event",
        };
        format!(
            "{}: {meaning} (precise level {level} of 3)",
            names.join(", ")
        )
    });
    each.collect::<Vec<_>>().join("; ")
}

fn one(of: &EventCounter) -> String {
    let amount = |events| match of.is_time {
        true => value(events, unit(of)),
        false => count(events),
    };
    let part = match (of.running_ns, of.enabled_ns) {
        (0, 1..) => return format!("{} never counted", of.name),
        (running, enabled) if running < enabled => {
            let time = share(running, enabled, None);
            format!(", counted in {} of the time", time.trim())
        }
        _ => String::new(),
    };
    format!(
        "{} {} (samples: {}{part})",
        of.name,
        amount(of.count),
        amount(of.sampled)
    )
}

/// For all of the time, as if it was like the part in which there was a counter of the CPU.
fn whole(of: &EventCounter) -> f64 {
    of.count as f64 * (of.enabled_ns as f64 / of.running_ns.max(1) as f64).max(1.0)
}
