//! The sampling rate that was asked for, and the one that the kernel gave.

use super::errors::{RecordError, RecordErrorKind};

/// `kernel.perf_event_max_sample_rate`: beyond it the kernel drops samples, whatever was asked for.
pub fn kernel_limit_hz() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_sample_rate").ok()?;
    text.trim().parse().ok()
}

/// # Errors
/// When the kernel would not give this rate.
pub fn check(asked_hz: u32, limit_hz: Option<u32>) -> Result<(), RecordError> {
    match limit_hz {
        Some(limit) if asked_hz > limit => Err(RecordError {
            kind: RecordErrorKind::TooLarge,
            message: format!(
                "cannot take {asked_hz} samples per second: this kernel allows at most {limit} (kernel.perf_event_max_sample_rate)"
            ),
            advice: format!("Record with --freq {limit} or lower."),
        }),
        _ => Ok(()),
    }
}

/// What made the kernel take samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimersUsed {
    PerCpu,
    /// Where those of CPUs could be had, too.
    PerThread,
    /// Without privilege.
    Unprivileged,
}

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

impl Taken {
    /// Samples a second of CPU time; 0: not known.
    pub fn achieved_hz(&self) -> f64 {
        if self.running_ns == 0 {
            return 0.0;
        }
        self.samples as f64 * 1e9 / self.running_ns as f64
    }

    /// A sentence when the samples stand for clearly less CPU time than the kernel counted.
    pub fn shortfall(&self) -> Option<String> {
        let expected = self.running_ns as f64 / 1e9 * f64::from(self.asked_hz);
        let missing = expected - self.samples as f64;
        if expected < 100.0 || missing < MISSING_WORTH_TELLING * expected {
            return None;
        }
        let of_short_lives = match self.timers {
            TimersUsed::PerCpu => CHANCE * expected.sqrt(),
            TimersUsed::PerThread | TimersUsed::Unprivileged => self.threads as f64,
        };
        let advice = match self.timers {
            TimersUsed::PerCpu if missing <= of_short_lives => return None,
            TimersUsed::PerCpu => "",
            TimersUsed::PerThread => "Record with --timers cpu.",
            TimersUsed::Unprivileged => "Record with a higher --freq.",
        };
        if missing <= of_short_lives {
            return Some(format!(
                "{:.0} % of the CPU time was not sampled: the kernel counted {:.2} s, but the samples cover {:.2} s. Per-thread timers miss threads and processes that run for less than {:.1} ms, the sampling period. {advice}",
                100.0 * missing / expected,
                self.running_ns as f64 / 1e9,
                self.samples as f64 / f64::from(self.asked_hz),
                1e3 / f64::from(self.asked_hz)
            ));
        }
        (missing - of_short_lives > THROTTLED_WORTH_TELLING * expected).then(|| {
            format!(
                "The kernel took {:.0} samples per second of CPU time instead of {}: it was throttled, or the machine gave the time to others. Shares are correct, times are too low. Use a lower --freq.",
                self.achieved_hz(),
                self.asked_hz
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_above_the_kernels_limit_is_refused_with_both_numbers() {
        assert!(check(999, Some(100_000)).is_ok());
        assert!(check(999, None).is_ok());
        let error = check(9999, Some(1000)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot take 9999 samples per second: this kernel allows at most 1000 (kernel.perf_event_max_sample_rate)\nRecord with --freq 1000 or lower."
        );
    }

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
