//! What runs can show before they are made, and could have shown after.

use crate::student::two_sided_quantile;

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

/// The relative change that a test at 5 % finds in 4 of 5 cases. Infinite without runs or samples.
pub fn minimum_detectable(plan: &Plan) -> f64 {
    let runs = 1.0 / plan.base_runs as f64 + 1.0 / plan.new_runs as f64;
    let variance = plan.run_cv.powi(2) + plan.design_effect / plan.samples;
    let df = (plan.base_runs + plan.new_runs) as f64 - 2.0;
    let found = smallest_detectable((runs * variance).sqrt(), df);
    if found.is_nan() { f64::INFINITY } else { found }
}

/// The same after the fact, from the standard error of a difference of logarithms and its degrees of freedom.
pub fn smallest_detectable(standard_error: f64, df: f64) -> f64 {
    detectable_at(0.05, standard_error, df)
}

/// The same of a test at another level.
pub(crate) fn detectable_at(level: f64, standard_error: f64, df: f64) -> f64 {
    // Found when beyond the quantile of the level, two-sided; 4 of 5 of a t lie above minus the one-sided quantile of 20 %.
    let standard_errors = two_sided_quantile(level, df) + two_sided_quantile(0.40, df);
    (standard_errors * standard_error).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_detectable_changes_are_those_of_the_plan() {
        // In per cent; 3, 5, 10 and 20 runs a side. Reference values: scipy 1.17.
        for (samples, wanted) in [
            (100.0, [98.3, 57.8, 34.8, 22.8]),
            (1000.0, [26.3, 16.8, 10.7, 7.2]),
            (10_000.0, [12.0, 7.9, 5.1, 3.5]),
        ] {
            let found = [3, 5, 10, 20].map(|runs| {
                let plan = Plan {
                    base_runs: runs,
                    new_runs: runs,
                    run_cv: 0.03,
                    design_effect: 5.0,
                    samples,
                };
                100.0 * minimum_detectable(&plan)
            });
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert!((found - wanted).abs() < 0.06, "{found} is not {wanted}");
            }
        }
    }

    #[test]
    fn nothing_is_detectable_without_runs_or_samples() {
        let plan = Plan {
            base_runs: 3,
            new_runs: 3,
            run_cv: 0.03,
            design_effect: 5.0,
            samples: 0.0,
        };
        assert_eq!(minimum_detectable(&plan), f64::INFINITY);
        let none = Plan {
            new_runs: 0,
            samples: 10.0,
            ..plan
        };
        assert_eq!(minimum_detectable(&none), f64::INFINITY);
    }
}
