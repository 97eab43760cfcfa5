//! Simulated comparisons of known truth: how often cost is said to have moved, and how often a caller's total contradicts
//! the whole. Seeded: the same numbers each time.
//!
//! Shared by the tests (short) and `examples/nested_rates.rs` (long).

#![allow(dead_code)] // Each user needs its own part.

use analysis::{ComparedRow, Comparison, Side, Verdict, compared_functions};
use profile::Profile;

use crate::support::{Chance, profile_of, recorded_run};

/// A call path and its samples an execution.
#[derive(Debug, Clone)]
pub struct Path {
    /// Root first, as in `support::profile_of`.
    pub frames: String,
    pub base: f64,
    pub new: f64,
    /// Standard deviation, relative, from execution to execution, beside that of counting.
    pub noise: f64,
}

pub fn path(frames: &str, base: f64, new: f64, noise: f64) -> Path {
    Path {
        frames: frames.to_owned(),
        base,
        new,
        noise,
    }
}

/// `runs` executions each. `shared`: what all paths of an execution vary by together, as with the clock.
pub fn simulated(paths: &[Path], runs: usize, shared: f64, chance: &mut Chance) -> Comparison {
    let mut side = |mean: fn(&Path) -> f64| {
        let executions = (0..runs).map(|_| execution(paths, mean, shared, chance));
        Side::of(executions.collect()).expect("alike")
    };
    let base = side(|path| path.base);
    Comparison::new(base, side(|path| path.new), None).expect("the same values")
}

fn execution(paths: &[Path], mean: fn(&Path) -> f64, shared: f64, chance: &mut Chance) -> Profile {
    let of_run = 1.0 + shared * chance.normal();
    let text: String = (paths.iter())
        .map(|path| {
            let expected = mean(path) * of_run * (1.0 + path.noise * chance.normal());
            let samples = expected + expected.max(0.0).sqrt() * chance.normal();
            format!("{} {}\n", path.frames, samples.max(0.0).round())
        })
        .collect();
    let mut profile = profile_of(&text);
    profile.run = Some(recorded_run(""));
    profile
}

/// How often something happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rate {
    pub times: u64,
    pub of: u64,
}

impl Rate {
    pub fn count(&mut self, happened: bool) {
        self.times += u64::from(happened);
        self.of += 1;
    }

    /// NaN when there was no case.
    pub fn share(self) -> f64 {
        self.times as f64 / self.of as f64
    }
}

/// What is true of `outer`, which calls `noisy` functions of 300 samples each; it has 400 itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    Equal,
    /// It needs this many samples more, and its callees vary by about as much.
    Slower(f64),
    /// So many samples went from its first callee into it.
    Moved(f64),
}

#[derive(Debug, Clone, Copy, Default)]
pub struct MoveRates {
    /// Of all comparisons: cost is said to have moved, anywhere.
    pub moved: Rate,
    /// Of all comparisons: `outer` is called slower.
    pub slower: Rate,
}

/// `noise`: of each callee.
pub fn move_rates(
    truth: Truth,
    runs: usize,
    callees: usize,
    noise: f64,
    (repetitions, seed): (usize, u64),
) -> MoveRates {
    let mut chance = Chance(seed);
    let (more, moved) = match truth {
        Truth::Equal => (0.0, 0.0),
        Truth::Slower(more) => (more, 0.0),
        Truth::Moved(samples) => (samples, samples),
    };
    let mut paths = vec![path("main@m.c:1 outer@m.c:5", 400.0, 400.0 + more, 0.02)];
    for callee in 0..callees {
        let lost = if callee == 0 { moved } else { 0.0 };
        let frames = format!("main@m.c:1 outer@m.c:6 callee{callee}@m.c:{}", 20 + callee);
        paths.push(path(&frames, 300.0, 300.0 - lost, noise));
    }
    paths.extend((0..10).map(|other| {
        let frames = format!("main@m.c:1 other{other}@m.c:{}", 100 + other);
        path(&frames, 300.0, 300.0, 0.02)
    }));
    let mut rates = MoveRates::default();
    for _ in 0..repetitions {
        let rows = compared_functions(&simulated(&paths, runs, 0.01, &mut chance));
        let is = |row: &ComparedRow, verdict| row.effects.self_.verdict == verdict;
        rates
            .moved
            .count(rows.iter().any(|row| is(row, Verdict::Moved)));
        let slower = |row: &ComparedRow| row.name == "outer" && is(row, Verdict::Slower);
        rates.slower.count(rows.iter().any(slower));
    }
    rates
}

/// What is said of `main`, which is 85 or 99 % of a program.
#[derive(Debug, Clone, Copy, Default)]
pub struct NestedRates {
    /// Of all comparisons, the whole is noise and the total of `main` is below q 0.05.
    pub told_by_q: Rate,
    /// The same, and it is called slower or faster although nothing outside it changed.
    pub contradicts: Rate,
    /// The same, and it is called moved within.
    pub moved_within: Rate,
    /// Of those: a function is named that did not change.
    pub misnamed: Rate,
}

/// 20 functions of 400 samples below `main`. The first of them changes by `first`, the second by `second` (relative);
/// `outside`: samples of another thread, which vary by `outside_noise`.
pub fn nested_rates(
    (first, second): (f64, f64),
    runs: usize,
    (outside, outside_noise): (f64, f64),
    (repetitions, seed): (usize, u64),
) -> NestedRates {
    let mut chance = Chance(seed);
    let mut paths: Vec<Path> = (0..20)
        .map(|function| {
            let change = [first, second].get(function).copied().unwrap_or(0.0);
            let frames = format!("main@m.c:1 f{function}@m.c:{}", 10 + function);
            path(&frames, 400.0, 400.0 * (1.0 + change), 0.01)
        })
        .collect();
    paths.push(path("thread@t.c:1", outside, outside, outside_noise));
    let mut rates = NestedRates::default();
    for _ in 0..repetitions {
        let comparison = simulated(&paths, runs, 0.002, &mut chance);
        let rows = compared_functions(&comparison);
        let main = rows.iter().find(|row| row.name == "main").expect("there");
        let total = &main.effects.total;
        let is_noise = comparison.whole().verdict == Verdict::Noise;
        rates.told_by_q.count(is_noise && total.q < 0.05);
        let contradicts = matches!(total.verdict, Verdict::Slower | Verdict::Faster);
        rates.contradicts.count(is_noise && contradicts);
        let moved_within = total.verdict == Verdict::MovedWithin;
        rates.moved_within.count(moved_within);
        if moved_within {
            let named = main
                .note
                .trim_start_matches("total changed by ")
                .split(", ");
            rates
                .misnamed
                .count(named.clone().any(|name| !["f0", "f1"].contains(&name)));
        }
    }
    rates
}
