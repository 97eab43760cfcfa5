//! What a recording is asked to do.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use profile::run::SweepCell;
use records::layout::Timers;
use target::TerminalSize;

use super::attach_to::AttachTo;
use super::layouts::DrawnLayouts;
use super::work::Work;
use crate::kept_builds::{EarlierBuild, EarlierSources, KeptBuilds};

/// What is sampled at where nobody says otherwise.
pub const SAMPLE_HZ_DEFAULT: u32 = 999;
/// The highest rate that may be asked for.
pub const SAMPLE_HZ_MAX: u32 = 9999;
/// Of executions of one command, and of its warm-up executions.
pub const REPEAT_MAX: u32 = 10_000;

/// Debug files have hundreds of megabytes.
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

/// All that a caller chooses.
pub struct RecordOptions {
    pub target: Target,
    pub privilege: Privilege,
    pub sample_hz: u32,
    /// Of the user stack; a deeper one keeps its leaf side. At most `records::layout::USER_FRAMES_MAX`.
    pub max_frames: u32,
    /// Whether pieces of stacks may be unwound here, in memory, while the rows of a file are being made.
    pub stack_copies: bool,
    pub timers: Timers,
    /// How often a command is run, into one run; a run that fails is the last. At least 1.
    pub repeat: u32,
    /// In turns with another command: fewer executions, if they tell a change of this size.
    pub until: Option<f64>,
    /// Each execution gets an environment of another size; its size in a turn is that of the others that share this.
    pub layouts: Option<DrawnLayouts>,
    /// How often it is run before, without samples.
    pub warm_up: u32,
    /// What each run of the command does.
    pub work: Work,
    pub duration: Option<Duration>,
    /// Which part of a sweep it is.
    pub sweep: Option<SweepCell>,
    /// Which build of the program is recorded, and what becomes of it.
    pub build: Build,
    /// The run file to write; None: nothing is kept.
    pub output: Option<PathBuf>,
    /// Keep the text of each hot source file in the run itself.
    pub self_contained: bool,
    pub name: String,
    /// How names of functions are saved.
    pub demangle: symbolize::DemangleMode,
    /// Ask the servers of DEBUGINFOD_URLS for debug information that is not here, and wait so long for each file.
    pub debuginfod: Option<Duration>,
}
