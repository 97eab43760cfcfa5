//! `lineheat serve`: answers the editor's requests, as `protocol/wire.proto` says, until its input ends.
//!
//! One thread reads; short requests are answered by a few workers, each recording by a thread of its own. Only a
//! stream that is out of step ends the process early: what goes wrong in a request fails that request.

mod failure;
mod replies;
mod session;
mod shared_profiles;
mod so_far;
mod worker_pool;

mod allocation_sites;
mod amounts;
mod answers;
mod blame_view;
mod built_views;
mod callers;
mod commits_between;
mod compare_builds;
mod counted_calls;
mod effects;
mod executables;
mod explain;
mod file_heat;
mod line_detail;
mod locate;
mod lock_view;
mod locked;
mod machine;
mod matched_names;
mod matches;
mod measured;
mod named_functions;
mod named_run;
mod open_comparison;
mod open_run;
mod processes;
mod pushes;
mod recording;
mod requested_choices;
mod requested_values;
mod runtimes;
mod saved_runs;
mod selections;
mod source_paths;
mod sweep;
mod telling;
mod timeline;
mod value_types;
mod views;
mod wait_view;
mod watch_recording;
mod watch_runs;

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

use wire::{Done, Hello, Message, PROTOCOL_VERSION, Request, Welcome, read_frame, reply, request};

use failure::{Failure, FailureKind};
use replies::Replies;
use session::Session;
use worker_pool::WorkerPool;

/// Recordings and requests that wait for a disk should not hold up heat for the open editor.
const WORKERS: usize = 4;
/// Requests waiting for a worker; the editor sends a handful at a time.
const WAITING_MAX: usize = 1024;

/// Serves on standard input and output until the input ends (0) or cannot be understood (3).
pub fn run() -> ExitCode {
    let replies = Replies::to(Box::new(stdout()));
    let session = Arc::new(Session::default());
    let outcome = serve(&session, &replies);
    recording::stop_all_and_wait(&session);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("lineheat serve: {}", failure.message);
            ExitCode::from(3)
        }
    }
}

/// Reads requests until the end of the input.
///
/// # Errors
/// The failure that made the stream unusable; it has been sent.
fn serve(session: &Arc<Session>, replies: &Replies) -> Result<(), Failure> {
    let mut input = BufReader::new(stdin());
    let pool = WorkerPool::new(WORKERS, WAITING_MAX);
    let mut greeted = false;
    loop {
        let bytes = match read_frame(&mut input) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(()),
            Err(error) => {
                let failure = Failure::protocol(format!("{error} The engine exits."));
                replies.fail(0, failure.clone());
                return Err(failure);
            }
        };
        let request = match Request::decode(&bytes[..]) {
            Ok(request) => request,
            Err(error) => {
                let failure = Failure::protocol(format!(
                    "A frame of {} bytes is not a request ({error}). The engine exits.",
                    bytes.len()
                ));
                replies.fail(0, failure.clone());
                return Err(failure);
            }
        };
        if !greeted {
            if let Err(failure) = greet(&request) {
                replies.fail(request.id, failure.clone());
                return Err(failure);
            }
            greeted = true;
            replies.finish(request.id, welcome());
            continue;
        }
        accept(session, replies, &pool, request);
    }
}

fn greet(request: &Request) -> Result<(), Failure> {
    match &request.body {
        Some(request::Body::Hello(Hello { protocol, .. })) if *protocol == PROTOCOL_VERSION => {
            Ok(())
        }
        Some(request::Body::Hello(Hello { protocol, client })) => Err(Failure {
            kind: FailureKind::BuildMismatch,
            message: format!(
                "{} uses protocol version {protocol}, but this engine ({}) uses version {PROTOCOL_VERSION}.",
                if client.is_empty() {
                    "The client"
                } else {
                    client
                },
                env!("CARGO_PKG_VERSION")
            ),
            advice: "Reinstall the Lineheat extension, which contains the matching engine."
                .to_owned(),
        }),
        _ => Err(Failure::protocol("The first request must be Hello.")),
    }
}

fn welcome() -> reply::Body {
    reply::Body::Welcome(Welcome {
        protocol: PROTOCOL_VERSION,
        engine_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Hands a request to whoever answers it. What steers a recording is done at once, in the order it came.
fn accept(session: &Arc<Session>, replies: &Replies, pool: &WorkerPool, request: Request) {
    let id = request.id;
    let Some(body) = request.body else {
        replies.fail(
            id,
            Failure::protocol("This engine does not know this kind of request."),
        );
        return;
    };
    match body {
        request::Body::Stop(stop) => replies.answer(id, recording::stop(session, replies, &stop)),
        request::Body::TerminalInput(input) => replies.answer(id, recording::input(session, input)),
        request::Body::TerminalSize(size) => replies.answer(id, recording::resize(session, &size)),
        request::Body::Sweep(request) => sweep::start(session, replies, id, request),
        request::Body::CompareBuilds(request) => {
            compare_builds::start(session, replies, id, request);
        }
        request::Body::Record(record) => recording::start(session, replies, id, record),
        request::Body::WatchRuns(request) => watch_runs::start(replies, id, &request),
        request::Body::WatchRecording(request) => {
            watch_recording::start(session, replies, id, &request);
        }
        request::Body::Seen(seen) => replies.seen(seen.id),
        request::Body::Unwatch(watch) => {
            if replies.pushes.close(watch.id) {
                replies.finish(watch.id, reply::Body::Done(Done {}));
            }
            replies.finish(id, reply::Body::Done(Done {}));
        }
        body => {
            let session = Arc::clone(session);
            let answers = replies.clone();
            let accepted = pool.give(Box::new(move || {
                answers.answer(id, failure::caught(|| session.answer(body)));
            }));
            if !accepted {
                replies.fail(
                    id,
                    Failure::new(
                        FailureKind::TooLarge,
                        format!("{WAITING_MAX} requests are already waiting."),
                    ),
                );
            }
        }
    }
}
