//! What the editor has open: runs, comparisons and recordings by their handles.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

use recorder::Control;

use super::failure::{Failure, FailureKind};
use super::locked::locked;
use super::open_comparison::OpenComparison;
use super::open_run::OpenRun;
use super::saved_runs::SavedRuns;
use super::shared_profiles::SharedProfiles;
use super::so_far::SoFar;

/// A forgetful client must not fill the memory: each run may hold hundreds of megabytes.
const OPEN_MAX: usize = 32;

/// A recording, for the requests that steer it.
#[derive(Clone)]
pub struct Steered {
    pub control: SyncSender<Control>,
    /// How often it was told to stop.
    pub stops: Arc<AtomicU32>,
    /// The runs that it writes.
    pub so_far: Arc<SoFar>,
}

#[derive(Default)]
pub struct Session {
    pub(super) runs: Mutex<HashMap<u32, Arc<OpenRun>>>,
    pub(super) comparisons: Mutex<HashMap<u32, Arc<OpenComparison>>>,
    recordings: Mutex<HashMap<u32, Steered>>,
    pub(super) saved: SavedRuns,
    pub(super) profiles: SharedProfiles,
    last_handle: AtomicU32,
}

impl Session {
    pub fn run(&self, handle: u32) -> Result<Arc<OpenRun>, Failure> {
        (locked(&self.runs).get(&handle).cloned()).ok_or_else(|| {
            Failure::not_found(format!(
                "No run {handle} is open; it was closed or the engine restarted."
            ))
        })
    }

    pub fn comparison(&self, handle: u32) -> Result<Arc<OpenComparison>, Failure> {
        (locked(&self.comparisons).get(&handle).cloned()).ok_or_else(|| {
            Failure::not_found(format!(
                "No comparison {handle} is open; it was closed or the engine restarted."
            ))
        })
    }

    pub(super) fn add<T>(
        &self,
        table: &Mutex<HashMap<u32, T>>,
        entry: T,
        what: &str,
    ) -> Result<u32, Failure> {
        let mut table = locked(table);
        if table.len() >= OPEN_MAX {
            return Err(Failure {
                kind: FailureKind::TooLarge,
                message: format!("{OPEN_MAX} {what} are already open."),
                advice: "Close one of them first.".to_owned(),
            });
        }
        let handle = self.last_handle.fetch_add(1, Ordering::Relaxed) + 1;
        table.insert(handle, entry);
        Ok(handle)
    }

    /// False when a recording has that id already.
    pub fn add_recording(&self, id: u32, recording: Steered) -> bool {
        let mut recordings = locked(&self.recordings);
        if recordings.contains_key(&id) {
            return false;
        }
        recordings.insert(id, recording);
        true
    }

    /// False when there was none.
    pub fn remove_recording(&self, id: u32) -> bool {
        locked(&self.recordings).remove(&id).is_some()
    }

    pub fn recording(&self, id: u32) -> Result<Steered, Failure> {
        (locked(&self.recordings).get(&id).cloned()).ok_or_else(|| {
            Failure::not_found(format!(
                "No recording {id} is running. It may have just ended."
            ))
        })
    }

    pub fn recordings(&self) -> Vec<Steered> {
        locked(&self.recordings).values().cloned().collect()
    }
}
