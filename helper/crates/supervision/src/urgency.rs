//! Whether the user wants it to end, and how soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Shared by the one that hears the user and all that wait for something.
#[derive(Debug, Clone, Default)]
pub struct Urgency(Arc<AtomicU8>);

const ASKED: u8 = 1;
const ASKED_AGAIN: u8 = 2;

impl Urgency {
    /// The user asks to stop: the first time in an orderly way, from the second time on at once.
    pub fn ask(&self) {
        let more = |asked: u8| (asked < ASKED_AGAIN).then_some(asked + 1);
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, more);
    }

    /// The user has asked to stop.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= ASKED
    }

    /// The user has asked a second time: nothing is waited for any more.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= ASKED_AGAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_time_is_urgent_for_all_who_share_it() {
        let urgency = Urgency::default();
        let other = urgency.clone();
        assert!(!other.is_asked());
        urgency.ask();
        assert!(other.is_asked() && !other.is_urgent());
        for _ in 0..300 {
            urgency.ask();
        }
        assert!(other.is_urgent());
    }
}
