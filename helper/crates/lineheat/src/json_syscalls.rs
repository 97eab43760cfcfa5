//! System calls in the JSON of `report --syscalls`.

use analysis::{Analyzed, SystemCallRow};
use serde::Serialize;

use crate::report_syscalls::mean_ns;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonSyscall<'a> {
    name: &'a str,
    calls: u64,
    errors: u64,
    /// Waiting included.
    time_ns: u64,
    /// Null where there was no whole call.
    mean_ns: Option<f64>,
    /// The line of the program with most time in these calls; null: no stack is known.
    hottest: Option<Site<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Site<'a> {
    /// Of the function.
    name: &'a str,
    module: &'a str,
    file: &'a str,
    /// 0: unknown.
    line: u32,
    time_ns: u64,
}

impl<'a> JsonSyscall<'a> {
    pub fn new(analyzed: &'a Analyzed, row: &'a SystemCallRow) -> JsonSyscall<'a> {
        let hottest = row.hottest.map(|site| {
            let function = analyzed.function(site.function);
            let place = site.place.map(|id| analyzed.places()[id as usize]);
            Site {
                name: analyzed.text(function.name),
                module: analyzed.text(function.module),
                file: place.map_or("", |place| analyzed.file_path(place.file)),
                line: place.map_or(0, |place| place.line),
                time_ns: site.time.value,
            }
        });
        JsonSyscall {
            name: row.name,
            calls: row.calls.value,
            errors: row.errors,
            time_ns: row.time.value,
            mean_ns: mean_ns(row),
            hottest,
        }
    }
}
