//! Many tests at once.

/// The least false discovery rate at which each test is rejected (Benjamini and Hochberg 1995), in the order of `p`. NaN
/// stays NaN, and does not count as a test.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&index| !p[index].is_nan()).collect();
    order.sort_unstable_by(|&a, &b| p[a].total_cmp(&p[b]));
    let tests = order.len() as f64;
    let mut q = vec![f64::NAN; p.len()];
    let mut least: f64 = 1.0;
    for (rank, &index) in order.iter().enumerate().rev() {
        least = least.min(tests * p[index] / (rank + 1) as f64);
        q[index] = least;
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn q_values_are_those_of_the_worked_example_whatever_the_order() {
        let p = [
            0.041, 0.216, 0.001, 0.042, 0.205, 0.008, 0.074, 0.039, 0.212, 0.06,
        ];
        let q = [
            0.084,
            0.216,
            0.01,
            0.084,
            0.216,
            0.04,
            0.105_714_285_714,
            0.084,
            0.216,
            0.1,
        ];
        for (value, wanted) in benjamini_hochberg(&p).into_iter().zip(q) {
            assert_close(value, wanted, 1e-9);
        }
    }

    #[test]
    fn what_was_not_tested_neither_gets_a_q_nor_makes_the_others_larger() {
        let q = benjamini_hochberg(&[f64::NAN, 0.02, f64::NAN, 0.9]);
        assert!(q[0].is_nan() && q[2].is_nan());
        assert_eq!((q[1], q[3]), (0.04, 0.9));
        assert!(benjamini_hochberg(&[]).is_empty());
    }
}
