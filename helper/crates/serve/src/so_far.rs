//! A recording in progress as a run that can be opened: what its journal holds, with names, and when it is worth opening again.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use profile::Profile;
use recorder::NamesSoFar;
use wire::Demangle;

use super::failure::{Failure, FailureKind};
use super::locked::locked;
use super::named_functions::analyzed;
use super::saved_runs::on_wire;
use super::shared_profiles::SharedProfile;

/// A newer state is opened no sooner after the last.
const PAUSE_MIN: Duration = Duration::from_secs(2);
/// Opening may take a fifth of the time at most: a large recording must not keep a processor for itself.
const PAUSE_TIMES: u32 = 5;

/// A journal that is no longer has its first line only.
const HEAD_BYTES_MAX: u64 = 128;

/// The runs that a recording writes, and what was found out of them while it does.
pub struct SoFar {
    runs: Box<[PathBuf]>,
    last: Mutex<Last>,
}

/// Which run is written now, and how long its journal is.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    run: PathBuf,
    journal_bytes: u64,
}

#[derive(Default)]
struct Last {
    names: NamesSoFar,
    opened: Option<Opened>,
}

struct Opened {
    began: Instant,
    took: Duration,
    state: State,
    demangle: Demangle,
    shared: Weak<SharedProfile>,
}

impl Opened {
    fn pause(&self) -> Duration {
        PAUSE_MIN.max(self.took * PAUSE_TIMES)
    }

    fn is_old(&self) -> bool {
        self.began.elapsed() >= self.took + self.pause()
    }
}

impl SoFar {
    pub fn of(runs: Vec<PathBuf>) -> SoFar {
        SoFar {
            runs: runs.into(),
            last: Mutex::default(),
        }
    }

    pub fn runs(&self) -> &[PathBuf] {
        &self.runs
    }

    /// The run so far. Who asks again soon gets the same state, as long as somebody holds it; who asks while it is read waits.
    ///
    /// # Errors
    /// `not-found` before the first samples are there, and when the recording was discarded.
    pub fn profile(&self, demangle: Demangle) -> Result<Arc<SharedProfile>, Failure> {
        let mut last = locked(&self.last);
        if let Some(opened) = &last.opened
            && opened.demangle == demangle
            && !opened.is_old()
            && let Some(shared) = opened.shared.upgrade()
        {
            return Ok(shared);
        }
        let began = Instant::now();
        // Before it is read: what is written meanwhile is newer.
        let state = self.state().ok_or_else(|| Failure {
            kind: FailureKind::NotFound,
            message: "The recording has no samples to show yet.".to_owned(),
            advice: "Try again in a second.".to_owned(),
        })?;
        let mut profile = Profile::open(&state.run)?;
        last.names.name(&mut profile);
        let summary = on_wire(&state.run, profile::summarize(&profile));
        let shared = Arc::new(analyzed(profile, summary, demangle));
        last.opened = Some(Opened {
            began,
            took: began.elapsed(),
            state,
            demangle,
            shared: Arc::downgrade(&shared),
        });
        Ok(shared)
    }

    /// A state that nobody has opened, once it may be.
    pub fn newer_state(&self) -> Option<State> {
        let now = self.state()?;
        let last = locked(&self.last);
        let is_newer = (last.opened.as_ref()).is_none_or(|last| last.is_old() && last.state != now);
        is_newer.then_some(now)
    }

    /// Of a sweep it is the cell that is recorded now; of two builds in turns the present one.
    fn state(&self) -> Option<State> {
        let mut latest_first = self.runs.iter().rev();
        let run = latest_first.find(|run| profile::is_being_recorded(run))?;
        let journal_bytes = fs::metadata(profile::journal_path(run)).ok()?.len();
        (journal_bytes > HEAD_BYTES_MAX).then(|| State {
            run: run.clone(),
            journal_bytes,
        })
    }
}
