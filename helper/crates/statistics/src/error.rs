//! Why figures cannot be tested at all.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unsuitable {
    /// A side has no run, or both have one only.
    TooFewRuns { base: usize, new: usize },
    /// The number of counts is no multiple of the number of runs.
    NotATable { counts: usize, runs: usize },
    /// As many library sizes are wanted as there are runs.
    LibrarySizes { given: usize, runs: usize },
    /// Library sizes, costs and coefficients of variation must be finite and above 0.
    NotPositive { what: &'static str, value: f64 },
    /// The library sizes cannot be found: no feature has a sample in every run.
    NothingInCommon,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuitable::TooFewRuns { base, new } => write!(
                f,
                "the test requires at least one execution per side and three in total, but there are {base} and {new}; record more with --repeat"
            ),
            Unsuitable::NotATable { counts, runs } => write!(
                f,
                "a table of {runs} executions requires a multiple of {runs} counts, but there are {counts}"
            ),
            Unsuitable::LibrarySizes { given, runs } => write!(
                f,
                "each of {runs} executions requires a size, but {given} were given"
            ),
            Unsuitable::NotPositive { what, value } => {
                write!(
                    f,
                    "the {what} must be above 0 and finite, but one is {value}"
                )
            }
            Unsuitable::NothingInCommon => write!(
                f,
                "no function has a sample in every execution, so the executions cannot be scaled; give the work of each execution, or record longer"
            ),
        }
    }
}

impl std::error::Error for Unsuitable {}

pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<(), Unsuitable> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Unsuitable::NotPositive { what, value })
    }
}
