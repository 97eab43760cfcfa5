//! Executions that do not vary by chance alone: a trend, two groups, or a single one far from the others.

use crate::student::two_sided_p;
use crate::summary::{mean, sum_of_squares, variance};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pattern {
    /// They grew or fell in the order in which they ran.
    Trend {
        /// Relative, from the mean of the first third to that of the last.
        change: f64,
    },
    /// (How many, their mean) of the lower and of the upper group.
    TwoGroups {
        lower: (usize, f64),
        upper: (usize, f64),
    },
    Outlier {
        index: usize,
        /// To the mean of the others.
        ratio: f64,
    },
}

/// Fewer values look like anything.
const LEAST_OF_TREND: usize = 8;
const LEAST_OF_GROUPS: usize = 10;
const LEAST_OF_OUTLIER: usize = 5;

/// Of a false alarm, for each pattern.
const ALARM: f64 = 0.002;

/// A pattern of a smaller relative size matters to nobody.
const LEAST_CHANGE: f64 = 0.03;

/// A single one must be further off: the slowest of several executions often is a little.
const LEAST_OF_SINGLE: f64 = 0.15;

/// The most telling pattern of positive values, in the order in which they were measured. In fewer than one of 100 series
/// that vary by chance, by a normal distribution, one is named.
pub fn pattern(values: &[f64]) -> Option<Pattern> {
    if values
        .iter()
        .any(|value| !value.is_finite() || *value <= 0.0)
    {
        return None;
    }
    two_groups(values)
        .or_else(|| outlier(values))
        .or_else(|| trend(values))
}

/// By Spearman's rank correlation with the order.
fn trend(values: &[f64]) -> Option<Pattern> {
    let count = values.len();
    if count < LEAST_OF_TREND {
        return None;
    }
    let n = count as f64;
    let distance: f64 = (ranks(values).iter().enumerate())
        .map(|(order, rank)| (rank - order as f64).powi(2))
        .sum();
    let correlation = 1.0 - 6.0 * distance / (n * (n * n - 1.0));
    let t = correlation * ((n - 2.0) / (1.0 - correlation * correlation).max(1e-12)).sqrt();
    let third = count / 3;
    let change = mean(&values[count - third..]) / mean(&values[..third]) - 1.0;
    (two_sided_p(t, n - 2.0) < ALARM && change.abs() >= LEAST_CHANGE)
        .then_some(Pattern::Trend { change })
}

/// Equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    (values.iter())
        .map(|value| {
            let below = values.iter().filter(|other| *other < value).count();
            let equal = values.iter().filter(|other| *other == value).count();
            below as f64 + (equal - 1) as f64 / 2.0
        })
        .collect()
}

/// The cut that leaves the least variation within both parts, if that is little of all variation. The bound is by simulation:
/// one in a thousand normal series exceeds it, one in a hundred exponential ones.
fn two_groups(values: &[f64]) -> Option<Pattern> {
    let count = values.len();
    if count < LEAST_OF_GROUPS {
        return None;
    }
    let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    logs.sort_unstable_by(f64::total_cmp);
    let least = count.div_ceil(5);
    let within = |cut: usize| sum_of_squares(&logs[..cut]) + sum_of_squares(&logs[cut..]);
    let cut = (least..=count - least).min_by(|a, b| within(*a).total_cmp(&within(*b)))?;
    let bound = 4.0 + 150.0 / count as f64;
    let [lower, upper] = [&logs[..cut], &logs[cut..]].map(|part| (part.len(), mean(part).exp()));
    (sum_of_squares(&logs) > bound * within(cut) && upper.1 / lower.1 - 1.0 >= LEAST_CHANGE)
        .then_some(Pattern::TwoGroups { lower, upper })
}

/// By its distance from the others in their standard deviations (Grubbs 1969), on logarithms.
fn outlier(values: &[f64]) -> Option<Pattern> {
    let count = values.len();
    if count < LEAST_OF_OUTLIER {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let center = mean(&logs);
    let away = |index: &usize| (logs[*index] - center).abs();
    let index = (0..count).max_by(|a, b| away(a).total_cmp(&away(b)))?;
    let others = |values: &[f64]| -> Vec<f64> {
        let all = values.iter().enumerate();
        all.filter(|(other, _)| *other != index)
            .map(|(_, value)| *value)
            .collect()
    };
    let rest = others(&logs);
    let n = rest.len() as f64;
    let error = (variance(&rest) * (1.0 + 1.0 / n)).sqrt().max(1e-9);
    let t = (logs[index] - mean(&rest)) / error;
    let ratio = values[index] / mean(&others(values));
    (two_sided_p(t, n - 1.0) * (count as f64) < ALARM && (ratio - 1.0).abs() >= LEAST_OF_SINGLE)
        .then_some(Pattern::Outlier { index, ratio })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand_distr::{Distribution, Normal};

    use super::*;

    fn series(count: usize, cv: f64, seed: u64) -> Vec<f64> {
        let normal = Normal::new(1.0, cv).expect("a positive deviation");
        let values = normal.sample_iter(Xoshiro256PlusPlus::seed_from_u64(seed));
        values.take(count).collect()
    }

    #[test]
    fn chance_has_no_pattern() {
        for count in [5, 8, 10, 20, 40] {
            let named = (0..2000).filter(|seed| pattern(&series(count, 0.08, *seed)).is_some());
            let named = named.count();
            assert!(named <= 20, "{named} of 2000 series of {count}");
        }
    }

    #[test]
    fn a_trend_is_named_with_its_size() {
        let mut values = series(12, 0.01, 1);
        for (order, value) in values.iter_mut().enumerate() {
            *value *= 1.0 + 0.02 * order as f64;
        }
        let Some(Pattern::Trend { change }) = pattern(&values) else {
            panic!("{:?}", pattern(&values));
        };
        assert!((0.1..0.22).contains(&change), "{change}");
        values.reverse();
        assert!(matches!(pattern(&values), Some(Pattern::Trend { change }) if change < -0.1));
    }

    #[test]
    fn two_groups_are_named_with_their_sizes() {
        let mut values = series(20, 0.01, 2);
        for value in values.iter_mut().step_by(3) {
            *value *= 1.2;
        }
        let Some(Pattern::TwoGroups { lower, upper }) = pattern(&values) else {
            panic!("{:?}", pattern(&values));
        };
        assert_eq!((lower.0, upper.0), (13, 7));
        assert!((upper.1 / lower.1 - 1.2).abs() < 0.02);
    }

    #[test]
    fn a_single_one_far_off_is_named() {
        let mut values = series(6, 0.01, 3);
        values[4] *= 1.8;
        let found = pattern(&values);
        assert!(
            matches!(found, Some(Pattern::Outlier { index: 4, ratio }) if (1.7..1.9).contains(&ratio)),
            "{found:?}"
        );
    }

    #[test]
    fn what_is_no_cost_has_no_pattern() {
        assert_eq!(pattern(&[]), None);
        assert_eq!(pattern(&[1.0; 12]), None);
        assert_eq!(pattern(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), None);
    }
}
