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
    let sorted = sorted(values);
    let (&least, &greatest) = (sorted.first()?, sorted.last()?);
    let mean = mean(values);
    let standard_deviation = variance(values).sqrt();
    Some(Summary {
        mean,
        standard_deviation,
        median: quantile(&sorted, 0.5),
        cv: if mean == 0.0 {
            f64::NAN
        } else {
            standard_deviation / mean
        },
        least,
        greatest,
    })
}

/// Which values stand outside the quartiles by more than 1.5 times their distance (Tukey 1977). Never one of fewer than
/// five. An outlier is to be marked, not left out.
pub fn outliers(values: &[f64]) -> Vec<bool> {
    if values.len() < 5 {
        return vec![false; values.len()];
    }
    let sorted = sorted(values);
    let (lower, upper) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let reach = 1.5 * (upper - lower);
    values
        .iter()
        .map(|&value| value < lower - reach || value > upper + reach)
        .collect()
}

/// NaN for no values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// With n − 1; NaN for fewer than two values.
pub(crate) fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    sum_of_squares(values) / (values.len() - 1) as f64
}

/// Of the distances from the mean; 0 for a single value.
pub(crate) fn sum_of_squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The value that `share` of the values do not exceed, between neighbours by straight line.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() - 1) as f64 * share;
    let below = at.floor() as usize;
    let next = sorted[(below + 1).min(sorted.len() - 1)];
    sorted[below] + (next - sorted[below]) * (at - at.floor())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn a_summary_of_five_runs() {
        let found = summary(&[4.0, 2.0, 9.0, 4.0, 6.0]).unwrap();
        assert_eq!((found.mean, found.median), (5.0, 4.0));
        assert_eq!((found.least, found.greatest), (2.0, 9.0));
        assert_close(found.standard_deviation, 7f64.sqrt(), 1e-12);
        assert_close(found.cv, 7f64.sqrt() / 5.0, 1e-12);
    }

    #[test]
    fn a_single_run_has_no_spread_and_no_run_no_summary() {
        let found = summary(&[3.0]).unwrap();
        assert_eq!((found.mean, found.median), (3.0, 3.0));
        assert!(found.standard_deviation.is_nan() && found.cv.is_nan());
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn an_outlier_stands_beyond_the_fences() {
        // Quartiles 10 and 12: the fences are 7 and 15.
        let values = [10.0, 12.0, 15.0, 10.0, 12.0, 11.0, 15.1, 10.0, 6.9];
        let sorted = sorted(&values);
        assert_eq!(
            (quantile(&sorted, 0.25), quantile(&sorted, 0.75)),
            (10.0, 12.0)
        );
        let marked: Vec<f64> = values
            .into_iter()
            .zip(outliers(&values))
            .filter_map(|(value, marked)| marked.then_some(value))
            .collect();
        assert_eq!(marked, [15.1, 6.9]);
    }

    #[test]
    fn four_runs_have_no_outliers() {
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1000.0]), [false; 4]);
        assert_eq!(
            outliers(&[1.0, 1.0, 1.0, 1.0, 1000.0]),
            [false, false, false, false, true]
        );
    }
}
