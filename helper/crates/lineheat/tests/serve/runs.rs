use wire::{
    CloseRequest, FileHeatRequest, LineDetailRequest, ListRunsRequest, RenameRunRequest,
    SourceRequest, reply, request,
};

use crate::client::{Engine, text};
use crate::fixture::{Fixture, SOURCE};

fn heat(engine: &mut Engine, run: u32, path: &str, now: Option<&str>) -> wire::FileHeat {
    let request = FileHeatRequest {
        run,
        path: path.to_owned(),
        has_text: now.is_some(),
        text: now.unwrap_or_default().to_owned(),
        value: None,
    };
    match engine.ask(request::Body::FileHeat(request)) {
        reply::Body::FileHeat(heat) => heat,
        other => panic!("{other:?}"),
    }
}

fn lines(heat: &wire::FileHeat) -> Vec<(u32, u32, u32, bool)> {
    (0..heat.line.len())
        .map(|at| {
            (
                heat.line[at],
                heat.self_samples[at],
                heat.total_samples_of_line[at],
                heat.changed[at],
            )
        })
        .collect()
}

fn list(engine: &mut Engine, fixture: &Fixture) -> Vec<wire::RunSummary> {
    let request = ListRunsRequest {
        directory: text(&fixture.folder().join("runs")),
    };
    match engine.ask(request::Body::ListRuns(request)) {
        reply::Body::Runs(list) => list.runs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_opened_run_says_what_it_holds() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = engine.open(&fixture.run("a.pb.gz", 60));
    assert_eq!(
        (opened.total_samples, opened.total_value),
        (100, 100_000_000)
    );
    let values: Vec<_> = opened
        .values
        .iter()
        .map(|value| value.r#type.as_str())
        .collect();
    assert_eq!(values, ["samples", "cpu"]);
    assert_eq!(opened.default_value, 1);
    let summary = opened.summary.unwrap();
    assert_eq!(
        (summary.samples, summary.lost, summary.cpu_ns),
        (100, 5, 100_000_000)
    );
    assert_eq!(summary.lost_share, 5.0 / 105.0);
    assert_eq!((summary.exited, summary.exit_code), (true, 3));
    assert_eq!(summary.command, ["/build/sample", "ünï"]);
    assert_eq!(summary.end, "exited with 3 after 0.2 s");
    assert_eq!(opened.problems, ["5 of 105 samples were lost."]);
    let [file] = &opened.files[..] else {
        panic!("{:?}", opened.files);
    };
    assert_eq!(file.path, text(&fixture.source));
    assert_eq!((file.self_samples, file.total_samples), (90, 100));
}

#[test]
fn heat_is_on_the_lines() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let heat = heat(&mut engine, run, &text(&fixture.source), Some(SOURCE));
    assert_eq!((heat.total_samples, heat.total_value), (100, 100_000_000));
    assert_eq!(heat.unit, "nanoseconds");
    assert_eq!(
        lines(&heat),
        [
            (3, 60, 60, false),
            (8, 0, 60, false),
            (9, 30, 30, false),
            (13, 0, 90, false),
            (14, 0, 10, false),
        ]
    );
    assert_eq!(heat.self_value[0], 60_000_000);
    let functions: Vec<_> = heat
        .functions
        .iter()
        .map(|of| (of.name.as_str(), of.line, of.self_samples, of.total_samples))
        .collect();
    assert_eq!(
        functions,
        [
            ("main", 12, 0, 100),
            ("fill", 6, 30, 90),
            ("weigh", 2, 60, 60)
        ]
    );
}

#[test]
fn heat_moves_with_the_lines() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let now = format!(
        "// New first line.\n{}",
        SOURCE.replace("value * 3", "value * 4")
    );
    let path = text(&fixture.source);
    let moved = heat(&mut engine, run, &path, Some(&now));
    assert_eq!(
        lines(&moved),
        [
            (4, 60, 60, true),
            (9, 0, 60, false),
            (10, 30, 30, false),
            (14, 0, 90, false),
            (15, 0, 10, false)
        ]
    );

    let request = LineDetailRequest {
        run,
        path,
        line: 10,
        limit: 0,
        value: None,
    };
    match engine.ask(request::Body::LineDetail(request)) {
        reply::Body::LineDetail(detail) => assert_eq!(detail.self_samples, 30),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cold_file_has_no_lines() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let cold = heat(&mut engine, run, "/somewhere/else.c", Some(""));
    assert_eq!(lines(&cold), []);
    assert_eq!(cold.total_samples, 100);
}

#[test]
fn a_source_that_moved_is_found_in_the_workspace() {
    let fixture = Fixture::new();
    let path = fixture.run_recorded_as("a.pb.gz", "/agent/7/project/src/sample.c", 60, 1);
    let mut engine = Engine::start();
    let opened = engine.open_in(&path, &[fixture.folder()]);
    assert_eq!(
        opened.files[0].recorded_path,
        "/agent/7/project/src/sample.c"
    );
    assert_eq!(opened.files[0].path, text(&fixture.source));
    let found = heat(&mut engine, opened.run, &text(&fixture.source), None);
    assert_eq!(lines(&found).len(), 5);

    let unknown = engine.open(&path);
    assert_eq!(unknown.files[0].path, "");
    let by_recorded = heat(
        &mut engine,
        unknown.run,
        "/agent/7/project/src/sample.c",
        None,
    );
    assert_eq!(lines(&by_recorded).len(), 5);
}

#[test]
fn a_prefix_that_the_user_named_leads_to_the_source() {
    let fixture = Fixture::new();
    let recorded = "/agent/7/project/src/sample.c";
    let path = fixture.run_recorded_as("a.pb.gz", recorded, 60, 1);
    let mut engine = Engine::start();
    let request = wire::OpenRunRequest {
        run: wire::RunRef::file(text(&path)),
        source_prefixes: vec![wire::SourcePrefix {
            from: "/agent/7/project".to_owned(),
            to: text(fixture.folder()),
        }],
        ..wire::OpenRunRequest::default()
    };
    let opened = match engine.ask(request::Body::OpenRun(request)) {
        reply::Body::RunOpened(opened) => opened,
        other => panic!("not opened: {other:?}"),
    };
    assert_eq!(opened.files[0].recorded_path, recorded);
    assert_eq!(opened.files[0].path, text(&fixture.source));
    let found = heat(&mut engine, opened.run, &text(&fixture.source), None);
    assert_eq!(lines(&found).len(), 5);
}

#[test]
fn a_link_to_the_source_is_the_source() {
    let fixture = Fixture::new();
    let link = fixture.folder().join("link");
    std::os::unix::fs::symlink(fixture.folder().join("src"), &link).unwrap();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    assert_eq!(
        lines(&heat(&mut engine, run, &text(&link.join("sample.c")), None)).len(),
        5
    );
}

#[test]
fn a_line_says_who_called_it() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let request = LineDetailRequest {
        run,
        path: text(&fixture.source),
        line: 3,
        limit: 0,
        value: None,
    };
    let reply::Body::LineDetail(detail) = engine.ask(request::Body::LineDetail(request)) else {
        panic!("no detail");
    };
    assert_eq!((detail.self_samples, detail.total_samples), (60, 60));
    assert_eq!(detail.run_total_value, 100_000_000);
    let chain: Vec<_> = detail.inline_chains[0]
        .places
        .iter()
        .map(|place| (place.function.as_str(), place.line))
        .collect();
    assert_eq!(chain, [("weigh", 3), ("fill", 8)]);
    let caller = detail.callers[0].place.as_ref().unwrap();
    assert_eq!(
        (caller.function.as_str(), caller.line, caller.path.as_str()),
        ("fill", 8, &*text(&fixture.source))
    );
}

#[test]
fn the_text_at_recording_is_given() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let mut source = |recorded_path: String| match engine
        .ask(request::Body::Source(SourceRequest { run, recorded_path }))
    {
        reply::Body::Source(source) => (source.found, source.text),
        other => panic!("{other:?}"),
    };
    assert_eq!(source(text(&fixture.source)), (true, SOURCE.to_owned()));
    assert_eq!(source("/etc/passwd".to_owned()), (false, String::new()));
}

#[test]
fn runs_are_listed_newest_first_and_renamed() {
    let fixture = Fixture::new();
    let recorded = text(&fixture.source);
    fixture.run_recorded_as("old.pb.gz", &recorded, 60, 1_600_000_000);
    let newer = fixture.run_recorded_as("newer.pb.gz", &recorded, 60, 1_700_000_000);
    std::fs::write(fixture.path("broken.pb.gz"), b"not gzip").unwrap();
    std::fs::write(fixture.path("notes.txt"), b"not a run").unwrap();
    let mut engine = Engine::start();
    let names = |runs: &[wire::RunSummary]| {
        runs.iter()
            .map(|run| {
                if run.problem.is_empty() {
                    run.name.clone()
                } else {
                    "(problem)".to_owned()
                }
            })
            .collect::<Vec<_>>()
    };
    let runs = list(&mut engine, &fixture);
    // The broken one has the date of its file, which is now.
    assert_eq!(names(&runs), ["(problem)", "newer", "old"]);
    assert!(
        runs[0].problem.contains("broken.pb.gz"),
        "{}",
        runs[0].problem
    );

    let rename = RenameRunRequest {
        path: text(&newer),
        name: "schneller ⚡".to_owned(),
    };
    assert!(matches!(
        engine.ask(request::Body::RenameRun(rename)),
        reply::Body::Done(_)
    ));
    assert_eq!(
        names(&list(&mut engine, &fixture)),
        ["(problem)", "schneller ⚡", "old"]
    );
    assert_eq!(engine.open(&newer).total_samples, 100);

    let nowhere = ListRunsRequest {
        directory: text(&fixture.folder().join("nowhere")),
    };
    match engine.ask(request::Body::ListRuns(nowhere)) {
        reply::Body::Runs(list) => assert!(list.runs.is_empty()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.folder().join("runs")).unwrap();
    let mut engine = Engine::start();
    let mut kind_of = |path: std::path::PathBuf| {
        let request = wire::OpenRunRequest {
            run: wire::RunRef::file(text(&path)),
            workspace_folders: Vec::new(),
            ..wire::OpenRunRequest::default()
        };
        let failure = engine.fails(request::Body::OpenRun(request));
        assert!(
            failure
                .message
                .contains(path.file_name().unwrap().to_str().unwrap()),
            "{}",
            failure.message
        );
        assert!(!failure.advice.is_empty());
        let is_journal = path.extension().is_some_and(|end| end == "journal");
        assert_eq!(
            failure
                .message
                .contains("cut.pb.gz instead: the run is recovered"),
            is_journal
        );
        failure.kind()
    };
    assert_eq!(
        kind_of(fixture.path("none.pb.gz")),
        wire::failure::Kind::NotFound
    );
    std::fs::write(fixture.path("text.pb.gz"), b"hello").unwrap();
    assert_eq!(
        kind_of(fixture.path("text.pb.gz")),
        wire::failure::Kind::BadProfile
    );
    assert_eq!(
        kind_of(fixture.folder().to_owned()),
        wire::failure::Kind::BadProfile
    );
    let run = fixture.path("cut.pb.gz");
    let run_file = profile::RunFile::new(&run).unwrap();
    let _journal = profile::Journal::create(&run_file.into()).unwrap();
    assert_eq!(
        kind_of(profile::journal_path(&run)),
        wire::failure::Kind::BadProfile
    );
}

#[test]
fn a_closed_run_is_gone() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let close = CloseRequest { run, comparison: 0 };
    assert!(matches!(
        engine.ask(request::Body::Close(close)),
        reply::Body::Done(_)
    ));
    let request = FileHeatRequest {
        run,
        ..FileHeatRequest::default()
    };
    assert_eq!(
        engine.fails(request::Body::FileHeat(request)).kind(),
        wire::failure::Kind::NotFound
    );
}
