//! What a list of runs shows about one of them.

use std::collections::HashMap;
use std::path::Path;

use crate::columns::Profile;
use crate::error::ProfileError;
use crate::measures::Counting;
use crate::run::{EndReason, RunInfo, SweepCell};
use crate::sample_labels::sample_repetitions;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSummary {
    pub name: String,
    pub command: Vec<String>,
    /// File name of the program, or "pid 123".
    pub target: String,
    pub started_unix_ns: i64,
    pub wall_ns: u64,
    /// Sampled CPU time; 0 when the profile has none.
    pub cpu_ns: u64,
    /// `None`: the file does not say.
    pub samples: Option<u64>,
    pub lost: u64,
    pub git_commit: String,
    pub git_dirty: bool,
    /// Exit code and signal; `None` while running or when attached.
    pub exit: Option<(i32, i32)>,
    pub partial: bool,
    /// The engine that wrote this checkpoint and may still be recording; 0: none.
    pub recorder_pid: u32,
    /// How the recording ended, in one sentence.
    pub end: String,
    /// Another program than Lineheat wrote it.
    pub foreign: bool,
    /// Runs of the command that count, the warm-up runs first; empty: unknown.
    pub executions: Vec<Execution>,
    pub sweep: Option<SweepCell>,
    /// Empty: unknown or detached.
    pub git_branch: String,
}

/// One run of the command.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Execution {
    /// The label of its samples; 0: a warm-up run, or all samples are of this one.
    pub repetition: u32,
    pub wall_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    /// 0: unknown.
    pub work: f64,
    pub samples: u64,
    pub warm_up: bool,
}

/// Opens `path` and sums it up.
///
/// # Errors
/// As [`Profile::open`].
pub fn summary(path: &Path) -> Result<RunSummary, ProfileError> {
    Ok(summarize(&Profile::open_without_texts(path)?))
}

pub fn summarize(profile: &Profile) -> RunSummary {
    let run = profile.run.clone().unwrap_or_default();
    let samples = samples_taken(profile);
    let cpu_ns =
        (profile.find_sample_type("cpu", "nanoseconds")).map_or(0, |index| profile.total(index));
    let target = target_name(profile, &run);
    let name = match run.name.as_str() {
        "" => target.clone(),
        name => name.to_owned(),
    };
    let wall_ns = match run.wall_ns {
        0 => u64::try_from(profile.duration_nanos).unwrap_or(0),
        ns => ns,
    };
    RunSummary {
        name,
        target,
        started_unix_ns: match run.started_unix_ns {
            0 => profile.time_nanos,
            ns => ns,
        },
        wall_ns,
        cpu_ns,
        samples,
        lost: (run.losses.iter()).fold(0, |sum: u64, loss| sum.saturating_add(loss.count)),
        exit: run.exit.as_ref().map(|exit| (exit.code, exit.signal)),
        partial: run.partial,
        recorder_pid: run.recorder_pid,
        end: end_sentence(&run, wall_ns),
        foreign: profile.is_foreign(),
        executions: executions(profile, &run, samples.unwrap_or(0)),
        sweep: run.sweep,
        git_branch: run.git_branch,
        command: run.command,
        git_commit: run.git_commit,
        git_dirty: run.git_dirty,
    }
}

/// By the default measure. `None`: unknown.
fn samples_taken(profile: &Profile) -> Option<u64> {
    let measure = profile.default_measure();
    match profile.default_counting() {
        Counting::Value(count) => Some(profile.total(count)),
        Counting::Period(period) => Some(profile.total(measure) / period),
        Counting::Unknown if profile.samples.is_empty() => Some(0),
        Counting::Unknown => None,
    }
}

/// A command that was run once is one execution, if it ended by itself.
fn executions(profile: &Profile, run: &RunInfo, samples: u64) -> Vec<Execution> {
    if run.repetitions.is_empty() {
        let whole = run.end_reason() == EndReason::Exited && run.exit.is_some() && !run.partial;
        let once = Execution {
            wall_ns: run.wall_ns,
            user_ns: run.user_ns,
            system_ns: run.system_ns,
            samples,
            ..Execution::default()
        };
        return whole.then_some(once).into_iter().collect();
    }
    let by_repetition = samples_by_repetition(profile);
    let mut number = 0;
    let mut executions = Vec::new();
    for repetition in &run.repetitions {
        number += u32::from(!repetition.warm_up);
        if repetition.cut {
            continue;
        }
        let own = if repetition.warm_up { 0 } else { number };
        executions.push(Execution {
            repetition: own,
            wall_ns: repetition.wall_ns,
            user_ns: repetition.user_ns,
            system_ns: repetition.system_ns,
            work: if repetition.work > 0.0 {
                repetition.work
            } else {
                0.0
            },
            samples: by_repetition.get(&own).copied().unwrap_or(0),
            warm_up: repetition.warm_up,
        });
    }
    executions
}

/// Of samples with the label.
fn samples_by_repetition(profile: &Profile) -> HashMap<u32, u64> {
    let mut counts = HashMap::new();
    let Counting::Value(count) = profile.default_counting() else {
        return counts;
    };
    let numbers = sample_repetitions(profile).into_iter().enumerate();
    for (sample, number) in numbers.filter(|(_, number)| *number > 0) {
        *counts.entry(number).or_default() += profile.value(sample, count);
    }
    counts
}

fn target_name(profile: &Profile, run: &RunInfo) -> String {
    if let Some(program) = run.command.first() {
        return file_name(program).to_owned();
    }
    let mapped = (profile.mappings.iter())
        .map(|mapping| file_name(profile.text(mapping.filename)))
        .find(|name| !name.is_empty() && !name.starts_with('['))
        .unwrap_or("");
    if !run.attached_to.is_empty() {
        return run.attached_to.clone();
    }
    match run.attached_pid {
        0 => mapped.to_owned(),
        pid if mapped.is_empty() => format!("pid {pid}"),
        pid => format!("pid {pid} ({mapped})"),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// "exited with 0 after 3.2 s", "stopped after 2.0 s" …; "" when nothing is known.
pub fn end_sentence(run: &RunInfo, wall_ns: u64) -> String {
    let after = match wall_ns {
        ns @ 0..100_000_000 => format!("after {:.0} ms", ns as f64 / 1e6),
        ns => format!("after {:.1} s", ns as f64 / 1e9),
    };
    if run.partial && run.recorder_pid != 0 {
        return format!("still being recorded {after}");
    }
    if run.partial {
        return format!("cut off {after}");
    }
    match (run.end_reason(), run.exit.as_ref()) {
        (EndReason::SamplerLost, _) => format!("the sampler was lost {after}"),
        // A target that we stopped ends by our signal, which is not the story.
        (EndReason::Stopped, _) => format!("stopped {after}"),
        (EndReason::Duration, _) => format!("stopped {after}, at the time limit"),
        (_, Some(exit)) if exit.signal != 0 => format!("killed by signal {} {after}", exit.signal),
        (EndReason::Exited, Some(exit)) => format!("exited with {} {after}", exit.code),
        (EndReason::Exited, None) => format!("exited {after}"),
        (EndReason::Unknown, _) => String::new(),
    }
}
