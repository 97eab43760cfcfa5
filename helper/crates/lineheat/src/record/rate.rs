//! The sampling rate that was asked for, and the one that the kernel gave.

use super::RecordError;

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
            kind: "too-large",
            message: format!(
                "{asked_hz} samples a second were asked for, and this kernel takes at most {limit} (kernel.perf_event_max_sample_rate)"
            ),
            advice: format!("Record with --freq {limit} or lower."),
        }),
        _ => Ok(()),
    }
}

/// What the kernel should have taken, and what it took.
pub struct Taken {
    pub asked_hz: u32,
    pub samples: u64,
    /// For how long sampled threads ran; 0: not known.
    pub running_ns: u64,
    /// Each loses up to one sample: its last period is not complete.
    pub threads: u64,
}

const MISSING_WORTH_TELLING: f64 = 0.03;
/// Beyond what short lives explain.
const THROTTLED_WORTH_TELLING: f64 = 0.05;

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
        let threads = self.threads as f64;
        if missing <= threads {
            return Some(format!(
                "{:.0} % of the CPU time was not sampled: the kernel counted {:.2} s, the samples cover {:.2} s. Sampling often misses threads and processes that run for less than {:.1} ms, the sampling period. Record with a higher --freq.",
                100.0 * missing / expected,
                self.running_ns as f64 / 1e9,
                self.samples as f64 / f64::from(self.asked_hz),
                1e3 / f64::from(self.asked_hz)
            ));
        }
        (missing - threads > THROTTLED_WORTH_TELLING * expected).then(|| {
            format!(
                "The kernel took {:.0} samples a second of CPU time where {} were asked for: it was throttled, or the machine gave the time to others. Shares are right, times are too low; a lower --freq helps.",
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
            "9999 samples a second were asked for, and this kernel takes at most 1000 (kernel.perf_event_max_sample_rate)\nRecord with --freq 1000 or lower."
        );
    }

    #[test]
    fn a_shortfall_is_told_with_its_cause_short_lives_or_a_kernel_that_takes_fewer() {
        let shortfall = |samples, threads| {
            let running_ns = 2_000_000_000;
            let asked_hz = 1000;
            Taken {
                asked_hz,
                samples,
                running_ns,
                threads,
            }
            .shortfall()
        };
        assert_eq!(shortfall(1990, 1), None);
        assert_eq!(shortfall(1930, 1), None, "few threads lose few samples");
        let told = shortfall(1000, 1).unwrap();
        assert!(
            told.starts_with("The kernel took 500 samples a second of CPU time where 1000"),
            "{told}"
        );
        let told = shortfall(1500, 600).unwrap();
        let words = "25 % of the CPU time was not sampled: the kernel counted 2.00 s, the samples cover 1.50 s. Sampling often misses threads and processes that run for less than 1.0 ms,";
        assert!(told.starts_with(words), "{told}");
    }
}
