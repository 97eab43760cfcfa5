//! What the engine says unasked: to each request only the newest, and one at a time, until the editor has seen it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use wire::reply::Body;

use super::locked::locked;

/// By the id of the request that they belong to.
#[derive(Clone, Default)]
pub struct Pushes(Arc<Mutex<HashMap<u32, Subject>>>);

#[derive(Default)]
struct Subject {
    is_outstanding: bool,
    /// What would be said if the last were seen.
    waiting: Option<Body>,
}

impl Pushes {
    /// Nothing is outstanding yet.
    pub fn open(&self, id: u32) {
        locked(&self.0).insert(id, Subject::default());
    }

    /// False when it was not open.
    pub fn close(&self, id: u32) -> bool {
        locked(&self.0).remove(&id).is_some()
    }

    pub fn is_open(&self, id: u32) -> bool {
        locked(&self.0).contains_key(&id)
    }

    /// What is to be said now. Else it waits; `add` makes one of what waits already and what comes.
    pub fn offer(&self, id: u32, body: Body, add: impl FnOnce(Body, Body) -> Body) -> Option<Body> {
        let mut subjects = locked(&self.0);
        let subject = subjects.get_mut(&id)?;
        if !subject.is_outstanding {
            subject.is_outstanding = true;
            return Some(body);
        }
        subject.waiting = Some(match subject.waiting.take() {
            Some(waiting) => add(waiting, body),
            None => body,
        });
        None
    }

    /// The last was seen: what is to be said now.
    pub fn seen(&self, id: u32) -> Option<Body> {
        let mut subjects = locked(&self.0);
        let subject = subjects.get_mut(&id)?;
        subject.is_outstanding = subject.waiting.is_some();
        subject.waiting.take()
    }
}

#[cfg(test)]
mod tests {
    use wire::RecordingProgress;

    use super::*;

    fn progress(samples: u64) -> Body {
        Body::RecordingProgress(RecordingProgress {
            samples,
            ..RecordingProgress::default()
        })
    }

    #[test]
    fn only_the_newest_is_said_and_only_once_the_last_was_seen() {
        let pushes = Pushes::default();
        let offer = |samples| pushes.offer(7, progress(samples), |_, new| new);
        assert_eq!(offer(1), None, "nobody has asked");
        pushes.open(7);
        assert_eq!(offer(2), Some(progress(2)));
        assert!((3..100).all(|samples| offer(samples).is_none()));
        assert_eq!(pushes.seen(7), Some(progress(99)));
        assert_eq!(offer(100), None, "99 was not seen yet");
        assert_eq!(pushes.seen(7), Some(progress(100)));
        assert_eq!(pushes.seen(7), None, "nothing new");
        assert_eq!(offer(101), Some(progress(101)));
        assert!(pushes.close(7) && !pushes.close(7));
        assert_eq!((pushes.seen(7), offer(102)), (None, None));
    }
}
