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
}
