//! What this crate and the tests of other tools find of a real change, at α = 0.05.

use statistics::{CountTable, LibrarySize, compare_features, two_sided_p};

use super::rejected_methods::{RankTest, bootstrap_differs};
use super::several_runs::Program;
use super::{Random, Rate, random};

#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    pub ours: Rate,
    /// Ours, of executions that alternated.
    pub pairs: Rate,
    pub welch: Rate,
    /// As benchstat and hyperfine's scripts.
    pub rank_test: Rate,
    /// As criterion.
    pub bootstrap: Rate,
}

/// Of functions that all cost `1 + change` times as much.
pub fn found_changes(program: &Program, change: f64, repetitions: usize, seed: u64) -> Found {
    let mut random = random(seed);
    let mut found = Found::default();
    let changes = vec![change; program.means.len()];
    let rank_test = RankTest::new(program.runs, program.runs);
    let turns: Vec<(usize, usize)> = (0..program.runs).map(|run| (run, run)).collect();
    for _ in 0..repetitions {
        let counts = program.counts(&changes, &mut random);
        for (turns, rate) in [(&[][..], &mut found.ours), (&turns, &mut found.pairs)] {
            count_found(program, &counts, turns, rate);
        }
        for row in counts.chunks(2 * program.runs) {
            let costs: Vec<f64> = row.iter().map(|&count| (count as f64 + 0.5).ln()).collect();
            let (base, new) = costs.split_at(program.runs);
            found.count_others(&rank_test, base, new, &mut random);
        }
    }
    found
}

fn count_found(program: &Program, counts: &[u64], turns: &[(usize, usize)], rate: &mut Rate) {
    let table = CountTable {
        counts,
        base_runs: program.runs,
        new_runs: program.runs,
        turns,
    };
    let work = vec![1.0; 2 * program.runs];
    let compared = compare_features(&table, LibrarySize::Given(&work)).unwrap();
    for effect in compared.effects {
        rate.count(effect.is_some_and(|effect| effect.p < 0.05));
    }
}

impl Found {
    fn count_others(
        &mut self,
        rank_test: &RankTest,
        base: &[f64],
        new: &[f64],
        random: &mut Random,
    ) {
        self.welch.count(welch_p(base, new) < 0.05);
        self.rank_test.count(rank_test.p(base, new) < 0.05);
        self.bootstrap.count(bootstrap_differs(base, new, random));
    }
}

/// Welch 1947, with the degrees of freedom of Satterthwaite.
fn welch_p(base: &[f64], new: &[f64]) -> f64 {
    let [(base_mean, base_error), (new_mean, new_error)] = [base, new].map(|side| {
        let n = side.len() as f64;
        let mean = side.iter().sum::<f64>() / n;
        let squares: f64 = side.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (n - 1.0) / n)
    });
    let error = base_error + new_error;
    let df = error.powi(2)
        / (base_error.powi(2) / (base.len() as f64 - 1.0)
            + new_error.powi(2) / (new.len() as f64 - 1.0));
    two_sided_p((new_mean - base_mean) / error.sqrt(), df)
}
