use wire::{
    ComparedTable, FileDifferenceRequest, LocateRequest, Message, OpenComparisonRequest, Verdict,
    ViewRequest, locate_request, reply, request, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::{Fixture, SOURCE};

fn compare(engine: &mut Engine, fixture: &Fixture, base: u64, new: u64) -> wire::ComparisonOpened {
    let base_run = engine.open(&fixture.run("base.pb.gz", base)).run;
    let new_run = engine.open(&fixture.run("new.pb.gz", new)).run;
    let request = OpenComparisonRequest {
        base_run,
        new_run,
        ..OpenComparisonRequest::default()
    };
    match engine.ask(request::Body::OpenComparison(request)) {
        reply::Body::ComparisonOpened(opened) => opened,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_slower_function_is_found() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = compare(&mut engine, &fixture, 60, 600);
    assert_eq!(
        (opened.base_total, opened.new_total),
        (100_000_000, 640_000_000)
    );
    assert_eq!(opened.matched_share, 1.0);
    assert_eq!(opened.files[0].path, text(&fixture.source));

    let view = |kind: Kind| ViewRequest {
        kind: kind.into(),
        run: 0,
        comparison: opened.comparison,
        value: 0,
    };
    let table = ComparedTable::decode(&*engine.view(view(Kind::ComparedFunctions))).unwrap();
    let frames = table.frames.unwrap();
    assert_eq!(frames.strings[frames.name[0] as usize], "weigh");
    assert_eq!(
        (table.base_self[0], table.new_self[0]),
        (60_000_000, 600_000_000)
    );
    assert_eq!(table.verdict[0], i32::from(Verdict::Slower));
    assert_eq!(table.unit, "nanoseconds");

    let table = ComparedTable::decode(&*engine.view(view(Kind::ComparedLines))).unwrap();
    assert_eq!((table.frames.unwrap().line[0], table.base_line[0]), (3, 3));

    let graph = wire::FlameGraph::decode(&*engine.view(view(Kind::ComparedFlameGraph))).unwrap();
    assert_eq!(graph.self_samples.iter().sum::<u32>(), 100);
    assert_eq!(graph.new_self_samples.iter().sum::<u32>(), 640);

    let locate = LocateRequest {
        kind: locate_request::Kind::Row.into(),
        view: Some(view(Kind::ComparedFunctions)),
        index: 0,
    };
    match engine.ask(request::Body::Locate(locate)) {
        reply::Body::Location(place) => {
            assert_eq!((place.function.as_str(), place.line), ("weigh", 2));
            assert_eq!(place.path, text(&fixture.source));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_difference_stands_beside_the_lines() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let comparison = compare(&mut engine, &fixture, 60, 600).comparison;
    let mut difference = |path: String| {
        let request = FileDifferenceRequest {
            comparison,
            path,
            has_text: true,
            text: format!("\n{SOURCE}"),
        };
        match engine.ask(request::Body::FileDifference(request)) {
            reply::Body::FileDifference(difference) => difference,
            other => panic!("{other:?}"),
        }
    };
    let found = difference(text(&fixture.source));
    assert_eq!(found.line, [4, 9, 10, 14, 15]);
    assert_eq!(
        (found.base_self[0], found.new_self[0]),
        (60_000_000, 600_000_000)
    );
    assert_eq!(found.verdict[0], i32::from(Verdict::Slower));
    assert_eq!(found.verdict[2], i32::from(Verdict::Noise));
    assert!(difference("/other.c".to_owned()).line.is_empty());
}

#[test]
fn a_run_compared_with_itself_finds_nothing() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = compare(&mut engine, &fixture, 60, 60);
    let request = ViewRequest {
        kind: Kind::ComparedFunctions.into(),
        run: 0,
        comparison: opened.comparison,
        value: 0,
    };
    let table = ComparedTable::decode(&*engine.view(request)).unwrap();
    assert!(
        table
            .verdict
            .iter()
            .all(|verdict| *verdict == i32::from(Verdict::Noise)),
        "{:?}",
        table.verdict
    );
    assert_eq!(table.base_self, table.new_self);
}
