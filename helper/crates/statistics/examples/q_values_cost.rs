//! What the comparison of several runs costs: prints a JSON object of CPU milliseconds for 20,000 functions that are all
//! tested, 10 runs a side, by the way of finding
//! library sizes, and for as many with one run a side. For `npm run bench -- error-rates`.

#[path = "../simulation/mod.rs"]
#[allow(dead_code)]
mod simulation;

use simulation::several_runs::Program;
use statistics::{
    BatchedCounts, CountTable, LibrarySize, RunNoise, batch_means, benjamini_hochberg,
    compare_features,
};

const FUNCTIONS: usize = 20_000;
const RUNS: usize = 10;

fn main() {
    // The rarest function has 60 samples a run.
    let program = Program {
        shared_noise: 0.01,
        ..Program::zipf(FUNCTIONS, 60.0 * FUNCTIONS as f64 * 10.5, RUNS)
    };
    let changes: Vec<f64> = (0..FUNCTIONS)
        .map(|at| if at % 10 == 0 { 0.2 } else { 0.0 })
        .collect();
    let counts = program.counts(&changes, &mut simulation::random(1));
    let table = CountTable {
        counts: &counts,
        base_runs: RUNS,
        new_runs: RUNS,
        turns: &[],
    };
    let (given, given_ms) =
        timed(|| compare_features(&table, LibrarySize::Given(&[1.0; 2 * RUNS])).unwrap());
    let (found, found_ms) = timed(|| compare_features(&table, LibrarySize::Found).unwrap());
    let tested = [&given, &found].map(|result| result.effects.iter().flatten().count());
    assert_eq!(tested, [FUNCTIONS; 2], "every function is tested");
    let (q, single_ms) = timed(|| single_runs(&counts));
    assert_eq!(q.len(), FUNCTIONS);
    println!(
        r#"{{"functions":{FUNCTIONS},"runs":{RUNS},"givenMs":{given_ms:.2},"foundMs":{found_ms:.2},"singleMs":{single_ms:.2}}}"#
    );
}

/// The counts of each function taken for its batches.
fn single_runs(counts: &[u64]) -> Vec<f64> {
    let samples = counts.iter().sum::<u64>() / (2 * RUNS) as u64;
    let side = |row: &[u64], first: usize| BatchedCounts {
        counts: std::array::from_fn(|batch| row[(first + batch) % row.len()] / 16),
        samples,
        value: 1.0,
    };
    let p: Vec<f64> = counts
        .chunks(2 * RUNS)
        .map(|row| {
            batch_means(&side(row, 0), &side(row, RUNS), RunNoise::UNKNOWN)
                .map_or(f64::NAN, |effect| effect.p)
        })
        .collect();
    benjamini_hochberg(&p)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu_ns();
    let result = work();
    (result, (cpu_ns() - before) as f64 / 1e6)
}

/// CPU time of this thread (proc(5), schedstat: the first number).
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(0)
}
