//! One side of a comparison: run files, added up, and the executions of the command that they hold.

use std::sync::Arc;

use profile::Profile;

use crate::analyzed::Analyzed;
use crate::execution::{Execution, Executions, executions};
use crate::frames::Measure;
use crate::merge::pool_executions;
use crate::selected_samples::SelectedSamples;
use crate::selection::Selection;
use name_patterns::Unknown;

/// At least one execution, and no sample that is of none of them.
#[derive(Clone)]
pub struct Side {
    pub analyzed: Arc<Analyzed>,
    pub(crate) executions: Vec<Execution>,
    pub(crate) warm_up: Vec<Execution>,
    /// By sample; empty: all are of the only one.
    execution_of_sample: Vec<u32>,
    /// What is unlike among the files, as sentences.
    pub(crate) problems: Vec<String>,
    /// What is compared.
    pub(crate) measure: Measure,
}

impl Side {
    /// Each file without repetitions is one execution, one with R repetitions is R of them.
    ///
    /// # Errors
    /// A sentence, when the files hold different kinds of values.
    pub fn of(profiles: Vec<Profile>) -> Result<Side, String> {
        let mut parts: Vec<Executions> = profiles.iter().map(executions).collect();
        let mut problems = leave_out_unlike(&mut parts);
        let is_whole = profiles.len() == 1
            && parts[0]
                .of_sample
                .iter()
                .all(|execution| execution.is_some());
        if is_whole {
            let mut profiles = profiles;
            let profile = profiles.pop().unwrap_or_default();
            return Ok(Side::of_whole(Arc::new(Analyzed::new(profile))));
        }
        problems.extend(unlike_files(&profiles));
        let (analyzed, execution_of_sample) = pool_executions(profiles, &parts)?;
        Ok(Side {
            measure: analyzed.default_measure(),
            analyzed: Arc::new(analyzed),
            executions: parts.iter().flat_map(|part| part.sampled.clone()).collect(),
            warm_up: parts.iter().flat_map(|part| part.warm_up.clone()).collect(),
            execution_of_sample,
            problems,
        })
    }

    /// The same of a selection of each file. What none of them has is added to `unknown`.
    ///
    /// # Errors
    /// As [`Side::of`], and when something is asked that no file can have.
    pub fn of_selected(
        mut profiles: Vec<Profile>,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Side, String> {
        if selection.is_everything() {
            return Side::of(profiles);
        }
        if profiles.len() == 1 {
            let analyzed = Analyzed::new(profiles.pop().unwrap_or_default());
            let selected = analyzed.selected_of_many(selection, unknown)?;
            return Ok(Side::of_run(Arc::new(selected)));
        }
        let mut parts: Vec<Executions> = profiles.iter().map(executions).collect();
        let mut problems = leave_out_unlike(&mut parts);
        problems.extend(unlike_files(&profiles));
        let mut unknown_of_all: Option<Vec<Unknown>> = None;
        for (profile, part) in profiles.iter_mut().zip(&mut parts) {
            let mut of_this = Vec::new();
            let is_in = SelectedSamples::of_profile(profile, selection, &mut of_this)?;
            for (execution, is_in) in part.of_sample.iter_mut().zip(is_in) {
                *execution = execution.filter(|_| is_in);
            }
            unknown_of_all = Some(match unknown_of_all {
                None => of_this,
                Some(before) => unknown_in_both(before, &of_this),
            });
        }
        unknown.extend(unknown_of_all.unwrap_or_default());
        let (analyzed, execution_of_sample) = pool_executions(profiles, &parts)?;
        let transforms = Selection {
            transforms: selection.transforms.clone(),
            ..Selection::default()
        };
        Ok(Side {
            measure: analyzed.default_measure(),
            analyzed: Arc::new(analyzed.selected_of_many(&transforms, unknown)?),
            executions: parts.iter().flat_map(|part| part.sampled.clone()).collect(),
            warm_up: parts.iter().flat_map(|part| part.warm_up.clone()).collect(),
            execution_of_sample,
            problems,
        })
    }

    /// One file that is open already.
    pub fn of_run(analyzed: Arc<Analyzed>) -> Side {
        let mut parts = [executions(analyzed.profile())];
        let selected = analyzed.selected.as_ref();
        if let Some(selected) = selected.filter(|selected| !selected.part.executions.is_empty()) {
            // The others are not of the side, and would be executions without cost.
            let mut is_in = vec![false; analyzed.profile().samples.len()];
            (selected.samples.iter()).for_each(|&sample| is_in[sample as usize] = true);
            for (execution, is_in) in parts[0].of_sample.iter_mut().zip(is_in) {
                *execution = execution.filter(|_| is_in);
            }
        }
        leave_out_unlike(&mut parts);
        if parts[0].of_sample.iter().all(Option::is_some) {
            return Side::of_whole(analyzed);
        }
        if analyzed.is_selection() {
            let [part] = parts;
            return Side {
                measure: analyzed.default_measure(),
                analyzed: Arc::new(analyzed.without_samples(|at| part.of_sample[at].is_none())),
                execution_of_sample: (part.of_sample.iter())
                    .map(|execution| execution.unwrap_or(0))
                    .collect(),
                executions: part.sampled,
                warm_up: part.warm_up,
                problems: Vec::new(),
            };
        }
        Side::of(vec![analyzed.profile().clone()]).unwrap_or_else(|_| Side::of_whole(analyzed))
    }

    fn of_whole(analyzed: Arc<Analyzed>) -> Side {
        let parts = executions(analyzed.profile());
        Side {
            measure: analyzed.default_measure(),
            analyzed,
            execution_of_sample: match parts.sampled.len() {
                0 | 1 => Vec::new(),
                _ => parts
                    .of_sample
                    .iter()
                    .map(|execution| execution.unwrap_or(0))
                    .collect(),
            },
            executions: parts.sampled,
            warm_up: parts.warm_up,
            problems: Vec::new(),
        }
    }

    /// As one execution that took so long, for parts of it that are compared by windows of time.
    pub(crate) fn into_one(mut self, wall_ns: u64) -> Side {
        let started_ns = self.executions.first().map_or(0, |one| one.started_ns);
        self.execution_of_sample = Vec::new();
        self.warm_up = Vec::new();
        self.executions = vec![Execution {
            started_ns,
            wall_ns,
            runs: 1,
            ..Execution::default()
        }];
        self
    }

    /// Compares another measure than the default one.
    ///
    /// # Errors
    /// As [`Analyzed::find_measure`].
    pub fn about(self, measure: &str) -> Result<Side, String> {
        let measure = self.analyzed.find_measure(measure)?;
        Ok(Side { measure, ..self })
    }

    pub fn executions(&self) -> &[Execution] {
        &self.executions
    }

    pub(crate) fn execution_of(&self, sample: usize) -> u32 {
        self.execution_of_sample.get(sample).copied().unwrap_or(0)
    }

    /// Fills in what each execution was sampled.
    pub(crate) fn measure_executions(&mut self) {
        if self.measure >= self.analyzed.profile().sample_types.len() {
            return;
        }
        let analyzed = Arc::clone(&self.analyzed);
        for (sample, amount) in analyzed.amounts(self.measure) {
            let index = self.execution_of(sample) as usize;
            let execution = &mut self.executions[index];
            execution.samples = execution.samples.saturating_add(amount.samples);
            execution.value = execution.value.saturating_add(amount.value);
        }
    }
}

/// What was asked for and neither of two profiles, or of two sides, has.
pub fn unknown_in_both(one: Vec<Unknown>, other: &[Unknown]) -> Vec<Unknown> {
    (one.into_iter())
        .filter(|unknown| other.iter().any(|it| it.asked == unknown.asked))
        .collect()
}

/// Leaves out executions without samples, and those that were cut off, unless all are: a mean over them and the others
/// would be of no program. Says how many, as sentences.
fn leave_out_unlike(parts: &mut [Executions]) -> Vec<String> {
    let is_empty = |part: &Executions| {
        let mut is_empty = vec![true; part.sampled.len()];
        for execution in part.of_sample.iter().flatten() {
            is_empty[*execution as usize] = false;
        }
        is_empty
    };
    let is_cut = |part: &Executions| part.sampled.iter().map(|one| one.is_cut).collect();
    [
        leave_out(parts, "has no samples", is_empty),
        leave_out(parts, "did not run to its end", is_cut),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn leave_out(
    parts: &mut [Executions],
    why: &str,
    of_part: impl Fn(&Executions) -> Vec<bool>,
) -> Option<String> {
    let out: Vec<Vec<bool>> = parts.iter().map(of_part).collect();
    let all = out.iter().flatten().count();
    let count = out.iter().flatten().filter(|&&is_out| is_out).count();
    if count == 0 || count == all {
        return None;
    }
    for (part, out) in parts.iter_mut().zip(&out) {
        part.leave_out(out);
    }
    Some(match count {
        1 => format!("1 of {all} executions {why} and is left out."),
        _ => format!("{count} of {all} executions are left out: each {why}."),
    })
}

fn unlike_files(profiles: &[Profile]) -> Vec<String> {
    let described: Vec<(String, f64)> = (profiles.iter())
        .filter_map(|profile| profile.run.as_ref())
        .map(|run| (run.event.clone(), run.asked_hz))
        .collect();
    match described.as_slice() {
        [first, others @ ..] if others.iter().any(|other| other != first) => {
            vec!["The files of one side were sampled differently (event or rate).".to_owned()]
        }
        _ => Vec::new(),
    }
}
