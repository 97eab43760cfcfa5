//! Writes replies, whole frames at a time, from any thread.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use wire::reply::Body;
use wire::{FRAME_BYTES_MAX, Reply, encode_frame};

use super::failure::{Failure, FailureKind};
use super::pushes::Pushes;

/// What follows a reply to the same request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Last,
    MoreFollows,
    AwaitsSeen,
}

#[derive(Clone)]
pub struct Replies {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    pub pushes: Pushes,
}

impl Replies {
    pub fn to(stream: Box<dyn Write + Send>) -> Replies {
        Replies {
            stream: Arc::new(Mutex::new(stream)),
            pushes: Pushes::default(),
        }
    }

    /// The last reply to request `id`.
    pub fn answer(&self, id: u32, answer: Result<Body, Failure>) {
        match answer {
            Ok(body) => self.finish(id, body),
            Err(failure) => self.fail(id, failure),
        }
    }

    pub fn finish(&self, id: u32, body: Body) {
        self.write(id, End::Last, body);
    }

    pub fn fail(&self, id: u32, failure: Failure) {
        self.write(id, End::Last, failure.into());
    }

    /// One of several replies to request `id`.
    pub fn tell(&self, id: u32, body: Body) {
        self.write(id, End::MoreFollows, body);
    }

    /// Says it at once, or when what was said last is seen; `add` makes one message of what waits and what comes.
    pub fn push(&self, id: u32, body: Body, add: impl FnOnce(Body, Body) -> Body) {
        if let Some(body) = self.pushes.offer(id, body, add) {
            self.write(id, End::AwaitsSeen, body);
        }
    }

    /// The editor has seen what was said last.
    pub fn seen(&self, id: u32) {
        if let Some(body) = self.pushes.seen(id) {
            self.write(id, End::AwaitsSeen, body);
        }
    }

    fn write(&self, id: u32, end: End, body: Body) {
        let reply = |body| Reply {
            id,
            r#final: end == End::Last,
            newest: end == End::AwaitsSeen,
            body: Some(body),
        };
        let frame = encode_frame(&reply(body)).unwrap_or_else(|| {
            let failure = Failure {
                kind: FailureKind::TooLarge,
                message: format!("The response is larger than {} MiB.", FRAME_BYTES_MAX >> 20),
                advice: "Record for a shorter time, or use the command line: lineheat report RUN"
                    .to_owned(),
            };
            encode_frame(&reply(failure.into())).expect("a failure is short")
        });
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        // When the editor is gone, the input ends too, and the process with it.
        let _ = stream.write_all(&frame).and_then(|()| stream.flush());
    }
}
