//! The CPU time that the kernel counted against the samples that it took for it.

use records::layout::Counter;

use super::problem::{Problem, TimersUsed};
use crate::evidence::Evidence;

/// What the kernel should have taken, and what it took.
pub struct Taken {
    pub asked_hz: u32,
    pub samples: u64,
    /// For how long sampled threads ran; 0: not known.
    pub running_ns: u64,
    pub timers: TimersUsed,
    /// Each loses up to one sample of its own timer: its last period is not complete.
    pub threads: u64,
}

const MISSING_WORTH_TELLING: f64 = 0.03;
/// Beyond what short lives explain.
const THROTTLED_WORTH_TELLING: f64 = 0.05;
/// Of how many samples fall into short lives, in standard deviations.
const CHANCE: f64 = 4.0;

/// Of what came after the sampler nothing is known.
pub fn shortfall(seen: &Evidence) -> Option<Problem> {
    let told = Taken::of(seen).shortfall();
    told.filter(|_| !seen.sampler_lost)
}

impl Taken {
    /// CPU time of a new process before its program began is sampled by rule of the phase, not for the run.
    pub fn of(seen: &Evidence) -> Taken {
        let before_ns = seen.repetitions.before_in_all.as_nanos() as u64;
        let running_ns = match seen.running_ns {
            // Without privilege it is not counted, and nothing is sampled in the kernel.
            0 => seen.exit.map_or(0, |e| e.user_ns),
            ns => ns.saturating_sub(before_ns),
        };
        Taken {
            asked_hz: seen.asked_hz,
            samples: seen.counted(Counter::Taken),
            running_ns,
            timers: match (seen.per_cpu, seen.by.is_privileged) {
                (true, _) => TimersUsed::PerCpu,
                (false, true) => TimersUsed::PerThread,
                (false, false) => TimersUsed::Unprivileged,
            },
            threads: seen.stacks.threads.values().len() as u64 + seen.forks,
        }
    }

    /// Samples a second of CPU time; 0: not known.
    pub fn achieved_hz(&self) -> f64 {
        if self.running_ns == 0 {
            return 0.0;
        }
        self.samples as f64 * 1e9 / self.running_ns as f64
    }

    /// When the samples stand for clearly less CPU time than the kernel counted.
    fn shortfall(&self) -> Option<Problem> {
        let expected = self.running_ns as f64 / 1e9 * f64::from(self.asked_hz);
        let missing = expected - self.samples as f64;
        if expected < 100.0 || missing < MISSING_WORTH_TELLING * expected {
            return None;
        }
        let of_short_lives = match self.timers {
            TimersUsed::PerCpu => CHANCE * expected.sqrt(),
            TimersUsed::PerThread | TimersUsed::Unprivileged => self.threads as f64,
        };
        if missing <= of_short_lives {
            return (self.timers != TimersUsed::PerCpu).then_some(Problem::ShortLives {
                missing,
                expected,
                running_ns: self.running_ns,
                samples: self.samples,
                asked_hz: self.asked_hz,
                timers: self.timers,
            });
        }
        (missing - of_short_lives > THROTTLED_WORTH_TELLING * expected).then(|| {
            Problem::Throttled {
                achieved_hz: self.achieved_hz(),
                asked_hz: self.asked_hz,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortfall_is_told_with_its_cause_short_lives_or_a_kernel_that_takes_fewer() {
        let shortfall_by = |timers, samples, threads| {
            let running_ns = 2_000_000_000;
            let asked_hz = 1000;
            Taken {
                asked_hz,
                samples,
                running_ns,
                timers,
                threads,
            }
            .shortfall()
            .map(|problem| problem.sentence())
        };
        let shortfall = |samples, threads| shortfall_by(TimersUsed::PerThread, samples, threads);
        assert_eq!(shortfall(1990, 1), None);
        assert_eq!(shortfall(1930, 1), None, "few threads lose few samples");
        let told = shortfall(1000, 1).unwrap();
        assert!(
            told.starts_with("The kernel took 500 samples per second of CPU time instead of 1000"),
            "{told}"
        );
        let told = shortfall(1500, 600).unwrap();
        let words = "25 % of the CPU time was not sampled: the kernel counted 2.00 s, but the samples cover 1.50 s. Per-thread timers miss threads and processes that run for less than 1.0 ms,";
        assert!(
            told.starts_with(words) && told.ends_with("--timers cpu."),
            "{told}"
        );
        let of_cpus = |samples| shortfall_by(TimersUsed::PerCpu, samples, 600);
        assert_eq!(of_cpus(1900), None, "chance");
        let told = of_cpus(1500).unwrap();
        assert!(
            told.starts_with("The kernel took 750 samples per second"),
            "{told}"
        );
    }
}
