//! Recording: wires launch, sampler, address spaces, counted stacks, symbols and the saved file. The only place that
//! knows all of these stages; each of them knows only its own values.

mod address_spaces;
mod attach_to;
mod bpf_refusals;
mod build_problems;
mod copied_stacks;
mod earlier_build;
mod environment;
mod errors;
mod finish;
mod follow;
mod git;
#[cfg(test)]
mod hours;
mod in_turns;
mod incomplete_stacks;
mod jit;
mod journal;
mod keeping;
mod launching;
mod layouts;
mod mapped_paths;
mod missed;
mod modules;
mod numbering;
mod opener;
mod output;
mod own_samples;
mod pid_namespace;
mod problems;
mod process_repetitions;
mod rate;
mod recording;
mod repetitions;
mod row_cache;
mod run_info;
mod sampler;
mod sampler_process;
mod sampler_watch;
mod save;
mod shown_path;
mod source_texts;
mod stacks;
mod start;
mod stopping;
mod stops;
mod turns;
mod unknown_frames;
mod unprivileged;
mod unwind_tables;
mod warm_up;
mod ways;
mod work;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use profile::run::SweepCell;
use records::FromSampler;
use records::layout::Timers;
use statistics::{SoFar, Summary};
use supervision::Urgency;
use target::{Exit, TerminalSize};

use crate::kept_builds::{EarlierBuild, EarlierSources, KeptBuilds, NotKept};
use crate::kernel_support;

pub use attach_to::AttachTo;
pub use errors::RecordError;
use follow::Ended;

pub use in_turns::{IN_TURNS_MAX, record_in_turns};
pub use layouts::DrawnLayouts;
pub use opener::{Asked, Identity};
pub use output::new_run_path;
use recording::Recording;
pub use sampler_process::sampler_path;
pub use shown_path::shown_path;
use turns::Turn;
use unprivileged::Copies;
use warm_up::WarmedUp;
pub use work::{Work, work_expression};

pub const SAMPLE_HZ_DEFAULT: u32 = 999;
pub const SAMPLE_HZ_MAX: u32 = 9999;
pub const REPEAT_MAX: u32 = 10_000;

/// What to record.
pub enum Target {
    Launch {
        program: PathBuf,
        args: Vec<std::ffi::OsString>,
        cwd: Option<PathBuf>,
        /// Added to our own environment; never stored.
        env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
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
    pub fn earlier(&self) -> Option<&Earlier> {
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

/// Debug files have hundreds of megabytes.
pub const DEBUGINFOD_PATIENCE: Duration = Duration::from_secs(120);

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Exited,
    Stopped,
    Duration,
    SamplerLost,
}

pub struct Recorded {
    /// None: discarded.
    pub run: Option<PathBuf>,
    /// Of the last repetition, with the CPU time of all.
    pub exit: Option<Exit>,
    /// The warm-up runs first; as they are saved, when they are told.
    pub repetitions: Vec<profile::run::Repetition>,
    pub samples: u64,
    pub lost: u64,
    /// The sampler has not told all that it lost.
    pub more_may_be_lost: bool,
    pub user_space_only: bool,
    pub wall: Duration,
    pub end_reason: EndReason,
    pub problems: Vec<String>,
    /// Why there is no copy of the program, if one was to be kept.
    pub not_kept: Option<NotKept>,
}

impl Recorded {
    /// Stopped before anything was recorded, as this sentence says.
    fn nothing(why: String) -> Recorded {
        Recorded {
            run: None,
            exit: None,
            repetitions: Vec::new(),
            samples: 0,
            lost: 0,
            more_may_be_lost: false,
            user_space_only: false,
            wall: Duration::ZERO,
            end_reason: EndReason::Stopped,
            problems: vec![why],
            not_kept: None,
        }
    }
}

enum Incoming {
    Sampler(Vec<FromSampler>),
    /// Of our own sampler.
    Copies(Vec<Copies>),
    SamplerGone(Option<String>),
    TargetExited(Ended),
    Output(Vec<u8>),
    Control(Control),
    /// The command may run.
    YourTurn,
    /// No command that runs in turns with ours will run any more.
    AllHaveRun,
}

/// Messages in flight between our threads; beyond it the sampler waits, and counts what it loses.
const INCOMING_MAX: usize = 256;

/// Records until the target ends, the duration is over or `control` says so; then symbolizes and saves.
///
/// # Errors
/// When recording cannot start, or the run cannot be saved. What was recorded is never thrown away for a lesser cause.
pub fn record(
    options: &RecordOptions,
    control: Receiver<Control>,
    on_event: impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    record_in(options, None, control, on_event)
}

/// The same; the command runs when it is its turn.
fn record_in(
    options: &RecordOptions,
    turn: Option<&Turn>,
    control: Receiver<Control>,
    mut on_event: impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    let urgency = Urgency::default();
    let control = stops::listen(control, urgency.clone());
    match record_until_asked(options, turn, &urgency, control, &mut on_event) {
        Err(e) if e.is_stopped() => Ok(Recorded::nothing(e.message)),
        other => other,
    }
}

fn record_until_asked(
    options: &RecordOptions,
    turn: Option<&Turn>,
    urgency: &Urgency,
    control: Receiver<Control>,
    mut on_event: &mut impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    let alone = turn.map(Turn::prepare);
    if let Some(error) = RecordError::old_kernel(&kernel_support::release()) {
        return Err(error);
    }
    pid_namespace::check_proc()?;
    rate::check(options.sample_hz, rate::kernel_limit_hz())?;
    let run_file = (options.output.as_deref()).map(output::prepare_output);
    let run_file = run_file.transpose()?;
    let warm_ups = match warm_up::run(options, urgency, &control, &mut on_event)? {
        WarmedUp::All(warm_ups) => warm_ups,
        WarmedUp::Stopped(recorded) => return Ok(recorded),
    };
    let (sender, incoming) = sync_channel(INCOMING_MAX);
    let mut recording =
        Recording::start(options, turn, warm_ups, urgency, sender.clone(), &incoming)?;
    if let Some(run_file) = run_file {
        recording.steps.keep_beside(run_file);
    }
    drop(alone);
    let forward = sender.clone();
    thread::spawn(move || {
        while let Ok(c) = control.recv() {
            if forward.send(Incoming::Control(c)).is_err() {
                break;
            }
        }
    });
    recording.begin(options, sender)?;
    on_event(Event::Started {
        pid: recording.pid,
        event: recording.event_name(),
        user_space_only: !recording.sampler.is_privileged(),
        refused: recording.refused.clone(),
    });
    recording.run(options, &incoming, &mut on_event);
    if let Some(turn) = turn {
        // Names are found when nobody runs any more whom that would slow down.
        turn.end_runs(urgency);
    }
    recording.finish(options, &mut on_event)
}
