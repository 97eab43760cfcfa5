//! What the pages show: views, what they hide, who calls a function, what a search matches.

use wire::{
    LocateRequest, MatchRequest, Message, ViewRequest, locate_request, reply, request,
    view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

#[test]
fn views_lead_back_to_the_source() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let request = |kind: Kind| ViewRequest {
        kind: kind.into(),
        run,
        value: 1,
        ..ViewRequest::default()
    };
    let table = wire::FunctionTable::decode(&*engine.view(request(Kind::Functions))).unwrap();
    let frames = table.frames.unwrap();
    let names: Vec<_> = frames
        .name
        .iter()
        .map(|name| frames.strings[*name as usize].as_str())
        .collect();
    assert_eq!(names, ["weigh", "fill", "ksys_write", "main"]);
    assert_eq!(table.self_samples, [60, 30, 10, 0]);
    assert_eq!(table.total_samples_of_row, [60, 90, 10, 100]);
    assert_eq!((table.total_samples, table.total_value), (100, 100_000_000));
    assert_eq!(frames.kind, [0, 0, 2, 0]);

    let graph = wire::FlameGraph::decode(&*engine.view(request(Kind::FlameGraph))).unwrap();
    assert_eq!(graph.self_samples.iter().sum::<u32>(), 100);
    assert_eq!(graph.parent_distance[0], 0);
    let frames = graph.frames.unwrap();
    let names: Vec<_> = graph
        .frame
        .iter()
        .map(|frame| frames.strings[frames.name[*frame as usize] as usize].as_str())
        .collect();
    assert_eq!(names, ["all", "main", "fill", "weigh", "ksys_write"]);
    // 0: it calls nothing, so its total is its self.
    assert_eq!(graph.total_samples, [100, 100, 90, 0, 0]);
    assert_eq!(
        graph.total_value,
        [100_000_000, 100_000_000, 90_000_000, 0, 0]
    );

    let mut locate = |kind: locate_request::Kind, view: Kind, index| {
        let view = Some(request(view));
        engine.ask(request::Body::Locate(LocateRequest {
            kind: kind.into(),
            view,
            index,
        }))
    };
    for (kind, view, index, function, line) in [
        (
            locate_request::Kind::Function,
            Kind::Functions,
            1,
            "fill",
            6,
        ),
        (locate_request::Kind::Node, Kind::FlameGraph, 3, "weigh", 3),
    ] {
        match locate(kind, view, index) {
            reply::Body::Location(place) => {
                assert_eq!((place.function.as_str(), place.line), (function, line));
                assert_eq!(place.path, text(&fixture.source));
            }
            other => panic!("{other:?}"),
        }
    }
    match locate(locate_request::Kind::Node, Kind::FlameGraph, 99) {
        reply::Body::Failure(failure) => assert_eq!(failure.kind(), wire::failure::Kind::NotFound),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_hidden_function_leaves_its_time_with_its_caller_and_rows_stay_those_of_the_view() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let module = {
        let request = ViewRequest {
            run,
            value: 1,
            ..ViewRequest::default()
        };
        let graph = wire::FlameGraph::decode(&*engine.view(request)).unwrap();
        let frames = graph.frames.unwrap();
        frames.strings[frames.module[2] as usize].clone()
    };
    let without_fill = ViewRequest {
        run,
        value: 1,
        hidden: vec![wire::NamedFunction {
            name: "fill".into(),
            module,
        }],
        ..ViewRequest::default()
    };
    let graph = wire::FlameGraph::decode(&*engine.view(without_fill.clone())).unwrap();
    let frames = graph.frames.unwrap();
    let names: Vec<_> = (graph.frame.iter())
        .map(|frame| frames.strings[frames.name[*frame as usize] as usize].as_str())
        .collect();
    assert_eq!(names, ["all", "main", "weigh", "ksys_write"]);
    assert_eq!(graph.self_samples, [0, 30, 60, 10]);
    assert_eq!(graph.total_samples, [100, 100, 0, 0]);
    let place = engine.ask(request::Body::Locate(LocateRequest {
        kind: locate_request::Kind::Node.into(),
        view: Some(without_fill.clone()),
        index: 2,
    }));
    assert!(matches!(place, reply::Body::Location(place) if place.function == "weigh"));
    let too_many = ViewRequest {
        hidden: vec![wire::NamedFunction::default(); 257],
        ..without_fill
    };
    let refused = engine.ask(request::Body::View(too_many));
    assert!(
        matches!(refused, reply::Body::Failure(failure) if failure.kind() == wire::failure::Kind::Protocol)
    );
}

#[test]
fn the_callers_of_a_function_are_told_with_what_it_costs_from_there() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let mut callers = |index| {
        let view = Some(ViewRequest {
            run,
            value: 1,
            ..ViewRequest::default()
        });
        match engine.ask(request::Body::Callers(wire::CallersRequest { view, index })) {
            reply::Body::Callers(callers) => callers,
            other => panic!("{other:?}"),
        }
    };
    let of_weigh = callers(3);
    assert_eq!(of_weigh.function, "weigh");
    assert_eq!(of_weigh.total_value, 100_000_000);
    let rows: Vec<_> = (of_weigh.callers.iter())
        .map(|caller| (caller.name.as_str(), caller.value, caller.samples))
        .collect();
    assert_eq!(rows, [("fill", 60_000_000, 60)]);
    assert_eq!(callers(1).callers, []);
}

#[test]
fn what_a_search_matches_is_measured_and_each_sample_counts_once() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let mut ask = |kind: Kind, frames: &[u32]| {
        let view = Some(ViewRequest {
            kind: kind.into(),
            run,
            value: 1,
            ..ViewRequest::default()
        });
        let frames = frames.to_vec();
        engine.ask(request::Body::Match(MatchRequest { view, frames }))
    };
    // Frames are numbered as they first appear: all, main, fill, weigh, ksys_write.
    for (frames, share) in [
        (&[][..], 0.0),
        (&[3], 0.6),
        (&[3, 4], 0.7),
        (&[2, 3], 0.9),
        (&[0, 4], 0.1),
        (&[1, 2, 3, 4], 1.0),
    ] {
        match ask(Kind::FlameGraph, frames) {
            reply::Body::Match(found) => {
                assert_eq!((found.share, found.new_share), (share, 0.0), "{frames:?}");
            }
            other => panic!("{other:?}"),
        }
    }
    for (kind, frames, failure_kind) in [
        (Kind::FlameGraph, &[5][..], wire::failure::Kind::NotFound),
        (Kind::Functions, &[0], wire::failure::Kind::Protocol),
    ] {
        match ask(kind, frames) {
            reply::Body::Failure(failure) => assert_eq!(failure.kind(), failure_kind),
            other => panic!("{other:?}"),
        }
    }
}
