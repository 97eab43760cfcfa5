//! A number and the interval that covers the truth in 95 of 100 cases.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub(crate) fn around(value: f64, half_width: f64) -> Interval {
        Interval {
            value,
            low: value - half_width,
            high: value + half_width,
        }
    }

    /// Of a difference of logarithms, the relative change: 0.25 is 25 % more.
    pub(crate) fn relative(ln_ratio: f64, half_width: f64) -> Interval {
        Interval {
            value: ln_ratio.exp_m1(),
            low: (ln_ratio - half_width).exp_m1(),
            high: (ln_ratio + half_width).exp_m1(),
        }
    }
}
