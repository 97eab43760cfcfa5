//! The common variance of all features, and how many degrees of freedom it is worth (Smyth 2004, section 6.2).

use crate::gamma_functions::{digamma, inverse_trigamma, trigamma};
use crate::summary::{mean, sum_of_squares};

/// What is known of a feature's variance before it is looked at: a scaled inverse χ² distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// `d0`: 0 when nothing is known, infinite when all features have the same variance.
    pub df: f64,
    /// `s0²`.
    pub variance: f64,
}

/// From the variances of all features, each with `df` degrees of freedom; none is 0.
pub fn common_prior(variances: &[f64], df: f64) -> Prior {
    if variances.len() < 2 {
        return Prior {
            df: 0.0,
            variance: mean(variances),
        };
    }
    let half = df / 2.0;
    let shift = half.ln() - digamma(half);
    let logs: Vec<f64> = variances.iter().map(|v| v.ln() + shift).collect();
    let usual = mean(&logs);
    let beyond_chance = sum_of_squares(&logs) / (logs.len() - 1) as f64 - trigamma(half);
    if beyond_chance <= 0.0 {
        return Prior {
            df: f64::INFINITY,
            variance: usual.exp(),
        };
    }
    let prior_half = inverse_trigamma(beyond_chance);
    Prior {
        df: 2.0 * prior_half,
        variance: (usual + digamma(prior_half) - prior_half.ln()).exp(),
    }
}

impl Prior {
    /// `s̃²`: a feature's variance, drawn towards the common one.
    pub fn moderate(self, variance: f64, df: f64) -> f64 {
        if self.df.is_infinite() {
            return self.variance;
        }
        (self.df * self.variance + df * variance) / (self.df + df)
    }
}
