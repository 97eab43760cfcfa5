//! Simulated runs of known truth, and how often a method errs over many of them. Seeded: the same numbers each time.
//!
//! Shared by the tests (short) and `examples/error_rates.rs` (long).

pub mod found_changes;
pub mod markov;
pub mod one_run;
pub mod rejected_methods;
pub mod several_runs;
pub mod whole_runs;

use std::ops::AddAssign;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

pub type Random = Xoshiro256PlusPlus;

pub fn random(seed: u64) -> Random {
    Random::seed_from_u64(seed)
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

impl AddAssign for Rate {
    fn add_assign(&mut self, other: Rate) {
        self.times += other.times;
        self.of += other.of;
    }
}
