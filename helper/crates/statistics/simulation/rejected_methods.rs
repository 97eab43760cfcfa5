//! Methods that other tools use for such counts, at α = 0.05, and why this crate does not: they are here to be shown to fail.

use rand::RngExt;
use statistics::BatchedCounts;

use super::Random;

const RESAMPLES: usize = 400;

/// The z test of two proportions, which takes samples for independent.
pub fn two_proportions_differ(base: &BatchedCounts, new: &BatchedCounts) -> bool {
    let count = |side: &BatchedCounts| side.counts.iter().sum::<u64>() as f64;
    let (n_base, n_new) = (base.samples as f64, new.samples as f64);
    let pooled = (count(base) + count(new)) / (n_base + n_new);
    let variance = pooled * (1.0 - pooled) * (1.0 / n_base + 1.0 / n_new);
    let z = (count(new) / n_new - count(base) / n_base) / variance.sqrt();
    z.abs() > 1.959_964
}

/// The percentile bootstrap of the difference of means: runs drawn again with replacement. Few runs have too little spread.
pub fn bootstrap_differs(base: &[f64], new: &[f64], random: &mut Random) -> bool {
    let mut redrawn_mean = |side: &[f64]| {
        let drawn = (0..side.len()).map(|_| side[random.random_range(0..side.len())]);
        drawn.sum::<f64>() / side.len() as f64
    };
    let above = (0..RESAMPLES)
        .filter(|_| redrawn_mean(new) > redrawn_mean(base))
        .count();
    let tail = (0.025 * RESAMPLES as f64) as usize;
    above <= tail || above >= RESAMPLES - tail
}

/// Mann and Whitney's exact test, for values without ties.
pub struct RankTest {
    /// The probability of each number of pairs in which new is above base.
    probabilities: Vec<f64>,
}

impl RankTest {
    pub fn new(base_runs: usize, new_runs: usize) -> RankTest {
        // Orders of so many runs of either side, by that number: the last one of an order is new, and above all base
        // runs in it, or base.
        let mut orders =
            vec![vec![vec![0.0; base_runs * new_runs + 1]; new_runs + 1]; base_runs + 1];
        for base in 0..=base_runs {
            for new in 0..=new_runs {
                for above in 0..=base * new {
                    orders[base][new][above] = match (base, new) {
                        (0, _) | (_, 0) => 1.0,
                        _ => {
                            let last_new = above
                                .checked_sub(base)
                                .map_or(0.0, |rest| orders[base][new - 1][rest]);
                            last_new + orders[base - 1][new][above]
                        }
                    };
                }
            }
        }
        let of_all = std::mem::take(&mut orders[base_runs][new_runs]);
        let total: f64 = of_all.iter().sum();
        RankTest {
            probabilities: of_all.iter().map(|count| count / total).collect(),
        }
    }

    pub fn p(&self, base: &[f64], new: &[f64]) -> f64 {
        let above = new
            .iter()
            .map(|new| base.iter().filter(|&base| new > base).count())
            .sum::<usize>();
        let extreme = above.min(self.probabilities.len() - 1 - above);
        (2.0 * self.probabilities[..=extreme].iter().sum::<f64>()).min(1.0)
    }
}
