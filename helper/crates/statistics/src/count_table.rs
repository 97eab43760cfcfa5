//! Counts of features in several runs.

use crate::error::Unsuitable;
use crate::log_costs::Turns;

/// Counts of features in runs.
#[derive(Debug, Clone, Copy)]
pub struct CountTable<'a> {
    /// By feature, and in it by run: those of base first.
    pub counts: &'a [u64],
    pub base_runs: usize,
    pub new_runs: usize,
    pub turns: Turns<'a>,
}

impl CountTable<'_> {
    pub(crate) fn runs(&self) -> usize {
        self.base_runs + self.new_runs
    }

    pub(crate) fn features(&self) -> usize {
        self.counts.len() / self.runs()
    }

    pub(crate) fn row(&self, feature: usize) -> &[u64] {
        &self.counts[feature * self.runs()..][..self.runs()]
    }

    pub(crate) fn check(&self) -> Result<(), Unsuitable> {
        if self.base_runs.min(self.new_runs) < 1 || self.runs() < 3 {
            return Err(Unsuitable::TooFewRuns {
                base: self.base_runs,
                new: self.new_runs,
            });
        }
        if !self.counts.len().is_multiple_of(self.runs()) {
            return Err(Unsuitable::NotATable {
                counts: self.counts.len(),
                runs: self.runs(),
            });
        }
        Ok(())
    }
}
