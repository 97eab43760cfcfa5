#[path = "../simulation/mod.rs"]
#[allow(dead_code)]
mod simulation;
use simulation::{one_run::*, several_runs::*};
use std::time::Instant;
fn main() {
    let reps: usize = std::env::args().nth(1).map_or(20, |s| s.parse().unwrap());
    let t=Instant::now();
    for k in [3, 5, 10] {
        for (f, n) in [(900, 200_000.0), (900, 20_000.0), (5000, 1e6)] {
            let f = false_positives(&Program::zipf(f, n, k), reps, 1);
            println!("k {k} n {n}: mod {:.4} by count {:?} covers {:.4} boot {:.4} rank {:.4} of {} {:?}", f.moderated.share(), f.by_count.map(|r| format!("{:.4}/{}", r.share(), r.of)), f.interval_covers.share(), f.bootstrap.share(), f.rank_test.share(), f.moderated.of, t.elapsed());
        }
    }
    for (r, shares) in [(0.0, vec![0.01, 0.05, 0.3]), (0.5, vec![0.01, 0.05, 0.3]), (0.9, vec![0.01, 0.05, 0.3, 0.9])] {
        for p in shares {
            let o = one_run_rates(&Pair::equal(p, r, 20_000), 600, 1);
            println!("r {r} p {p}: tested {:.3} rejected {:.4} naive {:.3} diff {:.4} change {:.4}/{} {:?}", o.tested.share(), o.rejected.share(), o.naive_rejected.share(), o.difference_covered.share(), o.change_covered.share(), o.change_covered.of, t.elapsed());
        }
    }
}
