//! A recording in progress is opened like a run, and whoever watches it is told when it has grown.

use std::path::Path;
use std::process::Command;

use wire::{
    FileHeatRequest, OpenRunRequest, RecordRequest, RunRef, StopRequest, WatchRecordingRequest,
    reply, request, run_ref,
};

use crate::client::{Engine, text};
use crate::recordings::can_record;

fn open(recording: u32) -> request::Body {
    let run = Some(run_ref::Run::Recording(recording));
    request::Body::OpenRun(OpenRunRequest {
        run: Some(RunRef { run }),
        ..OpenRunRequest::default()
    })
}

/// The line of its loop.
const HOT_LINE: u32 = 4;

/// A program that runs until it is stopped.
fn record(folder: &Path) -> request::Body {
    let (source, program) = (folder.join("endless.c"), folder.join("endless"));
    let code = "int main(void) {\n\
        \x20   volatile unsigned long sum = 0;\n\
        \x20   for (unsigned long at = 0;; at++)\n\
        \x20       sum += at;\n\
        }\n";
    std::fs::write(&source, code).unwrap();
    let mut gcc = Command::new("gcc");
    let built = (gcc.args(["-O1", "-g", "-o"]).arg(&program).arg(&source)).status();
    assert!(built.unwrap().success());
    request::Body::Record(RecordRequest {
        program: text(&program),
        cwd: text(folder),
        runs_directory: text(&folder.join(".lineheat/runs")),
        duration_s: 120.0, // whatever becomes of the test
        ..RecordRequest::default()
    })
}

/// Progress messages of the recording while a push stays unseen: more than two seconds of it.
const UNSEEN_FOR: u32 = 10;

#[test]
fn a_recording_in_progress_shows_growing_heat_and_ends_as_its_run() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("endless.c");
    let mut engine = Engine::start();
    let id = engine.send(record(folder.path()));
    let watch = engine.send(request::Body::WatchRecording(WatchRecordingRequest {
        recording: id,
    }));
    let (mut opening, mut reading) = (None, None);
    let mut samples_seen: Vec<u64> = Vec::new();
    let (mut outstanding, mut progress, mut watch_is_over) = (false, 0, false);
    let mut ended = None;
    while ended.is_none() || !watch_is_over {
        let reply = engine.next_unseen().expect("a reply");
        let (reply_id, newest) = (reply.id, reply.newest);
        match reply.body.expect("a body") {
            reply::Body::RecordingGrew(_) => {
                assert_eq!((reply_id, newest), (watch, true));
                assert!(!outstanding, "the last one was not seen yet");
                (outstanding, progress) = (true, 0);
                opening = Some(engine.send(open(id)));
            }
            reply::Body::RunOpened(opened) => {
                assert_eq!(Some(reply_id), opening);
                let summary = opened.summary.expect("a summary");
                assert!(summary.partial);
                assert!(
                    summary.end.starts_with("still being recorded after"),
                    "{}",
                    summary.end
                );
                let said = opened.problems.join(" ");
                assert!(said.contains("The recording is still running"), "{said}");
                assert!(!said.contains("Names and lines are added"), "{said}");
                samples_seen.push(opened.total_samples);
                reading = Some(engine.send(request::Body::FileHeat(FileHeatRequest {
                    run: opened.run,
                    path: text(&source),
                    ..FileHeatRequest::default()
                })));
            }
            reply::Body::FileHeat(heat) => {
                assert_eq!(Some(reply_id), reading);
                if *samples_seen.last().expect("opened") > 100 {
                    assert!(heat.line.contains(&HOT_LINE), "{:?}", heat.line);
                }
            }
            reply::Body::RecordingProgress(_) => {
                engine.see(id);
                progress += 1;
                if outstanding && progress == UNSEEN_FOR {
                    if samples_seen.len() == 3 {
                        engine.send(request::Body::Stop(StopRequest {
                            record_id: id,
                            discard: false,
                        }));
                    }
                    outstanding = false;
                    engine.see(watch);
                }
            }
            reply::Body::RecordingEnded(of) => ended = Some(of),
            reply::Body::Done(_) if reply_id == watch => watch_is_over = true,
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    }
    assert!(samples_seen.len() >= 3, "{samples_seen:?}");
    assert!(samples_seen.is_sorted_by(|a, b| a < b), "{samples_seen:?}");
    let path = ended.expect("it ended").run_path;
    let saved = engine.open(path.as_ref());
    assert!(saved.total_samples >= *samples_seen.last().unwrap());
    assert!(!saved.summary.unwrap().partial);
    let gone = engine.fails(open(id));
    assert_eq!(gone.kind(), wire::failure::Kind::NotFound);
}

#[test]
fn what_is_not_being_recorded_cannot_be_watched_or_opened() {
    let mut engine = Engine::start();
    let watch = WatchRecordingRequest { recording: 4711 };
    for body in [request::Body::WatchRecording(watch), open(4711)] {
        let failure = engine.fails(body);
        assert_eq!(failure.kind(), wire::failure::Kind::NotFound);
        assert!(failure.message.contains("4711"), "{}", failure.message);
    }
}

#[test]
fn a_discarded_recording_ends_its_watch() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let id = engine.send(record(folder.path()));
    let watch = engine.send(request::Body::WatchRecording(WatchRecordingRequest {
        recording: id,
    }));
    loop {
        let reply = engine.next().expect("a reply");
        match reply.body.expect("a body") {
            reply::Body::RecordingGrew(_) => {
                engine.send(request::Body::Stop(StopRequest {
                    record_id: id,
                    discard: true,
                }));
            }
            reply::Body::Done(_) if reply.id == watch => break,
            _ => {}
        }
    }
    assert_eq!(engine.fails(open(id)).kind(), wire::failure::Kind::NotFound);
}
