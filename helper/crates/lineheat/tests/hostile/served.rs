//! One file through `lineheat serve`, with all that the editor asks of a run.

use std::path::Path;

use wire::view_request::Kind;
use wire::{
    FileHeatRequest, LineDetailRequest, OpenComparisonRequest, OpenRunRequest, ViewRequest, reply,
    request,
};

use crate::client::{Engine, text};
use crate::command_line::Worst;
use crate::measured::{MEMORY_BYTES_MAX, peak_bytes_of};

/// Why the engine refuses the file; `None`: it opens. The engine is alive afterwards in both cases.
pub fn refusal(file: &Path, what: &str, worst: &mut Worst) -> Option<String> {
    let mut engine = Engine::start();
    let open = OpenRunRequest {
        run: wire::RunRef::file(text(file)),
        ..OpenRunRequest::default()
    };
    let refusal = match engine.ask(request::Body::OpenRun(open)) {
        reply::Body::RunOpened(opened) => {
            ask_all(&mut engine, &opened);
            None
        }
        reply::Body::Failure(failure) => {
            assert!(failure.message.ends_with('.'), "{what}: {failure:?}");
            Some(failure.message)
        }
        other => panic!("{what}: {other:?}"),
    };
    let alive = engine.ask(request::Body::ListProcesses(wire::ListProcessesRequest {}));
    assert!(matches!(alive, reply::Body::Processes(_)), "{what}");
    let peak = peak_bytes_of(engine.pid());
    assert!(
        peak < MEMORY_BYTES_MAX,
        "{what}: {peak} bytes while serving"
    );
    worst.peak_bytes = worst.peak_bytes.max(peak);
    engine.close_input();
    assert_eq!(engine.wait().code(), Some(0), "{what}");
    refusal
}

/// Each is answered, if only by a sentence: a view may be larger than a frame can be.
fn ask_all(engine: &mut Engine, opened: &wire::RunOpened) {
    let run = opened.run;
    for kind in [Kind::FlameGraph, Kind::Functions] {
        engine.ask(request::Body::View(ViewRequest {
            kind: kind.into(),
            run,
            ..ViewRequest::default()
        }));
    }
    for file in opened.files.iter().take(2) {
        let path = match file.path.as_str() {
            "" => file.recorded_path.clone(),
            found => found.to_owned(),
        };
        engine.ask(request::Body::FileHeat(FileHeatRequest {
            run,
            path: path.clone(),
            ..FileHeatRequest::default()
        }));
        engine.ask(request::Body::LineDetail(LineDetailRequest {
            run,
            path,
            line: 1,
            ..LineDetailRequest::default()
        }));
    }
    let comparison = OpenComparisonRequest {
        base_run: run,
        new_run: run,
        ..OpenComparisonRequest::default()
    };
    engine.ask(request::Body::OpenComparison(comparison));
}
