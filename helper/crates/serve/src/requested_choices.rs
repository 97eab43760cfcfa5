//! The plain values of a recording that a request asks for.
//!
//! Made from protocol/record-options.json by `npm run generate`; do not edit it.

use recorder::Choices;
use wire::RecordRequest;

use super::failure::Failure;
use super::requested_values::{Counted, count, seconds};

pub fn choices(request: &RecordRequest) -> Result<Choices, Failure> {
    let sample_hz = Counted {
        usual: 999,
        min: 1,
        max: 9999,
        refusal: "Cannot take {} samples per second",
    };
    let warm_up = Counted {
        usual: 0,
        min: 0,
        max: 10_000,
        refusal: "Cannot record {} warm-up executions",
    };
    let repeat = Counted {
        usual: 1,
        min: 1,
        max: 10_000,
        refusal: "Cannot record {} executions",
    };
    Ok(Choices {
        sample_hz: count(request.sample_hz, sample_hz)?,
        waiting: !request.no_waiting,
        wakeups: request.wakeups,
        allocations: request.allocations,
        faults: request.faults,
        syscalls: request.syscalls,
        latency: request.latency,
        warm_up: count(request.warm_up, warm_up)?,
        debuginfod: request.debuginfod,
        duration: seconds(request.duration_s)?,
        repeat: count(request.repeat, repeat)?,
        ..Choices::default()
    })
}
