//! The difference of two sets of costs, by their logarithms: what several runs tell of a function, a line or the whole.

use crate::summary::{mean, sum_of_squares};

/// From so many turns on, runs are compared within their turns. With fewer, what pairs lose in degrees of freedom is more
/// than what drift adds.
pub const TURNS_FOR_PAIRS: usize = 5;

/// Which runs were made in turns: (run of base, run of new), each from 0. Empty: they were not.
pub type Turns<'a> = &'a [(usize, usize)];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference {
    /// Mean logarithm of new − mean logarithm of base.
    pub ln_ratio: f64,
    pub standard_error: f64,
    pub df: f64,
}

/// Student's t, with the variance of both sides pooled, or that of the differences within turns. Each side has a run, and
/// both together three. `least_variance`: of one logarithm; costs that are equal do not make a difference certain.
pub(crate) fn difference(
    base: &[f64],
    new: &[f64],
    turns: Turns,
    least_variance: f64,
) -> Difference {
    if turns.len() >= TURNS_FOR_PAIRS {
        let differences: Vec<f64> = (turns.iter())
            .map(|&(base_run, new_run)| new[new_run] - base[base_run])
            .collect();
        let df = (differences.len() - 1) as f64;
        let variance = (sum_of_squares(&differences) / df).max(2.0 * least_variance);
        return Difference {
            ln_ratio: mean(&differences),
            standard_error: (variance / differences.len() as f64).sqrt(),
            df,
        };
    }
    let df = (base.len() + new.len() - 2) as f64;
    let squares = sum_of_squares(base) + sum_of_squares(new);
    let variance = (squares / df).max(least_variance);
    let runs = 1.0 / base.len() as f64 + 1.0 / new.len() as f64;
    Difference {
        ln_ratio: mean(new) - mean(base),
        standard_error: (variance * runs).sqrt(),
        df,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn the_variance_is_that_of_both_sides() {
        let found = difference(&[1.0, 3.0], &[5.0, 6.0, 7.0], &[], 0.0);
        assert_eq!((found.ln_ratio, found.df), (4.0, 3.0));
        assert_close(
            found.standard_error,
            (4.0f64 / 3.0 * (0.5 + 1.0 / 3.0)).sqrt(),
            1e-12,
        );
    }

    #[test]
    fn five_turns_take_out_what_both_runs_of_a_turn_have_in_common() {
        let drift = [0.0, 1.0, 2.0, 3.0, 4.0];
        let new = [0.5, 1.6, 2.5, 3.4, 4.5];
        let turns: Vec<(usize, usize)> = (0..5).map(|run| (run, run)).collect();
        let found = difference(&drift, &new, &turns, 0.0);
        assert_close(found.ln_ratio, 0.5, 1e-12);
        assert_eq!(found.df, 4.0);
        assert_close(found.standard_error, (0.02f64 / 4.0 / 5.0).sqrt(), 1e-9);
        let four = difference(&drift, &new, &turns[..4], 0.0);
        assert_eq!(four.df, 8.0);
    }

    #[test]
    fn equal_costs_do_not_make_a_difference_certain() {
        let found = difference(&[1.0, 1.0], &[1.1, 1.1], &[], 1e-4);
        assert_close(found.standard_error, 0.01, 1e-9);
    }
}
