//! One run each: Welch's t over batch means.
//!
//! Samples of one run follow one another: a function that is on the stack now will be there at the next sample. A test
//! for independent samples takes the differences between two runs of one program for real in up to 80 % of cases. Sums
//! over windows of time that are longer than such dependence are nearly independent, and their spread tells the variance.

use std::fmt;

use statrs::function::beta::beta_reg;

use crate::interval::Interval;
use crate::run_noise::RunNoise;
use crate::student::{two_sided_p, two_sided_quantile};
use crate::summary::variance;
use crate::whole::welch;

/// Into how many parts a run is cut: consecutive in time, over all threads together, each with equally many samples (the
/// rest is left out). Parts of equal wall time will do, too, but then an uneven load counts as noise.
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
    /// Above 0: what one counted sample stands for, in the unit of the result: the period in ns / units of work, say.
    pub value: f64,
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
    /// Of the logarithm of new / base, for [`crate::smallest_detectable`].
    pub ln_standard_error: f64,
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
                "{base} and {new} samples, but at least {LEAST_SAMPLES} are required on each side"
            ),
            TooFew::Dependent { design_effect } => write!(
                f,
                "only one in {design_effect:.0} samples is independent: the execution is too short, or has distinct phases"
            ),
        }
    }
}

/// Compares one feature of two runs.
///
/// # Errors
/// [`TooFew`] where the samples do not allow a test.
pub fn batch_means(
    base: &BatchedCounts,
    new: &BatchedCounts,
    noise: RunNoise,
) -> Result<BatchedEffect, TooFew> {
    let (base_total, new_total) = (base.total(), new.total());
    if base_total.min(new_total) < LEAST_SAMPLES {
        return Err(TooFew::Samples {
            base: base_total,
            new: new_total,
        });
    }
    let mut largest: f64 = 1.0;
    for merged in [1, 2] {
        let sides = [base.side(merged), new.side(merged)];
        let is_long_enough = |side: &Side| side.batch_samples() >= 5.0 * side.design_effect;
        if sides.iter().all(is_long_enough) {
            return Ok(welch_of_batches(&sides, [base.value, new.value], noise));
        }
        largest = sides[0].design_effect.max(sides[1].design_effect);
    }
    Err(TooFew::Dependent {
        design_effect: largest,
    })
}

/// The p of a feature that one side hardly has, or not at all: where [`batch_means`] refuses because a side has fewer than
/// 10 samples, whether that is by chance. `None` when neither side has more, or both have, or a value is not above 0.
///
/// Conditional on the samples of both sides, those of one are binomial, after division by the design effect of the side
/// that has more. Samples that come in one phase have a large one, so that little can be said of them.
///
/// And whether `noise` between executions explains it together with that: the larger p.
pub fn rare_on_one_side(base: &BatchedCounts, new: &BatchedCounts, noise: RunNoise) -> Option<f64> {
    let (rare, frequent) = if base.total() < new.total() {
        (base, new)
    } else {
        (new, base)
    };
    if rare.total() >= LEAST_SAMPLES || frequent.total() < LEAST_SAMPLES {
        return None;
    }
    let dependence = [1, 2].map(|merged| frequent.side(merged).design_effect);
    let design_effect = dependence[0].max(dependence[1]);
    let [few, many] = [rare, frequent].map(|side| side.total() as f64 / design_effect);
    let by_chance = p_by_chance([few, many], [rare.value, frequent.value])?;
    if noise.cv == 0.0 {
        return Some(by_chance);
    }
    // As if both had the mean cost: what samples and executions of that differ by.
    let costs = [rare, frequent].map(|side| side.total() as f64 * side.value);
    let mean = (costs[0] + costs[1]) / 2.0;
    let sampling = mean * (rare.value + frequent.value) * design_effect;
    let (variance, df) = welch(&[
        (sampling, f64::INFINITY),
        (2.0 * noise.variance() * mean.powi(2), noise.df),
    ]);
    let p = two_sided_p((costs[1] - costs[0]) / variance.sqrt(), df);
    // Figures that make no sense have no p.
    Some(if p > by_chance { p } else { by_chance })
}

/// The p of at most `few` independent samples on one side and `many` on the other, where one is worth `values`, in this order. `None`
/// when a value is not above 0.
pub(crate) fn p_by_chance([few, many]: [f64; 2], values: [f64; 2]) -> Option<f64> {
    // At equal cost a side has the more samples the less one of them stands for.
    let share_of_rare = values[1] / (values[0] + values[1]);
    if !(share_of_rare > 0.0 && share_of_rare < 1.0) {
        return None;
    }
    // At most `few` of `few + many`: the binomial distribution, continued to fractions.
    let tail = beta_reg(many, few + 1.0, 1.0 - share_of_rare);
    Some((2.0 * tail).min(1.0))
}

impl BatchedCounts {
    fn total(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// With so many neighbouring batches made one.
    fn side(&self, merged: usize) -> Side {
        let batches: Vec<f64> = self
            .counts
            .chunks(merged)
            .map(|chunk| chunk.iter().map(|&count| count as f64).sum())
            .collect();
        Side::new(&batches, self.samples as f64)
    }
}

/// What is known of a side once its batches are chosen. Counts, not shares: a variance of the count is one of the share
/// times `samples`².
struct Side {
    batches: usize,
    count: f64,
    samples: f64,
    /// Of the count, by the spread of the batches.
    variance: f64,
    design_effect: f64,
}

impl Side {
    fn new(batches: &[f64], samples: f64) -> Side {
        let count: f64 = batches.iter().sum();
        let variance = batches.len() as f64 * variance(batches);
        Side {
            batches: batches.len(),
            count,
            samples,
            variance,
            design_effect: (variance / independent_variance(count / samples, samples)).max(1.0),
        }
    }

    fn batch_samples(&self) -> f64 {
        (self.samples / self.batches as f64).floor()
    }

    /// No less than that of independent samples of the mean share of both sides: batches may be alike by chance.
    fn floored_variance(&self, mean_share: f64) -> f64 {
        self.variance
            .max(independent_variance(mean_share, self.samples))
    }
}

/// Of the count of independent samples. At least 1: where every sample counts, the last one is still half in.
fn independent_variance(share: f64, samples: f64) -> f64 {
    (samples * share * (1.0 - share)).max(1.0)
}

fn welch_of_batches(sides: &[Side; 2], values: [f64; 2], noise: RunNoise) -> BatchedEffect {
    let [base, new] = sides;
    let mean_share = (base.count / base.samples + new.count / new.samples) / 2.0;
    let variances = [
        base.floored_variance(mean_share),
        new.floored_variance(mean_share),
    ];
    let batch_df = (base.batches - 1) as f64;
    let costs = [base.count * values[0], new.count * values[1]];
    let of_cost = |side: usize| (variances[side] * values[side].powi(2), batch_df);
    let between_runs = noise.variance() * (costs[0].powi(2) + costs[1].powi(2));
    let (variance, df) = welch(&[of_cost(0), of_cost(1), (between_runs, noise.df)]);
    let standard_error = variance.sqrt();
    let difference = costs[1] - costs[0];
    let quantile = two_sided_quantile(0.05, df);
    let of_ln = |side: usize| (variances[side] / sides[side].count.powi(2), batch_df);
    let (ln_variance, ln_df) = welch(&[of_ln(0), of_ln(1), (2.0 * noise.variance(), noise.df)]);
    let ln_standard_error = ln_variance.sqrt();
    let tells_ratio = sides
        .iter()
        .all(|side| side.count >= LEAST_SAMPLES as f64 * side.design_effect);
    let ln_ratio = (costs[1] / costs[0]).ln();
    // Where nothing changed, both sides vary as their mean does.
    let mean = (costs[0] + costs[1]) / 2.0;
    let of_mean = 2.0 * noise.variance() * mean.powi(2);
    let (null_variance, df) = welch(&[of_cost(0), of_cost(1), (of_mean, noise.df)]);
    let t = difference / null_variance.sqrt();
    BatchedEffect {
        base: costs[0],
        new: costs[1],
        difference: Interval::around(difference, quantile * standard_error),
        change: tells_ratio.then(|| {
            let half_width = two_sided_quantile(0.05, ln_df) * ln_standard_error;
            Interval::relative(ln_ratio, half_width)
        }),
        standard_error,
        ln_standard_error,
        t,
        df,
        p: two_sided_p(t, df),
        batches: base.batches,
        design_effects: [base.design_effect, new.design_effect],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    fn eight_batches(base: [u64; 8], new: [u64; 8]) -> BatchedEffect {
        let side = |counts: [u64; 8]| Side::new(&counts.map(|count| count as f64), 64.0);
        welch_of_batches(&[side(base), side(new)], [1.0 / 64.0; 2], RunNoise::NONE)
    }

    #[test]
    fn the_worked_example_where_the_floor_is_larger() {
        let found = eight_batches([1, 2, 0, 3, 2, 1, 2, 1], [3, 4, 2, 5, 3, 4, 4, 3]);
        assert_eq!((found.base, found.new), (0.1875, 0.4375));
        assert_close(found.standard_error.powi(2) / 2.0, 0.003_356_93, 1e-5);
        assert_close(found.t, 3.051_080_3, 1e-7);
        assert_close(found.df, 14.0, 1e-9);
        assert_close(found.p, 0.008_631_28, 1e-6);
    }

    #[test]
    fn the_worked_example_of_dependent_samples() {
        let found = eight_batches([0, 0, 6, 1, 7, 0, 2, 0], [5, 8, 0, 6, 8, 1, 7, 8]);
        assert_eq!((found.base, found.new), (0.25, 0.671_875));
        assert_close(
            found.standard_error.powi(2),
            0.016_183_0 + 0.020_054_4,
            1e-5,
        );
        assert_close(found.t, 2.216_179_8, 1e-7);
        assert_close(found.df, 13.842_016, 1e-6);
        assert_close(found.p, 0.043_956_5, 1e-6);
        assert_close(found.design_effects[0], 5.52, 1e-3);
        assert_close(found.design_effects[1], 5.82, 1e-3);
        assert_eq!(found.change, None);
    }

    fn run(counts: [u64; BATCHES], samples: u64) -> BatchedCounts {
        BatchedCounts {
            counts,
            samples,
            value: 1.0,
        }
    }

    const STEADY: [u64; BATCHES] = [9, 11, 10, 8, 12, 10, 9, 11, 10, 8, 12, 10, 9, 11, 10, 10];

    #[test]
    fn nine_samples_are_too_few() {
        let nine = std::array::from_fn(|batch| u64::from(batch < 9));
        let error = batch_means(&run(nine, 1600), &run(STEADY, 1600), RunNoise::NONE).unwrap_err();
        assert_eq!(error, TooFew::Samples { base: 9, new: 160 });
        assert_eq!(
            error.to_string(),
            "9 and 160 samples, but at least 10 are required on each side"
        );
    }

    #[test]
    fn batches_are_as_many_as_dependence_allows() {
        let of = |counts, samples| {
            batch_means(&run(counts, samples), &run(counts, samples), RunNoise::NONE)
        };
        assert_eq!(of(STEADY, 1600).unwrap().batches, 16);
        // Neighbours make up for each other, so pairs are alike.
        let seesaw = std::array::from_fn(|batch| if batch % 2 == 0 { 0 } else { 60 });
        let found = of(seesaw, 1600).unwrap();
        assert_eq!((found.batches, found.design_effects), (8, [1.0, 1.0]));
        // Only in the first half of the run.
        let phase = std::array::from_fn(|batch| if batch < 8 { 100 } else { 0 });
        assert!(
            matches!(of(phase, 1600), Err(TooFew::Dependent { design_effect }) if design_effect > 100.0)
        );
    }

    #[test]
    fn what_is_new_or_gone_is_so_by_chance_when_it_is_little() {
        let p = |base: u64, new: u64| {
            let side = |total: u64| {
                let even = std::array::from_fn(|batch| (total + batch as u64) / BATCHES as u64);
                run(even, 1600)
            };
            rare_on_one_side(&side(base), &side(new), RunNoise::NONE)
        };
        // None of 12 on one side, both being as likely: 2 / 2^12.
        assert_close(p(0, 12).unwrap(), 2.0 * 0.5f64.powi(12), 1e-9);
        assert_eq!(p(0, 12), p(12, 0));
        // At most 2 of 18: 2 × (1 + 18 + 153) / 2^18.
        assert_close(p(2, 16).unwrap(), 344.0 / 262_144.0, 1e-9);
        assert_eq!(p(8, 10).map(|p| p > 0.5), Some(true));
        assert_eq!((p(0, 9), p(10, 500)), (None, None));
        // Half the work: half the samples are to be expected.
        let (base, new) = (run([0; BATCHES], 1600), run([1; BATCHES], 1600));
        let found =
            rare_on_one_side(&BatchedCounts { value: 2.0, ..base }, &new, RunNoise::NONE).unwrap();
        assert_close(found, 2.0 * (2f64 / 3.0).powi(16), 1e-9);
    }

    #[test]
    fn a_change_is_told_per_unit_of_work() {
        let twice: [u64; BATCHES] = STEADY.map(|count| 2 * count);
        let base = run(STEADY, 1600);
        let found = batch_means(
            &base,
            &BatchedCounts {
                value: 0.5,
                ..run(twice, 3200)
            },
            RunNoise::NONE,
        )
        .unwrap();
        assert_eq!((found.difference.value, found.p), (0.0, 1.0));
        let change = found.change.unwrap();
        assert_eq!(change.value, 0.0);
        assert!(change.low < 0.0 && change.high > 0.0);
    }

    #[test]
    fn known_noise_between_runs_makes_the_interval_wider() {
        let quiet = run(STEADY, 1600);
        let of = |noise| batch_means(&quiet, &quiet, noise).unwrap();
        let known = RunNoise {
            cv: 0.1,
            df: f64::INFINITY,
        };
        let (narrow, wide) = (of(RunNoise::NONE), of(known));
        let width = |effect: &BatchedEffect| effect.change.unwrap().high;
        assert!(width(&of(RunNoise { cv: 0.1, df: 3.0 })) > 1.2 * width(&wide));
        let added = wide.standard_error.powi(2) - narrow.standard_error.powi(2);
        assert_close(added, 2.0 * 16f64.powi(2), 1e-9);
    }

    #[test]
    fn figures_that_make_no_sense_give_no_sense_and_no_panic() {
        let most = run([u64::MAX; BATCHES], 16);
        for value in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
            for side in [
                run(STEADY, 1600),
                run(STEADY, 0),
                run([0; BATCHES], 0),
                most,
            ] {
                let strange = BatchedCounts { value, ..side };
                for other in [strange, run(STEADY, 1600), run([0; BATCHES], 1600)] {
                    let p = batch_means(&strange, &other, RunNoise::UNKNOWN)
                        .map_or(f64::NAN, |effect| effect.p);
                    assert!(p.is_nan() || (0.0..=1.0).contains(&p));
                    let p = rare_on_one_side(&strange, &other, RunNoise::UNKNOWN).unwrap_or(0.0);
                    assert!((0.0..=1.0).contains(&p));
                }
            }
        }
    }

    #[test]
    fn a_function_that_is_always_on_the_stack_has_a_finite_interval() {
        let always = run([100; BATCHES], 1600);
        let found = batch_means(&always, &always, RunNoise::NONE).unwrap();
        assert_eq!((found.difference.value, found.p), (0.0, 1.0));
        assert_close(found.standard_error, 2f64.sqrt(), 1e-12);
    }
}
