//! Error rates of one run each.

use std::ops::AddAssign;

use rand_distr::{Distribution, StandardNormal};
use statistics::{BatchedCounts, Interval, RunNoise, batch_means, rare_on_one_side};

use super::markov::Chain;
use super::rejected_methods::two_proportions_differ;
use super::{Random, Rate, random};

/// What is simulated: the new side's share is `1 + change` times that of the base.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub base: Chain,
    pub change: f64,
    /// Coefficient of variation of the share from run to run.
    pub run_noise: f64,
    /// What the test is told of it.
    pub known: RunNoise,
}

impl Pair {
    pub fn equal(share: f64, correlation: f64, samples: usize) -> Pair {
        Pair {
            base: Chain {
                share,
                correlation,
                samples,
            },
            change: 0.0,
            run_noise: 0.0,
            known: RunNoise::NONE,
        }
    }
}

/// At α = 0.05.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneRunRates {
    /// Of all pairs: they have enough samples for a test.
    pub tested: Rate,
    /// Of those tested.
    pub rejected: Rate,
    /// Of all pairs: rejected by the test for independent samples.
    pub naive_rejected: Rate,
    /// Of those tested: the intervals that cover the truth.
    pub difference_covered: Rate,
    /// Of pairs where a side has fewer samples than the test wants, and the other has enough: rejected.
    pub rare_rejected: Rate,
    /// Of those where a relative change is told.
    pub change_covered: Rate,
}

impl AddAssign for OneRunRates {
    fn add_assign(&mut self, other: OneRunRates) {
        self.tested += other.tested;
        self.rejected += other.rejected;
        self.naive_rejected += other.naive_rejected;
        self.difference_covered += other.difference_covered;
        self.rare_rejected += other.rare_rejected;
        self.change_covered += other.change_covered;
    }
}

pub fn one_run_rates(pair: &Pair, pairs: usize, seed: u64) -> OneRunRates {
    let mut random = random(seed);
    let mut rates = OneRunRates::default();
    let truth = pair.base.share * pair.change * pair.base.samples as f64;
    let covers = |interval: Interval, truth| interval.low <= truth && truth <= interval.high;
    for _ in 0..pairs {
        let base = run(pair, 0.0, &mut random);
        let new = run(pair, pair.change, &mut random);
        rates
            .naive_rejected
            .count(two_proportions_differ(&base, &new));
        if let Some(p) = rare_on_one_side(&base, &new, pair.known) {
            rates.rare_rejected.count(p < 0.05);
        }
        let effect = batch_means(&base, &new, pair.known);
        rates.tested.count(effect.is_ok());
        let Ok(effect) = effect else { continue };
        rates.rejected.count(effect.p < 0.05);
        rates
            .difference_covered
            .count(covers(effect.difference, truth));
        if let Some(change) = effect.change {
            rates.change_covered.count(covers(change, pair.change));
        }
    }
    rates
}

fn run(pair: &Pair, change: f64, random: &mut Random) -> BatchedCounts {
    let noise: f64 = StandardNormal.sample(random);
    let share = pair.base.share * (1.0 + change) * (pair.run_noise * noise).exp();
    let chain = Chain {
        share: share.min(1.0),
        ..pair.base
    };
    BatchedCounts {
        counts: chain.batches(random),
        samples: chain.samples as u64,
        value: 1.0,
    }
}
