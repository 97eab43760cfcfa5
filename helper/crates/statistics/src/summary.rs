//! What repeated runs look like.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub mean: f64,
    /// With n − 1. NaN for a single value.
    pub standard_deviation: f64,
    pub median: f64,
    /// Coefficient of variation: standard deviation / mean. NaN for a single value or a mean of 0.
    pub cv: f64,
    pub least: f64,
    pub greatest: f64,
}

/// `None` for no values.
pub fn summary(values: &[f64]) -> Option<Summary> {
    todo!("{values:?}")
}

/// Which values stand outside the quartiles by more than 1.5 times their distance (Tukey 1977). Never one of fewer than
/// five. An outlier is to be marked, not left out.
pub fn outliers(values: &[f64]) -> Vec<bool> {
    todo!("{values:?}")
}
