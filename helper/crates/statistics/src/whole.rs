//! The whole run: one cost a run.

use crate::error::{Unsuitable, check_positive};
use crate::interval::Interval;
use crate::planning::smallest_detectable;
use crate::student::{two_sided_p, two_sided_quantile};
use crate::summary::{mean, sum_of_squares, variance};

/// Of logarithms: runs of equal cost do not make a difference certain.
const LEAST_VARIANCE: f64 = 1e-12;

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
    let (k_base, k_new) = (base.len(), new.len());
    if k_base.min(k_new) < 1 || k_base + k_new < 3 {
        return Err(Unsuitable::TooFewRuns {
            base: k_base,
            new: k_new,
        });
    }
    let (base, new) = (logarithms(base)?, logarithms(new)?);
    let (variance, df) = if k_base.min(k_new) == 1 {
        let df = (k_base + k_new - 2) as f64;
        let pooled = (sum_of_squares(&base) + sum_of_squares(&new)) / df;
        (
            pooled.max(LEAST_VARIANCE) * (1.0 / k_base as f64 + 1.0 / k_new as f64),
            df,
        )
    } else {
        let of_mean = |logs: &[f64]| variance(logs).max(LEAST_VARIANCE) / logs.len() as f64;
        let dfs = ((k_base - 1) as f64, (k_new - 1) as f64);
        welch((of_mean(&base), dfs.0), (of_mean(&new), dfs.1))
    };
    Ok(effect(mean(&new) - mean(&base), variance.sqrt(), df))
}

/// One cost a side. A run does not tell how much the next one will differ, so `run_cv`, the coefficient of variation from
/// run to run, must come from earlier repeats.
///
/// # Errors
/// [`Unsuitable`] when a figure is not above 0.
pub fn compare_single_runs(base: f64, new: f64, run_cv: f64) -> Result<WholeEffect, Unsuitable> {
    check_positive("coefficient of variation from run to run", run_cv)?;
    let (base, new) = (logarithms(&[base])?, logarithms(&[new])?);
    let standard_error = std::f64::consts::SQRT_2 * run_cv;
    Ok(effect(new[0] - base[0], standard_error, f64::INFINITY))
}

/// The variance of a difference of two means, and its degrees of freedom by Welch and Satterthwaite, at least 1; from the
/// variance of each mean and its degrees of freedom.
pub(crate) fn welch((v_base, df_base): (f64, f64), (v_new, df_new): (f64, f64)) -> (f64, f64) {
    let variance = v_base + v_new;
    let df = variance.powi(2) / (v_base.powi(2) / df_base + v_new.powi(2) / df_new);
    (variance, df.max(1.0))
}

fn effect(ln_ratio: f64, standard_error: f64, df: f64) -> WholeEffect {
    let t = ln_ratio / standard_error;
    let half_width = two_sided_quantile(0.05, df) * standard_error;
    WholeEffect {
        change: Interval::relative(ln_ratio, half_width),
        standard_error,
        t,
        df,
        p: two_sided_p(t, df),
        smallest_detectable: smallest_detectable(standard_error, df),
    }
}

fn logarithms(costs: &[f64]) -> Result<Vec<f64>, Unsuitable> {
    costs
        .iter()
        .map(|&cost| check_positive("cost of a run", cost).map(|()| cost.ln()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    // Reference values: mpmath at 40 digits.
    #[test]
    fn three_runs_against_four_by_welch() {
        let found = compare_runs(&[10.0, 10.2, 9.9], &[10.9, 11.3, 10.8, 11.0]).unwrap();
        let wanted = [
            7.0035613149347,
            4.9553365265566,
            0.00094873891459066,
            0.096272592802966,
            0.059807699825833,
            0.13399213643045,
            0.046976611285567,
        ];
        assert_close(found.t, wanted[0], 1e-10);
        assert_close(found.df, wanted[1], 1e-10);
        assert_close(found.p, wanted[2], 1e-9);
        assert_close(found.change.value, wanted[3], 1e-10);
        assert_close(found.change.low, wanted[4], 1e-9);
        assert_close(found.change.high, wanted[5], 1e-9);
        assert_close(found.smallest_detectable, wanted[6], 1e-9);
    }

    #[test]
    fn a_single_run_is_taken_to_vary_as_those_of_the_other_side() {
        let found = compare_runs(&[10.0, 10.2, 9.9], &[11.0]).unwrap();
        assert_eq!(found.df, 2.0);
        let logs = [10f64.ln(), 10.2f64.ln(), 9.9f64.ln()];
        assert_close(
            found.standard_error,
            (variance(&logs) * 4.0 / 3.0).sqrt(),
            1e-12,
        );
    }

    #[test]
    fn one_run_each_needs_the_noise_from_elsewhere() {
        let found = compare_single_runs(10.0, 11.0, 0.02).unwrap();
        assert_close(found.change.value, 0.1, 1e-12);
        assert_close(found.t, 1.1f64.ln() / (0.02 * 2f64.sqrt()), 1e-12);
        assert_eq!(
            compare_single_runs(10.0, 11.0, 0.0)
                .unwrap_err()
                .to_string(),
            "the coefficient of variation from run to run must be above 0 and finite, and one is 0"
        );
    }

    #[test]
    fn runs_that_cannot_be_compared_are_named() {
        assert_eq!(
            compare_runs(&[1.0], &[2.0]),
            Err(Unsuitable::TooFewRuns { base: 1, new: 1 })
        );
        assert_eq!(
            compare_runs(&[], &[2.0, 3.0, 4.0]),
            Err(Unsuitable::TooFewRuns { base: 0, new: 3 })
        );
        assert!(compare_runs(&[1.0, f64::NAN], &[2.0, 3.0]).is_err());
    }

    #[test]
    fn runs_of_equal_cost_give_finite_figures() {
        let found = compare_runs(&[5.0, 5.0], &[5.0, 5.0]).unwrap();
        assert_eq!((found.change.value, found.p), (0.0, 1.0));
        assert!(found.change.high < 1e-4);
    }
}
