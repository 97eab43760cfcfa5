//! Many tests at once.

/// The least false discovery rate at which each test is rejected (Benjamini and Hochberg 1995), in the order of `p`. NaN
/// stays NaN, and does not count as a test.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    todo!("{p:?}")
}
