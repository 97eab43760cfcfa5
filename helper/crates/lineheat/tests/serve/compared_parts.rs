//! Parts of one run, each a selection, against each other.

use wire::{
    ComparedTable, Message, Normalisation, OpenComparisonRequest, Selection, Verdict, ViewRequest,
    reply, request, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;
use crate::selections::{command_line, during, select};

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
