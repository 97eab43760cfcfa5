//! What the editor has open: runs, comparisons and recordings by their handles; and which answer a request gets.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wire::reply::Body;
use wire::{Done, request};

use super::failure::Failure;
use super::open_comparison::OpenComparison;
use super::open_run::OpenRun;
use super::saved_runs::SavedRuns;
use super::shared_profiles::SharedProfiles;
use super::{
    callers, compare_builds, executables, explain, file_heat, line_detail, locate, machine,
    matches, processes, selections, sweep, timeline, views,
};
use crate::record::Control;

/// A forgetful client must not fill the memory: each run may hold hundreds of megabytes.
const OPEN_MAX: usize = 32;

/// A recording, for the requests that steer it.
#[derive(Clone)]
pub struct Steered {
    pub control: SyncSender<Control>,
    /// How often it was told to stop.
    pub stops: Arc<AtomicU32>,
    /// The runs that it writes.
    pub runs: Arc<[PathBuf]>,
}

#[derive(Default)]
pub struct Session {
    runs: Mutex<HashMap<u32, Arc<OpenRun>>>,
    comparisons: Mutex<HashMap<u32, Arc<OpenComparison>>>,
    recordings: Mutex<HashMap<u32, Steered>>,
    saved: SavedRuns,
    profiles: SharedProfiles,
    last_handle: AtomicU32,
}

impl Session {
    /// The one reply to `body`.
    pub fn answer(&self, body: request::Body) -> Result<Body, Failure> {
        match body {
            request::Body::Hello(_) => Err(Failure::protocol("Hello was already sent.")),
            request::Body::Doctor(_) => Ok(Body::Doctor(machine::report())),
            request::Body::ListRuns(request) => self.saved.list(&request).map(Body::Runs),
            request::Body::RenameRun(request) => {
                profile::rename_run(request.path.as_ref(), &request.name)?;
                Ok(Body::Done(Done {}))
            }
            request::Body::OpenRun(request) => {
                let run = OpenRun::open(&request, &self.profiles)?;
                let mut opened = run.opened();
                opened.run = self.add(&self.runs, Arc::new(run), "runs")?;
                Ok(Body::RunOpened(opened))
            }
            request::Body::Close(request) => {
                locked(&self.runs).remove(&request.run);
                locked(&self.comparisons).remove(&request.comparison);
                Ok(Body::Done(Done {}))
            }
            request::Body::FileHeat(request) => {
                let run = self.run(request.run)?;
                Ok(Body::FileHeat(file_heat::of(&run, &request)))
            }
            request::Body::LineDetail(request) => {
                let run = self.run(request.run)?;
                Ok(Body::LineDetail(line_detail::of(&run, &request)))
            }
            request::Body::View(request) => {
                let view = views::view(self, &request)?;
                Ok(Body::View(wire::View {
                    content: view.content.clone(),
                }))
            }
            request::Body::OpenComparison(request) => {
                let run = |handle| Ok::<_, Failure>(self.run(handle)?.named(request.demangle()));
                let (base, new) = (run(request.base_run)?, run(request.new_run)?);
                let comparison = OpenComparison::of(base, new, request.normalisation())?;
                let mut opened = comparison.opened();
                opened.comparison =
                    self.add(&self.comparisons, Arc::new(comparison), "comparisons")?;
                Ok(Body::ComparisonOpened(opened))
            }
            request::Body::FileDifference(request) => {
                let comparison = self.comparison(request.comparison)?;
                Ok(Body::FileDifference(comparison.file_difference(&request)))
            }
            request::Body::Locate(request) => locate::locate(self, &request).map(Body::Location),
            request::Body::Source(request) => {
                let run = self.run(request.run)?;
                Ok(Body::Source(run.source(&request.recorded_path)))
            }
            request::Body::ListProcesses(_) => Ok(Body::Processes(processes::list())),
            request::Body::FindExecutables(request) => {
                Ok(Body::Executables(executables::find(&request)))
            }
            request::Body::Callers(request) => callers::callers(self, &request).map(Body::Callers),
            request::Body::Match(request) => matches::matches(self, &request).map(Body::Match),
            request::Body::SweepTable(request) => sweep::table(&request).map(Body::SweepTable),
            request::Body::Explain(request) => {
                let comparison = self.comparison(request.comparison)?;
                Ok(Body::Explanation(explain::explain(&comparison, &request)))
            }
            request::Body::EarlierBuild(request) => {
                compare_builds::earlier(&request).map(Body::EarlierBuild)
            }
            request::Body::Select(request) => {
                let (run, mut selected) = selections::select(&*self.run(request.run)?, &request)?;
                selected.run = self.add(&self.runs, Arc::new(run), "runs")?;
                Ok(Body::Selected(selected))
            }
            request::Body::SaveRun(request) => {
                selections::save(&*self.run(request.run)?, &request)?;
                Ok(Body::Done(Done {}))
            }
            request::Body::Timeline(request) => {
                let run = self.run(request.run)?;
                let content = timeline::timeline(&run, &request)?;
                Ok(Body::Timeline(wire::View { content }))
            }
            request::Body::HottestStack(request) => {
                let run = self.run(request.run)?;
                Ok(Body::HottestStack(timeline::hottest_stack(&run, &request)))
            }
            request::Body::Record(_)
            | request::Body::CompareBuilds(_)
            | request::Body::Sweep(_)
            | request::Body::Stop(_)
            | request::Body::TerminalInput(_)
            | request::Body::TerminalSize(_) => Err(Failure::new(
                "internal",
                "A worker cannot handle a recording.",
            )),
        }
    }

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

    fn add<T>(&self, table: &Mutex<HashMap<u32, T>>, entry: T, what: &str) -> Result<u32, Failure> {
        let mut table = locked(table);
        if table.len() >= OPEN_MAX {
            return Err(Failure {
                kind: "too-large",
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

    pub fn recording(&self, id: u32) -> Option<Steered> {
        locked(&self.recordings).get(&id).cloned()
    }

    pub fn recordings(&self) -> Vec<Steered> {
        locked(&self.recordings).values().cloned().collect()
    }
}

/// A request that panicked leaves the tables whole: they are only added to and removed from.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
