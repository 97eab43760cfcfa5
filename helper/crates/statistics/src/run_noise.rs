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
    /// figures, so that the difference of two runs has Student's t. Fitted to the CPU time of 17 programs on virtual machines of 2
    /// processors: on one, in 60 runs each, they varied by 2.6 to 17 % (0.06 alone), on a louder one, in 120 runs each, from one
    /// run to the next by 1 to 28 % (0.10).
    pub const UNKNOWN: RunNoise = RunNoise { cv: 0.09, df: 3.0 };

    /// Of a function or line of which nothing is known, beyond sampling. Fitted to 1,227 functions (self and total, 10 samples and more)
    /// of the same 17 programs in 80 runs each, every program with the same weight: from one run to the next half of them varied by more
    /// than 9.5 %, a quarter by 14.5, a tenth by 26, one in twenty by 40. Those of one program vary alike.
    pub const UNKNOWN_ROW: RunNoise = RunNoise { cv: 0.10, df: 3.0 };

    /// What earlier runs of a program add to what is known of programs or rows: their sum of squares about the mean logarithm of what
    /// should cost the same, with its degrees of freedom (conjugate prior).
    pub fn learnt(prior: RunNoise, squares: f64, df: f64) -> RunNoise {
        let all = prior.df + df;
        RunNoise {
            cv: ((prior.df * prior.variance() + squares) / all).sqrt(),
            df: all,
        }
    }

    /// The one that varies more.
    pub fn or_louder(self, other: RunNoise) -> RunNoise {
        if other.cv > self.cv { other } else { self }
    }

    /// Of the logarithm of the ratio of two sides of so many runs. `sampling`: variance of one run's logarithm beyond this.
    pub(crate) fn standard_error(self, sampling: f64, runs: [usize; 2]) -> f64 {
        let [base, new] = runs.map(|runs| 1.0 / runs as f64);
        ((self.variance() + sampling) * (base + new)).sqrt()
    }

    /// Of a single cost of 1.
    pub(crate) fn variance(self) -> f64 {
        self.cv * self.cv
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn earlier_runs_narrow_what_is_assumed_and_few_do_so_little() {
        let nothing = RunNoise::learnt(RunNoise::UNKNOWN, 0.0, 0.0);
        assert_close(nothing.cv, RunNoise::UNKNOWN.cv, 1e-12);
        assert_eq!(nothing.df, RunNoise::UNKNOWN.df);
        // Runs that vary by 1 %.
        let of = |df: f64| RunNoise::learnt(RunNoise::UNKNOWN, df * 1e-4, df);
        assert_close(of(3.0).cv, (0.5f64 * (81e-4 + 1e-4)).sqrt(), 1e-12);
        assert!(of(3.0).cv > 0.06 && of(30.0).cv < 0.03 && of(30.0).df == 33.0);
        // And loud ones widen it.
        assert!(RunNoise::learnt(RunNoise::UNKNOWN, 10.0 * 0.15f64.powi(2), 10.0).cv > 0.13);
    }
}
