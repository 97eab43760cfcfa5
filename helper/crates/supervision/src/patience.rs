//! How long a process may take to answer, by a clock that stands still while we do: when the whole session is suspended,
//! frozen or stopped with Ctrl+Z, nobody else is to blame for having said nothing.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::Urgency;

/// How often to look at a [`Patience`].
pub const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What counts of the time between two looks: the rest of a longer one we have not spent waiting.
const LOOK_MAX: Duration = Duration::from_millis(250);
/// Nobody is given longer once the user has asked a second time.
const URGENT: Duration = Duration::from_millis(400);

/// A deadline for another process.
#[derive(Debug)]
pub struct Patience {
    limit: Duration,
    urgency: Urgency,
    waited: Duration,
    /// Of it, since it is urgent.
    waited_urgently: Duration,
    looked: Instant,
}

impl Patience {
    pub fn new(limit: Duration, urgency: &Urgency) -> Patience {
        Patience {
            limit,
            urgency: urgency.clone(),
            waited: Duration::ZERO,
            waited_urgently: Duration::ZERO,
            looked: Instant::now(),
        }
    }

    /// The process has answered: the time counts from now.
    pub fn renew(&mut self) {
        self.waited = Duration::ZERO;
        self.looked = Instant::now();
    }

    /// Whether the wait is over. To be asked every [`LOOK_EVERY`], after looking for an answer.
    pub fn runs_out(&mut self) -> bool {
        let elapsed = self.looked.elapsed();
        self.looked += elapsed;
        self.count(elapsed)
    }

    fn count(&mut self, elapsed: Duration) -> bool {
        let counted = elapsed.min(LOOK_MAX);
        self.waited += counted;
        if self.urgency.is_urgent() {
            self.waited_urgently += counted;
        }
        self.waited >= self.limit || self.waited_urgently >= URGENT
    }

    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// For how long nothing was heard.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

/// The next message.
///
/// # Errors
/// `Timeout` when the patience runs out, `Disconnected` when nobody is left who could send.
pub fn receive<T>(receiver: &Receiver<T>, patience: &mut Patience) -> Result<T, RecvTimeoutError> {
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Err(RecvTimeoutError::Timeout) if !patience.runs_out() => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_in_which_we_did_not_look_ourselves_does_not_count() {
        let mut patience = Patience::new(SECOND, &Urgency::default());
        assert!(!patience.count(3600 * SECOND), "we were suspended");
        let looks = std::iter::repeat_with(|| patience.count(LOOK_EVERY));
        let looks = looks.take_while(|is_over| !is_over).count();
        assert_eq!(
            looks, 14,
            "(1000 - 250) ms in steps of 50 ms, less the last"
        );
        assert_eq!(patience.waited(), SECOND);
        patience.renew();
        assert!(!patience.count(LOOK_EVERY), "it has answered");
    }

    #[test]
    fn who_asks_twice_is_not_kept_even_by_one_that_keeps_answering() {
        let urgency = Urgency::default();
        let mut patience = Patience::new(3600 * SECOND, &urgency);
        urgency.ask();
        assert!(!patience.count(LOOK_MAX) && !patience.count(LOOK_MAX));
        urgency.ask();
        patience.renew();
        assert!(!patience.count(LOOK_MAX));
        patience.renew();
        assert!(patience.count(LOOK_MAX));
    }

    #[test]
    fn a_message_is_received_and_silence_and_the_end_are_told_apart() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut patience = Patience::new(Duration::from_millis(1), &Urgency::default());
        sender.send(7).unwrap();
        assert_eq!(receive(&receiver, &mut patience), Ok(7));
        let silent = receive(&receiver, &mut patience);
        assert_eq!(silent, Err(RecvTimeoutError::Timeout));
        drop(sender);
        let gone = receive(&receiver, &mut patience);
        assert_eq!(gone, Err(RecvTimeoutError::Disconnected));
    }
}
