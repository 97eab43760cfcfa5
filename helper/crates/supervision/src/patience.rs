//! How long a process may take to answer, by a clock that stands still while we do: when the whole session is suspended,
//! frozen or stopped with Ctrl+Z, nobody else is to blame for having said nothing. Nor is a process that wants to run and is
//! not let: where hundreds of threads want the CPU, seconds of work take minutes.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::Urgency;
use crate::process_state::{ProcessState, cpu_time_of, state_of};

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
    of: Option<u32>,
    /// The CPU time that it had used when the limit was reached.
    used_at_limit: Option<Duration>,
    /// Beyond the limit, because it got no turn.
    granted: Duration,
}

impl Patience {
    pub fn new(limit: Duration, urgency: &Urgency) -> Patience {
        Patience {
            limit,
            urgency: urgency.clone(),
            waited: Duration::ZERO,
            waited_urgently: Duration::ZERO,
            looked: Instant::now(),
            of: None,
            used_at_limit: None,
            granted: Duration::ZERO,
        }
    }

    /// While this process wants to run, it has the limit once more, in CPU time of its own.
    pub fn with(mut self, pid: u32) -> Patience {
        self.of = Some(pid);
        self
    }

    /// The process has answered: the time counts from now.
    pub fn renew(&mut self) {
        self.waited = Duration::ZERO;
        self.granted = Duration::ZERO;
        self.looked = Instant::now();
        self.used_at_limit = None;
    }

    /// Whether the wait is over. To be asked every [`LOOK_EVERY`], after looking for an answer.
    pub fn runs_out(&mut self) -> bool {
        let elapsed = self.looked.elapsed();
        self.looked += elapsed;
        if self.waited + elapsed >= self.limit + self.granted && self.gets_no_turn() {
            self.granted += elapsed.min(LOOK_MAX);
        }
        self.count(elapsed)
    }

    fn gets_no_turn(&mut self) -> bool {
        let Some((pid, now)) = self.of.and_then(|pid| Some((pid, cpu_time_of(pid)?))) else {
            return false;
        };
        let before = *self.used_at_limit.get_or_insert(now);
        now.saturating_sub(before) < self.limit && state_of(pid) == ProcessState::Runnable
    }

    fn count(&mut self, elapsed: Duration) -> bool {
        let counted = elapsed.min(LOOK_MAX);
        self.waited += counted;
        if self.urgency.is_urgent() {
            self.waited_urgently += counted;
        }
        self.waited >= self.limit + self.granted || self.waited_urgently >= URGENT
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
    fn a_process_that_wants_to_run_has_the_limit_in_cpu_time() {
        let limit = Duration::from_millis(300);
        let mut busy = std::process::Command::new("/bin/sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let mut patience = Patience::new(limit, &Urgency::default()).with(busy.id());
        let before = cpu_time_of(busy.id()).unwrap();
        while !patience.runs_out() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let used = cpu_time_of(busy.id()).unwrap() - before;
        busy.kill().unwrap();
        busy.wait().unwrap();
        // In the odd moment it is not seen wanting to run, which ends the wait earlier.
        assert!(used > limit / 2, "{used:?}");
        let mut over = Patience::new(limit, &Urgency::default()).with(busy.id());
        over.count(LOOK_MAX);
        assert!(over.count(LOOK_MAX), "nobody waits for one that has ended");
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
