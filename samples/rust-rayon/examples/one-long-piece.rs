//! A pool that starves: of 16 pieces of work, one is as long as 32 others. The threads that have done the others wait for it.
//!
//! one-long-piece [ROUNDS]

use rayon::prelude::*;

fn collatz_steps(start: u64) -> u64 {
    let (mut n, mut steps) = (start, 0);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[inline(never)]
fn longest(starts: u64) -> u64 {
    (1..starts).map(collatz_steps).max().unwrap_or(0)
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let mut pieces = [60_000; 16];
    pieces[11] *= 32;
    for _ in 0..rounds.unwrap_or(3) {
        let found = pieces
            .par_iter()
            .with_max_len(1)
            .map(|starts| longest(*starts))
            .max(); // the pool
        println!("{found:?}");
    }
}
