//! Counted and timed calls in the table of functions.

use profile::Profile;
use profile::run::{CallCounts, CallTimes, CalledFunction};
use wire::view_request::Kind;
use wire::{Message, ViewRequest};

use crate::client::Engine;
use crate::fixture::Fixture;

/// The table of a run in which calls of `weigh` and `fill` were counted.
fn table(times: Option<CallTimes>) -> wire::FunctionTable {
    let fixture = Fixture::new();
    let path = fixture.run("calls.pb.gz", 60);
    let mut profile = Profile::open(&path).expect("a run");
    let function = |name: &str, calls, times| CalledFunction {
        name: name.to_owned(),
        module: "/build/sample".to_owned(),
        calls,
        times,
        ..CalledFunction::default()
    };
    profile.run.as_mut().expect("a run").calls = Some(CallCounts {
        functions: vec![function("weigh", 60, None), function("fill", 5, times)],
        threads: Vec::new(),
        price: None,
    });
    profile::save(&profile, &path).expect("saved");
    let mut engine = Engine::start();
    let run = engine.open(&path).run;
    let request = ViewRequest {
        kind: Kind::Functions.into(),
        run,
        value: 1,
        ..ViewRequest::default()
    };
    wire::FunctionTable::decode(&*engine.view(request)).expect("a table")
}

/// NaN as nothing.
fn known(column: &[f64]) -> Vec<Option<f64>> {
    column
        .iter()
        .map(|value| (!value.is_nan()).then_some(*value))
        .collect()
}

#[test]
fn the_table_of_functions_says_how_long_timed_calls_took() {
    // Four calls of 8 ns and one of 20, in buckets that begin at 8 and 20; the shortest and longest bound what is interpolated.
    let table = table(Some(CallTimes {
        sum_ns: 52,
        shortest_ns: 8,
        longest_ns: 20,
        bucket: vec![8, 18],
        calls: vec![4, 1],
        ..CallTimes::default()
    }));
    // weigh, fill, ksys_write, main.
    assert_eq!(known(&table.calls), [Some(60.0), Some(5.0), None, None]);
    let of_fill = |value| vec![None, Some(value), None, None];
    assert_eq!(known(&table.call_p50_ns), of_fill(8.75));
    assert_eq!(known(&table.call_p90_ns), of_fill(20.0));
    assert_eq!(known(&table.call_p99_ns), of_fill(20.0));
    assert_eq!(known(&table.call_longest_ns), of_fill(20.0));
}

#[test]
fn a_run_without_timed_calls_has_no_columns_of_times() {
    for times in [None, Some(CallTimes::default())] {
        let table = table(times);
        assert_eq!(table.calls.len(), 4);
        assert!(table.call_p50_ns.is_empty() && table.call_longest_ns.is_empty());
    }
}
