//! Tells the editor when a recording has more to show than was opened last, from a thread of its own.

use std::sync::Arc;
use std::time::Duration;

use wire::reply::Body;
use wire::{Done, RecordingGrew, WatchRecordingRequest};

use super::replies::Replies;
use super::session::Session;

/// A journal grows twice a second.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Until the recording ends, or the request `id` is ended.
pub fn start(session: &Arc<Session>, replies: &Replies, id: u32, request: &WatchRecordingRequest) {
    let recording = match session.recording(request.recording) {
        Ok(recording) => recording,
        Err(failure) => return replies.fail(id, failure),
    };
    replies.pushes.open(id);
    let (session, replies, number) = (Arc::clone(session), replies.clone(), request.recording);
    std::thread::spawn(move || {
        let mut told = None;
        while replies.pushes.is_open(id) && session.recording(number).is_ok() {
            let newer = recording.so_far.newer_state();
            if newer.is_some() && newer != told {
                told = newer;
                replies.push(id, Body::RecordingGrew(RecordingGrew {}), |_, newest| {
                    newest
                });
            }
            std::thread::sleep(LOOK_EVERY);
        }
        if replies.pushes.close(id) {
            replies.finish(id, Body::Done(Done {}));
        }
    });
}
