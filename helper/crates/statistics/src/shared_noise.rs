//! Noise that all functions of a run have in common: the clock of the processor, a busy neighbour.
//!
//! Where runs are compared by their work, such noise makes all functions of a run seem slower at once. Then the variance of
//! each tells the same thing once more, and to take them for independent witnesses would make too sure: three quiet runs by
//! luck, and every function is called different. So what is shared is taken out of the functions' variances, and counts
//! on its own, with the few degrees of freedom that the runs give.

use crate::prior::Prior;

/// With fewer features, what is a feature's own and what is shared cannot be told apart.
pub(crate) const FEATURES_FOR_SHARED: usize = 3;

/// Logarithms of costs, less the mean of their side.
pub(crate) struct Residuals<'a> {
    /// By feature and run.
    pub values: &'a [f64],
    pub runs: usize,
    /// Of the sum of squares of a feature.
    pub df: f64,
    /// By feature, the mean logarithm of its counts.
    pub ln_means: &'a [f64],
}

pub(crate) struct SharedNoise {
    /// What runs vary by together.
    pub variance: f64,
    /// By feature, what it varies by itself.
    pub own: Vec<f64>,
}

/// Parts variances into what is shared and what is each feature's own, given what is known of the latter so far.
pub(crate) fn part(residuals: &Residuals, prior: &Prior, variances: &[f64]) -> SharedNoise {
    let usual: Vec<f64> = variances
        .iter()
        .zip(residuals.ln_means)
        .map(|(&own, ln_mean)| prior.moderate(own, residuals.df, ln_mean.exp()))
        .collect();
    let weights = weights(&usual);
    let rows = || residuals.values.chunks_exact(residuals.runs);
    // The weighted mean of each run over the features.
    let mut shared = vec![0.0; residuals.runs];
    for (row, weight) in rows().zip(&weights) {
        for (shared, residual) in shared.iter_mut().zip(row) {
            *shared += weight * residual;
        }
    }
    let noise_of_mean: f64 = weights.iter().zip(&usual).map(|(w, v)| w * w * v).sum();
    let spread = shared.iter().map(|mean| mean * mean).sum::<f64>() / residuals.df;
    let own = rows()
        .zip(&weights)
        .zip(&usual)
        .map(|((row, weight), usual)| {
            let squares = row
                .iter()
                .zip(&shared)
                .map(|(residual, mean)| (residual - mean).powi(2));
            // Part of what is a feature's own is in the mean.
            let left = 1.0 - 2.0 * weight + noise_of_mean / usual;
            squares.sum::<f64>() / residuals.df / left
        })
        .collect();
    SharedNoise {
        variance: (spread - noise_of_mean).max(0.0),
        own,
    }
}

/// By precision, but none more than a quarter of all before they are made to sum to 1: the noise of a single hot function
/// is not shared.
fn weights(variances: &[f64]) -> Vec<f64> {
    let total: f64 = variances.iter().map(|variance| 1.0 / variance).sum();
    let capped: Vec<f64> = variances
        .iter()
        .map(|variance| (1.0 / variance).min(total / 4.0))
        .collect();
    let total: f64 = capped.iter().sum();
    capped.into_iter().map(|weight| weight / total).collect()
}
