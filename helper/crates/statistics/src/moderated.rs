//! Several runs each: moderated t on the logarithm of the cost (Smyth 2004), with Benjamini and Hochberg's q.
//!
//! With three runs a side a function's own variance is hardly known; that of all functions together is. Each one's is
//! drawn towards the common one by as much as the variances of all turn out to be alike.

use crate::error::Unsuitable;
use crate::interval::Interval;

/// A feature with a smaller mean count over all runs is not tested.
pub const LEAST_MEAN_COUNT: f64 = 20.0;

/// Counts of features in runs.
#[derive(Debug, Clone, Copy)]
pub struct CountTable<'a> {
    /// By feature, and in it by run: those of base first.
    pub counts: &'a [u64],
    pub base_runs: usize,
    pub new_runs: usize,
}

/// What makes runs comparable.
#[derive(Debug, Clone, Copy)]
pub enum LibrarySize<'a> {
    /// Of each run, those of base first, up to a common factor: units of work, or wall time, or 1 for a run of fixed work;
    /// divided by the period of sampling where that differs between runs.
    Given(&'a [f64]),
    /// By [`crate::iterated_median_of_ratios`]. All changes are then relative to what did not change.
    Found,
}

/// What is found out over all features, and about each.
#[derive(Debug, Clone, PartialEq)]
pub struct Moderated {
    /// By run.
    pub library_sizes: Vec<f64>,
    /// Of the common variance, `d0`; infinite when the variances differ no more than by chance.
    pub prior_df: f64,
    /// `s0²`, of the logarithm of the cost of one run. NaN when nothing was tested.
    pub prior_variance: f64,
    /// By feature; `None`: not tested, its mean count is below [`LEAST_MEAN_COUNT`].
    pub effects: Vec<Option<ModeratedEffect>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeratedEffect {
    /// Mean logarithm of new − mean logarithm of base.
    pub ln_ratio: f64,
    /// Moderated standard deviation `s̃` of one run's logarithm.
    pub standard_deviation: f64,
    /// Of `ln_ratio`.
    pub standard_error: f64,
    pub t: f64,
    /// d0 + k_A + k_B − 2; may be infinite.
    pub df: f64,
    pub p: f64,
    pub q: f64,
    /// exp(`ln_ratio`) − 1, a ratio of geometric means.
    pub change: Interval,
}

/// Tests every feature of a table. A side may have a single run if the other has two or more: it is then taken to vary
/// as the other does. An empty table gives no effects.
///
/// # Errors
/// [`Unsuitable`] when there are too few runs, the table is none, a given library size is not above 0, or library sizes
/// cannot be found.
pub fn moderated(table: &CountTable, library_size: LibrarySize) -> Result<Moderated, Unsuitable> {
    todo!("{table:?} {library_size:?}")
}
