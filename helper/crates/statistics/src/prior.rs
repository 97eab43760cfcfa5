//! What all features together tell about the variance of one: Smyth's prior (2004, section 6.2), round a trend.
//!
//! The logarithm of a count varies by the noise between runs, alike for all, and by sampling, the more the smaller the
//! count is. One variance for all would call rare functions different in 7 % of cases, and frequent ones never.

use crate::gamma_functions::{digamma, inverse_trigamma, trigamma};
use crate::summary::mean;

/// From so many features on a trend is looked for; fewer have one variance in common.
const FEATURES_FOR_TREND: usize = 8;

/// Features are put together by count for finding the trend.
const BUCKETS: usize = 64;

/// Of the variance of the logarithm of a run's cost: a scaled inverse χ² distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// `d0`: how many degrees of freedom it is worth. 0 when nothing is known, infinite when features differ in their
    /// variance no more than by chance.
    pub df: f64,
    /// Of a feature of very many samples: what runs differ by, squared.
    pub run_variance: f64,
    /// What a sample adds, divided by the number of samples: the design effect. 0 where no trend was looked for.
    pub sample_variance: f64,
}

impl Prior {
    /// `s0²` of a feature with so many samples in one run.
    pub fn variance(&self, count: f64) -> f64 {
        self.run_variance + self.sample_variance / count
    }

    /// `s̃²`: a feature's own variance, of `df` degrees of freedom, drawn towards that of the prior.
    pub(crate) fn moderate(&self, own: f64, df: f64, count: f64) -> f64 {
        let usual = self.variance(count);
        if self.df.is_infinite() {
            return usual;
        }
        (self.df * usual + df * own) / (self.df + df)
    }
}

/// From the variances of all features, each with `df` degrees of freedom, and their mean logarithms of counts. NaN
/// variances when there is no feature.
pub(crate) fn fit_prior(variances: &[f64], ln_counts: &[f64], df: f64) -> Prior {
    if variances.len() < 2 {
        return Prior {
            df: 0.0,
            run_variance: mean(variances),
            sample_variance: 0.0,
        };
    }
    let half = df / 2.0;
    let shift = half.ln() - digamma(half);
    let logs: Vec<f64> = variances.iter().map(|v| v.ln() + shift).collect();
    let trend = if logs.len() < FEATURES_FOR_TREND {
        Trend {
            ln_run_variance: mean(&logs),
            samples: 0.0,
        }
    } else {
        fit_trend(&logs, ln_counts)
    };
    let parameters = if trend.samples > 0.0 { 2 } else { 1 };
    let squares = logs
        .iter()
        .zip(ln_counts)
        .map(|(log, &ln_count)| (log - trend.at(ln_count)).powi(2));
    let spread = squares.sum::<f64>() / (logs.len() - parameters) as f64;
    let beyond_chance = spread - trigamma(half);
    let (prior_df, ln_factor) = if beyond_chance > 0.0 {
        let prior_half = inverse_trigamma(beyond_chance);
        (2.0 * prior_half, digamma(prior_half) - prior_half.ln())
    } else {
        (f64::INFINITY, 0.0)
    };
    let run_variance = (trend.ln_run_variance + ln_factor).exp();
    Prior {
        df: prior_df,
        run_variance,
        sample_variance: run_variance * trend.samples,
    }
}

/// Variance = `run_variance` × (1 + `samples` / count).
#[derive(Debug, Clone, Copy)]
struct Trend {
    ln_run_variance: f64,
    samples: f64,
}

impl Trend {
    /// The logarithm of the variance.
    fn at(&self, ln_count: f64) -> f64 {
        self.ln_run_variance + (self.samples * (-ln_count).exp()).ln_1p()
    }
}

/// By least squares of the logarithms.
fn fit_trend(logs: &[f64], ln_counts: &[f64]) -> Trend {
    let buckets = buckets(logs, ln_counts);
    let (least, greatest) = (buckets[0].ln_count, buckets[buckets.len() - 1].ln_count);
    // Beyond these no feature shows the one or the other part of the variance.
    let (low, high) = (least - 5.0, greatest + 5.0);
    let of = |ln_samples: f64| trend_and_squares(&buckets, ln_samples.exp());
    let steps = 40;
    let step = (high - low) / f64::from(steps);
    let coarse = (0..=steps)
        .map(|at| low + f64::from(at) * step)
        .min_by(|&a, &b| of(a).1.total_cmp(&of(b).1))
        .unwrap_or(low);
    let (mut low, mut high) = (coarse - step, coarse + step);
    while high - low > 1e-3 {
        let third = (high - low) / 3.0;
        if of(low + third).1 < of(high - third).1 {
            high -= third;
        } else {
            low += third;
        }
    }
    of((low + high) / 2.0).0
}

struct Bucket {
    features: f64,
    ln_count: f64,
    log: f64,
}

/// Means of the features whose counts are alike, by count.
fn buckets(logs: &[f64], ln_counts: &[f64]) -> Vec<Bucket> {
    let least = ln_counts.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = ln_counts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width = ((greatest - least) / BUCKETS as f64).max(f64::MIN_POSITIVE);
    let mut sums = vec![(0.0, 0.0, 0.0); BUCKETS];
    for (log, ln_count) in logs.iter().zip(ln_counts) {
        let sum = &mut sums[(((ln_count - least) / width) as usize).min(BUCKETS - 1)];
        *sum = (sum.0 + 1.0, sum.1 + ln_count, sum.2 + log);
    }
    sums.into_iter()
        .filter(|&(features, ..)| features > 0.0)
        .map(|(features, ln_count, log)| Bucket {
            features,
            ln_count: ln_count / features,
            log: log / features,
        })
        .collect()
}

/// The best trend of these `samples`, and the sum of the squares that remain.
fn trend_and_squares(buckets: &[Bucket], samples: f64) -> (Trend, f64) {
    let rest = |bucket: &Bucket| bucket.log - (samples * (-bucket.ln_count).exp()).ln_1p();
    let features: f64 = buckets.iter().map(|bucket| bucket.features).sum();
    let ln_run_variance = buckets
        .iter()
        .map(|bucket| bucket.features * rest(bucket))
        .sum::<f64>()
        / features;
    let squares = buckets
        .iter()
        .map(|bucket| bucket.features * (rest(bucket) - ln_run_variance).powi(2))
        .sum();
    let trend = Trend {
        ln_run_variance,
        samples,
    };
    (trend, squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn a_trend_is_found_where_there_is_one() {
        let ln_counts: Vec<f64> = (0..400).map(|at| 3.0 + f64::from(at) / 50.0).collect();
        // Of variances that are exactly 0.0009 + 5 / count.
        let variances: Vec<f64> = ln_counts
            .iter()
            .map(|x| 0.0009 + 5.0 * (-x).exp())
            .collect();
        let prior = fit_prior(&variances, &ln_counts, 1e6);
        assert_eq!(prior.df, f64::INFINITY);
        assert_close(prior.run_variance, 0.0009, 0.01);
        assert_close(prior.sample_variance, 5.0, 0.01);
    }

    #[test]
    fn equal_counts_or_variances_have_no_trend_to_find() {
        for (variances, ln_counts) in [
            (vec![0.01; 20], vec![5.0; 20]),
            (vec![0.01; 20], (0..20).map(f64::from).collect()),
        ] {
            let prior = fit_prior(&variances, &ln_counts, 1e6);
            assert_close(prior.variance(ln_counts[0].exp()), 0.01, 0.01);
            assert_close(prior.variance(ln_counts[19].exp()), 0.01, 0.01);
        }
    }

    #[test]
    fn a_variance_is_drawn_towards_the_usual_one_by_what_that_is_worth() {
        let prior = Prior {
            df: 6.0,
            run_variance: 0.1,
            sample_variance: 10.0,
        };
        assert_close(
            prior.moderate(0.6, 4.0, 100.0),
            (6.0 * 0.2 + 4.0 * 0.6) / 10.0,
            1e-12,
        );
        let certain = Prior {
            df: f64::INFINITY,
            ..prior
        };
        assert_close(certain.moderate(0.6, 4.0, 100.0), 0.2, 1e-12);
    }
}
