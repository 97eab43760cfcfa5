//! What is told while a recording runs: by the caller, and to the caller.

use std::time::Duration;

use statistics::{SoFar, Summary};
use target::TerminalSize;

use super::errors::RecordError;

/// What the caller may ask for while it records.
#[derive(Debug, Clone)]
pub enum Control {
    /// End the recording and keep it. A launched target is ended too.
    Stop,
    /// The same, when the target has been interrupted with us and ends by itself.
    Interrupt,
    Discard,
    Input(Vec<u8>),
    Resize(TerminalSize),
}

/// What a recording is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Recording,
    /// So many addresses of the total are known; 0 of 0 at the beginning.
    Symbolizing {
        done: usize,
        total: usize,
    },
    Saving,
}

/// Where a command that is run several times is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunsSoFar {
    /// The one that runs, from 1.
    pub number: u32,
    pub wanted: u32,
    /// It is one of those before the recording.
    pub warm_up: bool,
    /// Those that have ended well.
    pub done: u32,
    /// User and system time of these; None: there is none yet.
    pub cpu: Option<Summary>,
}

/// What the caller hears while it records.
pub enum Event {
    Started {
        pid: u32,
        event: &'static str,
        user_space_only: bool,
        /// What was refused, when less is recorded than was wanted.
        refused: Option<RecordError>,
    },
    Progress {
        stage: Stage,
        elapsed: Duration,
        samples: u64,
        lost: u64,
        /// Of a command that is run several times.
        runs: Option<RunsSoFar>,
    },
    /// Of commands in turns, after each turn: what may be said of them.
    Turn(SoFar),
    /// From the target's own terminal, if it was given one.
    Output(Vec<u8>),
    /// Something that the user should know now; it is in the run, too.
    Trouble(String),
}
