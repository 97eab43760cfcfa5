//! How to record: the flags that `record`, `sweep` and `compare-commands` have in common.

use std::path::PathBuf;
use std::time::Duration;

use records::layout::{USER_FRAMES_DEFAULT, USER_FRAMES_MAX};
use regex::bytes::Regex;

use crate::demangling::DemangleChoice;
use crate::record::{
    DEBUGINFOD_PATIENCE, Privilege, REPEAT_MAX, RecordOptions, SAMPLE_HZ_DEFAULT, SAMPLE_HZ_MAX,
    Target, Work, work_expression,
};

#[derive(clap::Args, Clone)]
pub struct RecordFlags {
    /// Samples a second on each busy thread
    #[arg(long, value_name = "HZ", default_value_t = SAMPLE_HZ_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(SAMPLE_HZ_MAX)))]
    pub freq: u32,
    /// Frames kept of a user stack; of a deeper one, those nearest the leaf
    #[arg(long, value_name = "N", default_value_t = USER_FRAMES_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=USER_FRAMES_MAX as i64))]
    max_frames: u32,
    /// Do not copy stack memory. Programs that the target starts may then lack callers at first
    #[arg(long)]
    no_stack_copies: bool,
    /// Run N warm-up executions without recording them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(REPEAT_MAX)))]
    warm_up: u32,
    /// Units of work that each run of the command does: reports then say time per unit
    #[arg(long, value_name = "N", value_parser = units)]
    work: Option<f64>,
    /// Find the units of work in what the command prints: the expression's first group, in the last line that matches. The
    /// output still goes where it would, on a terminal through another one; to a file, through a pipe
    #[arg(long, value_name = "REGEX", value_parser = work_expression, conflicts_with = "work")]
    work_from: Option<Regex>,
    /// Fail rather than record without privilege (user space only)
    #[arg(long)]
    privileged: bool,
    /// Record without privilege, in user space only, even where more is allowed
    #[arg(long, conflicts_with = "privileged")]
    unprivileged: bool,
    /// Ask the servers of DEBUGINFOD_URLS for debug information that is not on this machine
    #[arg(long)]
    debuginfod: bool,
}

/// What differs between the recordings of one command line.
pub struct Recording {
    pub target: Target,
    pub repeat: u32,
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
            return Err("--debuginfod asks the servers that DEBUGINFOD_URLS names, but it names none. Set it to a URL of your distribution's debuginfod, or leave --debuginfod out.".to_owned());
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
            repeat: recording.repeat,
            warm_up: self.warm_up,
            work: match (self.work, &self.work_from) {
                (Some(units), _) => Work::Each(units),
                (None, Some(expression)) => Work::FromOutput(expression.clone()),
                (None, None) => Work::Unknown,
            },
            duration: recording.duration,
            output: Some(recording.output),
            name: recording.name,
            sweep: None,
            demangle: (recording.demangle).map_or_else(Default::default, DemangleChoice::mode),
            debuginfod: self.debuginfod.then_some(DEBUGINFOD_PATIENCE),
        }
    }
}

fn units(text: &str) -> Result<f64, String> {
    let units = text.parse().ok();
    units
        .filter(|n: &f64| n.is_finite() && *n > 0.0)
        .ok_or_else(|| "wanted a number above 0, such as 200000".to_owned())
}
