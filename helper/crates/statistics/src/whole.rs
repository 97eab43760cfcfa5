//! The whole run: one cost a run.

use crate::error::{Unsuitable, check_positive};
use crate::interval::Interval;
use crate::log_costs::{Difference, Turns, difference};
use crate::planning::detectable_at;
use crate::run_noise::RunNoise;
use crate::student::{two_sided_p, two_sided_quantile};

/// Of logarithms: runs of equal cost do not make a difference certain.
pub(crate) const LEAST_VARIANCE: f64 = 1e-12;

const LEVEL: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WholeEffect {
    /// Of geometric means.
    pub change: Interval,
    /// Of the difference of mean logarithms.
    pub standard_error: f64,
    pub t: f64,
    pub df: f64,
    pub p: f64,
    /// Below it p is a difference.
    pub level: f64,
    /// The relative change that these runs would have shown in 4 of 5 cases.
    pub smallest_detectable: f64,
}

impl WholeEffect {
    /// The same if runs vary by at least `noise`. A few of them may be alike by chance; `runs`: of base and new.
    #[must_use]
    pub fn with_at_least(self, noise: RunNoise, runs: [usize; 2]) -> WholeEffect {
        let standard_error = noise.standard_error(0.0, runs);
        if standard_error <= self.standard_error {
            return self;
        }
        let found = Difference {
            ln_ratio: self.change.value.ln_1p(),
            standard_error,
            df: noise.df,
        };
        effect_at(self.level, found)
    }
}

/// Student's t on the logarithms of the costs (CPU time per unit of work, say) of the runs of each side, as for each of the
/// functions. A side may have a single run if the other has two or more: it is then taken to vary as the other does.
///
/// # Errors
/// [`Unsuitable`] when there are too few runs or a cost is not above 0.
pub fn compare_runs(base: &[f64], new: &[f64], turns: Turns) -> Result<WholeEffect, Unsuitable> {
    let (k_base, k_new) = (base.len(), new.len());
    if k_base.min(k_new) < 1 || k_base + k_new < 3 {
        return Err(Unsuitable::TooFewRuns {
            base: k_base,
            new: k_new,
        });
    }
    let (base, new) = (logarithms(base)?, logarithms(new)?);
    let found = difference(&base, &new, turns, LEAST_VARIANCE);
    Ok(effect_at(LEVEL, found))
}

/// One cost a side. A run does not tell how much the next one will differ: that comes from elsewhere.
///
/// # Errors
/// [`Unsuitable`] when a figure is not above 0.
pub fn compare_single_runs(
    base: f64,
    new: f64,
    noise: RunNoise,
) -> Result<WholeEffect, Unsuitable> {
    check_positive("coefficient of variation between executions", noise.cv)?;
    let (base, new) = (logarithms(&[base])?, logarithms(&[new])?);
    let found = Difference {
        ln_ratio: new[0] - base[0],
        standard_error: noise.standard_error(0.0, [1, 1]),
        df: noise.df,
    };
    Ok(effect_at(LEVEL, found))
}

/// The variance of a sum of independent parts, and its degrees of freedom by Welch and Satterthwaite, at least 1; from the
/// variance of each part and its degrees of freedom.
pub(crate) fn welch(parts: &[(f64, f64)]) -> (f64, f64) {
    let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let squares: f64 = (parts.iter())
        .map(|(variance, df)| variance.powi(2) / df)
        .sum();
    (variance, (variance.powi(2) / squares).max(1.0))
}

/// `level`: of the test, and what the interval may miss.
pub(crate) fn effect_at(level: f64, found: Difference) -> WholeEffect {
    let Difference {
        ln_ratio,
        standard_error,
        df,
    } = found;
    let t = ln_ratio / standard_error;
    let half_width = two_sided_quantile(level, df) * standard_error;
    WholeEffect {
        change: Interval::relative(ln_ratio, half_width),
        standard_error,
        t,
        df,
        p: two_sided_p(t, df),
        level,
        smallest_detectable: detectable_at(level, standard_error, df),
    }
}

pub(crate) fn logarithms(costs: &[f64]) -> Result<Vec<f64>, Unsuitable> {
    costs
        .iter()
        .map(|&cost| check_positive("cost of an execution", cost).map(|()| cost.ln()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::variance;
    use crate::testing::assert_close;

    // Reference values: scipy 1.17, ttest_ind.
    #[test]
    fn three_runs_against_four() {
        let found = compare_runs(&[10.0, 10.2, 9.9], &[10.9, 11.3, 10.8, 11.0], &[]).unwrap();
        assert_close(found.t, 6.716_077_027_66, 1e-10);
        assert_eq!(found.df, 5.0);
        assert_close(found.p, 0.001_108_479_08, 1e-8);
        assert_close(found.change.value, 0.096272592802966, 1e-10);
        assert_close(found.change.low, 0.058_375_332_482_8, 1e-9);
        assert_close(found.change.high, 0.135_526_840_853, 1e-9);
        assert_close(found.smallest_detectable, 0.048_924_836_056, 1e-9);
    }

    #[test]
    fn a_single_run_is_taken_to_vary_as_those_of_the_other_side() {
        let found = compare_runs(&[10.0, 10.2, 9.9], &[11.0], &[]).unwrap();
        assert_eq!(found.df, 2.0);
        let logs = [10f64.ln(), 10.2f64.ln(), 9.9f64.ln()];
        assert_close(
            found.standard_error,
            (variance(&logs) * 4.0 / 3.0).sqrt(),
            1e-12,
        );
    }

    #[test]
    fn runs_that_are_alike_by_chance_are_taken_to_vary_as_others_did() {
        let alike = compare_runs(&[10.0, 10.01], &[11.0, 11.01], &[]).unwrap();
        assert!(alike.p < 1e-3);
        let noise = RunNoise { cv: 0.1, df: 9.0 };
        let known = alike.with_at_least(noise, [2, 2]);
        assert_close(known.standard_error, 0.1, 1e-12);
        assert_close(known.change.value, alike.change.value, 1e-12);
        assert!(
            known.df == 9.0 && (0.3..0.5).contains(&known.p),
            "{known:?}"
        );
        let quiet = RunNoise { cv: 1e-4, ..noise };
        assert_eq!(alike.with_at_least(quiet, [2, 2]), alike);
    }

    #[test]
    fn one_run_each_needs_the_noise_from_elsewhere() {
        let noise = RunNoise { cv: 0.02, df: 3.0 };
        let found = compare_single_runs(10.0, 11.0, noise).unwrap();
        assert_close(found.change.value, 0.1, 1e-12);
        assert_close(found.t, 1.1f64.ln() / (0.02 * 2f64.sqrt()), 1e-12);
        assert_close(found.p, 0.043_419_703_925, 1e-9);
        assert_eq!(
            compare_single_runs(10.0, 11.0, RunNoise::NONE)
                .unwrap_err()
                .to_string(),
            "the coefficient of variation between executions must be above 0 and finite, but one is 0"
        );
    }

    #[test]
    fn without_knowledge_of_a_program_a_few_percent_are_nothing_and_most_of_it_is_much() {
        let of = |new| compare_single_runs(10.0, new, RunNoise::UNKNOWN).unwrap().p;
        assert!(of(10.4) > 0.5 && of(12.0) > 0.05);
        assert!(of(15.5) < 0.05 && of(1.2) < 1e-3);
    }

    #[test]
    fn runs_that_cannot_be_compared_are_named() {
        assert_eq!(
            compare_runs(&[1.0], &[2.0], &[]),
            Err(Unsuitable::TooFewRuns { base: 1, new: 1 })
        );
        assert_eq!(
            compare_runs(&[], &[2.0, 3.0, 4.0], &[]),
            Err(Unsuitable::TooFewRuns { base: 0, new: 3 })
        );
        assert!(compare_runs(&[1.0, f64::NAN], &[2.0, 3.0], &[]).is_err());
    }

    #[test]
    fn runs_of_equal_cost_give_finite_figures() {
        let found = compare_runs(&[5.0, 5.0], &[5.0, 5.0], &[]).unwrap();
        assert_eq!((found.change.value, found.p), (0.0, 1.0));
        assert!(found.change.high < 1e-4);
    }
}
