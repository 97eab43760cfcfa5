//! Derivatives of the logarithm of the gamma function that the library does not have.

pub use statrs::function::gamma::digamma;

/// From here the asymptotic series (Abramowitz and Stegun 6.4.12, 6.4.13) are exact to 15 digits.
const LARGE: f64 = 16.0;

const STEPS_MAX: usize = 100;

/// ψ′(x), for x above 0.
pub fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series =
        r * (1.0 / 6.0 - r * (1.0 / 30.0 - r * (1.0 / 42.0 - r * (1.0 / 30.0 - r * 5.0 / 66.0))));
    sum + (1.0 + 0.5 / x + series) / x
}

/// ψ″(x), for x above 0.
pub fn tetragamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum -= 2.0 / (x * x * x);
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = r * (0.5 - r * (1.0 / 6.0 - r * (1.0 / 6.0 - r * (0.3 - r * 5.0 / 6.0))));
    sum - r * (1.0 + 1.0 / x + series)
}

/// The x whose ψ′ is `v`, for `v` above 0 (Smyth 2004, appendix).
pub fn inverse_trigamma(v: f64) -> f64 {
    // Where Newton's steps would only lose digits.
    if v > 1e7 {
        return 1.0 / v.sqrt();
    }
    if v < 1e-6 {
        return 1.0 / v;
    }
    let mut y = 0.5 + 1.0 / v;
    for _ in 0..STEPS_MAX {
        let reached = trigamma(y);
        let step = reached * (1.0 - reached / v) / tetragamma(y);
        y += step;
        if step.abs() < 1e-8 * y {
            break;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn derivatives_of_ln_gamma_have_twelve_digits() {
        let pi2 = std::f64::consts::PI.powi(2);
        // ζ(3)
        let zeta3 = 1.202_056_903_159_594_2;
        assert_close(trigamma(1.0), pi2 / 6.0, 1e-12);
        assert_close(trigamma(0.5), pi2 / 2.0, 1e-12);
        assert_close(
            trigamma(40.0),
            pi2 / 6.0 - (1..40).map(|k| 1.0 / f64::from(k * k)).sum::<f64>(),
            1e-12,
        );
        assert_close(tetragamma(1.0), -2.0 * zeta3, 1e-12);
        assert_close(tetragamma(0.5), -14.0 * zeta3, 1e-12);
        assert_close(digamma(1.0), -0.577_215_664_901_532_9, 1e-12);
    }

    #[test]
    fn the_inverse_of_trigamma_is_that_of_the_worked_example() {
        for (v, wanted) in [(0.1, 10.49168182), (1.0, 1.42625512), (10.0, 0.33508104)] {
            assert_close(inverse_trigamma(v), wanted, 2e-8);
        }
        for v in [1e-9, 1e-5, 1e-3, 0.3, 7.0, 1e4, 1e9] {
            assert_close(trigamma(inverse_trigamma(v)), v, 1e-4);
        }
    }
}
