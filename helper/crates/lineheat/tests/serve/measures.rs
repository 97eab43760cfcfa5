//! A run of several measures: each figure is of the one that was asked for, and rests on samples of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use profile::run::{RunInfo, Source};
use profile::{LabelValue, LineOf, LockHolder, MappingOf, Profile, ProfileBuilder, WAIT, Waker};
use serde_json::Value;
use wire::{
    FileHeatRequest, LineDetailRequest, Message, OpenComparisonRequest, RunOpened, ViewRequest,
    reply, request, value_type, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

const TYPES: [(&str, &str); 5] = [
    ("samples", "count"),
    ("cpu", "nanoseconds"),
    ("waits", "count"),
    ("wait", "nanoseconds"),
    ("inuse_space", "bytes"),
];

/// In line 9 it computes 30 times, in line 14 it waits twice, and line 8 has memory.
fn run(fixture: &Fixture, name: &str, bytes: u64) -> PathBuf {
    fixture.saved(name, &profile_of(fixture, bytes))
}

fn profile_of(fixture: &Fixture, bytes: u64) -> Profile {
    let mut builder = ProfileBuilder::new(&TYPES);
    let program = builder.add_mapping(MappingOf {
        filename: "/build/sample",
        symbolized: true,
        ..MappingOf::default()
    });
    let source = text(&fixture.source);
    let fill = builder.add_function("fill", "fill", &source, 6);
    let main = builder.add_function("main", "main", &source, 12);
    let mut at = |function, line| {
        let column = 0;
        let lines = [LineOf {
            function,
            line,
            column,
        }];
        builder.add_location(Some(program), u64::from(line), &lines)
    };
    let (computing, waiting, keeping) = (at(fill, 9), at(main, 14), at(fill, 8));
    builder.add_sample(&[computing, waiting], &[30, 30_000_000, 0, 0, 0], &[]);
    let holder = LockHolder {
        thread: "writer",
        function: "hold",
        file: "/src/ledger.c",
        line: 29,
    };
    let waker = Waker {
        kind: "thread",
        thread: "writer",
        tid: 5,
        function: "release",
        file: "/src/ledger.c",
        line: 33,
    };
    let lock: Vec<_> = [(WAIT, LabelValue::Text("lock"))]
        .into_iter()
        .chain(holder.labels())
        .chain(waker.labels())
        .collect();
    builder.add_sample(&[waiting], &[0, 0, 2, 700_000_000, 0], &lock);
    builder.add_sample(&[keeping, waiting], &[0, 0, 0, 0, bytes], &[]);
    let only = builder.add_function("alone", "alone", "/build/alone.c", 1);
    let column = 0;
    let lines = [LineOf {
        function: only,
        line: 2,
        column,
    }];
    let elsewhere = builder.add_location(Some(program), 2, &lines);
    builder.add_sample(&[elsewhere], &[0, 0, 1, 1, 0], &[]);
    builder.finish()
}

pub fn heat(engine: &mut Engine, run: u32, path: &Path, value: u32) -> wire::FileHeat {
    let request = FileHeatRequest {
        run,
        path: text(path),
        value: Some(value),
        ..FileHeatRequest::default()
    };
    match engine.ask(request::Body::FileHeat(request)) {
        reply::Body::FileHeat(heat) => heat,
        other => panic!("{other:?}"),
    }
}

fn opened(engine: &mut Engine, fixture: &Fixture) -> RunOpened {
    engine.open(&run(fixture, "a.pb.gz", 4096))
}

#[test]
fn a_run_lists_its_measures() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = opened(&mut engine, &fixture);
    let names: Vec<(&str, bool, i32)> = (opened.values.iter())
        .map(|of| (of.r#type.as_str(), of.samples_unknown, of.family))
        .collect();
    let details: Vec<bool> = opened.values.iter().map(|of| of.detail).collect();
    assert_eq!(details, [true, false, true, false, false]);
    assert!(opened.unrecorded.is_empty(), "of another tool");
    let [cpu, waiting, memory] = [
        value_type::Family::Cpu,
        value_type::Family::Waiting,
        value_type::Family::Memory,
    ]
    .map(i32::from);
    assert_eq!(
        names,
        [
            ("samples", false, cpu),
            ("cpu", false, cpu),
            ("waits", false, waiting),
            ("wait", false, waiting),
            ("inuse_space", true, memory),
        ]
    );
    assert_eq!((opened.default_value, opened.total_samples), (1, 30));
    let files = opened
        .files
        .iter()
        .map(|file| (file.recorded_path.rsplit('/').next(), file.total_samples));
    let files: Vec<_> = files.collect();
    assert_eq!(
        files,
        [(Some("sample.c"), 30), (Some("alone.c"), 0)],
        "hot in another measure"
    );
}

#[test]
fn heat_is_of_the_measure_and_counts_its_own_samples() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = opened(&mut engine, &fixture).run;
    let told = |engine: &mut Engine, value| {
        let heat = heat(engine, run, &fixture.source, value);
        let lines = (0..heat.line.len())
            .map(|at| {
                let values = (heat.self_value[at], heat.self_samples[at]);
                (heat.line[at], values, heat.total_value_of_line[at])
            })
            .collect::<Vec<_>>();
        (heat.value, heat.unit.clone(), heat.samples_unknown, lines)
    };
    let ns = || "nanoseconds".to_owned();
    assert_eq!(
        told(&mut engine, 1),
        (
            1,
            ns(),
            false,
            vec![(9, (30_000_000, 30), 30_000_000), (14, (0, 0), 30_000_000)]
        )
    );
    assert_eq!(
        told(&mut engine, 3),
        (3, ns(), false, vec![(14, (700_000_000, 2), 700_000_000)])
    );
    assert_eq!(
        told(&mut engine, 4),
        (
            4,
            "bytes".to_owned(),
            true,
            vec![(8, (4096, 0), 4096), (14, (0, 0), 4096)]
        )
    );
    let wrong = FileHeatRequest {
        run,
        value: Some(5),
        ..FileHeatRequest::default()
    };
    let failure = engine.fails(request::Body::FileHeat(wrong));
    assert_eq!(
        failure.message,
        "The run has 5 measures; there is no number 5."
    );
}

#[test]
fn beside_cpu_time_stands_what_lines_waited_for_also_after_edits_and_in_no_other_measure() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let text_saved = std::fs::read_to_string(&fixture.source).expect("the source");
    let mut profile = profile_of(&fixture, 4096);
    let source = Source {
        path: text(&fixture.source),
        text: text_saved.clone(),
        ..Source::default()
    };
    profile.run = Some(RunInfo {
        sources: vec![source],
        ..RunInfo::default()
    });
    let run = engine.open(&fixture.saved("a.pb.gz", &profile)).run;
    let ask = |engine: &mut Engine, value, now: String| {
        let request = FileHeatRequest {
            run,
            path: text(&fixture.source),
            has_text: true,
            text: now,
            value: Some(value),
        };
        match engine.ask(request::Body::FileHeat(request)) {
            reply::Body::FileHeat(heat) => heat,
            other => panic!("{other:?}"),
        }
    };
    let told = |heat: &wire::FileHeat| -> Vec<_> {
        (heat.waits.iter())
            .map(|of| {
                let reasons = (of.reasons.iter()).map(|r| (r.reason.clone(), r.value, r.samples));
                (
                    of.line,
                    of.changed,
                    of.waited_ns,
                    reasons.collect::<Vec<_>>(),
                )
            })
            .collect()
    };
    let lock = || vec![("lock".to_owned(), 700_000_000, 2)];
    let as_saved = ask(&mut engine, 1, text_saved.clone());
    assert_eq!(told(&as_saved), [(14, false, 700_000_000, lock())]);
    assert_eq!(as_saved.threads_ns, 730_000_001, "CPU time and waits");
    let moved = ask(&mut engine, 1, format!("// new\n{text_saved}"));
    assert_eq!(told(&moved), [(15, false, 700_000_000, lock())]);
    let mut lines: Vec<&str> = text_saved.lines().collect();
    lines[13] = "  other();";
    let edited = ask(&mut engine, 1, lines.join("\n"));
    assert_eq!(told(&edited), [(14, true, 700_000_000, lock())]);
    let detail = LineDetailRequest {
        run,
        path: text(&fixture.source),
        line: 14,
        ..LineDetailRequest::default()
    };
    match engine.ask(request::Body::LineDetail(detail)) {
        reply::Body::LineDetail(detail) => assert!(detail.changed, "{detail:?}"),
        other => panic!("{other:?}"),
    }
    let of_waiting = ask(&mut engine, 3, text_saved);
    assert_eq!((told(&of_waiting), of_waiting.threads_ns), (vec![], 0));
}

#[test]
fn hover_graph_and_table_are_of_the_measure() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = opened(&mut engine, &fixture).run;
    let detail = LineDetailRequest {
        run,
        path: text(&fixture.source),
        line: 14,
        value: Some(3),
        ..LineDetailRequest::default()
    };
    match engine.ask(request::Body::LineDetail(detail)) {
        reply::Body::LineDetail(detail) => {
            let shown = (detail.self_value, detail.self_samples);
            assert_eq!(shown, (700_000_000, 2));
            assert_eq!(detail.run_total_value, 700_000_001);
            let all = detail.measures.iter();
            let all: Vec<_> = all
                .map(|of| (of.value, of.self_value, of.total_value, of.run_total_value))
                .collect();
            let expected = [
                (0, 0, 30, 30),
                (1, 0, 30_000_000, 30_000_000),
                (2, 2, 2, 3),
                (3, 700_000_000, 700_000_000, 700_000_001),
                (4, 0, 4096, 4096),
            ];
            assert_eq!(all, expected);
            assert_eq!(detail.measures[3].total_samples, 2);
            let [reason] = detail.measures[3].reasons.as_slice() else {
                panic!("{:?}", detail.measures[3].reasons);
            };
            let told = (reason.reason.as_str(), reason.value, reason.samples);
            assert_eq!(told, ("lock", 700_000_000, 2));
            let [holder] = detail.measures[3].holders.as_slice() else {
                panic!("{:?}", detail.measures[3].holders);
            };
            let place = holder.place.clone().expect("a place");
            assert_eq!((place.function.as_str(), place.line), ("hold", 29));
            assert_eq!(place.path, "/src/ledger.c");
            assert_eq!((holder.value, holder.samples), (700_000_000, 2));
            let [waker] = detail.measures[3].wakers.as_slice() else {
                panic!("{:?}", detail.measures[3].wakers);
            };
            let place = waker.place.clone().expect("a place");
            assert_eq!((place.function.as_str(), place.line), ("release", 33));
            assert_eq!((waker.value, waker.samples), (700_000_000, 2));
        }
        other => panic!("{other:?}"),
    }
    let mut view = |kind: Kind, value| {
        let request = ViewRequest {
            kind: kind.into(),
            run,
            value,
            ..ViewRequest::default()
        };
        engine.view(request)
    };
    let graph = view(Kind::FlameGraph, 4);
    let graph = wire::FlameGraph::decode(&*graph).expect("a graph");
    assert!(graph.samples_unknown);
    assert_eq!((graph.unit.as_str(), graph.total_value[0]), ("bytes", 4096));
    assert!(graph.self_samples.iter().all(|&samples| samples == 0));
    let table = view(Kind::Functions, 3);
    let table = wire::FunctionTable::decode(&*table).expect("a table");
    assert_eq!((table.total_value, table.total_samples), (700_000_001, 3));
    assert!(!table.samples_unknown);
}

#[test]
fn a_selection_tells_what_it_has_of_each_measure() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = opened(&mut engine, &fixture);
    let figures = |totals: &[wire::MeasuredTotal]| -> Vec<(u64, u64)> {
        totals.iter().map(|of| (of.samples, of.value)).collect()
    };
    assert_eq!(
        figures(&opened.totals),
        [
            (30, 30),
            (30, 30_000_000),
            (3, 3),
            (3, 700_000_001),
            (0, 4096)
        ]
    );
    let only_fill = wire::Transform {
        kind: wire::transform::Kind::KeepFunction.into(),
        function: Some(wire::NamedFunction {
            name: "fill".to_owned(),
            module: String::new(),
        }),
        ..wire::Transform::default()
    };
    let request = wire::SelectRequest {
        run: opened.run,
        selection: Some(wire::Selection {
            transforms: vec![only_fill],
            ..wire::Selection::default()
        }),
    };
    match engine.ask(request::Body::Select(request)) {
        reply::Body::Selected(selected) => assert_eq!(
            figures(&selected.totals),
            [(30, 30), (30, 30_000_000), (0, 0), (0, 0), (0, 4096)]
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_runs_are_compared_by_the_measure_that_is_named() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let base_run = engine.open(&run(&fixture, "a.pb.gz", 4096)).run;
    let new = engine.open(&run(&fixture, "b.pb.gz", 8192));
    let named = |value: Option<wire::ValueType>| {
        request::Body::OpenComparison(OpenComparisonRequest {
            base_run,
            new_run: new.run,
            value,
            ..OpenComparisonRequest::default()
        })
    };
    match engine.ask(named(Some(new.values[4].clone()))) {
        reply::Body::ComparisonOpened(opened) => {
            let of = opened.value.expect("what is compared");
            assert_eq!(
                (of.r#type.as_str(), of.samples_unknown),
                ("inuse_space", true)
            );
            assert_eq!((opened.base_total, opened.new_total), (4096, 8192));
        }
        other => panic!("{other:?}"),
    }
    let absent = wire::ValueType {
        r#type: "gizmos".to_owned(),
        ..wire::ValueType::default()
    };
    let failure = engine.fails(named(Some(absent)));
    assert!(failure.message.contains("inuse_space/bytes"), "{failure:?}");
}

fn command_line(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_command_line_shows_the_same_in_both_forms() {
    let fixture = Fixture::new();
    let run = text(&run(&fixture, "a.pb.gz", 4096));
    let json = |arguments: &[&str]| -> Value {
        let all = [&["report", &run, "--lines", "--json"], arguments].concat();
        serde_json::from_str(&command_line(&all).1).expect("an object")
    };
    let waiting = json(&["--measure", "wait", "--schema", "2"]);
    assert_eq!(
        (&waiting["measure"], &waiting["unit"], &waiting["total"]),
        (&"wait".into(), &"nanoseconds".into(), &700_000_001.into())
    );
    assert_eq!(waiting["measures"].as_array().expect("all").len(), 5);
    let line = &waiting["lines"][0];
    assert_eq!(
        (&line["line"], &line["self"]),
        (&14.into(), &700_000_000.into())
    );
    assert_eq!(
        (&line["selfSamples"], &line["selfNs"]),
        (&2.into(), &Value::Null)
    );
    let first = json(&["--measure", "inuse_space"]);
    assert_eq!(
        (&first["schema"], &first["value"]),
        (&1.into(), &"inuse_space".into())
    );
    let line = &first["lines"][0];
    assert_eq!(
        (&line["selfNs"], &line["selfSamples"]),
        (&4096.into(), &Value::Null)
    );

    let (_, shown, _) = command_line(&["report", &run, "--measure", "inuse_space"]);
    assert!(
        shown.contains("count unknown, inuse_space 4.00 KiB"),
        "{shown}"
    );
    assert!(!shown.contains('?'), "few samples are not said: {shown}");
    let (done, _, said) = command_line(&["report", &run, "--measure", "gizmos"]);
    assert!(!done, "{said}");
    assert_eq!(
        said.trim(),
        "lineheat: This file does not contain the measure gizmos. It contains: samples/count, cpu/nanoseconds, waits/count, wait/nanoseconds, inuse_space/bytes."
    );
}
