//! Fractions as whole numbers, so that their sums stay right.

/// Rounds the sum of all values that it was given, not each of them: a million times 0.4 is 400,000.
#[derive(Default)]
pub struct WholeNumbers {
    sum: f64,
    given: u64,
}

impl WholeNumbers {
    /// `None`: it is negative, no number, or the sum is past 2^53.
    pub fn next(&mut self, value: f64) -> Option<u64> {
        let sum = self.sum + value;
        if !(value >= 0.0 && sum < (1u64 << 53) as f64) {
            return None;
        }
        self.sum = sum;
        let next = (sum.round() as u64).saturating_sub(self.given);
        self.given += next;
        Some(next)
    }
}

/// `total` in parts that are to each other as `weights`, and add up to it. All weights 0: nothing.
pub fn split(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let (mut so_far, mut given) = (0u128, 0u64);
    (weights.iter())
        .map(|weight| {
            so_far += u128::from(*weight);
            let upto = (u128::from(total) * so_far).checked_div(sum).unwrap_or(0) as u64;
            upto - std::mem::replace(&mut given, upto)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_to_the_last_unit() {
        let mut numbers = WholeNumbers::default();
        let rounded: u64 = (0..1_000_000).filter_map(|_| numbers.next(0.4)).sum();
        assert_eq!(rounded, 400_000);
        assert_eq!(numbers.next(-1.0), None);
        assert_eq!(numbers.next(f64::NAN), None);
        assert_eq!(numbers.next(1e300), None);
        assert_eq!(split(10, &[1, 1, 1]), [3, 3, 4]);
        assert_eq!(split(7, &[5, 0, 2]), [5, 0, 2]);
        assert_eq!(split(7, &[0]), [0]);
    }
}
