//! Student's t, whose degrees of freedom may be a fraction, or infinite (the normal distribution).

use std::f64::consts::{PI, SQRT_2};

use statrs::function::beta::beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::gamma::ln_gamma;

/// From here approximations in 1/df are exact to 8 digits, and the incomplete beta function hardly is.
const LARGE_DF: f64 = 1e5;

/// Newton's steps end long before; three are usual.
const STEPS_MAX: usize = 50;

/// The probability of a t at least as far from 0. NaN gives NaN, and so does a `df` that is not above 0.
pub fn two_sided_p(t: f64, df: f64) -> f64 {
    if df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if df > LARGE_DF {
        return erfc(normal_of(t, df).abs() / SQRT_2);
    }
    let square = t * t;
    if square.is_nan() || square.is_infinite() {
        return if t.is_nan() { f64::NAN } else { 0.0 };
    }
    let (a, x) = (df / 2.0, df / (df + square));
    // The same by symmetry, where 1 − x would lose digits.
    if x >= (a + 1.0) / (a + 2.5) {
        1.0 - beta_reg(0.5, a, square / (df + square))
    } else {
        beta_reg(a, 0.5, x)
    }
}

/// Nearly normal when `t` is Student's (Wallace 1959).
fn normal_of(t: f64, df: f64) -> f64 {
    let root = (df * (t * t / df).ln_1p()).sqrt();
    if df.is_infinite() || root.is_infinite() {
        return t;
    }
    (8.0 * df + 1.0) / (8.0 * df + 3.0) * root
}

/// The t > 0 whose [`two_sided_p`] is `p`: for 0.05 the half width of a 95 % interval in standard errors. `p` is above 0
/// and below 1. A `df` that is not above 0 gives NaN.
pub fn two_sided_quantile(p: f64, df: f64) -> f64 {
    if df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    let z = SQRT_2 * erfc_inv(p);
    if df.is_infinite() {
        return z;
    }
    // Abramowitz and Stegun 26.7.5.
    let square = z * z;
    let start = z
        * (1.0
            + (square + 1.0) / (4.0 * df)
            + ((5.0 * square + 16.0) * square + 3.0) / (96.0 * df.powi(2))
            + (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / (384.0 * df.powi(3))
            + ((((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square - 945.0)
                / (92160.0 * df.powi(4)));
    if df > LARGE_DF {
        return start;
    }
    // ln p falls and is concave over ln t, so Newton's method converges from anywhere.
    let ln_scale = ln_gamma((df + 1.0) / 2.0) - ln_gamma(df / 2.0) - 0.5 * (PI * df).ln();
    let mut t = start;
    for _ in 0..STEPS_MAX {
        let reached = two_sided_p(t, df);
        let density = (ln_scale - (df + 1.0) / 2.0 * (t * t / df).ln_1p()).exp();
        let step = (reached / p).ln() * reached / (2.0 * density * t);
        t *= step.exp();
        // Newton squares the error: what is left is 1e-10.
        if step.abs() < 1e-5 {
            break;
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    // Reference values: mpmath 1.3 at 40 digits.
    #[test]
    fn probabilities_are_right_from_half_a_degree_of_freedom_to_infinitely_many() {
        for (t, df, wanted) in [
            (1.0, 0.5, 0.60224322168264),
            (500.0, 0.5, 0.028684358653766),
            (2.0, 1.0, 0.29516723530087),
            (0.001, 1.7, 0.99930675247625),
            (12.7, 1.7, 0.011021822761368),
            (3.0, 2.5, 0.072576095549032),
            (0.2, 5.789, 0.84832038597766),
            (8.1, 5.789, 0.0002276986424201),
            (2.131, 14.99, 0.050054213014099),
            (40.0, 15.0, 1.1690661240866e-16),
            (2.0, 100.0, 0.048212178731134),
            (6.0, 1000.0, 2.7553691733775e-9),
            (0.5, 99999.0, 0.61707617766542),
            (1.96, 99999.0, 0.049998563222031),
            (8.0, 99999.0, 1.2573921202673e-15),
            (1.96, 100001.0, 0.049998563166573),
            (8.0, 100001.0, 1.2573918549867e-15),
            (3.0, 10000000.0, 0.0026998027110372),
            (1.96, f64::INFINITY, 0.049995790296441),
            (8.0, f64::INFINITY, 1.2441921148544e-15),
        ] {
            assert_close(two_sided_p(t, df), wanted, 1e-8);
            assert_close(two_sided_p(-t, df), wanted, 1e-8);
        }
        assert_eq!(two_sided_p(0.0, 3.0), 1.0);
        assert_eq!(two_sided_p(f64::INFINITY, 3.0), 0.0);
        assert_eq!(two_sided_p(f64::INFINITY, f64::INFINITY), 0.0);
        for (t, df) in [(f64::NAN, 3.0), (1.0, f64::NAN), (1.0, 0.0)] {
            assert!(two_sided_p(t, df).is_nan());
        }
    }

    #[test]
    fn quantiles_are_right_from_half_a_degree_of_freedom_to_infinitely_many() {
        for (p, df, wanted) in [
            (0.05, 0.5, 164.55767348049),
            (0.4, 0.5, 2.5127179536659),
            (0.05, 1.0, 12.706204736175),
            (0.05, 1.3, 7.500529325562),
            (0.4, 2.0, 1.0606601717798),
            (0.05, 4.0, 2.7764451051978),
            (0.05, 14.0, 2.1447866879178),
            (0.001, 14.0, 4.1404541127382),
            (0.4, 30.0, 0.8537672614713),
            (0.05, 99999.0, 1.9599877077718),
            (0.05, 100001.0, 1.9599877072974),
            (0.05, f64::INFINITY, 1.9599639845401),
            (0.4, f64::INFINITY, 0.84162123357291),
        ] {
            assert_close(two_sided_quantile(p, df), wanted, 1e-9);
        }
    }
}
