//! Runs on disk, as a list shows them.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use wire::{Execution, ListRunsRequest, Parameter, RunList, RunSummary, SweepCell};

use super::failure::{Failure, FailureKind};
use super::locked::locked;

const EXTENSION: &str = ".pb.gz";
const JOURNAL: &str = ".journal";

/// Summaries by path, kept while the file has the same size and time of change: a list is asked for often, and each
/// summary means reading a whole run.
#[derive(Default)]
pub struct SavedRuns {
    known: Mutex<HashMap<PathBuf, (Version, RunSummary)>>,
}

type Version = (u64, SystemTime);

impl SavedRuns {
    /// The runs of a directory, newest first; one that cannot be read says why. A missing directory has none.
    pub fn list(&self, request: &ListRunsRequest) -> Result<RunList, Failure> {
        let entries = match fs::read_dir(&request.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(RunList::default());
            }
            Err(error) => {
                return Err(Failure {
                    kind: FailureKind::Io,
                    message: format!("Cannot list {}: {error}.", request.directory),
                    advice: "Check that it is a folder that you can read.".to_owned(),
                });
            }
        };
        // A run whose recording did not end properly may have a journal only.
        let runs: BTreeSet<PathBuf> = (entries.flatten())
            .filter_map(|entry| run_of(&entry.path()))
            .filter(|path| !profile::is_being_recorded(path))
            .collect();
        let mut dated: Vec<(u64, RunSummary)> = (runs.into_iter())
            .filter_map(|path| {
                let journal = profile::journal_path(&path);
                let metadata = match fs::metadata(&journal) {
                    Ok(metadata) => metadata,
                    Err(_) => fs::metadata(&path).ok()?,
                };
                let modified = metadata.modified().ok()?;
                let summary = self.known(&path, (metadata.len(), modified));
                Some((date_ms(&summary, modified), summary))
            })
            .collect();
        dated.sort_by(|(a_date, a), (b_date, b)| b_date.cmp(a_date).then(b.path.cmp(&a.path)));
        Ok(RunList {
            runs: dated.into_iter().map(|(_, summary)| summary).collect(),
        })
    }

    fn known(&self, path: &Path, version: Version) -> RunSummary {
        if let Some((known_version, known)) = locked(&self.known).get(path)
            && *known_version == version
        {
            return known.clone();
        }
        let known = summary_of(path);
        locked(&self.known).insert(path.to_owned(), (version, known.clone()));
        known
    }
}

/// The run that a file is, or is the journal of.
pub fn run_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let name = name.strip_suffix(JOURNAL).unwrap_or(name);
    let is_run = name.ends_with(EXTENSION) && !name.starts_with('.');
    is_run.then(|| file.with_file_name(name))
}

/// When a file was written; 0: unknown.
pub fn modified_unix_us(file: &Path) -> u64 {
    let modified = fs::metadata(file).and_then(|metadata| metadata.modified());
    let since = modified.map(|at| at.duration_since(SystemTime::UNIX_EPOCH));
    match since {
        Ok(Ok(since)) => u64::try_from(since.as_micros()).unwrap_or(0),
        _ => 0,
    }
}

fn date_ms(summary: &RunSummary, modified: SystemTime) -> u64 {
    match summary.started_unix_ms {
        0 => modified
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0)),
        started => started,
    }
}

/// The summary of the run at `path`; its `problem` says why it cannot be read.
pub fn summary_of(path: &Path) -> RunSummary {
    match profile::summary(path) {
        Ok(summary) => on_wire(path, summary),
        Err(error) => RunSummary {
            path: path.to_string_lossy().into_owned(),
            problem: error.message,
            ..RunSummary::default()
        },
    }
}

pub fn on_wire(path: &Path, summary: profile::RunSummary) -> RunSummary {
    let (exit_code, exit_signal) = summary.exit.unwrap_or_default();
    RunSummary {
        path: path.to_string_lossy().into_owned(),
        name: summary.name,
        command: summary.command,
        target: summary.target,
        started_unix_ms: u64::try_from(summary.started_unix_ns / 1_000_000).unwrap_or(0),
        wall_ns: summary.wall_ns,
        cpu_ns: summary.cpu_ns,
        samples: summary.samples.unwrap_or(0),
        samples_unknown: summary.samples.is_none(),
        lost: summary.lost,
        git_commit: summary.git_commit,
        git_dirty: summary.git_dirty,
        exited: summary.exit.is_some(),
        exit_code,
        exit_signal,
        partial: summary.partial,
        problem: String::new(),
        end: summary.end,
        foreign: summary.foreign,
        executions: executions(&summary.executions),
        sweep: summary.sweep.map(|cell| SweepCell {
            sweep: cell.sweep,
            parameters: (cell.parameters.into_iter())
                .map(|p| Parameter {
                    name: p.name,
                    value: p.value,
                })
                .collect(),
            cell: cell.cell,
            cells: cell.cells,
        }),
        git_branch: summary.git_branch,
        modified_unix_us: modified_unix_us(path),
        lost_share: match summary.samples.unwrap_or(0).saturating_add(summary.lost) {
            0 => 0.0,
            taken => summary.lost as f64 / taken as f64,
        },
    }
}

/// With marks on those whose CPU time stands out.
fn executions(executions: &[profile::Execution]) -> Vec<Execution> {
    let counted = executions.iter().filter(|e| !e.warm_up);
    let cpu_ns: Vec<f64> = counted.map(|e| (e.user_ns + e.system_ns) as f64).collect();
    let mut outliers = statistics::outliers(&cpu_ns).into_iter();
    let wire = executions.iter().map(|e| Execution {
        wall_ns: e.wall_ns,
        user_ns: e.user_ns,
        system_ns: e.system_ns,
        work: e.work,
        samples: e.samples,
        warm_up: e.warm_up,
        outlier: !e.warm_up && outliers.next().unwrap_or(false),
        value: 0.0,
    });
    wire.collect()
}
