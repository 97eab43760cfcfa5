//! Runs of the command before the recording, without samples: caches are filled, clocks are up.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use supervision::{Job, Patience, Urgency};
use target::{Exit, Launched, Launcher};

use super::errors::{RecordError, RecordErrorKind};
use super::follow::{Ended, Told, follow};
use super::launch_options::launch_options;
use super::repetitions::{Repetition, has_failed, how_failed};
use super::trouble::Trouble;
use super::work::{FoundWork, Work};
use super::{Control, Event, RecordOptions, Recorded, RunsSoFar, Stage, Target};

/// How often it is looked whether somebody says to stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// How long an asked program may take to end before it is asked harder.
const PATIENCE: Duration = Duration::from_secs(2);
/// A killed program has ended by then, if it can.
const KILLED_WITHIN: Duration = Duration::from_secs(5);
/// What it has printed is read by then.
const LAST_WORDS: Duration = Duration::from_secs(2);
const WAITING_MAX: usize = 64;

pub enum WarmedUp {
    All(Vec<Repetition>),
    /// Nothing is to be recorded any more.
    Stopped(Recorded),
}

/// Runs the command `options.chosen.warm_up` times.
///
/// # Errors
/// When it cannot be started, or one of the runs fails.
pub fn run(
    options: &RecordOptions,
    urgency: &Urgency,
    control: &Receiver<Control>,
    on_event: &mut impl FnMut(Event),
) -> Result<WarmedUp, RecordError> {
    let mut done = Vec::new();
    if options.chosen.warm_up == 0 || !matches!(options.target, Target::Launch { .. }) {
        return Ok(WarmedUp::All(done));
    }
    let started = Instant::now();
    let internal = |e: io::Error| RecordError::internal(format!("cannot start the program: {e}"));
    let launcher = Launcher::start(urgency).map_err(internal)?;
    for number in 1..=options.chosen.warm_up {
        let waiting = launcher.launch(&launch_options(options), Duration::ZERO)?;
        let mut job = Job::default();
        job.launched(waiting.pid);
        let begun = Instant::now();
        let launched = launcher.release().map_err(internal)?;
        let so_far = || Event::Progress {
            stage: Stage::Recording,
            elapsed: started.elapsed(),
            samples: 0,
            lost: 0,
            runs: Some(RunsSoFar {
                number,
                wanted: options.chosen.warm_up,
                warm_up: true,
                done: number - 1,
                cpu: None,
            }),
        };
        let mut running = Running::watch(launched, job, &options.work, urgency, control);
        let (ended, stopped) = running.until_it_ends(on_event, so_far);
        if stopped {
            let mut recorded = Recorded::nothing(format!(
                "Stopped during warm-up execution {number} of {}: nothing was recorded.",
                options.chosen.warm_up
            ));
            let troubles = running.end_rest();
            (recorded.problems).extend(troubles.iter().map(Trouble::sentence));
            return Ok(WarmedUp::Stopped(recorded));
        }
        let exit = (ended.exit).ok_or_else(|| {
            RecordError::internal(format!(
                "the result of warm-up execution {number} is unknown"
            ))
        })?;
        if has_failed(exit) {
            return Err(failed(number, options.chosen.warm_up, exit));
        }
        done.push(Repetition {
            start: Duration::ZERO,
            wall: ended.at - begun,
            exit,
            work: ended.work.units(),
            cut: false,
        });
    }
    Ok(WarmedUp::All(done))
}

struct Running<'a> {
    launched: Launched,
    /// Who of it has lost its parent before it is to end is not known: nobody samples, nor follows.
    job: Job,
    control: &'a Receiver<Control>,
    heard: Receiver<Told>,
    /// Since when it is expected to end.
    ending: Option<Instant>,
    urgency: &'a Urgency,
    killed: Patience,
}

impl<'a> Running<'a> {
    fn watch(
        mut launched: Launched,
        job: Job,
        work: &Work,
        urgency: &'a Urgency,
        control: &'a Receiver<Control>,
    ) -> Running<'a> {
        let (sender, heard) = sync_channel(WAITING_MAX);
        follow(&mut launched, work, urgency, move |told| {
            sender.send(told).is_ok()
        });
        Running {
            launched,
            job,
            control,
            heard,
            ending: None,
            urgency,
            killed: Patience::new(KILLED_WITHIN, urgency),
        }
    }

    /// With it, whether somebody said to stop.
    fn until_it_ends(
        &mut self,
        on_event: &mut impl FnMut(Event),
        so_far: impl Fn() -> Event,
    ) -> (Ended, bool) {
        let mut told: Option<Instant> = None;
        loop {
            match self.heard.recv_timeout(LOOK_EVERY) {
                Ok(Told::Output(bytes)) => on_event(Event::Output(bytes)),
                Ok(Told::Ended(ended)) => {
                    // What it has started may live on, and print for ever.
                    let mut last_words = Patience::new(LAST_WORDS, self.urgency);
                    while let Ok(Told::Output(bytes)) = self.heard.recv_timeout(LOOK_EVERY)
                        && !last_words.runs_out()
                    {
                        on_event(Event::Output(bytes));
                    }
                    self.obey();
                    return (ended, self.ending.is_some());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return (unknown_end(), self.ending.is_some());
                }
            }
            self.obey();
            if told.is_none_or(|at| at.elapsed() >= PROGRESS_EVERY) {
                told = Some(Instant::now());
                on_event(so_far());
            }
            if self.is_left() {
                return (unknown_end(), true);
            }
        }
    }

    /// After the command, what it has started. Gives what goes on.
    fn end_rest(&mut self) -> Vec<Trouble> {
        let mut left = Vec::new();
        while self.job.lives() {
            std::thread::sleep(LOOK_EVERY);
            self.obey();
            if self.is_left() {
                left = self.job.leave();
            }
        }
        let left = Trouble::processes_left(&left, self.killed.waited());
        let refused = Trouble::not_permitted(&self.job.refused());
        left.into_iter().chain(refused).collect()
    }

    /// Ends those that were to end and go on. True: they cannot be ended.
    fn is_left(&mut self) -> bool {
        match self.ending.map(|since| since.elapsed()) {
            Some(waited) if waited > 2 * PATIENCE || self.urgency.is_urgent() => {
                self.job.kill();
                return self.killed.runs_out();
            }
            Some(waited) if waited > PATIENCE || self.job.is_asked() => self.job.ask(),
            _ => {}
        }
        false
    }

    fn obey(&mut self) {
        loop {
            match self.control.try_recv() {
                Ok(Control::Stop | Control::Discard) => {
                    self.ending.get_or_insert_with(Instant::now);
                    self.job.ask();
                }
                // The terminal has sent it to the command, too.
                Ok(Control::Interrupt) => {
                    self.ending.get_or_insert_with(Instant::now);
                }
                Ok(Control::Input(bytes)) => {
                    if let Some(terminal) = &self.launched.terminal {
                        terminal.type_in(&bytes);
                    }
                }
                Ok(Control::Resize(size)) => {
                    if let Some(terminal) = &self.launched.terminal {
                        terminal.resize(size);
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }
}

fn failed(number: u32, wanted: u32, exit: Exit) -> RecordError {
    RecordError {
        kind: RecordErrorKind::Failed,
        message: format!(
            "warm-up execution {number} of {wanted} {}: nothing was recorded",
            how_failed(exit)
        ),
        advice: "Lineheat repeats a command only if it exits with 0. See the command's output above, or record it once, without --warm-up and --repeat."
            .to_owned(),
    }
}

/// It does not end, or nobody is left who would hear of it.
fn unknown_end() -> Ended {
    Ended {
        exit: None,
        at: Instant::now(),
        work: FoundWork::Nothing,
    }
}
