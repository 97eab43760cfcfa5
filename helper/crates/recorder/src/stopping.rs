//! The end of the sampling: somebody says so, the time is over, the target has ended or the sampler does not answer.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use records::ToSampler;
use supervision::{ProcessState, state_of};
use target::Launched;

use super::environment;
use super::recording::{Recording, TargetState};
use super::sampler_watch::Silence;
use super::trouble::Trouble;
use super::{Control, EndReason, Event, Incoming, RecordOptions};

/// How long an asked target may take to end before it is asked harder.
const PATIENCE: Duration = Duration::from_secs(2);
/// A killed target has ended by then, if it can.
pub const KILLED_WITHIN: Duration = Duration::from_secs(5);

impl Recording<'_> {
    /// The target has ended by an interrupt, and nobody has told us to stop so far.
    pub(super) fn was_interrupted(&self) -> bool {
        self.seen.end_reason == EndReason::Exited
            && self.seen.exit.is_some_and(|e| e.signal == libc::SIGINT)
    }

    /// An interrupt reaches the target and us alike; which of both is heard of first is chance.
    pub(super) fn await_own_interrupt(
        &mut self,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        const PATIENCE: Duration = Duration::from_millis(300);
        let deadline = Instant::now() + PATIENCE;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            match incoming.recv_timeout(left) {
                Ok(Incoming::Control(control @ Control::Interrupt)) => return self.obey(control),
                Ok(Incoming::Output(bytes)) => on_event(Event::Output(bytes)),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    pub(super) fn obey(&mut self, control: Control) {
        match control {
            Control::Stop => {
                self.discard |= self.has_not_begun();
                self.stop_and_end_target(EndReason::Stopped);
            }
            Control::Interrupt => {
                self.discard |= self.has_not_begun();
                self.stop(EndReason::Stopped);
                self.ending.get_or_insert_with(Instant::now);
                if self.was_interrupted() {
                    self.seen.end_reason = EndReason::Stopped;
                }
            }
            Control::Discard => {
                self.discard = true;
                self.stop_and_end_target(EndReason::Stopped);
            }
            Control::Input(bytes) => {
                if let TargetState::Running(Launched {
                    terminal: Some(t), ..
                }) = &self.target
                {
                    t.type_in(&bytes);
                }
            }
            Control::Resize(size) => {
                if let TargetState::Running(Launched {
                    terminal: Some(t), ..
                }) = &self.target
                {
                    t.resize(size);
                }
            }
        }
    }

    /// The command has never had its turn.
    fn has_not_begun(&self) -> bool {
        let waits = matches!(self.target, TargetState::Waiting(_));
        waits && self.turn.is_some() && self.seen.repetitions.done.is_empty()
    }

    /// Ends sampling, once; the first reason counts.
    pub(super) fn stop(&mut self, reason: EndReason) {
        if self.stopping.is_some() {
            return;
        }
        self.seen.end_reason = reason;
        self.seen.waits.stop(environment::monotonic_ns());
        self.stopping = Some(Instant::now());
        self.ended.get_or_insert_with(Instant::now);
        self.sampler.say(&ToSampler::Stop);
        self.sampler.send();
        self.sampler_watch.expect_end();
        if let Some(turn) = self.turn {
            turn.end_all();
            if !matches!(self.target, TargetState::Running(_)) {
                turn.leave();
            }
        }
        match (&self.target, &self.launcher) {
            (TargetState::Attached, _) => self.target = TargetState::Gone, // it goes on without us
            (TargetState::Waiting(_), Some(launcher)) => {
                launcher.give_up();
                self.target = TargetState::Gone;
            }
            _ => {}
        }
    }

    fn stop_and_end_target(&mut self, reason: EndReason) {
        self.stop(reason);
        self.ending.get_or_insert_with(Instant::now);
        self.job.ask();
    }

    /// The command was to end, and some of what it has started goes on.
    pub(super) fn rest_is_ending(&mut self) -> bool {
        self.ending.is_some() && self.job.lives()
    }

    /// What depends on time alone: the duration, an attached process that has ended, a target that does not end.
    pub(super) fn watch(&mut self, options: &RecordOptions) {
        // What a command that has ended by itself has left behind may go on.
        let is_ended = self.stopping.is_some() && matches!(self.target, TargetState::Gone);
        if self.ending.is_none()
            && !is_ended
            && options
                .chosen
                .duration
                .is_some_and(|d| self.started.elapsed() >= d)
        {
            self.stop_and_end_target(EndReason::Duration);
        }
        let is_gone = |pid: &u32| !Path::new(&format!("/proc/{pid}")).exists();
        if matches!(self.target, TargetState::Attached) && self.seen.attached.iter().all(is_gone) {
            self.stop(EndReason::Exited);
        }
        match self.ending.map(|since| since.elapsed()) {
            Some(waited) if waited > 2 * PATIENCE || self.urgency.is_urgent() => self.kill_target(),
            Some(waited) if waited > PATIENCE || self.job.is_asked() => self.job.ask(),
            _ => {}
        }
    }

    /// One that waits for a file system, or is frozen by the first version of control groups, cannot even be killed.
    fn kill_target(&mut self) {
        if !self.job.kill() {
            return;
        }
        let command = match &self.target {
            TargetState::Running(launched) => Some(launched.pid()),
            _ => None,
        };
        if (command.is_none() && !self.job.lives()) || !self.killed.runs_out() {
            return;
        }
        let waited = self.killed.waited();
        if let Some(pid) = command {
            let state = state_of(pid);
            // Otherwise it is only its last output that is waited for, or it is named among those that we may not end.
            if state != ProcessState::Ended && !self.job.refused().contains(&pid) {
                let state = state.in_words();
                (self.seen.troubles).push(Trouble::CommandLeft { waited, state });
            }
            self.target = TargetState::Gone;
            self.stop(EndReason::Stopped);
        }
        let mut left = self.job.leave();
        left.retain(|pid| Some(*pid) != command);
        let left = Trouble::processes_left(&left, waited);
        self.seen.troubles.extend(left);
    }

    /// As under sudo: they are another user's.
    pub(super) fn note_refused(&mut self) {
        let refused = self.job.refused();
        self.seen.troubles.extend(Trouble::not_permitted(&refused));
    }

    /// Gives what is to be told of a sampler that says nothing.
    pub(super) fn watch_sampler(&mut self) -> Option<String> {
        if self.sampler_ended {
            return None;
        }
        match self.sampler_watch.look() {
            Silence::Fine => None,
            Silence::Notable(waited) => Some(format!(
                "The sampler has not responded for {:.0} s ({}): samples are lost until it continues.",
                waited.as_secs_f64(),
                self.sampler.state()?
            )),
            Silence::TooLong(waited) => Some(self.give_up_sampler(waited)),
        }
    }

    /// What it has passed on is kept; it is ended if we may do that.
    fn give_up_sampler(&mut self, waited: Duration) -> String {
        let trouble = Trouble::SamplerSilent {
            waited,
            state: self.sampler.state().unwrap_or_default(),
            left_because: self.sampler.end(Duration::ZERO, &self.urgency),
        };
        self.without_sampler(trouble)
    }

    /// Gives what is to be told.
    fn without_sampler(&mut self, trouble: Trouble) -> String {
        let told = trouble.sentence();
        self.seen.troubles.push(trouble);
        (self.sampler_ended, self.seen.sampler_lost) = (true, true);
        self.stop(EndReason::SamplerLost);
        told
    }

    /// The target goes on without it. Gives what is to be told.
    pub(super) fn lose_sampler(&mut self, why: Option<String>) -> String {
        let after = self.started.elapsed();
        self.without_sampler(Trouble::SamplerExited { after, why })
    }
}
