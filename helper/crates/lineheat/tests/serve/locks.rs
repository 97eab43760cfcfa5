//! Waits for locks as the page gets them, and the sentence about them.

use profile::{LabelValue, LineOf, LockHolder, MappingOf, ProfileBuilder, WAIT};
use wire::{
    LocateRequest, LockTable, Message, ViewRequest, WaitTable, locate_request, reply, request,
    view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

const MS: u64 = 1_000_000;

/// Two lines wait: one for a holder at line 8 of the same file, one for a thread that nobody saw.
fn saved(fixture: &Fixture, reason: &str) -> std::path::PathBuf {
    let types = [("waits", "count"), ("wait", "nanoseconds")];
    let mut builder = ProfileBuilder::new(&types);
    let program = builder.add_mapping(MappingOf {
        filename: "/build/sample",
        symbolized: true,
        ..MappingOf::default()
    });
    let source = text(&fixture.source);
    let main = builder.add_function("main", "main", &source, 12);
    let mut at = |line| {
        let lines = [LineOf {
            function: main,
            line,
            column: 0,
        }];
        builder.add_location(Some(program), u64::from(line), &lines)
    };
    let waiting = [at(14), at(15)];
    let unseen = LockHolder {
        thread: "writer",
        ..LockHolder::default()
    };
    let seen = LockHolder {
        function: "fill",
        file: &source,
        line: 8,
        ..unseen
    };
    for (stack, holder, waits, ms) in [(0, seen, 3, 700), (1, unseen, 1, 20)] {
        let labels: Vec<_> = [(WAIT, LabelValue::Text(reason))]
            .into_iter()
            .chain(holder.labels())
            .collect();
        builder.add_sample(&[waiting[stack]], &[waits, ms * MS], &labels);
    }
    fixture.saved("locks.pb.gz", &builder.finish())
}

#[test]
fn waits_for_locks_have_a_table_a_sentence_and_two_places_a_row() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = engine.open(&saved(&fixture, "lock"));
    assert!(opened.has_locks);
    let file = fixture.source.file_name().expect("a name");
    let file = file.to_string_lossy();
    let expected = format!("720 ms waiting for a lock held at fill ({file}:8)");
    assert_eq!(opened.lock_note, expected);
    let view = ViewRequest {
        kind: Kind::Locks.into(),
        run: opened.run,
        ..ViewRequest::default()
    };
    let table = LockTable::decode(&*engine.view(view.clone())).expect("a table");
    assert_eq!(
        (table.total, table.waited),
        (720 * MS, vec![700 * MS, 20 * MS])
    );
    assert_eq!((table.wait_count, table.held), (vec![3, 1], vec![0, 1]));
    let holder = table.holder.expect("the holders");
    assert_eq!(holder.line, [8, 0]);
    let thread = |row: usize| holder.strings[table.thread[row] as usize].as_str();
    assert_eq!((thread(0), thread(1)), ("writer", "writer"));
    for (index, function, line) in [(0, "main", 14), (1, "main", 15), (2, "fill", 8)] {
        let place = engine.ask(request::Body::Locate(LocateRequest {
            kind: locate_request::Kind::Function.into(),
            view: Some(view.clone()),
            index,
        }));
        match place {
            reply::Body::Location(place) => {
                assert_eq!((place.function.as_str(), place.line), (function, line));
                assert_eq!(place.path, text(&fixture.source));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_run_that_waited_for_no_lock_has_no_table_of_them() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = engine.open(&saved(&fixture, "sleep"));
    assert!(!opened.has_locks);
    assert_eq!(opened.lock_note, "");
}

#[test]
fn waits_have_a_table_by_line_and_reason() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let opened = engine.open(&saved(&fixture, "disk"));
    let view = ViewRequest {
        kind: Kind::Waits.into(),
        run: opened.run,
        ..ViewRequest::default()
    };
    let table = WaitTable::decode(&*engine.view(view.clone())).expect("a table");
    let places = table.places.expect("the places");
    assert_eq!(places.line, [14, 15]);
    let reason = |row: usize| places.strings[table.reason[row] as usize].as_str();
    assert_eq!((reason(0), reason(1)), ("disk", "disk"));
    assert_eq!(
        (table.total, table.waited, table.mean),
        (
            720 * MS,
            vec![700 * MS, 20 * MS],
            vec![700 * MS / 3, 20 * MS]
        )
    );
    assert_eq!(table.wait_count, [3, 1]);
    assert_eq!((table.threads, table.idle), (vec![1, 1], vec![0, 0]));
    let place = engine.ask(request::Body::Locate(LocateRequest {
        kind: locate_request::Kind::Function.into(),
        view: Some(view),
        index: 1,
    }));
    let reply::Body::Location(place) = place else {
        panic!("{place:?}");
    };
    assert_eq!((place.function.as_str(), place.line), ("main", 15));
    assert_eq!(place.path, text(&fixture.source));
}
