//! The whole run: one cost a run.

use crate::error::Unsuitable;
use crate::interval::Interval;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WholeEffect {
    /// Of geometric means.
    pub change: Interval,
    /// Of the difference of mean logarithms.
    pub standard_error: f64,
    pub t: f64,
    pub df: f64,
    pub p: f64,
    /// The relative change that these runs would have shown in 4 of 5 cases.
    pub smallest_detectable: f64,
}

/// Welch's t on the logarithms of the costs (CPU time per unit of work, say) of the runs of each side. A side may have a
/// single run if the other has two or more: it is then taken to vary as the other does.
///
/// # Errors
/// [`Unsuitable`] when there are too few runs or a cost is not above 0.
pub fn compare_runs(base: &[f64], new: &[f64]) -> Result<WholeEffect, Unsuitable> {
    todo!("{base:?} {new:?}")
}

/// One cost a side. A run does not tell how much the next one will differ, so `run_cv`, the coefficient of variation from
/// run to run, must come from earlier repeats.
///
/// # Errors
/// [`Unsuitable`] when a figure is not above 0.
pub fn compare_single_runs(base: f64, new: f64, run_cv: f64) -> Result<WholeEffect, Unsuitable> {
    todo!("{base} {new} {run_cv}")
}
