//! What a recording is asked to do.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use profile::run::SweepCell;
use records::layout::{Timers, USER_FRAMES_MAX};
use target::TerminalSize;

use super::attach_to::AttachTo;
use super::choices::Choices;
use super::layouts::DrawnLayouts;
use super::work::Work;
use crate::kept_builds::{EarlierBuild, EarlierSources, KeptBuilds};

/// The table of options cannot name the constant.
const _: () = assert!(Choices::MAX_FRAMES_MAX as usize == USER_FRAMES_MAX);

/// For each file of debug information that a server sends; they have hundreds of megabytes.
pub const DEBUGINFOD_PATIENCE: Duration = Duration::from_secs(120);

/// What to record.
pub enum Target {
    Launch {
        program: PathBuf,
        args: Vec<OsString>,
        cwd: Option<PathBuf>,
        /// Added to our own environment; never stored.
        env: Vec<(OsString, OsString)>,
        terminal: Option<TerminalSize>,
    },
    Attach(AttachTo),
}

/// Which build of a launched program is recorded.
pub enum Build {
    /// The one that is there.
    Present,
    /// The one that is there; a copy is kept for later comparisons.
    Kept(KeptBuilds),
    /// One that was kept.
    Earlier(Box<Earlier>),
}

/// A kept build and what its former runs say of its sources. The target's program is the copy.
pub struct Earlier {
    pub build: EarlierBuild,
    pub sources: EarlierSources,
}

impl Build {
    pub(crate) fn earlier(&self) -> Option<&Earlier> {
        match self {
            Build::Earlier(earlier) => Some(earlier),
            Build::Present | Build::Kept(_) => None,
        }
    }
}

/// With which rights to take samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// The privileged sampler; without it where this user may not have it.
    BestAvailable,
    Required,
    /// Registers and stack copies, user space only.
    None,
}

/// What becomes of a pattern of `calls` without a function that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingCalls {
    /// Nothing is recorded.
    Refused,
    /// It is not counted, and the run says so: the patterns are for other programs, too.
    LeftOut,
}

/// All that a caller chooses.
pub struct RecordOptions {
    pub target: Target,
    pub chosen: Choices,
    pub privilege: Privilege,
    pub timers: Timers,
    /// In turns with another command: fewer executions, if they tell a change of this size.
    pub until: Option<f64>,
    /// Each execution gets an environment of another size; its size in a turn is that of the others that share this.
    pub layouts: Option<DrawnLayouts>,
    /// Patterns of functions whose calls are counted.
    pub calls: Vec<String>,
    pub missing_calls: MissingCalls,
    /// Events that are counted, by the names that perf has for them.
    pub counters: Vec<String>,
    /// What each run of the command does.
    pub work: Work,
    /// Which part of a sweep it is.
    pub sweep: Option<SweepCell>,
    /// Which build of the program is recorded, and what becomes of it.
    pub build: Build,
    /// The run file to write; None: nothing is kept.
    pub output: Option<PathBuf>,
    pub name: String,
    /// How names of functions are saved.
    pub demangle: symbolize::DemangleMode,
}
