//! Runs on disk, as a list shows them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use wire::{ListRunsRequest, RunList, RunSummary};

use super::failure::Failure;
use super::session::locked;

const EXTENSION: &str = ".pb.gz";

/// Summaries by path, kept while the file has the same size and time of change: a list is asked for often, and each
/// summary means reading a whole run.
#[derive(Default)]
pub struct SavedRuns {
    known: Mutex<HashMap<PathBuf, (Version, Known)>>,
}

#[derive(Clone)]
struct Known {
    summary: RunSummary,
    /// As [`profile::RunSummary::recorder_pid`].
    recorder_pid: u32,
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
                    kind: "io",
                    message: format!("{} cannot be listed: {error}.", request.directory),
                    advice: "Check that it is a folder that you may read.".to_owned(),
                });
            }
        };
        let mut dated: Vec<(u64, RunSummary)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                if !name.ends_with(EXTENSION) || name.starts_with('.') {
                    return None;
                }
                let metadata = entry.metadata().ok()?;
                let modified = metadata.modified().ok()?;
                let known = self.known(&entry.path(), (metadata.len(), modified));
                if is_engine(known.recorder_pid) {
                    return None; // a checkpoint of a recording in progress
                }
                Some((date_ms(&known.summary, modified), known.summary))
            })
            .collect();
        dated.sort_by(|(a_date, a), (b_date, b)| b_date.cmp(a_date).then(b.path.cmp(&a.path)));
        Ok(RunList {
            runs: dated.into_iter().map(|(_, summary)| summary).collect(),
        })
    }

    fn known(&self, path: &Path, version: Version) -> Known {
        if let Some((known_version, known)) = locked(&self.known).get(path)
            && *known_version == version
        {
            return known.clone();
        }
        let known = read(path);
        locked(&self.known).insert(path.to_owned(), (version, known.clone()));
        known
    }
}

/// Whether a process of this number is an engine.
fn is_engine(pid: u32) -> bool {
    pid != 0 && target::process_name(pid) == "lineheat"
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
    read(path).summary
}

fn read(path: &Path) -> Known {
    match profile::summary(path) {
        Ok(summary) => Known {
            recorder_pid: summary.recorder_pid,
            summary: on_wire(path, summary),
        },
        Err(error) => Known {
            recorder_pid: 0,
            summary: RunSummary {
                path: path.to_string_lossy().into_owned(),
                problem: error.message,
                ..RunSummary::default()
            },
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
        samples: summary.samples,
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
    }
}
