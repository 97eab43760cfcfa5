//! What is said of the whole.

use crate::effect::Verdict;

/// NaN where it cannot be said.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Relative, of the totals.
    pub change: f64,
    /// Its 95 % interval.
    pub low: f64,
    pub high: f64,
    pub verdict: Verdict,
    /// The relative change that these runs would have shown in 4 of 5 cases.
    pub smallest_detectable: f64,
    /// "New is 7.9 % slower than base (6.8 to 9.0) in CPU time per execution; 3 functions explain 92 % of it."
    pub sentence: String,
    /// One sentence: which test, over what.
    pub method: String,
}

impl Whole {
    pub(crate) const UNKNOWN: Whole = Whole {
        change: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
        verdict: Verdict::TooFew,
        smallest_detectable: f64::NAN,
        sentence: String::new(),
        method: String::new(),
    };
}
