//! What a test finds out about one feature.

use crate::interval::Interval;
use crate::run_noise::RunNoise;
use crate::student::{two_sided_p, two_sided_quantile};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureEffect {
    /// Of costs, new / base.
    pub ln_ratio: f64,
    /// Of `ln_ratio`.
    pub standard_error: f64,
    pub df: f64,
    pub p: f64,
    /// Over all features of the call.
    pub q: f64,
    /// exp(`ln_ratio`) − 1.
    pub change: Interval,
}

impl FeatureEffect {
    /// The same if runs vary by at least `noise` beside what samples do that are independent; q is of other tests then, and not
    /// known. `mean_count`: samples a run; `runs`: of base and new.
    #[must_use]
    pub fn with_at_least(
        self,
        noise: RunNoise,
        mean_count: f64,
        runs: [usize; 2],
    ) -> FeatureEffect {
        let standard_error = noise.standard_error(1.0 / mean_count, runs);
        if standard_error <= self.standard_error {
            return self;
        }
        let p = two_sided_p(self.ln_ratio / standard_error, noise.df);
        let mut quantiles = Quantiles::default();
        effect(self.ln_ratio, standard_error, noise.df, p, &mut quantiles)
    }
}

pub(crate) fn effect(
    ln_ratio: f64,
    standard_error: f64,
    df: f64,
    p: f64,
    quantiles: &mut Quantiles,
) -> FeatureEffect {
    FeatureEffect {
        ln_ratio,
        standard_error,
        df,
        p,
        q: f64::NAN,
        change: Interval::relative(ln_ratio, quantiles.of(df) * standard_error),
    }
}

/// Half the width of a 95 % interval in standard errors: of few different degrees of freedom, each of many features.
#[derive(Default)]
pub(crate) struct Quantiles(Vec<(f64, f64)>);

impl Quantiles {
    fn of(&mut self, df: f64) -> f64 {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == df) {
            return *known;
        }
        let quantile = two_sided_quantile(0.05, df);
        self.0.push((df, quantile));
        quantile
    }
}
