//! Which thread is on which track of a timeline.

use crate::threads::ThreadOf;

/// Threads in the order of their tracks.
pub(crate) struct Tracks {
    /// With their samples in the whole recording.
    pub all: Vec<(ThreadOf, u64)>,
    /// By thread of the table of threads.
    pub of_thread: Vec<usize>,
}
