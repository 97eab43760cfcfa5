//! The table of lines that allocate, as a page gets it, and where its rows lead.

use profile::{LineOf, MappingOf, ProfileBuilder, RunInfo, save};
use wire::{
    AllocationTable, LocateRequest, Message, ViewRequest, locate_request, reply, request,
    view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;

const MIB: u64 = 1 << 20;

#[test]
fn each_line_that_allocates_has_its_memory_and_leads_to_its_source() {
    let fixture = Fixture::new();
    let types = [
        ("alloc_samples", "count"),
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_samples", "count"),
        ("inuse_space", "bytes"),
    ];
    let mut builder = ProfileBuilder::new(&types);
    let program = builder.add_mapping(MappingOf {
        filename: "/build/sample",
        symbolized: true,
        ..MappingOf::default()
    });
    let source = text(&fixture.source);
    let fill = builder.add_function("fill", "fill", &source, 6);
    let mut at = |line| {
        let column = 0;
        let lines = [LineOf {
            function: fill,
            line,
            column,
        }];
        builder.add_location(Some(program), u64::from(line), &lines)
    };
    let (brief, kept) = (at(8), at(9));
    builder.push_sample(&[brief], &[100, 5000, 50 * MIB, 0, 0], &[]);
    builder.push_sample(&[kept], &[4, 2, 2 * MIB, 4, 2 * MIB], &[]);
    builder.set_run(RunInfo {
        allocation_interval: 524_288,
        allocation_spread: 1.0,
        ..RunInfo::default()
    });
    let path = fixture.folder.path().join("memory.pb.gz");
    save(&builder.finish(), &path).expect("saved");

    let mut engine = Engine::start();
    let run = engine.open(&path).run;
    let view = || ViewRequest {
        kind: Kind::Allocations.into(),
        run,
        ..ViewRequest::default()
    };
    let table = AllocationTable::decode(&*engine.view(view())).expect("a table");
    let frames = table.frames.expect("frames");
    assert_eq!(frames.line, [8, 9]);
    let allocated = table.allocated.expect("allocated memory");
    assert_eq!(allocated.space, [50 * MIB, 2 * MIB]);
    assert_eq!(allocated.objects, [5000, 2]);
    assert_eq!(allocated.error, [0.1, 0.5]);
    assert_eq!(
        (allocated.total_space, allocated.total_objects),
        (52 * MIB, 5002)
    );
    let in_use = table.in_use.expect("memory in use");
    assert_eq!(in_use.space, [0, 2 * MIB]);
    assert!(in_use.error[0].is_nan(), "nothing is known of it");
    assert_eq!((table.peak, table.temporary), (None, None));

    let located = engine.ask(request::Body::Locate(LocateRequest {
        kind: locate_request::Kind::Function.into(),
        view: Some(view()),
        index: 1,
    }));
    let reply::Body::Location(place) = located else {
        panic!("{located:?}");
    };
    assert_eq!((place.path.as_str(), place.line), (source.as_str(), 9));
}

#[test]
fn a_run_without_memory_has_no_such_table() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&fixture.run("a.pb.gz", 60)).run;
    let failed = engine.ask(request::Body::View(ViewRequest {
        kind: Kind::Allocations.into(),
        run,
        ..ViewRequest::default()
    }));
    let reply::Body::Failure(failure) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(
        failure.message,
        "This run has no allocated memory. Record with --alloc."
    );
}
