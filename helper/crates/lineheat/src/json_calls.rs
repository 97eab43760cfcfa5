//! Counted calls in the JSON of `report --calls`.

use analysis::CalledRow;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonCalls<'a, Heat> {
    name: &'a str,
    module: &'a str,
    /// Of its own code, exactly; null: not counted.
    calls: Option<u64>,
    /// Why; absent: it was counted.
    #[serde(skip_serializing_if = "str::is_empty")]
    not_counted: &'a str,
    /// Other names of the same code, whose calls are included.
    same_code: &'a [String],
    /// Where it was inlined: calls there are not counted.
    inlined_places: u32,
    /// There may be more of them.
    may_be_inlined: bool,
    /// Null where it would not be known.
    per_call: Option<PerCall>,
    threads: Vec<ThreadCalls>,
    #[serde(flatten)]
    heat: Heat,
}

/// In the unit of the report. The interval covers 95 %.
#[derive(Serialize)]
struct PerCall {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct ThreadCalls {
    pid: u32,
    tid: u32,
    calls: u64,
}

impl<'a, Heat> JsonCalls<'a, Heat> {
    pub fn new(heat: Heat, row: CalledRow<'a>) -> JsonCalls<'a, Heat> {
        let counted = row.counted;
        JsonCalls {
            name: &counted.name,
            module: row.module,
            calls: counted.not_counted.is_empty().then_some(counted.calls),
            not_counted: &counted.not_counted,
            same_code: &counted.same_code,
            inlined_places: counted.inlined,
            may_be_inlined: counted.may_be_inlined,
            per_call: row.per_call.map(|each| PerCall {
                value: each.value,
                low: each.low,
                high: each.high,
            }),
            threads: (row.threads.iter())
                .map(|of| ThreadCalls {
                    pid: of.pid,
                    tid: of.tid,
                    calls: of.calls,
                })
                .collect(),
            heat,
        }
    }
}
