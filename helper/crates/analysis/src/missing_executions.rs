//! How many executions more would do.

use statistics::LEAST_COUNT;

/// How many more executions of each side bring a row with so many samples to those that a test needs.
pub fn missing_executions(samples: u64, executions: [usize; 2]) -> u64 {
    let [base, new] = executions.map(|executions| executions as u64);
    if samples == 0 {
        return 0;
    }
    let of_each_side = (LEAST_COUNT * (base + new)).div_ceil(2 * samples);
    of_each_side.saturating_sub(base.min(new)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the rate so far, the missing executions bring a row to what a test needs, and one fewer does not.
    #[test]
    fn so_many_executions_are_missing_and_no_more() {
        for executions in [1u64, 3, 8, 40] {
            for samples in 1..LEAST_COUNT {
                let missing = missing_executions(samples, [executions as usize; 2]);
                let expected = |more: u64| samples * (executions + more) / executions;
                assert!(
                    expected(missing) >= LEAST_COUNT,
                    "{samples} of {executions}"
                );
                assert!(
                    expected(missing - 1) < LEAST_COUNT,
                    "{samples} of {executions}"
                );
            }
        }
        assert_eq!(missing_executions(0, [5, 5]), 0);
        assert_eq!(missing_executions(12, [1, 8]), 11);
    }
}
