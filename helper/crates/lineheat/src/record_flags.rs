//! How to record: the flags that `record`, `sweep` and `compare-commands` have in common.

use std::path::PathBuf;
use std::time::Duration;

use recorder::{
    Build, DEBUGINFOD_PATIENCE, DrawnLayouts, Privilege, REPEAT_MAX, RecordOptions,
    SAMPLE_HZ_DEFAULT, SAMPLE_HZ_MAX, Target, Work, work_expression,
};
use records::layout::{Timers, USER_FRAMES_DEFAULT, USER_FRAMES_MAX};
use regex::bytes::Regex;

use crate::demangling::DemangleChoice;

#[derive(clap::Args, Clone)]
pub struct RecordFlags {
    /// Samples per second per busy thread
    #[arg(long, value_name = "HZ", default_value_t = SAMPLE_HZ_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(SAMPLE_HZ_MAX)))]
    pub freq: u32,
    /// Number of user-space frames to keep per stack. If a stack is deeper, the frames nearest the leaf are kept
    #[arg(long, value_name = "N", default_value_t = USER_FRAMES_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=USER_FRAMES_MAX as i64))]
    max_frames: u32,
    /// Do not copy stack memory. Programs that the target starts may then lack callers at first
    #[arg(long)]
    no_stack_copies: bool,
    /// Timers that take the samples: one per CPU, which also samples threads and processes that live shorter than one
    /// sampling period, or one per thread, which does not interrupt other programs [default: cpu, unless the machine
    /// counts CPU cycles]
    #[arg(long, value_name = "WHOSE")]
    timers: Option<TimersOf>,
    /// Run N warm-up executions without recording them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(REPEAT_MAX)))]
    warm_up: u32,
    /// Units of work per execution. Reports then show time per unit
    #[arg(long, value_name = "N", value_parser = units)]
    work: Option<f64>,
    /// Read the units of work from the command's output: the first group of the expression, in the last matching line. The
    /// output still goes where it normally would: through a second terminal if it is one, through a pipe if it is a file
    #[arg(long, value_name = "REGEX", value_parser = work_expression, conflicts_with = "work")]
    work_from: Option<Regex>,
    /// Fail instead of recording without privileges (user space only)
    #[arg(long)]
    privileged: bool,
    /// Record without privileges, in user space only, even if more is allowed
    #[arg(long, conflicts_with = "privileged")]
    unprivileged: bool,
    /// Store the text of every hot source file in the run, to take it to another machine. By default, a short run contains
    /// the texts of the hottest files and shares the others with the runs in the same folder
    #[arg(long)]
    self_contained: bool,
    /// Download missing debug information from the servers in DEBUGINFOD_URLS
    #[arg(long)]
    debuginfod: bool,
}

#[derive(clap::ValueEnum, Clone, Copy)]
enum TimersOf {
    Cpu,
    Thread,
}

/// What differs between the recordings of one command line.
pub struct Recording {
    pub target: Target,
    pub repeat: u32,
    pub until: Option<f64>,
    pub layouts: Option<DrawnLayouts>,
    pub duration: Option<Duration>,
    pub output: PathBuf,
    pub name: String,
    pub demangle: Option<DemangleChoice>,
}

impl RecordFlags {
    /// # Errors
    /// A sentence, when a flag cannot do what it says here.
    pub fn check(&self) -> Result<(), String> {
        let no_servers = std::env::var_os("DEBUGINFOD_URLS").is_none_or(|urls| urls.is_empty());
        if self.debuginfod && no_servers {
            return Err("Cannot use --debuginfod: DEBUGINFOD_URLS names no server. Set it to a URL of your distribution's debuginfod, or omit --debuginfod.".to_owned());
        }
        Ok(())
    }

    pub fn options(&self, recording: Recording) -> RecordOptions {
        RecordOptions {
            target: recording.target,
            privilege: match (self.privileged, self.unprivileged) {
                (true, _) => Privilege::Required,
                (_, true) => Privilege::None,
                _ => Privilege::BestAvailable,
            },
            sample_hz: self.freq,
            max_frames: self.max_frames,
            stack_copies: !self.no_stack_copies,
            timers: match self.timers {
                None => Timers::Best,
                Some(TimersOf::Cpu) => Timers::PerCpu,
                Some(TimersOf::Thread) => Timers::PerThread,
            },
            repeat: recording.repeat,
            until: recording.until,
            layouts: recording.layouts,
            warm_up: self.warm_up,
            work: match (self.work, &self.work_from) {
                (Some(units), _) => Work::Each(units),
                (None, Some(expression)) => Work::FromOutput(expression.clone()),
                (None, None) => Work::Unknown,
            },
            duration: recording.duration,
            output: Some(recording.output),
            self_contained: self.self_contained,
            name: recording.name,
            sweep: None,
            build: Build::Present,
            demangle: (recording.demangle).map_or_else(Default::default, DemangleChoice::mode),
            debuginfod: self.debuginfod.then_some(DEBUGINFOD_PATIENCE),
        }
    }
}

fn units(text: &str) -> Result<f64, String> {
    let units = text.parse().ok();
    units
        .filter(|n: &f64| n.is_finite() && *n > 0.0)
        .ok_or_else(|| "expected a number above 0, such as 200000".to_owned())
}
