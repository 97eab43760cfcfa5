//! One run each: Welch's t over batch means.
//!
//! Samples of one run follow one another: a function that is on the stack now will be there at the next sample. A test
//! for independent samples takes the differences between two runs of one program for real in up to 80 % of cases. Sums
//! over windows of time that are longer than such dependence are nearly independent, and their spread tells the variance.

use std::fmt;

use crate::interval::Interval;

/// Windows of equal length in time, over all threads together, into which a run is cut.
pub const BATCHES: usize = 16;

/// A side with fewer samples of a feature says nothing.
pub const LEAST_SAMPLES: u64 = 10;

/// One feature in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchedCounts {
    /// Samples of the feature in each batch, in the order of time.
    pub counts: [u64; BATCHES],
    /// Samples of everything, in all batches together.
    pub samples: u64,
    /// What one counted sample stands for, in the unit of the result: the period in ns / units of work, say.
    pub value: f64,
    /// Coefficient of variation of the cost from run to run, where earlier repeats tell it; 0: unknown, and left out.
    pub run_cv: f64,
}

/// Everything of value is in the unit of [`BatchedCounts::value`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchedEffect {
    pub base: f64,
    pub new: f64,
    /// new − base.
    pub difference: Interval,
    /// `None` when a side has fewer than 10 independent samples (`counts` / design effect): such an interval would miss
    /// the truth in up to 13 % of cases.
    pub change: Option<Interval>,
    /// Of the difference.
    pub standard_error: f64,
    pub t: f64,
    pub df: f64,
    pub p: f64,
    /// How many batches the test is over: 16, or 8 where dependence reaches far.
    pub batches: usize,
    /// How many samples tell as much as an independent one, of base and of new; at least 1.
    pub design_effects: [f64; 2],
}

/// Why nothing may be said: such a difference is never coloured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TooFew {
    /// A side has fewer than 10 samples of the feature.
    Samples { base: u64, new: u64 },
    /// A batch has fewer than 5 times as many samples as depend on one another (`design_effect`, the larger one of the
    /// sides), even when there are only 8: the run is too short, or has phases.
    Dependent { design_effect: f64 },
}

impl fmt::Display for TooFew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooFew::Samples { base, new } => write!(
                f,
                "{base} and {new} samples, and at least {LEAST_SAMPLES} are wanted on each side"
            ),
            TooFew::Dependent { design_effect } => write!(
                f,
                "only one in {design_effect:.0} samples tells something new: the run is too short for this, or has phases"
            ),
        }
    }
}

/// Compares one feature of two runs.
///
/// # Errors
/// [`TooFew`] where the samples do not allow a test.
pub fn batch_means(base: &BatchedCounts, new: &BatchedCounts) -> Result<BatchedEffect, TooFew> {
    todo!("{base:?} {new:?}")
}
