//! What a number of events says of the number to expect.

use statrs::function::gamma::{gamma_lr, gamma_ur};

use crate::Interval;

const TAIL: f64 = 0.025;
/// Halvings: to the precision of a float.
const STEPS: usize = 100;

/// The exact interval of Garwood (1936): means of a Poisson distribution for which so few, or so many events are not rare.
pub fn poisson_interval(events: u64) -> Interval {
    let n = events as f64;
    let low = match events {
        0 => 0.0,
        _ => solve(n, |mean| gamma_lr(n, mean) < TAIL),
    };
    Interval {
        value: n,
        low,
        high: solve(n, |mean| gamma_ur(n + 1.0, mean) > TAIL),
    }
}

/// Where `is_below` ends to hold, near `n`.
fn solve(n: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, 2.0 * n + 10.0);
    for _ in 0..STEPS {
        let middle = low / 2.0 + high / 2.0;
        match is_below(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn the_interval_is_that_of_the_tables() {
        // Garwood, Biometrika 28 (1936), as printed in tables of confidence limits.
        for (events, low, high) in [
            (0, 0.0, 3.6889),
            (1, 0.025318, 5.571643),
            (10, 4.7954, 18.3904),
            (100, 81.3640, 121.6273),
        ] {
            let interval = poisson_interval(events);
            assert_close(interval.low, low, 1e-4);
            assert_close(interval.high, high, 1e-4);
        }
        let many = poisson_interval(1_000_000);
        assert_close(many.low, 1e6 - 1960.0, 1e-5);
        assert_close(many.high, 1e6 + 1960.0, 1e-5);
    }
}
