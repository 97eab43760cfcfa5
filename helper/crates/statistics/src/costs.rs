//! The costs of many features in several runs, and the test of each.

use crate::interval::Interval;
use crate::moderated::{CountTable, ModeratedEffect};
use crate::multiple_tests::benjamini_hochberg;
use crate::prior::{Prior, fit_prior};
use crate::shared_noise::{FEATURES_FOR_SHARED, Residuals, part};
use crate::student::{two_sided_p, two_sided_quantile};
use crate::summary::mean;

/// How often a feature's own noise and what is shared are parted, each time by what was found before.
const PARTINGS: usize = 2;

/// Of the features that are tested.
pub(crate) struct Costs {
    /// The logarithms of the counts, by feature and run.
    ln_counts: Vec<f64>,
    /// By feature, their mean.
    ln_means: Vec<f64>,
    base_runs: usize,
    new_runs: usize,
}

/// Whether the sizes of runs follow the noise that all features of a run have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SharedNoise {
    InSizes,
    Separate,
}

pub(crate) struct Tests {
    pub prior: Prior,
    pub shared_variance: f64,
    pub effects: Vec<ModeratedEffect>,
}

impl Costs {
    pub fn new(table: &CountTable, tested: &[usize]) -> Costs {
        let counts = tested.iter().flat_map(|&feature| table.row(feature));
        // Half a sample more, so that none at all has a logarithm.
        let ln_counts: Vec<f64> = counts.map(|&count| (count as f64 + 0.5).ln()).collect();
        Costs {
            ln_means: ln_counts.chunks_exact(table.runs()).map(mean).collect(),
            ln_counts,
            base_runs: table.base_runs,
            new_runs: table.new_runs,
        }
    }

    /// With the sizes of the runs.
    pub fn test(&self, sizes: &[f64], shared: SharedNoise) -> Tests {
        let (ln_ratios, residuals) = self.ratios_and_residuals(sizes);
        let noise = self.noise(&residuals, shared);
        let effects = ln_ratios.into_iter().enumerate();
        let mut effects: Vec<ModeratedEffect> = effects
            .map(|(feature, ln_ratio)| self.effect(ln_ratio, &noise, feature))
            .collect();
        let p: Vec<f64> = effects.iter().map(|effect| effect.p).collect();
        for (effect, q) in effects.iter_mut().zip(benjamini_hochberg(&p)) {
            effect.q = q;
        }
        Tests {
            prior: noise.prior,
            shared_variance: noise.shared,
            effects,
        }
    }

    /// Of each feature the difference of the sides' mean logarithms; and of each run what remains.
    fn ratios_and_residuals(&self, sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let ln_sizes: Vec<f64> = sizes.iter().map(|size| size.ln()).collect();
        let mut residuals = self.ln_counts.clone();
        let ln_ratios = residuals
            .chunks_exact_mut(ln_sizes.len())
            .map(|row| {
                for (value, ln_size) in row.iter_mut().zip(&ln_sizes) {
                    *value -= ln_size;
                }
                let (base, new) = row.split_at_mut(self.base_runs);
                take_mean(new) - take_mean(base)
            })
            .collect();
        (ln_ratios, residuals)
    }

    fn noise(&self, residuals: &[f64], shared: SharedNoise) -> Noise {
        let features = self.ln_means.len();
        let run_df = (self.base_runs + self.new_runs - 2) as f64;
        let rows = residuals.chunks_exact(self.base_runs + self.new_runs);
        let mut own: Vec<f64> = rows
            .map(|row| row.iter().map(|r| r * r).sum::<f64>() / run_df)
            .collect();
        self.raise_to_rounding(&mut own);
        let mut prior = fit_prior(&own, &self.ln_means, run_df);
        let mut together = 0.0;
        if shared == SharedNoise::Separate && features >= FEATURES_FOR_SHARED {
            let residuals = Residuals {
                values: residuals,
                runs: self.base_runs + self.new_runs,
                df: run_df,
                ln_means: &self.ln_means,
            };
            for _ in 0..PARTINGS {
                let parted = part(&residuals, &prior, &own);
                (own, together) = (parted.own, parted.variance);
                self.raise_to_rounding(&mut own);
                prior = fit_prior(&own, &self.ln_means, run_df);
            }
        }
        let own_df = if shared == SharedNoise::Separate && features < FEATURES_FOR_SHARED {
            run_df
        } else {
            // All features together do not know more than they have degrees of freedom.
            (prior.df + run_df).min(features.max(1) as f64 * run_df)
        };
        Noise {
            own,
            prior,
            own_df,
            own_quantile: two_sided_quantile(0.05, own_df),
            shared: together,
            run_df,
        }
    }

    /// Counts are whole: even equal ones vary by what rounding hides.
    fn raise_to_rounding(&self, variances: &mut [f64]) {
        for (variance, ln_mean) in variances.iter_mut().zip(&self.ln_means) {
            *variance = variance.max((-2.0 * ln_mean).exp() / 12.0);
        }
    }

    fn effect(&self, ln_ratio: f64, noise: &Noise, feature: usize) -> ModeratedEffect {
        let count = self.ln_means[feature].exp();
        let own = noise
            .prior
            .moderate(noise.own[feature], noise.run_df, count);
        let variance = own + noise.shared;
        let (df, quantile) = if noise.shared > 0.0 {
            // Welch and Satterthwaite.
            let df = variance.powi(2)
                / (own.powi(2) / noise.own_df + noise.shared.powi(2) / noise.run_df);
            (df, two_sided_quantile(0.05, df))
        } else {
            (noise.own_df, noise.own_quantile)
        };
        let runs = 1.0 / self.base_runs as f64 + 1.0 / self.new_runs as f64;
        let standard_error = (variance * runs).sqrt();
        let t = ln_ratio / standard_error;
        ModeratedEffect {
            ln_ratio,
            standard_deviation: variance.sqrt(),
            standard_error,
            t,
            df,
            p: two_sided_p(t, df),
            q: f64::NAN,
            change: Interval::relative(ln_ratio, quantile * standard_error),
        }
    }
}

/// Of the logarithm of one run's cost.
struct Noise {
    /// By feature, with the degrees of freedom that the runs give.
    own: Vec<f64>,
    prior: Prior,
    /// Of a feature's own variance once it is moderated.
    own_df: f64,
    /// In standard errors, half the width of a 95 % interval of so many degrees of freedom.
    own_quantile: f64,
    /// What all vary by together.
    shared: f64,
    /// k_A + k_B − 2.
    run_df: f64,
}

/// Subtracts the mean, and returns it.
fn take_mean(values: &mut [f64]) -> f64 {
    let mean = mean(values);
    for value in values {
        *value -= mean;
    }
    mean
}
