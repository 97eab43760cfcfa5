//! Writes replies, whole frames at a time, from any thread.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use wire::reply::Body;
use wire::{FRAME_BYTES_MAX, Reply, encode_frame};

use super::failure::Failure;

#[derive(Clone)]
pub struct Replies {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Replies {
    pub fn to(stream: Box<dyn Write + Send>) -> Replies {
        Replies {
            stream: Arc::new(Mutex::new(stream)),
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
        self.write(id, true, body);
    }

    pub fn fail(&self, id: u32, failure: Failure) {
        self.write(id, true, failure.into());
    }

    /// One of several replies to request `id`.
    pub fn tell(&self, id: u32, body: Body) {
        self.write(id, false, body);
    }

    fn write(&self, id: u32, last: bool, body: Body) {
        let reply = Reply {
            id,
            r#final: last,
            body: Some(body),
        };
        let frame = encode_frame(&reply).unwrap_or_else(|| {
            let failure = Failure {
                kind: "too-large",
                message: format!("The response is larger than {} MiB.", FRAME_BYTES_MAX >> 20),
                advice: "Record for a shorter time, or use the command line: lineheat report RUN"
                    .to_owned(),
            };
            let reply = Reply {
                id,
                r#final: last,
                body: Some(failure.into()),
            };
            encode_frame(&reply).expect("a failure is short")
        });
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        // When the editor is gone, the input ends too, and the process with it.
        let _ = stream.write_all(&frame).and_then(|()| stream.flush());
    }
}
