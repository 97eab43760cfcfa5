//! Which thread is on which track of a timeline.

use crate::threads::ThreadOf;

/// Threads in the order of their tracks.
pub(crate) struct Tracks {
    pub all: Vec<TrackOf>,
    /// By thread of the table of threads.
    pub of_thread: Vec<usize>,
}

/// A thread, with what it has in the whole recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TrackOf {
    pub thread: ThreadOf,
    pub samples: u64,
    /// Of the measure that is looked at.
    pub value: u64,
}

impl TrackOf {
    /// Of no thread.
    pub fn sum(all: &[TrackOf]) -> TrackOf {
        all.iter().fold(TrackOf::default(), |sum, of| TrackOf {
            samples: sum.samples.saturating_add(of.samples),
            value: sum.value.saturating_add(of.value),
            ..sum
        })
    }
}
