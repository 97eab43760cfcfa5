//! What runs can show before they are made, and could have shown after.

/// Runs to be made, or made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    pub base_runs: usize,
    pub new_runs: usize,
    /// Coefficient of variation from run to run: 0.03 is 3 %.
    pub run_cv: f64,
    /// How many samples tell as much as an independent one; 5 where nothing is known.
    pub design_effect: f64,
    /// Samples of the feature in one run.
    pub samples: f64,
}

/// The relative change that a test at 5 % finds in 4 of 5 cases. Optimistic at three runs a side, where the variance is
/// not well known. Infinite without runs or samples.
pub fn minimum_detectable(plan: &Plan) -> f64 {
    todo!("{plan:?}")
}

/// The same after the fact, from the standard error of a difference of logarithms and its degrees of freedom.
pub fn smallest_detectable(standard_error: f64, df: f64) -> f64 {
    todo!("{standard_error} {df}")
}
