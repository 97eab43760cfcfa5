//! One side of a comparison: run files, added up, and the executions of the command that they hold.

use std::sync::Arc;

use profile::Profile;

use crate::analyzed::{Analyzed, Measure};
use crate::execution::{Execution, Executions, executions};
use crate::merge::merge_executions;

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
}

impl Side {
    /// Each file without repetitions is one execution, one with R repetitions is R of them.
    ///
    /// # Errors
    /// A sentence, when the files hold different kinds of values.
    pub fn of(profiles: Vec<Profile>) -> Result<Side, String> {
        let parts: Vec<Executions> = profiles.iter().map(executions).collect();
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
        let problems = unlike_files(&profiles);
        let merged = merge_executions(profiles, &parts)?;
        let mut side = Side::of_whole(Arc::new(Analyzed::new(merged.profile)));
        side.executions = parts.iter().flat_map(|part| part.sampled.clone()).collect();
        side.warm_up = parts.iter().flat_map(|part| part.warm_up.clone()).collect();
        side.execution_of_sample = merged.execution_of_sample;
        side.problems = problems;
        Ok(side)
    }

    /// One file that is open already.
    pub fn of_run(analyzed: Arc<Analyzed>) -> Side {
        let parts = executions(analyzed.profile());
        if parts.of_sample.iter().all(Option::is_some) {
            return Side::of_whole(analyzed);
        }
        Side::of(vec![analyzed.profile().clone()]).unwrap_or_else(|_| Side::of_whole(analyzed))
    }

    fn of_whole(analyzed: Arc<Analyzed>) -> Side {
        let parts = executions(analyzed.profile());
        Side {
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

    pub fn executions(&self) -> &[Execution] {
        &self.executions
    }

    pub(crate) fn execution_of(&self, sample: usize) -> u32 {
        self.execution_of_sample.get(sample).copied().unwrap_or(0)
    }

    /// Fills in what each execution was sampled.
    pub(crate) fn measure(&mut self, measure: Measure) {
        for sample in 0..self.analyzed.profile().samples.len() {
            let amount = self.analyzed.amount(sample, measure);
            let index = self.execution_of(sample) as usize;
            let execution = &mut self.executions[index];
            execution.samples = execution.samples.saturating_add(amount.samples);
            execution.value = execution.value.saturating_add(amount.value);
        }
    }
}

fn unlike_files(profiles: &[Profile]) -> Vec<String> {
    let described: Vec<(String, f64)> = (profiles.iter())
        .filter_map(|profile| profile.run.as_ref())
        .map(|run| (run.event.clone(), run.asked_hz))
        .collect();
    match described.as_slice() {
        [first, others @ ..] if others.iter().any(|other| other != first) => {
            vec!["The files of one side were not sampled alike (event or rate).".to_owned()]
        }
        _ => Vec::new(),
    }
}
