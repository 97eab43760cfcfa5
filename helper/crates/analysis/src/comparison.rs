//! Two runs, or two sets of runs, side by side: what is the same, and the sums of both.
//!
//! The unit is the measured value (CPU nanoseconds in our runs) per run. Sign: new − base.

use std::sync::Arc;

use crate::analyzed::{Analyzed, Measure};
use crate::matching::{FilePair, FunctionMatch, match_files, match_functions};
use crate::tally::{Amount, Amounts, Groups, tally_groups};
use crate::verdict::{Verdict, verdict};

/// One side: a run, or several merged ([`crate::merge`]).
#[derive(Clone)]
pub struct Side {
    pub analyzed: Arc<Analyzed>,
    /// How many runs it holds; values are divided by this.
    pub runs: u64,
}

pub struct Comparison {
    pub(crate) base: ComparedSide,
    pub(crate) new: ComparedSide,
    pub(crate) functions: FunctionMatch,
    pub(crate) files: Vec<FilePair>,
    /// By pair of functions.
    pub(crate) function_amounts: Vec<[Amounts; 2]>,
    unit: String,
}

pub(crate) struct ComparedSide {
    pub analyzed: Arc<Analyzed>,
    pub measure: Measure,
    pub runs: u64,
    pub total: Amount,
}

impl ComparedSide {
    /// A sum over all runs of the side, as its mean over them. Samples stay those of all runs.
    pub fn per_run(&self, amount: Amount) -> Amount {
        Amount {
            samples: amount.samples,
            value: amount.value / self.runs,
        }
    }

    pub fn amounts_per_run(&self, amounts: Amounts) -> Amounts {
        Amounts {
            self_: self.per_run(amounts.self_),
            total: self.per_run(amounts.total),
        }
    }
}

impl Comparison {
    /// Compares CPU time when both sides have it, else their default value.
    ///
    /// # Errors
    /// A sentence, when the sides hold different kinds of values.
    pub fn new(base: Side, new: Side) -> Result<Comparison, String> {
        let measures = [&base, &new].map(|side| side.analyzed.default_measure());
        let kinds = [(&base, measures[0]), (&new, measures[1])].map(|(side, m)| {
            (
                side.analyzed.value_name(m).to_owned(),
                side.analyzed.unit(m).to_owned(),
            )
        });
        if kinds[0] != kinds[1] {
            return Err(format!(
                "The base holds {}/{} and the new run {}/{}: they cannot be compared.",
                kinds[0].0, kinds[0].1, kinds[1].0, kinds[1].1
            ));
        }
        let functions = match_functions(&base.analyzed, &new.analyzed);
        let files = match_files(&base.analyzed, &new.analyzed);
        let mut base = side(base, measures[0]);
        let mut new = side(new, measures[1]);
        let base_sums = sums_by_pair(&mut base, &functions.base_pair, functions.pairs.len());
        let new_sums = sums_by_pair(&mut new, &functions.new_pair, functions.pairs.len());
        let function_amounts = (base_sums.into_iter().zip(new_sums))
            .map(|(base, new)| [base, new])
            .collect();
        Ok(Comparison {
            base,
            new,
            functions,
            files,
            function_amounts,
            unit: kinds[0].1.clone(),
        })
    }

    pub fn base(&self) -> &Analyzed {
        &self.base.analyzed
    }

    pub fn new_run(&self) -> &Analyzed {
        &self.new.analyzed
    }

    /// Values are per run.
    pub fn base_total(&self) -> Amount {
        self.base.total
    }

    pub fn new_total(&self) -> Amount {
        self.new.total
    }

    /// "nanoseconds" …
    pub fn unit(&self) -> &str {
        &self.unit
    }

    pub fn verdict(&self) -> Verdict {
        verdict(self.base.total, self.new.total)
    }

    /// Part of both totals, 0..1, whose innermost function exists on both sides. 1 when there is nothing to match.
    pub fn matched_share(&self) -> f64 {
        let all = self.base.total.value as f64 + self.new.total.value as f64;
        let matched: f64 = (self.functions.pairs.iter().zip(&self.function_amounts))
            .filter(|(pair, _)| pair.base.is_some() && pair.new.is_some())
            .map(|(_, [base, new])| base.self_.value as f64 + new.self_.value as f64)
            .sum();
        if all == 0.0 {
            1.0
        } else {
            (matched / all).min(1.0)
        }
    }

    /// What differs between the runs beyond the code, as sentences.
    pub fn warnings(&self) -> Vec<String> {
        let (Some(base), Some(new)) = (&self.base().profile().run, &self.new_run().profile().run)
        else {
            return vec!["Not both runs were recorded by Lineheat: whether they were taken alike is not known.".into()];
        };
        let mut warnings = Vec::new();
        let mut differs = |what: &str, base: &str, new: &str| {
            if base != new && !base.is_empty() && !new.is_empty() {
                warnings.push(format!(
                    "The {what} differs: {base} in the base, {new} in the new run."
                ));
            }
        };
        differs("event", &base.event, &new.event);
        differs(
            "sampling rate",
            &format!("{} Hz", base.asked_hz),
            &format!("{} Hz", new.asked_hz),
        );
        differs("processor", &base.cpu, &new.cpu);
        differs(
            "number of processors",
            &base.cpu_count.to_string(),
            &new.cpu_count.to_string(),
        );
        differs("kernel", &base.kernel, &new.kernel);
        let arguments = |command: &[String]| command.get(1..).unwrap_or_default().join(" ");
        differs(
            "list of arguments",
            &arguments(&base.command),
            &arguments(&new.command),
        );
        for (side, run) in [("base", base), ("new run", new)] {
            let lost = run
                .losses
                .iter()
                .fold(0u64, |sum, loss| sum.saturating_add(loss.count));
            let share = lost as f64 / run.samples_taken.max(1) as f64;
            if share > 0.05 {
                warnings.push(format!(
                    "The {side} lost {:.1} % of its samples.",
                    share * 100.0
                ));
            }
            if run.partial {
                warnings.push(format!(
                    "The {side} is partial: its recording did not end properly."
                ));
            }
        }
        if self
            .files
            .iter()
            .any(|pair| !pair.texts_known && self.is_own_source(pair))
        {
            warnings.push(
                "The text of some files was not saved with both runs: their lines are compared by number."
                    .into(),
            );
        }
        warnings
    }
}

impl Comparison {
    /// In both runs, and below the working directory of one: system headers hardly change between two builds.
    fn is_own_source(&self, pair: &FilePair) -> bool {
        let is_below = |side: &Analyzed, file| {
            let cwd = side
                .profile()
                .run
                .as_ref()
                .map_or("", |run| run.cwd.as_str());
            !cwd.is_empty() && side.file_path(file).starts_with(cwd)
        };
        match (pair.files.base, pair.files.new) {
            (Some(base), Some(new)) => is_below(self.base(), base) || is_below(self.new_run(), new),
            _ => false,
        }
    }
}

fn side(side: Side, measure: Measure) -> ComparedSide {
    ComparedSide {
        analyzed: side.analyzed,
        measure,
        runs: side.runs.max(1),
        total: Amount::default(),
    }
}

fn sums_by_pair(side: &mut ComparedSide, pair_of: &[u32], pairs: usize) -> Vec<Amounts> {
    if side.measure >= side.analyzed.profile().sample_types.len() {
        return vec![Amounts::default(); pairs];
    }
    let mut groups = Groups::new(pair_of, pairs);
    let total = tally_groups(&side.analyzed, side.measure, &mut groups, &mut []);
    side.total = side.per_run(total);
    groups
        .sums
        .iter()
        .map(|&amounts| side.amounts_per_run(amounts))
        .collect()
}
