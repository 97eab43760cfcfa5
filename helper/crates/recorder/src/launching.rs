//! The command of a recording: let go, waited for, and run again.

use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Instant, SystemTime};

use records::ToSampler;
use target::Exit;

use super::environment;
use super::follow::{Ended, Told, follow};
use super::launch_options::launch_options_of;
use super::recording::{Recording, TargetState};
use super::repetitions::has_failed;
use super::trouble::Trouble;
use super::turns::Turn;
use super::work::Work;
use super::{EndReason, Incoming, RecordError, RecordOptions};

/// After a run of the command.
enum Next {
    Again,
    Failed,
    Complete,
}

impl Recording<'_> {
    /// Starts the clock, and lets a launched target run, when it is its turn.
    pub(super) fn begin(
        &mut self,
        options: &RecordOptions,
        sender: SyncSender<Incoming>,
    ) -> Result<(), RecordError> {
        self.start_clock();
        if self.seen.repetitions.wanted > 1 || self.turn.is_some() {
            self.sender = Some(sender.clone());
        }
        if let Some(turn) = self.turn {
            turn.ask(sender);
            return Ok(());
        }
        self.release(&options.work, sender)
            .map_err(|e| RecordError::internal(format!("the program could not be released: {e}")))
    }

    fn start_clock(&mut self) {
        self.started = Instant::now();
        self.seen.started_at = SystemTime::now();
        self.seen.started_monotonic_ns = environment::monotonic_ns();
        self.steps.wait_first();
    }

    /// The command may run: for the first time, or again.
    pub(super) fn take_turn(&mut self, options: &RecordOptions) {
        let Some(turn) = self.turn.filter(|_| self.stopping.is_none()) else {
            return self.turn.map_or((), Turn::leave);
        };
        if self.seen.repetitions.done.is_empty() {
            self.start_clock();
            self.run_waiting(options);
        } else if let Err(e) = self.launch_again(options) {
            self.note_unless_stopped(e);
            turn.end_all();
            self.stop(EndReason::Exited);
        }
    }

    /// No command of all those in turns runs any more.
    pub(super) fn end_with_others(&mut self) {
        self.stop(EndReason::Exited);
    }

    /// Lets a waiting target run.
    fn release(&mut self, work: &Work, sender: SyncSender<Incoming>) -> io::Result<()> {
        let (TargetState::Waiting(waiting), Some(launcher)) = (&self.target, &self.launcher) else {
            return Ok(());
        };
        self.job.launched(waiting.pid);
        self.of_processes.launched(waiting.pid);
        let now_ns = environment::monotonic_ns();
        self.of_processes.began(now_ns);
        self.own_samples.release(waiting.pid, now_ns);
        self.seen
            .repetitions
            .begin(self.started.elapsed(), waiting.cpu_time);
        if !self.sampler.is_privileged() {
            // Where we may not, as with a program that nobody may read, some stacks are shorter.
            let _ = target::map_whole_stack(waiting.pid);
        }
        let mut launched = launcher.release()?;
        follow(&mut launched, work, &self.urgency, move |told| {
            let incoming = match told {
                Told::Output(bytes) => Incoming::Output(bytes),
                Told::Ended(ended) => Incoming::TargetExited(ended),
            };
            sender.send(incoming).is_ok()
        });
        self.target = TargetState::Running(launched);
        Ok(())
    }

    /// The command has ended: it is run again, or the recording ends.
    pub(super) fn take_exit(&mut self, options: &RecordOptions, ended: Ended) {
        self.target = TargetState::Gone;
        let exit = self.note_exit(options, ended);
        let next = self.goes_on(exit);
        if let Some(turn) = self.turn {
            if matches!(next, Next::Failed) {
                turn.end_all();
            }
            let ran = self.seen.repetitions.done.last().copied();
            turn.pass(ran.filter(|last| exit.is_some() && !last.cut));
        }
        match next {
            Next::Again => match (self.turn, self.sender.clone()) {
                (Some(turn), Some(sender)) => return turn.ask(sender),
                _ => match self.launch_again(options) {
                    Ok(()) => return,
                    Err(e) => self.note_unless_stopped(e),
                },
            },
            Next::Failed | Next::Complete => {}
        }
        match (self.turn, self.sender.clone()) {
            (Some(turn), Some(sender)) if self.stopping.is_none() => {
                self.ended = Some(Instant::now());
                turn.be_done(sender);
            }
            _ => self.stop(EndReason::Exited),
        }
    }

    /// None: it is not known how it ended.
    fn note_exit(&mut self, options: &RecordOptions, ended: Ended) -> Option<Exit> {
        let at = ended.at.saturating_duration_since(self.started);
        let stopped = self.stopping.is_some();
        let work = ended.work.units();
        let exit = (ended.exit).map(|exit| self.seen.repetitions.end(at, exit, work, stopped));
        let cut = self.seen.repetitions.done.last().is_some_and(|r| r.cut);
        if work == 0.0 && !cut && matches!(options.work, Work::FromOutput(_)) {
            self.seen.unknown_work.push(ended.work);
        }
        self.seen.exit = self.seen.repetitions.total();
        exit
    }

    fn goes_on(&mut self, exit: Option<Exit>) -> Next {
        let repeats = self.seen.repetitions.wanted > 1 || self.turn.is_some();
        match exit {
            Some(exit) if repeats && has_failed(exit) && self.stopping.is_none() => {
                // An interrupt reaches the command and us alike: that is no failure of its own.
                if exit.signal != libc::SIGINT {
                    self.seen.troubles.push(Trouble::ExecutionFailed {
                        number: self.seen.repetitions.done.len(),
                        wanted: self.seen.repetitions.wanted,
                        exit,
                    });
                }
                Next::Failed
            }
            Some(_) if self.stopping.is_none() && !self.seen.repetitions.is_complete() => {
                Next::Again
            }
            _ => Next::Complete,
        }
    }

    /// The next repetition waits until the sampler has applied all that its exec has changed.
    fn launch_again(&mut self, options: &RecordOptions) -> Result<(), RecordError> {
        let Some(launcher) = &self.launcher else {
            return Ok(());
        };
        let before = self
            .seen
            .repetitions
            .cpu_time_before_next(options.chosen.sample_hz);
        let launch = launch_options_of(options, self.seen.repetitions.done.len());
        let waiting = launcher.launch(&launch, before)?;
        self.prepare_heap_again(waiting.pid);
        self.target = TargetState::Waiting(waiting);
        self.sampler.say(&ToSampler::Sync);
        self.sampler.send();
        Ok(())
    }

    /// A stop is heard while the next repetition is being started: that is no problem.
    fn note_unless_stopped(&mut self, error: RecordError) {
        if !error.is_stopped() {
            let why = error.message;
            self.seen.troubles.push(Trouble::NotLaunched { why });
        }
    }

    pub(super) fn run_waiting(&mut self, options: &RecordOptions) {
        let Some(sender) = self.sender.clone() else {
            return;
        };
        if let Err(e) = self.release(&options.work, sender) {
            let why = e.to_string();
            self.seen.troubles.push(Trouble::NotReleased { why });
            self.target = TargetState::Gone;
            self.stop(EndReason::Exited);
        }
    }
}
