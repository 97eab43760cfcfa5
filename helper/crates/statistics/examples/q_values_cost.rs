//! What the comparison of several runs costs: prints a JSON object of CPU milliseconds for 20,000 functions that are all
//! tested, 10 runs a side, by the way of finding library sizes. For `npm run bench -- error-rates`.

#[path = "../simulation/mod.rs"]
#[allow(dead_code)]
mod simulation;

use simulation::several_runs::Program;
use statistics::{CountTable, LibrarySize, Moderated, moderated};

const FUNCTIONS: usize = 20_000;
const RUNS: usize = 10;

fn main() {
    // The rarest function has 60 samples a run.
    let program = Program::zipf(FUNCTIONS, 60.0 * FUNCTIONS as f64 * 10.5, RUNS);
    let changes: Vec<f64> = (0..FUNCTIONS)
        .map(|at| if at % 10 == 0 { 0.2 } else { 0.0 })
        .collect();
    let counts = program.counts(&changes, &mut simulation::random(1));
    let table = CountTable {
        counts: &counts,
        base_runs: RUNS,
        new_runs: RUNS,
    };
    let (given, given_ms) = timed(|| moderated(&table, LibrarySize::Given(&[1.0; 2 * RUNS])));
    let (found, found_ms) = timed(|| moderated(&table, LibrarySize::Found));
    let tested = [&given, &found].map(|result| result.effects.iter().flatten().count());
    assert_eq!(tested, [FUNCTIONS; 2], "every function is tested");
    println!(
        r#"{{"functions":{FUNCTIONS},"runs":{RUNS},"givenMs":{given_ms:.2},"foundMs":{found_ms:.2}}}"#
    );
}

fn timed<E: std::fmt::Debug>(work: impl FnOnce() -> Result<Moderated, E>) -> (Moderated, f64) {
    let before = cpu_ns();
    let result = work().expect("the table can be tested");
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
