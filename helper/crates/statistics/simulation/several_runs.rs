//! Error rates of several runs each, over tables of many functions.

use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};
use statistics::{CountTable, LibrarySize, compare_features};

use super::rejected_methods::{RankTest, bootstrap_differs};
use super::{Random, Rate, random};

/// A program, and runs of it.
#[derive(Debug, Clone)]
pub struct Program {
    /// Expected samples of each function in one run of base.
    pub means: Vec<f64>,
    /// Standard deviation of the logarithm of each function's cost from run to run.
    pub run_noise: f64,
    /// The same, of what all functions of a run have in common: the clock of the processor, say.
    pub shared_noise: f64,
    /// Variance / mean of a count, given that cost; above 1.
    pub design_effect: f64,
    /// By how much functions differ in both: the standard deviation of the logarithm.
    pub unevenness: f64,
    /// Runs of each side.
    pub runs: usize,
}

impl Program {
    /// A few hot functions and many cold ones: the k-th has 1 / k of the samples of the first.
    pub fn zipf(functions: usize, samples: f64, runs: usize) -> Program {
        let harmonic: f64 = (1..=functions).map(|rank| 1.0 / rank as f64).sum();
        let of_rank = |rank: usize| samples / (harmonic * rank as f64);
        Program {
            means: (1..=functions).map(of_rank).collect(),
            run_noise: 0.03,
            shared_noise: 0.0,
            design_effect: 5.0,
            unevenness: 0.0,
            runs,
        }
    }

    /// 300 functions, the first of which has 18 % of the samples in base, and costs 40 % more in new; and all changes.
    pub fn of_which_one_grows(runs: usize) -> (Program, Vec<f64>) {
        let mut program = Program::zipf(300, 200_000.0, runs);
        let others: f64 = program.means[1..].iter().sum();
        program.means[0] = 0.18 / 0.82 * others;
        let mut changes = vec![0.0; 300];
        changes[0] = 0.4;
        (program, changes)
    }

    /// Counts by function and run, those of base first, where the functions cost `1 + changes` times as much in new.
    pub fn counts(&self, changes: &[f64], random: &mut Random) -> Vec<u64> {
        let mut counts = Vec::with_capacity(2 * self.runs * self.means.len());
        let shared: Vec<f64> = (0..2 * self.runs)
            .map(|_| noise(self.shared_noise, random))
            .collect();
        for (function, (mean, change)) in self.means.iter().zip(changes).enumerate() {
            // The same in all runs.
            let unlike = noise(self.unevenness, &mut super::random(function as u64));
            for (run, shared) in shared.iter().enumerate() {
                let factor = if run < self.runs { 1.0 } else { 1.0 + change };
                counts.push(self.count(mean * factor * shared, unlike, random));
            }
        }
        counts
    }

    fn count(&self, mean: f64, unlike: f64, random: &mut Random) -> u64 {
        let mean = mean * noise(unlike * self.run_noise, random);
        // A Poisson distribution whose mean is of a gamma distribution has the variance design_effect × mean.
        let scale = (unlike * self.design_effect - 1.0).max(1e-3);
        let mixed = Gamma::new(mean / scale, scale).unwrap().sample(random);
        if mixed > 0.0 {
            Poisson::new(mixed).unwrap().sample(random) as u64
        } else {
            0
        }
    }

    fn table<'a>(&self, counts: &'a [u64]) -> CountTable<'a> {
        CountTable {
            counts,
            base_runs: self.runs,
            new_runs: self.runs,
            turns: &[],
        }
    }
}

/// A factor whose logarithm has this standard deviation.
fn noise(standard_deviation: f64, random: &mut Random) -> f64 {
    let normal: f64 = StandardNormal.sample(random);
    (standard_deviation * normal).exp()
}

/// At α = 0.05, over functions with enough samples, of which none differs.
#[derive(Debug, Clone, Copy, Default)]
pub struct FalsePositives {
    pub rejected: Rate,
    /// The worst of all functions, of those that were tested often enough.
    pub worst: f64,
    /// The same by the mean count of the function: below 100, 100 to 1000, above.
    pub by_count: [Rate; 3],
    pub interval_covers: Rate,
    /// Of the comparisons: at least one function has q < 0.05.
    pub alarms: Rate,
    pub bootstrap: Rate,
    pub rank_test: Rate,
}

pub fn false_positives(program: &Program, repetitions: usize, seed: u64) -> FalsePositives {
    let mut random = random(seed);
    let mut rates = FalsePositives::default();
    let rank_test = RankTest::new(program.runs, program.runs);
    let unchanged = vec![0.0; program.means.len()];
    let work = vec![1.0; 2 * program.runs];
    let mut of_function = vec![Rate::default(); program.means.len()];
    for _ in 0..repetitions {
        let counts = program.counts(&unchanged, &mut random);
        let found = compare_features(&program.table(&counts), LibrarySize::Given(&work)).unwrap();
        let has_alarm = found.effects.iter().flatten().any(|effect| effect.q < 0.05);
        rates.alarms.count(has_alarm);
        for (function, effect) in found.effects.into_iter().enumerate() {
            let Some(effect) = effect else { continue };
            let row = &counts[2 * program.runs * function..][..2 * program.runs];
            let rejected = effect.p < 0.05;
            let mean = row.iter().sum::<u64>() as f64 / row.len() as f64;
            rates.rejected.count(rejected);
            of_function[function].count(rejected);
            rates.by_count[usize::from(mean > 100.0) + usize::from(mean > 1000.0)].count(rejected);
            let covers = effect.change.low <= 0.0 && effect.change.high >= 0.0;
            rates.interval_covers.count(covers);
            let costs: Vec<f64> = row.iter().map(|&count| (count as f64 + 0.5).ln()).collect();
            let (base, new) = costs.split_at(program.runs);
            rates.rank_test.count(rank_test.p(base, new) < 0.05);
            rates
                .bootstrap
                .count(bootstrap_differs(base, new, &mut random));
        }
    }
    rates.worst = (of_function.iter())
        .filter(|rate| rate.of >= 150)
        .map(|rate| rate.share())
        .fold(0.0, f64::max);
    rates
}

/// How runs are brought to one scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Each run did the same work.
    Work,
    /// By its samples: a share of the total.
    Total,
    Iterated,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Discoveries {
    /// The mean over repetitions of (false ones / all), of q < 0.05.
    pub false_share: f64,
    /// Of the functions that differ: found.
    pub power: Rate,
    /// Of those that do not: p < 0.05.
    pub rejected: Rate,
    /// Intervals that cover the true change, of the functions that differ.
    pub covered: Rate,
}

pub fn discoveries(
    program: &Program,
    changes: &[f64],
    scale: Scale,
    repetitions: usize,
    seed: u64,
) -> Discoveries {
    let mut random = random(seed);
    let mut rates = Discoveries::default();
    for _ in 0..repetitions {
        let counts = program.counts(changes, &mut random);
        let totals = totals(&counts, 2 * program.runs);
        let work = vec![1.0; totals.len()];
        let size = match scale {
            Scale::Work => LibrarySize::Given(&work),
            Scale::Total => LibrarySize::Given(&totals),
            Scale::Iterated => LibrarySize::Found,
        };
        let found = compare_features(&program.table(&counts), size).unwrap();
        let (mut wrong, mut all) = (0, 0);
        for (effect, &change) in found.effects.iter().zip(changes) {
            let Some(effect) = effect else { continue };
            let is_found = effect.q < 0.05;
            all += u32::from(is_found);
            if change == 0.0 {
                wrong += u32::from(is_found);
                rates.rejected.count(effect.p < 0.05);
            } else {
                rates.power.count(is_found);
                let covers = effect.change.low <= change && change <= effect.change.high;
                rates.covered.count(covers);
            }
        }
        rates.false_share += f64::from(wrong) / f64::from(all.max(1)) / repetitions as f64;
    }
    rates
}

fn totals(counts: &[u64], runs: usize) -> Vec<f64> {
    let mut totals = vec![0.0; runs];
    for row in counts.chunks(runs) {
        for (total, &count) in totals.iter_mut().zip(row) {
            *total += count as f64;
        }
    }
    totals
}

/// Of functions that all cost `1 + change` times as much: how many have p < 0.05.
pub fn power(program: &Program, change: f64, repetitions: usize, seed: u64) -> Rate {
    let mut random = random(seed);
    let mut rate = Rate::default();
    let changes = vec![change; program.means.len()];
    let work = vec![1.0; 2 * program.runs];
    assert!(program.means.iter().all(|&mean| mean > 40.0));
    for _ in 0..repetitions {
        let counts = program.counts(&changes, &mut random);
        let found = compare_features(&program.table(&counts), LibrarySize::Given(&work)).unwrap();
        for effect in found.effects.into_iter().flatten() {
            rate.count(effect.p < 0.05);
        }
    }
    rate
}
