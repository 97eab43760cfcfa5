//! Error rates of the whole: one cost a run.

use rand_distr::{Distribution, StandardNormal};
use statistics::{Decision, RunNoise, Until, compare_runs, compare_single_runs, until};

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
            let known = RunNoise {
                cv: run_noise,
                df: f64::INFINITY,
            };
            compare_single_runs(base[0], new[0], known)
        } else {
            compare_runs(&base, &new, &[])
        };
        let effect = effect.unwrap();
        rates.rejected.count(effect.p < 0.05);
        rates
            .covered
            .count(effect.change.low <= change && change <= effect.change.high);
    }
    rates
}

/// Equal sides of `runs` each on a machine that drifts: a random walk of steps of 2 % beside noise of 1 %. Rejected when
/// all of base are made before all of new, and when they are made in turns, each the reverse of the one before.
pub fn drifting_rates(runs: usize, repetitions: usize, seed: u64) -> [Rate; 2] {
    let mut random = random(seed);
    let turns: Vec<(usize, usize)> = (0..runs).map(|run| (run, run)).collect();
    let mut rates = [Rate::default(); 2];
    for _ in 0..repetitions {
        let mut level = 0.0;
        let costs: Vec<f64> = (0..2 * runs)
            .map(|_| {
                let [step, noise]: [f64; 2] = [(); 2].map(|()| StandardNormal.sample(&mut random));
                level += 0.02 * step;
                f64::exp(level + 0.01 * noise)
            })
            .collect();
        let (base, new) = costs.split_at(runs);
        let in_blocks = compare_runs(base, new, &[]).unwrap();
        rates[0].count(in_blocks.p < 0.05);
        let of_side = |side: usize| -> Vec<f64> {
            (costs.chunks(2).enumerate())
                .map(|(turn, pair)| pair[(side + turn) % 2])
                .collect()
        };
        let in_turns = compare_runs(&of_side(0), &of_side(1), &turns).unwrap();
        rates[1].count(in_turns.p < 0.05);
    }
    rates
}

/// What comes of series of turns that end by themselves.
#[derive(Debug, Clone, Default)]
pub struct UntilRates {
    /// The whole is told to differ.
    pub told: Rate,
    pub covered: Rate,
    /// Functions that did not change, of which each has a third of its variance in common with the whole: p < 0.05 by the
    /// ordinary test over the turns that there were.
    pub functions: Rate,
    pub turns: Vec<usize>,
}

impl UntilRates {
    pub fn median_turns(&self) -> usize {
        let mut turns = self.turns.clone();
        turns.sort_unstable();
        turns[turns.len() / 2]
    }
}

/// Executions that vary by `run_noise`, the new side by `change` more, recorded until `wanted`.
pub fn until_rates(
    run_noise: f64,
    change: f64,
    wanted: Until,
    repetitions: usize,
    seed: u64,
) -> UntilRates {
    let mut random = random(seed);
    let mut rates = UntilRates::default();
    for _ in 0..repetitions {
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let (mut costs, mut of_function): (Vec<_>, Vec<_>) = (vec![], vec![]);
        let in_common = (1.0f64 / 3.0).sqrt();
        let own = (2.0f64 / 3.0).sqrt();
        for _ in 0..wanted.turns_max {
            let noise = [normal(), normal()];
            let of = |noise: f64| (run_noise * noise).exp();
            costs.push((of(noise[0]), (1.0 + change) * of(noise[1])));
            let of_function_alone = noise.map(|whole| in_common * whole + own * normal());
            of_function.push((of(of_function_alone[0]), of(of_function_alone[1])));
        }
        let ended = until(&costs, wanted).unwrap().unwrap();
        of_function.truncate(ended.turns);
        rates.told.count(ended.decision == Decision::Told);
        let interval = ended.effect.change;
        rates
            .covered
            .count(interval.low <= change && change <= interval.high);
        let turns: Vec<(usize, usize)> = (0..ended.turns).map(|turn| (turn, turn)).collect();
        let (base, new): (Vec<f64>, Vec<f64>) = of_function.into_iter().unzip();
        let function = compare_runs(&base, &new, &turns).unwrap();
        rates.functions.count(function.p < 0.05);
        rates.turns.push(ended.turns);
    }
    rates
}
