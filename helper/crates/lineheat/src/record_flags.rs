//! What the flags of recording mean: those that `record`, `sweep` and `compare-commands` have in common.

use std::path::PathBuf;

use recorder::{
    Build, Choices, DrawnLayouts, MissingCalls, Privilege, RecordOptions, Target, Work,
};
use records::layout::Timers;

use crate::demangling::DemangleChoice;
use crate::record_flag_values::TimersOf;
use crate::record_option_flags::RecordFlags;

/// What differs between the recordings of one command line.
pub struct Recording {
    pub target: Target,
    pub choices: Choices,
    pub until: Option<f64>,
    pub layouts: Option<DrawnLayouts>,
    pub calls: Vec<String>,
    pub counters: Vec<String>,
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
            chosen: recording.choices,
            privilege: match (self.privileged, self.unprivileged) {
                (true, _) => Privilege::Required,
                (_, true) => Privilege::None,
                _ => Privilege::BestAvailable,
            },
            timers: match self.timers {
                None => Timers::Best,
                Some(TimersOf::Cpu) => Timers::PerCpu,
                Some(TimersOf::Thread) => Timers::PerThread,
            },
            until: recording.until,
            layouts: recording.layouts,
            calls: recording.calls,
            missing_calls: MissingCalls::Refused,
            counters: recording.counters,
            work: match (self.work, &self.work_from) {
                (Some(units), _) => Work::Each(units),
                (None, Some(expression)) => Work::FromOutput(expression.clone()),
                (None, None) => Work::Unknown,
            },
            output: Some(recording.output),
            name: recording.name,
            sweep: None,
            build: Build::Present,
            demangle: (recording.demangle).map_or_else(Default::default, DemangleChoice::mode),
        }
    }
}
