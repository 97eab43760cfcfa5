//! How far estimates of sampled memory may be off.

use profile::RunInfo;

/// The relative standard error of bytes that were estimated from so many samples. `None`: there are none, or memory was not sampled by us.
pub fn relative_memory_error(run: Option<&RunInfo>, samples: u64) -> Option<f64> {
    let run = run?;
    match run.allocation_interval {
        0 => None,
        // Each byte is a sample.
        1 => Some(0.0),
        _ => {
            let spread = run.allocation_spread.max(1.0);
            (samples > 0).then(|| (spread / samples as f64).sqrt())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_falls_with_the_root_of_the_samples() {
        let run = |interval| RunInfo {
            allocation_interval: interval,
            allocation_spread: 4.0,
            ..RunInfo::default()
        };
        let of = |interval, samples| relative_memory_error(Some(&run(interval)), samples);
        assert_eq!(of(524_288, 100), Some(0.2));
        assert_eq!(of(524_288, 0), None);
        assert_eq!(of(1, 7), Some(0.0));
        assert_eq!(of(0, 7), None);
        assert_eq!(relative_memory_error(None, 7), None);
    }
}
