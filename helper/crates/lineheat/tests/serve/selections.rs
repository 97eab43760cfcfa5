//! Selections: open like runs, with the same figures everywhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use profile::{LineOf, MappingOf, ProfileBuilder, RunInfo, save};
use serde_json::Value;
use wire::{
    CloseRequest, ComparedTable, FileHeatRequest, HottestStackRequest, MatchNamesRequest, Message,
    NamedFunction, Normalisation, OpenComparisonRequest, SaveRunRequest, SelectRequest, Selected,
    Selection, TimeRange, TimelineRequest, Transform, Verdict, ViewRequest,
    match_names_request::What, reply, request, transform, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

fn select(engine: &mut Engine, run: u32, selection: Selection) -> Selected {
    let request = SelectRequest {
        run,
        selection: Some(selection),
    };
    match engine.ask(request::Body::Select(request)) {
        reply::Body::Selected(selected) => selected,
        other => panic!("{other:?}"),
    }
}

fn during(from_ms: u64, to_ms: u64) -> Selection {
    Selection {
        times: vec![TimeRange {
            from_ns: from_ms * 1_000_000,
            to_ns: to_ms * 1_000_000,
        }],
        ..Selection::default()
    }
}

fn functions(engine: &mut Engine, run: u32) -> wire::FunctionTable {
    let view = ViewRequest {
        kind: Kind::Functions.into(),
        run,
        value: 1,
        ..ViewRequest::default()
    };
    wire::FunctionTable::decode(&*engine.view(view)).expect("a table")
}

fn flame_graph(engine: &mut Engine, run: u32) -> wire::FlameGraph {
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

fn command_line(arguments: &[&str]) -> Value {
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

/// `main` of `fixture` calls `sort` of a header, which calls `swap` of the same.
fn run_with_a_library(fixture: &Fixture) -> PathBuf {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let program = builder.add_mapping(MappingOf {
        filename: "/build/sample",
        memory_limit: 0x9000,
        symbolized: true,
        ..MappingOf::default()
    });
    let stack: Vec<u32> = [
        ("swap", LIBRARY),
        ("sort", LIBRARY),
        ("main", &text(&fixture.source)),
    ]
    .into_iter()
    .enumerate()
    .map(|(at, (name, file))| {
        let function = builder.add_function(name, name, file, 1);
        let (line, column) = (2, 0);
        let lines = [LineOf {
            function,
            line,
            column,
        }];
        builder.add_location(Some(program), 0x1000 + at as u64, &lines)
    })
    .collect();
    builder.add_sample(&stack, &[7, 7_000_000], &[]);
    builder.set_run(RunInfo {
        format: 1,
        cwd: text(fixture.folder()),
        ..RunInfo::default()
    });
    let path = fixture.path("library.pb.gz");
    save(&builder.finish(), &path).expect("saved");
    path
}

const LIBRARY: &str = "/usr/include/sort.h";

#[test]
fn of_my_code_a_library_function_is_collapsed_until_it_is_opened() {
    let fixture = Fixture::new();
    let file = run_with_a_library(&fixture);
    let mut engine = Engine::start();
    let run = engine.open(&file).run;
    let with_opened = |opened: &[&str]| Selection {
        transforms: vec![Transform {
            kind: transform::Kind::MyCode.into(),
            opened: (opened.iter())
                .map(|name| NamedFunction {
                    name: (*name).to_owned(),
                    module: "sample".to_owned(),
                })
                .collect(),
            ..Transform::default()
        }],
        ..Selection::default()
    };
    for (opened, names, collapsed) in [
        (&[][..], &["all", "main", "sort"][..], &["sort"][..]),
        (&["sort"], &["all", "main", "sort", "swap"], &[]),
    ] {
        let selected = select(&mut engine, run, with_opened(opened));
        let graph = flame_graph(&mut engine, selected.run);
        let table = functions(&mut engine, selected.run);
        let [of_graph, of_table] = [graph.frames, table.frames].map(|frames| {
            let frames = frames.expect("frames");
            let name = |row: &u32| frames.strings[*row as usize].clone();
            let all: Vec<String> = frames.name.iter().map(name).collect();
            let marked = frames
                .collapsed
                .iter()
                .map(|&row| all[row as usize].clone());
            (all.clone(), marked.collect::<Vec<String>>())
        });
        assert_eq!(of_graph.0, names);
        assert_eq!(of_graph.1, collapsed);
        assert_eq!(of_table.1, collapsed);
        let path = text(&file);
        let opened = opened.iter().map(|name| format!("--open={name}"));
        let mut arguments = vec![
            "report".to_owned(),
            path,
            "--json".to_owned(),
            "--my-code".to_owned(),
        ];
        arguments.extend(opened);
        let report = command_line(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let rows = report["functions"].as_array().expect("functions");
        assert_eq!(rows.len(), names.len() - 1);
        assert_eq!(rows[0]["name"], names[names.len() - 1]);
    }
    let mut fails = |selection: Selection| {
        let selection = Some(selection);
        engine.fails(request::Body::Select(SelectRequest { run, selection }))
    };
    let unknown = fails(with_opened(&["sorts"]));
    assert!(
        unknown.message.starts_with("No function is called sorts."),
        "{}",
        unknown.message
    );
    let many = fails(with_opened(&vec!["sort"; 1025]));
    assert_eq!(many.kind(), wire::failure::Kind::Protocol);
}

#[test]
fn parts_of_a_run_are_compared_under_their_names() {
    let fixture = Fixture::new();
    let file = fixture.run("a.pb.gz", 60);
    let mut engine = Engine::start();
    let run = engine.open(&file).run;
    let part = during(0, 50);
    let rest = Selection {
        rest: true,
        ..part.clone()
    };
    let [base, new] = [rest, part].map(|selection| select(&mut engine, run, selection));
    let request = OpenComparisonRequest {
        base_run: base.run,
        new_run: new.run,
        ..OpenComparisonRequest::default()
    };
    let opened = match engine.ask(request::Body::OpenComparison(request)) {
        reply::Body::ComparisonOpened(opened) => opened,
        other => panic!("{other:?}"),
    };
    assert_eq!(opened.part_names, ["rest", "selection"]);
    assert_eq!(base.samples + new.samples, 100);
    // By shares: both are shown as large as the base.
    assert_eq!(opened.normalisation, i32::from(Normalisation::Share));
    assert_eq!(
        (opened.base_total, opened.new_total),
        (base.value, base.value)
    );
    // A tenth of a second has no windows that could differ from each other.
    assert_eq!(
        opened.verdict,
        i32::from(Verdict::TooFew),
        "{}",
        opened.sentence
    );
    assert!(!opened.sentence.contains("slower"), "{}", opened.sentence);

    let time = "--time=0-50ms";
    let path = text(&file);
    let difference = command_line(&["diff", &path, time, "--rest", "--json"]);
    let rows = difference["functions"].as_array().expect("functions");
    let view = ViewRequest {
        kind: Kind::ComparedFunctions.into(),
        comparison: opened.comparison,
        ..ViewRequest::default()
    };
    let table = ComparedTable::decode(&*engine.view(view)).expect("a table");
    let frames = table.frames.expect("frames");
    assert_eq!(rows.len(), frames.name.len());
    for (row, &name) in frames.name.iter().enumerate() {
        assert_eq!(rows[row]["name"], frames.strings[name as usize]);
        assert_eq!(rows[row]["newSelf"], table.new_self[row]);
    }
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
