//! What two numbers of events say of the ratio of the numbers to expect.

use statrs::function::beta::beta_reg;

use crate::Interval;

const TAIL: f64 = 0.025;
/// Halvings: to the precision of a float.
const STEPS: usize = 100;

/// The exact interval for `numerator` / `denominator`, given their sum: one of so many events is of the numerator with a
/// probability whose interval is that of Clopper and Pearson (1934), and the ratio follows from it (Przyborowski and Wilenski, 1940).
/// `None` without events in the denominator: the ratio has no upper bound.
pub fn poisson_ratio_interval(numerator: u64, denominator: u64) -> Option<Interval> {
    if denominator == 0 {
        return None;
    }
    let (x, y) = (numerator as f64, denominator as f64);
    let low = match numerator {
        0 => 0.0,
        _ => solve(|share| beta_reg(x, y + 1.0, share) < TAIL),
    };
    let high = solve(|share| beta_reg(x + 1.0, y, share) < 1.0 - TAIL);
    Some(Interval {
        value: x / y,
        low: low / (1.0 - low),
        high: high / (1.0 - high),
    })
}

/// The share of a whole where `is_below` ends to hold.
fn solve(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = low / 2.0 + high / 2.0;
        match is_below(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn the_interval_is_that_of_clopper_and_pearson() {
        // Shares as tables of the binomial distribution print them: 10 of 20, 1 of 10, 0 of 10.
        for (events, others, low, high) in [
            (10, 10, 0.27196, 0.72804),
            (1, 9, 0.00253, 0.44502),
            (0, 10, 0.0, 0.30850),
        ] {
            let interval = poisson_ratio_interval(events, others).expect("a denominator");
            assert_close(interval.value, events as f64 / others as f64, 1e-12);
            assert!((interval.low / (1.0 + interval.low) - low).abs() < 1e-5);
            assert!((interval.high / (1.0 + interval.high) - high).abs() < 1e-5);
        }
        assert_eq!(poisson_ratio_interval(5, 0), None);
    }

    #[test]
    fn many_events_give_the_interval_of_the_logarithm() {
        let interval = poisson_ratio_interval(1_000_000, 500_000).expect("a denominator");
        let half_width = 1.959_964 * (1e-6_f64 + 2e-6).sqrt();
        assert_close(interval.low, 2.0 * (-half_width).exp(), 1e-5);
        assert_close(interval.high, 2.0 * half_width.exp(), 1e-5);
    }
}
