//! Something that one run has often and the other rarely or never, one execution each.
//!
//! Batch means need ten samples on both sides. Of what is new or gone one side has none, and a burst of dependent samples
//! on the other proves nothing: they are first reduced to as many as are independent.

/// Fewer independent samples do not show that something is new or gone.
const LEAST_EFFECTIVE: f64 = 10.0;

/// Samples that would tell as much if they were independent: by how much more they vary from batch to batch than counts
/// of independent samples would. Where there is no variance to see they are taken as they are.
pub(crate) fn effective_samples(batches: &[u32]) -> f64 {
    let count = batches.len() as f64;
    let sum: f64 = batches.iter().map(|&n| f64::from(n)).sum();
    let mean = sum / count;
    if mean == 0.0 {
        return 0.0;
    }
    let squares: f64 = batches.iter().map(|&n| (f64::from(n) - mean).powi(2)).sum();
    let dispersion = squares / (count - 1.0) / mean;
    sum / dispersion.max(1.0)
}

/// p, two-sided, of a binomial test of equal cost; NaN when the frequent side has too few independent samples.
/// `exposure`: the share of the new side's samples if the cost is equal.
pub(crate) fn rare_on_one_side([base, new]: [f64; 2], exposure: f64) -> f64 {
    let (rare, frequent, share) = if base < new {
        (base, new, 1.0 - exposure)
    } else {
        (new, base, exposure)
    };
    if frequent < LEAST_EFFECTIVE || !(0.0..1.0).contains(&share) {
        return f64::NAN;
    }
    // Rounded so that the difference looks smaller.
    let (rare, frequent) = (rare.ceil(), frequent.floor());
    (2.0 * binomial_below(rare as u64, (rare + frequent) as u64, share)).min(1.0)
}

/// P(X ≤ successes), each term from the one before; `successes` is below ten.
fn binomial_below(successes: u64, trials: u64, share: f64) -> f64 {
    let mut ln_term = trials as f64 * (1.0 - share).ln();
    let mut sum = ln_term.exp();
    for k in 1..=successes {
        ln_term += ((trials - k + 1) as f64 / k as f64).ln() + (share / (1.0 - share)).ln();
        sum += ln_term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_counts_as_little_as_it_tells() {
        assert_eq!(effective_samples(&[5; 16]), 80.0);
        let mut burst = [0; 16];
        burst[3] = 80;
        // Mean 5, variance 400: dispersion 80.
        assert!((effective_samples(&burst) - 1.0).abs() < 1e-9);
        assert_eq!(effective_samples(&[0; 16]), 0.0);
    }

    #[test]
    fn ten_independent_samples_against_none_are_something() {
        // 2 · ½^10.
        assert!((rare_on_one_side([0.0, 10.0], 0.5) - 0.001_953_125).abs() < 1e-12);
        // 2 · (1 + 21 + 210) / 2^21.
        let p = rare_on_one_side([19.0, 2.0], 0.5);
        assert!((p - 2.0 * 232.0 / 2_097_152.0).abs() < 1e-12, "{p}");
        assert!(rare_on_one_side([0.0, 9.0], 0.5).is_nan());
        // A side that had a ninth of the time may well have missed it.
        assert!(rare_on_one_side([0.0, 10.0], 0.9) > 0.5);
    }
}
