//! Selections: open like runs, with the same figures everywhere.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wire::{
    CloseRequest, FileHeatRequest, HottestStackRequest, MatchNamesRequest, Message, NamedFunction,
    SaveRunRequest, SelectRequest, Selected, Selection, TimeRange, TimelineRequest, Transform,
    ViewRequest, match_names_request::What, reply, request, transform, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

pub fn select(engine: &mut Engine, run: u32, selection: Selection) -> Selected {
    let request = SelectRequest {
        run,
        selection: Some(selection),
    };
    match engine.ask(request::Body::Select(request)) {
        reply::Body::Selected(selected) => selected,
        other => panic!("{other:?}"),
    }
}

pub fn during(from_ms: u64, to_ms: u64) -> Selection {
    Selection {
        times: vec![TimeRange {
            from_ns: from_ms * 1_000_000,
            to_ns: to_ms * 1_000_000,
        }],
        ..Selection::default()
    }
}

pub fn functions(engine: &mut Engine, run: u32) -> wire::FunctionTable {
    let view = ViewRequest {
        kind: Kind::Functions.into(),
        run,
        value: 1,
        ..ViewRequest::default()
    };
    wire::FunctionTable::decode(&*engine.view(view)).expect("a table")
}

pub fn flame_graph(engine: &mut Engine, run: u32) -> wire::FlameGraph {
    let view = ViewRequest {
        kind: Kind::FlameGraph.into(),
        run,
        value: 1,
        ..ViewRequest::default()
    };
    wire::FlameGraph::decode(&*engine.view(view)).expect("a graph")
}

fn heat(engine: &mut Engine, run: u32, path: &Path) -> wire::FileHeat {
    let request = FileHeatRequest {
        run,
        path: text(path),
        ..FileHeatRequest::default()
    };
    match engine.ask(request::Body::FileHeat(request)) {
        reply::Body::FileHeat(heat) => heat,
        other => panic!("{other:?}"),
    }
}

pub fn command_line(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(arguments)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn heat_table_graph_and_command_line_agree_on_200_selections() {
    let fixture = Fixture::new();
    let file = fixture.run("a.pb.gz", 60);
    let mut engine = Engine::start();
    let run = engine.open(&file).run;
    let kinds = [
        "",
        "--focus=fill",
        "--hide=weigh",
        "--drop=fill",
        "--hide-kernel",
        "--keep=/^we/",
        "--drop-module=[kernel*",
        "--keep-file=sample.?",
        "--hide-file=src/*.c",
    ];
    for number in 0..200_u64 {
        let (from, length) = ((number * 37) % 100, 1 + (number * 53) % 70);
        let mut selection = during(from, from + length);
        let function = |name: &str| {
            Some(NamedFunction {
                name: name.to_owned(),
                module: String::new(),
            })
        };
        let flag = kinds[number as usize % kinds.len()];
        let (kind, function) = match flag {
            "--focus=fill" => (transform::Kind::FocusFunction, function("fill")),
            "--hide=weigh" => (transform::Kind::MergeFunction, function("weigh")),
            "--drop=fill" => (transform::Kind::DropFunction, function("fill")),
            "--keep=/^we/" => (transform::Kind::KeepFunction, function("/^we/")),
            "--drop-module=[kernel*" => (transform::Kind::DropModule, None),
            "--keep-file=sample.?" => (transform::Kind::KeepFile, None),
            "--hide-file=src/*.c" => (transform::Kind::HideFile, None),
            _ => (transform::Kind::HideKernel, None),
        };
        if !flag.is_empty() {
            selection.transforms.push(Transform {
                kind: kind.into(),
                function,
                module: "[kernel*".to_owned(),
                file: flag.rsplit('=').next().unwrap_or_default().to_owned(),
                ..Transform::default()
            });
        }
        let selected = select(&mut engine, run, selection);
        let table = functions(&mut engine, selected.run);
        let graph = flame_graph(&mut engine, selected.run);
        let heat = heat(&mut engine, selected.run, &fixture.source);
        assert_eq!(
            (selected.run_samples, selected.run_value),
            (100, 100_000_000)
        );
        for (samples, value) in [
            (table.total_samples, table.total_value),
            (graph.total_samples[0], graph.total_value[0]),
            (heat.total_samples, heat.total_value),
        ] {
            // A root that calls nothing has its figures as its own.
            let is_alone = graph.frame.len() == 1 && value == 0;
            assert!(is_alone || (samples, value) == (selected.samples, selected.value));
        }

        let time = format!("--time={from}-{}ms", from + length);
        let path = text(&file);
        let mut arguments = vec!["annotate", path.as_str(), "sample.c", "--json", &time];
        arguments.extend(Some(flag).filter(|flag| !flag.is_empty()));
        let annotated = command_line(&arguments);
        let of = |name: &str| -> Vec<u64> {
            let lines = annotated["lines"].as_array().expect("lines");
            lines
                .iter()
                .map(|line| line[name].as_u64().expect("a number"))
                .collect()
        };
        let numbers = |column: &[u32]| column.iter().copied().map(u64::from).collect::<Vec<_>>();
        assert_eq!(annotated["totalSamples"], selected.samples, "{arguments:?}");
        assert_eq!(of("line"), numbers(&heat.line), "{arguments:?}");
        assert_eq!(
            of("selfSamples"),
            numbers(&heat.self_samples),
            "{arguments:?}"
        );
        assert_eq!(of("totalNs"), heat.total_value_of_line, "{arguments:?}");

        arguments[0] = "report";
        arguments.remove(2);
        let report = command_line(&arguments);
        let rows = report["functions"].as_array().expect("functions");
        let frames = table.frames.expect("frames");
        for (row, &name) in frames.name.iter().enumerate() {
            assert_eq!(
                rows[row]["name"], frames.strings[name as usize],
                "{arguments:?}"
            );
            assert_eq!(
                rows[row]["selfSamples"], table.self_samples[row],
                "{arguments:?}"
            );
        }
        engine.ask(request::Body::Close(CloseRequest {
            run: selected.run,
            ..CloseRequest::default()
        }));
    }
}

#[test]
fn a_typed_name_is_counted() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let request = |what: What, text: &str, exact: bool| {
        request::Body::MatchNames(MatchNamesRequest {
            run,
            what: what.into(),
            text: text.to_owned(),
            exact,
        })
    };
    let mut ask = |what: What, text: &str, exact: bool| match engine.ask(request(what, text, exact))
    {
        reply::Body::MatchedNames(matched) => matched,
        other => panic!("{other:?}"),
    };
    let found = ask(What::Function, "/^(fill|weigh)$/", false);
    assert_eq!(
        (found.count, found.names),
        (2, vec!["fill".to_owned(), "weigh".to_owned()])
    );
    assert_eq!(ask(What::SourceFile, "sample.c", false).count, 1);
    let wrong = ask(What::Function, "/a(/", false);
    assert_eq!(
        wrong.problem,
        "/a(/ is no regular expression: unclosed group."
    );
    let none = ask(What::Function, "we*", true);
    assert!(
        none.problem
            .starts_with("Nothing has exactly the name we*."),
        "{none:?}"
    );
    let thread = ask(What::Thread, "worker", false);
    assert_eq!(thread.problem, "This profile does not name a thread.");
    assert_eq!(
        engine.fails(request(What::Function, "", false)).kind(),
        wire::failure::Kind::Protocol
    );
    let long = "a".repeat((16 << 10) + 1);
    assert_eq!(
        engine.fails(request(What::Module, &long, false)).kind(),
        wire::failure::Kind::Protocol
    );
}

#[test]
fn what_cannot_be_selected_is_told() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let mut fails = |selection: Option<Selection>| {
        engine.fails(request::Body::Select(SelectRequest { run, selection }))
    };
    let no_thread = Selection {
        threads: vec!["worker".to_owned()],
        ..Selection::default()
    };
    assert_eq!(
        fails(Some(no_thread)).message,
        "This profile does not name a thread."
    );
    assert_eq!(fails(None).kind(), wire::failure::Kind::Protocol);
    let no_transform = Selection {
        transforms: vec![Transform {
            kind: 77,
            ..Transform::default()
        }],
        ..Selection::default()
    };
    assert_eq!(
        fails(Some(no_transform)).kind(),
        wire::failure::Kind::Protocol
    );
    let many = Selection {
        transforms: vec![Transform::default(); 257],
        ..Selection::default()
    };
    assert_eq!(fails(Some(many)).kind(), wire::failure::Kind::Protocol);
}

#[test]
fn a_timeline_shows_when_and_whose_code() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let folder = fixture.folder().to_owned();
    let run = engine.open_in(&fixture.run("a.pb.gz", 60), &[&folder]).run;
    let mut ask = |request: TimelineRequest| match engine.ask(request::Body::Timeline(request)) {
        reply::Body::Timeline(view) => wire::Timeline::decode(&*view.content).expect("a timeline"),
        other => panic!("{other:?}"),
    };
    let request = TimelineRequest {
        run,
        columns: 20,
        count: 8,
        tinted: Some(NamedFunction {
            name: "weigh".to_owned(),
            module: "sample".to_owned(),
        }),
        ..TimelineRequest::default()
    };
    let timeline = ask(request.clone());
    let all = timeline.all.expect("a track of all");
    let sum = |column: &[u32]| column.iter().sum::<u32>();
    assert_eq!((timeline.end_ns, timeline.columns), (200_000_000, 20));
    assert!((timeline.full - 10.0).abs() < 1e-9, "{}", timeline.full);
    assert_eq!(
        (sum(&all.own), sum(&all.library), sum(&all.kernel)),
        (90, 0, 10)
    );
    assert_eq!(sum(&all.tinted), 60);
    // Recorded for half of the time.
    assert_eq!(sum(&all.own[11..]), 0);
    assert_eq!((timeline.track_count, timeline.tracks.len()), (1, 1));
    let half = ask(TimelineRequest {
        to_ns: 50_000_000,
        columns: 1,
        ..request
    });
    let all = half.all.expect("a track of all");
    assert_eq!(all.own[0] + all.kernel[0], 49);

    let hottest = HottestStackRequest {
        run,
        time: Some(TimeRange {
            from_ns: 0,
            to_ns: 200_000_000,
        }),
        ..HottestStackRequest::default()
    };
    match engine.ask(request::Body::HottestStack(hottest)) {
        reply::Body::HottestStack(stack) => {
            let names: Vec<&str> = stack.frames.iter().map(|frame| &*frame.name).collect();
            assert_eq!(names, ["main", "fill", "weigh"]);
            assert_eq!((stack.samples, stack.of_samples), (60, 100));
        }
        other => panic!("{other:?}"),
    }
    let too_wide = TimelineRequest {
        run,
        columns: 4097,
        ..TimelineRequest::default()
    };
    assert_eq!(
        engine.fails(request::Body::Timeline(too_wide)).kind(),
        wire::failure::Kind::Protocol
    );
}

#[test]
fn a_selection_is_saved_as_a_run_and_never_over_a_file() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let selected = select(&mut engine, run, during(0, 50));
    let part = fixture.path("part.pb.gz");
    let request = |path: &str| {
        request::Body::SaveRun(SaveRunRequest {
            run: selected.run,
            path: path.to_owned(),
            words: "the first 50 ms".to_owned(),
        })
    };
    match engine.ask(request(&text(&part))) {
        reply::Body::Done(_) => {}
        other => panic!("{other:?}"),
    }
    let opened = engine.open(&part);
    assert_eq!(opened.total_samples, selected.samples);
    assert_eq!(opened.summary.expect("a summary").name, "part");
    let problem = opened.problems.last().expect("a sentence");
    assert_eq!(problem, "This file is a part of a run: the first 50 ms.");
    for path in [
        text(&part),
        "part.pb.gz".to_owned(),
        "/tmp/part.txt".to_owned(),
    ] {
        assert_eq!(
            engine.fails(request(&path)).kind(),
            wire::failure::Kind::Protocol,
            "{path}"
        );
    }
}
