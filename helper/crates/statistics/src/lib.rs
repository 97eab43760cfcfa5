//! What may be said of the difference between runs: numbers only, verdicts are the caller's.
//!
//! - One run each: [`batch_means`], from the counts of a function in 16 windows of time. It tests these two *executions*;
//!   what another execution of the same build would give is unknown to it, but for [`RunNoise`].
//! - Several runs each: [`compare_features`], over a table of counts of many functions at once.
//! - Two parts of one run: [`Windows`] of its time.
//! - The whole: [`compare_runs`], or [`compare_single_runs`] with the noise between runs that is known from elsewhere.
//!
//! Every count is a number of samples. `base` is before, `new` is after; every difference is new − base, every change is
//! relative (0.25 is 25 % more), every interval covers 95 %, every p is two-sided. A *feature* is whatever is counted: a
//! function's self or total, a line, a node of a tree; of one kind at a time, because q-values are over all of a call.

mod batch_means;
mod count_table;
mod error;
mod feature_effect;
mod interval;
mod library_size;
mod log_costs;
mod multiple_tests;
mod patterns;
mod planning;
mod poisson;
mod poisson_ratio;
mod run_noise;
mod several_runs;
mod student;
mod summary;
#[cfg(test)]
mod testing;
mod until;
mod whole;
mod windows;

pub use batch_means::{
    BATCHES, BatchedCounts, BatchedEffect, LEAST_SAMPLES, TooFew, batch_means, rare_on_one_side,
};
pub use count_table::CountTable;
pub use error::Unsuitable;
pub use feature_effect::FeatureEffect;
pub use interval::Interval;
pub use log_costs::{TURNS_FOR_PAIRS, Turns};
pub use multiple_tests::benjamini_hochberg;
pub use patterns::{Pattern, pattern};
pub use planning::{Plan, minimum_detectable, smallest_detectable};
pub use poisson::poisson_interval;
pub use poisson_ratio::poisson_ratio_interval;
pub use run_noise::RunNoise;
pub use several_runs::{
    Compared, LEAST_COUNT, LEAST_MEAN_COUNT, LibrarySize, compare_features,
    iterated_median_of_ratios,
};
pub use student::two_sided_p;
pub use summary::{Summary, outliers, summary};
pub use until::{Decision, SoFar, Until, turn_costs, until};
pub use whole::{WholeEffect, compare_runs, compare_single_runs};
pub use windows::{LEAST_WINDOWS, Untestable, WINDOWS, WindowedCounts, WindowedEffect, Windows};
