//! Counted calls in the JSON of `report --calls`.

use analysis::CalledRow;
use profile::run::{CallPrice, CallTimes};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonCalls<'a, Heat> {
    name: &'a str,
    module: &'a str,
    /// Exactly; null: not counted.
    calls: Option<u64>,
    /// Why; absent: it was counted.
    #[serde(skip_serializing_if = "str::is_empty")]
    not_counted: &'a str,
    /// Other names of the same code, whose calls are included.
    same_code: &'a [String],
    /// Where it was inlined.
    inlined_places: u32,
    /// Those that are counted, which are among `calls`.
    inlined_calls: Vec<InlinedCalls<'a>>,
    /// The other places, by reason.
    uncounted_places: Vec<UncountedPlaces<'a>>,
    /// Why its own code is not counted, while inlined calls are; absent: it is, or it has none.
    #[serde(skip_serializing_if = "str::is_empty")]
    own_not_counted: &'a str,
    /// There may be more of them.
    may_be_inlined: bool,
    /// Null where it would not be known.
    per_call: Option<PerCall>,
    /// Null: its calls were not timed.
    times: Option<JsonCallTimes>,
    /// Why; absent: they were, or this was not asked for.
    #[serde(skip_serializing_if = "str::is_empty")]
    not_timed: &'a str,
    threads: Vec<ThreadCalls>,
    #[serde(flatten)]
    heat: Heat,
}

#[derive(Serialize)]
struct InlinedCalls<'a> {
    caller: &'a str,
    /// Of the call; empty and 0: unknown.
    file: &'a str,
    line: u32,
    calls: u64,
}

#[derive(Serialize)]
struct UncountedPlaces<'a> {
    places: u32,
    why: &'a str,
}

/// In the unit of the report. The interval covers 95 %.
#[derive(Serialize)]
struct PerCall {
    value: f64,
    low: f64,
    high: f64,
}

/// From their starts to their returns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCallTimes {
    /// How many were timed.
    calls: u64,
    sum_ns: u64,
    /// These are null if none was.
    mean_ns: Option<f64>,
    shortest_ns: Option<u64>,
    /// Off by an eighth at most.
    p50_ns: Option<f64>,
    p90_ns: Option<f64>,
    p99_ns: Option<f64>,
    longest_ns: Option<u64>,
    /// An exception, longjmp or the end of their thread has cut them off.
    unfinished: u64,
    /// There was no room for them among those that had begun.
    no_room: u64,
    /// When no more were timed, since there were too many; null: to the end.
    ended_ns: Option<u64>,
}

impl JsonCallTimes {
    fn of(times: &CallTimes) -> JsonCallTimes {
        let calls = times.measured();
        let is_any = calls > 0;
        JsonCallTimes {
            calls,
            sum_ns: times.sum_ns,
            mean_ns: times.mean(),
            shortest_ns: is_any.then_some(times.shortest_ns),
            p50_ns: times.quantile(0.5),
            p90_ns: times.quantile(0.9),
            p99_ns: times.quantile(0.99),
            longest_ns: is_any.then_some(times.longest_ns),
            unfinished: times.unfinished,
            no_room: times.no_room,
            ended_ns: (times.ended_ns > 0).then_some(times.ended_ns),
        }
    }
}

#[derive(Serialize)]
struct ThreadCalls {
    pid: u32,
    tid: u32,
    calls: u64,
}

/// What counting a call cost, and so much more timing it: null if none was timed. Null: unknown.
pub fn json_price(price: Option<&CallPrice>) -> Value {
    price.map_or(Value::Null, |of| {
        let timed_ns = (of.timed_ns > 0).then_some(of.timed_ns);
        json!({ "countedNs": of.counted_ns, "timedNs": timed_ns })
    })
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
            inlined_calls: (counted.inlined_calls.iter())
                .map(|of| InlinedCalls {
                    caller: &of.caller,
                    file: &of.file,
                    line: of.line,
                    calls: of.calls,
                })
                .collect(),
            uncounted_places: (counted.uncounted_places.iter())
                .map(|of| UncountedPlaces {
                    places: of.places,
                    why: &of.why,
                })
                .collect(),
            own_not_counted: &counted.own_not_counted,
            may_be_inlined: counted.may_be_inlined,
            per_call: row.per_call.map(|each| PerCall {
                value: each.value,
                low: each.low,
                high: each.high,
            }),
            times: counted.times.as_ref().map(JsonCallTimes::of),
            not_timed: &counted.not_timed,
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
