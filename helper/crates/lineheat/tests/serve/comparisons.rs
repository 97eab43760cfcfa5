use wire::{
    ComparedTable, ExplainRequest, FileDifferenceRequest, LocateRequest, MatchRequest, Message,
    Normalisation, OpenComparisonRequest, Verdict, ViewRequest, locate_request, reply, request,
    view_request::Kind,
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
    // No noise between executions explains six times as much.
    assert_eq!(opened.verdict, i32::from(Verdict::Slower));
    assert!(
        (opened.sentence).starts_with("New is 540 % slower than base ("),
        "{}",
        opened.sentence
    );
    assert!((opened.change - 5.4).abs() < 1e-9 && opened.low > 3.0);
    assert_eq!(opened.per, "execution");
    assert_eq!(opened.normalisation, i32::from(Normalisation::Run));
    let allowed = [
        Normalisation::Run,
        Normalisation::Wall,
        Normalisation::Share,
    ];
    assert_eq!(opened.normalisations, allowed.map(i32::from));
    assert_eq!(
        (opened.base_executions.len(), opened.new_executions.len()),
        (1, 1)
    );
    assert_eq!(opened.new_executions[0].value, 640e6);
    let spread = opened.new_spread.expect("one execution");
    assert_eq!(
        (spread.median, spread.least, spread.greatest),
        (640e6, 640e6, 640e6)
    );
    let fact = |what: &str| opened.facts.iter().find(|fact| fact.what == what);
    assert_eq!(fact("samples lost").map(|fact| fact.differs), Some(true));

    let view = |kind: Kind| ViewRequest {
        kind: kind.into(),
        comparison: opened.comparison,
        ..ViewRequest::default()
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
    let effects = table.self_effects.expect("tested");
    assert_eq!(effects.verdict[0], i32::from(Verdict::Slower));
    assert!(effects.low[0] > 3.0 && effects.high[0] < 30.0 && effects.q[0] < 0.01);
    assert!(effects.difference_low[0] > 3e8 && effects.difference_high[0] < 8e8);
    assert_eq!(table.contribution[0], 1.0);
    assert_eq!(
        table.total_effects.expect("tested").change.len(),
        table.base_self.len()
    );

    let table = ComparedTable::decode(&*engine.view(view(Kind::ComparedLines))).unwrap();
    assert_eq!((table.frames.unwrap().line[0], table.base_line[0]), (3, 3));

    let graph = wire::FlameGraph::decode(&*engine.view(view(Kind::ComparedFlameGraph))).unwrap();
    assert_eq!(graph.self_samples.iter().sum::<u32>(), 100);
    assert_eq!(graph.new_self_samples.iter().sum::<u32>(), 640);
    assert_eq!(
        (graph.total_value[0], graph.new_total_value[0]),
        (100_000_000, 640_000_000)
    );
    assert_eq!(
        (graph.total_samples[0], graph.new_total_samples[0]),
        (100, 640)
    );
    assert_eq!(graph.churn[0], 540_000_000);
    let frames = graph.frames.as_ref().expect("frames");
    let weigh = (frames.name.iter())
        .position(|name| frames.strings[*name as usize] == "weigh")
        .expect("a frame");
    let request = MatchRequest {
        view: Some(view(Kind::ComparedFlameGraph)),
        frames: vec![weigh as u32],
    };
    match engine.ask(request::Body::Match(request)) {
        reply::Body::Match(found) => {
            assert_eq!((found.share, found.new_share), (0.6, 600.0 / 640.0));
        }
        other => panic!("{other:?}"),
    }
    let effects = graph.total_effects.expect("tested");
    assert_eq!(effects.q.len(), graph.frame.len());
    assert!(effects.verdict.contains(&i32::from(Verdict::Slower)));

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
    assert_eq!(
        found.self_effects.as_ref().map(|effects| effects.low.len()),
        Some(5)
    );
    let weigh = &found.functions[0];
    assert_eq!(
        (weigh.name.as_str(), weigh.line, weigh.new_self),
        ("weigh", 3, 600_000_000)
    );
    let effect = weigh.self_effect.expect("tested");
    assert_eq!(effect.verdict, i32::from(Verdict::Slower));
    assert!(difference("/other.c".to_owned()).line.is_empty());
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let base_run = engine.open(&fixture.run("base.pb.gz", 60)).run;
    let copy = fixture.path("copy.pb.gz");
    std::fs::copy(fixture.path("base.pb.gz"), &copy).unwrap();
    let new_run = engine.open(&copy).run;
    let request = OpenComparisonRequest {
        base_run,
        new_run,
        ..OpenComparisonRequest::default()
    };
    match engine.ask(request::Body::OpenComparison(request)) {
        reply::Body::Failure(failure) => {
            assert_eq!(failure.message, "Both sides hold the same recording.");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_difference_is_explained_by_the_function_and_its_line() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let comparison = compare(&mut engine, &fixture, 60, 600).comparison;
    let request = ExplainRequest {
        comparison,
        limit: 0,
    };
    let explanation = match engine.ask(request::Body::Explain(request)) {
        reply::Body::Explanation(explanation) => explanation,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (explanation.net_change, explanation.churn),
        (540_000_000, 540_000_000)
    );
    let [weigh] = explanation.functions.as_slice() else {
        panic!("{:?}", explanation.functions);
    };
    assert_eq!(
        (weigh.name.as_str(), weigh.contribution, weigh.row),
        ("weigh", 1.0, 0)
    );
    assert_eq!(weigh.path, text(&fixture.source));
    let lines: Vec<(u32, u32, &str)> = (weigh.lines.iter())
        .map(|line| (line.base_line, line.new_line, line.text.trim()))
        .collect();
    assert_eq!(lines, [(3, 3, "return value * 3;")]);
    assert_eq!(
        (weigh.lines[0].base_self, weigh.lines[0].new_self),
        (60_000_000, 600_000_000)
    );
}

#[test]
fn a_way_of_comparing_that_the_runs_do_not_know_is_refused() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let base_run = engine.open(&fixture.run("base.pb.gz", 60)).run;
    let new_run = engine.open(&fixture.run("new.pb.gz", 61)).run;
    let request = OpenComparisonRequest {
        base_run,
        new_run,
        normalisation: Normalisation::Work.into(),
        ..OpenComparisonRequest::default()
    };
    match engine.ask(request::Body::OpenComparison(request)) {
        reply::Body::Failure(failure) => {
            assert!(failure.message.contains("--work"), "{failure:?}");
        }
        other => panic!("{other:?}"),
    }
}
