//! Error rates of the whole: one cost a run.

use rand_distr::{Distribution, StandardNormal};
use statistics::{compare_runs, compare_single_runs};

use super::{Rate, random};

#[derive(Debug, Clone, Copy, Default)]
pub struct WholeRates {
    /// Of pairs of sides that are `change` apart: p < 0.05.
    pub rejected: Rate,
    pub covered: Rate,
}

/// Runs whose cost varies by `run_noise` (standard deviation of its logarithm). A single run a side is told that.
pub fn whole_rates(
    (base_runs, new_runs): (usize, usize),
    run_noise: f64,
    change: f64,
    repetitions: usize,
    seed: u64,
) -> WholeRates {
    let mut random = random(seed);
    let mut costs = |runs: usize, factor: f64| -> Vec<f64> {
        let noise = |_| -> f64 { StandardNormal.sample(&mut random) };
        (0..runs)
            .map(noise)
            .map(|noise| factor * (run_noise * noise).exp())
            .collect()
    };
    let mut rates = WholeRates::default();
    for _ in 0..repetitions {
        let (base, new) = (costs(base_runs, 1.0), costs(new_runs, 1.0 + change));
        let effect = if base_runs + new_runs == 2 {
            compare_single_runs(base[0], new[0], run_noise)
        } else {
            compare_runs(&base, &new)
        };
        let effect = effect.unwrap();
        rates.rejected.count(effect.p < 0.05);
        rates
            .covered
            .count(effect.change.low <= change && change <= effect.change.high);
    }
    rates
}
