//! What a recording has come to.

use std::path::PathBuf;
use std::time::Duration;

use target::Exit;

use crate::kept_builds::NotKept;

/// Why a recording ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Exited,
    Stopped,
    Duration,
    SamplerLost,
}

/// A recording that has ended.
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
    pub(crate) fn nothing(why: String) -> Recorded {
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
