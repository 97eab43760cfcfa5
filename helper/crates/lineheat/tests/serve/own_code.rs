//! Just my code: libraries as the functions that own code calls.

use std::path::PathBuf;

use profile::{LineOf, MappingOf, ProfileBuilder, RunInfo, save};
use wire::{NamedFunction, SelectRequest, Selection, Transform, request, transform};

use crate::client::{Engine, text};
use crate::fixture::Fixture;
use crate::selections::{command_line, flame_graph, functions, select};

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
