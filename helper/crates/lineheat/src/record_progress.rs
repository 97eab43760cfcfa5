//! What is said on stderr while something is recorded.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use recorder::turn_so_far;
use recorder::{Event, RecordError, RunsSoFar, Stage};
use statistics::{Decision, SoFar};

use crate::terminal_numbers::duration;
use crate::terminal_text::visible;

/// Of lines, which stay.
const LINES_EVERY: Duration = Duration::from_secs(2);
/// Runs of which each has a line.
const LINES_MAX: u32 = 20;

/// What is not told yet; more is left out.
const WAITING_MAX: usize = 256;
/// At the end.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// Tells it from a thread of its own: a terminal or a pipe that nobody reads must not keep the recording.
pub struct Teller {
    sender: SyncSender<(String, Event)>,
    ended: Receiver<()>,
}

impl Teller {
    pub fn start() -> Teller {
        let (sender, events) = sync_channel::<(String, Event)>(WAITING_MAX);
        let (end, ended) = sync_channel(1);
        thread::spawn(move || {
            let mut progress = Progress::default();
            for (place, event) in events {
                progress.at(&place);
                progress.tell(event);
            }
            progress.end_line();
            end.send(())
        });
        Teller { sender, ended }
    }

    /// `place` says which of several recordings it is, and stands before a run's number.
    pub fn tell(&self, place: &str, event: Event) {
        let _ = self.sender.try_send((place.to_owned(), event));
    }

    /// Waits a moment until all is told.
    pub fn end(self) {
        drop(self.sender);
        let _ = self.ended.recv_timeout(TOLD_WITHIN);
    }
}

/// A line that is written over and over on a terminal, unless what the command prints goes there too: then, and in a file,
/// lines of their own.
#[derive(Default)]
struct Progress {
    line_open: bool,
    /// By place.
    told: HashMap<String, (RunsSoFar, Instant)>,
    /// Stands before a run's number.
    place: String,
    /// Each turn is told, so no execution is.
    are_watched: bool,
}

impl Progress {
    /// What follows is of this one of several recordings.
    fn at(&mut self, place: &str) {
        if self.place != place {
            self.place = place.to_owned();
        }
    }

    fn tell(&mut self, event: Event) {
        match event {
            Event::Started {
                refused: Some(refused),
                ..
            } => self.tell_refusal(&refused),
            Event::Progress {
                stage: Stage::Symbolizing { done, total },
                ..
            } if total > 0 && io::stderr().is_terminal() => {
                self.rewrite(&format!(
                    "resolving names and lines, {} %",
                    100 * done / total
                ));
            }
            Event::Progress {
                stage: Stage::Recording,
                runs: Some(runs),
                ..
            } => self.tell_runs(runs),
            Event::Turn(so_far) => self.tell_turn(&so_far),
            Event::Progress {
                stage: Stage::Symbolizing { .. } | Stage::Saving,
                ..
            } => self.end_line(),
            Event::Trouble(sentence) => {
                self.end_line();
                say(&format!("lineheat: {}\n", visible(&sentence)));
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.line_open) {
            say("\n");
        }
    }

    /// Something can still be done about it.
    fn tell_refusal(&mut self, refused: &RecordError) {
        self.end_line();
        say(&format!(
            "lineheat: recording without privileges, in user space only. Kernel time and waiting time will be missing, because {}\n",
            visible(&refused.message)
        ));
        for line in refused.advice.lines() {
            say(&format!("lineheat: {}\n", visible(line)));
        }
    }

    fn tell_turn(&mut self, so_far: &SoFar) {
        self.are_watched = true;
        let text = turn_so_far(so_far);
        if so_far.decision == Decision::GoOn
            && io::stderr().is_terminal()
            && !io::stdout().is_terminal()
        {
            self.rewrite(&text);
        } else {
            self.end_line();
            say(&format!("lineheat: {text}\n"));
        }
    }

    fn tell_runs(&mut self, runs: RunsSoFar) {
        if self.are_watched {
            return;
        }
        let told = self.told.get(&self.place).copied();
        if io::stderr().is_terminal() && !io::stdout().is_terminal() {
            if told.is_none_or(|(told, _)| told != runs) {
                self.note(runs);
                self.rewrite(&self.present(&runs));
            }
            return;
        }
        let news = |told: &RunsSoFar| (told.done, told.warm_up) != (runs.done, runs.warm_up);
        let due = match &told {
            None => runs.warm_up || runs.done > 0,
            Some((told, at)) => {
                let few = runs.wanted <= LINES_MAX;
                news(told)
                    && (runs.warm_up || runs.done > 0)
                    && (few || at.elapsed() >= LINES_EVERY || runs.done == runs.wanted)
            }
        };
        if due {
            self.note(runs);
            let text = match runs.warm_up {
                true => self.present(&runs),
                false => format!(
                    "{}{} of {} executions done{}",
                    self.place,
                    runs.done,
                    runs.wanted,
                    so_far(&runs)
                ),
            };
            say(&format!("lineheat: {text}\n"));
        }
    }

    fn note(&mut self, runs: RunsSoFar) {
        self.told.insert(self.place.clone(), (runs, Instant::now()));
    }

    fn present(&self, runs: &RunsSoFar) -> String {
        let what = if runs.warm_up {
            "warm-up execution"
        } else {
            "execution"
        };
        format!(
            "{}{what} {} of {}{}",
            self.place,
            runs.number,
            runs.wanted,
            so_far(runs)
        )
    }

    fn rewrite(&mut self, text: &str) {
        self.line_open = true;
        say(&format!("\rlineheat: {text}\x1b[K"));
    }
}

fn so_far(runs: &RunsSoFar) -> String {
    let Some(cpu) = runs.cpu else {
        return String::new();
    };
    let mean = duration(cpu.mean);
    match runs.done {
        0 | 1 => format!(", {mean} of CPU time"),
        _ => format!(", {mean} of CPU time \u{b1} {:.1} %", 100.0 * cpu.cv),
    }
}

/// A reader that has gone, or a closed terminal, is no reason to lose a run.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

pub fn say_error(error: &RecordError) {
    say(&format!("lineheat: {}\n", visible(&error.message)));
    for line in error.advice.lines() {
        say(&format!("{}\n", visible(line)));
    }
}
