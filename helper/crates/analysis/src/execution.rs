//! The executions of the command that a run file holds, and which of them each sample is of.

use profile::Profile;
use profile::run::{EndReason, RunInfo};

/// The label by which samples of repeated executions are told apart, a number from 1.
pub(crate) const REPETITION: &str = "repetition";

/// One execution of the command; what is 0 is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Execution {
    /// Unix time.
    pub started_ns: i64,
    pub wall_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    /// Units of work that it did.
    pub work: f64,
    /// Executed before the others, without samples: part of no figure.
    pub warm_up: bool,
    /// Sampled: how often, and what it is worth in the unit of the measure.
    pub samples: u64,
    pub value: u64,
    /// More than 1 in files of an older Lineheat, whose repetitions cannot be told apart.
    pub runs: u32,
    /// It ran from its start to its end, so that executions do the same work.
    pub is_complete: bool,
    /// It was stopped, by the user, a time limit or a fault, before the program ended.
    pub is_cut: bool,
}

/// Executions of one file in the order of their labels, the warm-up ones apart.
pub(crate) struct Executions {
    pub sampled: Vec<Execution>,
    pub warm_up: Vec<Execution>,
    /// By sample: index into `sampled`; `None` when it is of none of them (a repetition that was cut off).
    pub of_sample: Vec<Option<u32>>,
}

impl Executions {
    /// `out`: by execution that is sampled. Its samples are then of none.
    pub fn leave_out(&mut self, out: &[bool]) {
        let mut kept = 0;
        let number: Vec<Option<u32>> = (out.iter())
            .map(|&is_out| {
                kept += u32::from(!is_out);
                (!is_out).then(|| kept - 1)
            })
            .collect();
        for execution in &mut self.of_sample {
            *execution = execution.and_then(|old| number[old as usize]);
        }
        let mut is_out = out.iter();
        self.sampled.retain(|_| is_out.next() == Some(&false));
    }
}

/// A file that says nothing of repetitions is one execution.
pub(crate) fn executions(profile: &Profile) -> Executions {
    let run = profile.run.clone().unwrap_or_default();
    let is_complete = is_complete(profile, &run);
    let whole = || run.repetitions.iter().filter(|repetition| !repetition.cut);
    let repetitions = whole().map(|repetition| Execution {
        started_ns: match run.started_unix_ns {
            0 => 0,
            start => start.saturating_add_unsigned(repetition.start_ns),
        },
        wall_ns: repetition.wall_ns,
        user_ns: repetition.user_ns,
        system_ns: repetition.system_ns,
        work: positive(repetition.work),
        warm_up: repetition.warm_up,
        runs: 1,
        is_complete: true,
        ..Execution::default()
    });
    let (warm_up, mut sampled): (Vec<_>, Vec<_>) = repetitions.partition(|one| one.warm_up);
    let has_cut = !sampled.is_empty() && whole().count() < run.repetitions.len();
    let labels = labels(profile);
    if sampled.len() > 1 && labels.iter().all(Option::is_none) {
        sampled = vec![together(&sampled)];
    }
    if sampled.is_empty() {
        sampled.push(Execution {
            started_ns: run.started_unix_ns,
            wall_ns: match run.wall_ns {
                0 => u64::try_from(profile.duration_nanos).unwrap_or(0),
                ns => ns,
            },
            user_ns: run.user_ns,
            system_ns: run.system_ns,
            runs: 1,
            is_complete,
            is_cut: is_cut(&run),
            ..Execution::default()
        });
    }
    let of_sample = if sampled.len() == 1 && !has_cut {
        vec![Some(0); profile.samples.len()]
    } else {
        let index = |label: Option<i64>| {
            let index = u32::try_from(label?.checked_sub(1)?).ok()?;
            ((index as usize) < sampled.len()).then_some(index)
        };
        labels.into_iter().map(index).collect()
    };
    Executions {
        sampled,
        warm_up,
        of_sample,
    }
}

fn positive(work: f64) -> f64 {
    if work.is_finite() && work > 0.0 {
        work
    } else {
        0.0
    }
}

/// Of an attached process, or of one that was stopped, it is not known that the next run does the same work.
fn is_complete(profile: &Profile, run: &RunInfo) -> bool {
    let is_attached = run.attached_pid != 0 || !run.attached_pids.is_empty();
    !(is_cut(run) || is_attached || profile.is_foreign())
}

fn is_cut(run: &RunInfo) -> bool {
    let is_stopped = matches!(
        run.end_reason(),
        EndReason::Stopped | EndReason::Duration | EndReason::SamplerLost
    );
    let is_attached = run.attached_pid != 0 || !run.attached_pids.is_empty();
    (is_stopped && !is_attached) || run.partial
}

fn together(executions: &[Execution]) -> Execution {
    let sum = |part: fn(&Execution) -> u64| {
        (executions.iter()).fold(0u64, |sum, one| sum.saturating_add(part(one)))
    };
    let works = || executions.iter().map(|one| one.work);
    Execution {
        wall_ns: sum(|one| one.wall_ns),
        user_ns: sum(|one| one.user_ns),
        system_ns: sum(|one| one.system_ns),
        work: if works().all(|work| work > 0.0) {
            works().sum()
        } else {
            0.0
        },
        runs: u32::try_from(executions.len()).unwrap_or(u32::MAX),
        is_complete: true,
        ..Execution::default()
    }
}

/// By sample, the number of its repetition.
fn labels(profile: &Profile) -> Vec<Option<i64>> {
    let mut key = None;
    (0..profile.samples.len())
        .map(|sample| {
            let labels = profile.samples.labels_of(sample);
            labels.iter().find_map(|label| {
                let is_it = key == Some(label.key)
                    || (label.text == 0 && profile.text(label.key) == REPETITION);
                if is_it {
                    key = Some(label.key);
                }
                (is_it && label.text == 0).then_some(label.number)
            })
        })
        .collect()
}
