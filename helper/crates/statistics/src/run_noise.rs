//! How much a program varies from run to run, where a comparison of one run each cannot see it.

/// A coefficient of variation, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunNoise {
    /// 0.06: runs vary by 6 %. 0: not at all.
    pub cv: f64,
    /// Degrees of freedom of its square: runs − 1 of a program that was seen, few where it is a guess, infinite where it is
    /// known. Few make intervals wide.
    pub df: f64,
}

impl RunNoise {
    /// Runs do not vary, or the test is to be about these two runs only.
    pub const NONE: RunNoise = RunNoise {
        cv: 0.0,
        df: f64::INFINITY,
    };

    /// Of a program of which nothing is known: the variances of real programs are spread like a scaled inverse χ² with these
    /// figures, so that the difference of two runs has Student's t. Fitted to the CPU time of 17 programs in 60 runs each on a
    /// virtual machine of 2 processors, which varied by 2.6 to 17 %.
    pub const UNKNOWN: RunNoise = RunNoise { cv: 0.06, df: 3.0 };

    /// Of a single cost of 1.
    pub(crate) fn variance(self) -> f64 {
        self.cv * self.cv
    }
}
