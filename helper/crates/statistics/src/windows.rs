//! Two parts of one run: a test over windows of time.
//!
//! A part takes some of the time of the run, or some of its threads, or both. Its time is cut into windows, and the spread of the
//! rates of the windows tells how much the part varies by itself. A window that both parts share tells how their difference varies.
//!
//! The rate of a part is its samples by its exposure (seconds, say). A window's *influence* on the difference of both rates is how far
//! its samples are from what the rates lead to expect; the variance of the difference is the sum of their squares. Neighbouring
//! windows of a real program are alike, which makes that too small: it grows by (1 + r) / (1 − r), where r is the correlation of
//! neighbours, and the degrees of freedom shrink by as much. Simulated with windows of correlation 0 to 0.6, 16 on each side, a
//! test at 5 % then rejects in 3.8 to 8.4 % of cases (without it 5 to 32 %).

use crate::batch_means::{LEAST_SAMPLES, p_by_chance};
use crate::interval::Interval;
use crate::student::{two_sided_p, two_sided_quantile};
use crate::whole::welch;

/// A part with fewer windows is not tested.
pub const LEAST_WINDOWS: usize = 8;
/// As many as are cut of each part. More are shorter, and neighbours more alike.
pub const WINDOWS: usize = 16;
/// Of neighbours: windows that are more alike tell nothing of the time beyond them.
const CORRELATION_MAX: f64 = 0.6;

const LEVEL: f64 = 0.05;

/// How much of each part is in each window, in the order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Windows {
    /// Whether the window is of base, and of new.
    pub covers: [Vec<bool>; 2],
    /// Seconds.
    pub length: Vec<f64>,
    /// What counts are divided by: seconds, or samples of everything; 0 where the window is not of the side. Of base and new.
    pub exposure: [Vec<f64>; 2],
    /// By window: it begins where the one before it ends.
    pub follows: Vec<bool>,
}

/// One feature.
#[derive(Debug, Clone, Copy)]
pub struct WindowedCounts<'a> {
    /// By window, of base and new.
    pub counts: [&'a [u32]; 2],
    /// What one sample stands for in the unit of the result.
    pub value: [f64; 2],
    /// Samples of everything.
    pub samples: [u64; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowedEffect {
    /// new − base.
    pub difference: Interval,
    /// `None` where a side has too few independent samples for a ratio.
    pub change: Option<Interval>,
    pub p: f64,
}

/// Why nothing may be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untestable {
    /// A part has fewer than 10 samples of it.
    Samples,
    /// Neighbouring windows are so alike that their spread tells too little.
    Alike,
}

impl Windows {
    pub fn count(&self) -> usize {
        self.follows.len()
    }

    /// Tests one feature.
    ///
    /// # Errors
    /// [`Untestable`] where its samples do not allow it.
    pub fn compare(&self, of: &WindowedCounts) -> Result<WindowedEffect, Untestable> {
        let parts = Parts::of(self, of);
        if parts
            .counts
            .iter()
            .any(|&count| count < LEAST_SAMPLES as f64)
        {
            return Err(Untestable::Samples);
        }
        let spread = parts.spread(parts.influences_on_difference())?;
        let costs = parts.costs();
        let floor = parts.floors();
        let least: f64 = (0..2)
            .map(|side| floor[side] * of.value[side].powi(2))
            .sum();
        let variance = spread.variance.max(least);
        let difference = costs[1] - costs[0];
        let half_width = two_sided_quantile(LEVEL, spread.df) * variance.sqrt();
        Ok(WindowedEffect {
            difference: Interval::around(difference, half_width),
            change: parts.ratio().ok().map(|ratio| ratio.interval()),
            p: two_sided_p(difference / variance.sqrt(), spread.df),
        })
    }

    /// The p of a feature that one part hardly has: where [`Windows::compare`] refuses for want of samples on one side alone.
    pub fn rare_in_one(&self, of: &WindowedCounts) -> Option<f64> {
        let parts = Parts::of(self, of);
        let (rare, frequent) = match parts.counts[0] < parts.counts[1] {
            true => (0, 1),
            false => (1, 0),
        };
        let least = LEAST_SAMPLES as f64;
        if parts.counts[rare] >= least || parts.counts[frequent] < least {
            return None;
        }
        let spread = parts.spread(parts.influences_of(frequent)).ok()?;
        let independent = parts.floors()[frequent].max(1.0);
        let design_effect = (spread.variance / independent).max(1.0);
        let [few, many] = [rare, frequent].map(|side| parts.counts[side] / design_effect);
        p_by_chance([few, many], [rare, frequent].map(|side| of.value[side]))
    }
}

struct Ratio {
    ln: f64,
    variance: f64,
    df: f64,
}

impl Ratio {
    fn interval(&self) -> Interval {
        Interval::relative(
            self.ln,
            two_sided_quantile(LEVEL, self.df) * self.variance.sqrt(),
        )
    }
}

struct Parts<'a> {
    windows: &'a Windows,
    of: &'a WindowedCounts<'a>,
    counts: [f64; 2],
    /// Samples per exposure.
    rates: [f64; 2],
}

/// The variance of a sum over windows, and its degrees of freedom.
struct Spread {
    variance: f64,
    df: f64,
}

impl<'a> Parts<'a> {
    fn of(windows: &'a Windows, of: &'a WindowedCounts<'a>) -> Parts<'a> {
        let counts = of
            .counts
            .map(|counts| counts.iter().map(|&count| f64::from(count)).sum::<f64>());
        let exposures = [0, 1].map(|side| windows.exposure[side].iter().sum::<f64>());
        Parts {
            windows,
            of,
            counts,
            rates: [0, 1].map(|side| counts[side] / exposures[side]),
        }
    }

    fn costs(&self) -> [f64; 2] {
        [0, 1].map(|side| self.counts[side] * self.of.value[side])
    }

    /// Variance of the count of independent samples at the mean cost of both sides. At least 1: where every sample counts, the
    /// last one is still half in.
    fn floors(&self) -> [f64; 2] {
        let costs = self.costs();
        let mean = (costs[0] + costs[1]) / 2.0;
        [0, 1].map(|side| {
            let expected = mean / self.of.value[side];
            let share = (expected / self.of.samples[side] as f64).min(1.0);
            (expected * (1.0 - share)).max(1.0)
        })
    }

    /// By window: samples beyond those that the rate of the side leads to expect.
    fn influences_of(&self, side: usize) -> Vec<f64> {
        (self.of.counts[side]
            .iter()
            .zip(&self.windows.exposure[side]))
        .map(|(&count, exposure)| {
            let beyond = f64::from(count) - self.rates[side] * exposure;
            // What rounding leaves of nothing is neither spread nor alike.
            if beyond.abs() < 1e-9 * self.counts[side] {
                0.0
            } else {
                beyond
            }
        })
        .collect()
    }

    fn influences(&self, weights: [f64; 2]) -> Vec<f64> {
        let [base, new] = [0, 1].map(|side| self.influences_of(side));
        (base.iter().zip(&new))
            .map(|(base, new)| weights[1] * new - weights[0] * base)
            .collect()
    }

    fn influences_on_difference(&self) -> Vec<f64> {
        self.influences(self.of.value)
    }

    fn ratio(&self) -> Result<Ratio, Untestable> {
        let counts = self.counts;
        if counts.iter().any(|&count| count < LEAST_SAMPLES as f64) {
            return Err(Untestable::Samples);
        }
        let spread = self.spread(self.influences(counts.map(f64::recip)))?;
        let floors = self.floors();
        let least: f64 = (0..2).map(|side| floors[side] / counts[side].powi(2)).sum();
        // With less, an interval of the ratio misses the truth too often.
        if spread.variance > 2.0 / LEAST_SAMPLES as f64 {
            return Err(Untestable::Samples);
        }
        let costs = self.costs();
        Ok(Ratio {
            ln: (costs[1] / costs[0]).ln(),
            variance: spread.variance.max(least),
            df: spread.df,
        })
    }

    /// `influences`: by window, on what is tested. Those of windows of one kind (of base alone, of new alone, of both) have a
    /// variance of their own.
    fn spread(&self, influences: Vec<f64>) -> Result<Spread, Untestable> {
        let kind_of = |window: usize| {
            let [base, new] = [0, 1].map(|side| self.windows.covers[side][window]);
            usize::from(base) + 2 * usize::from(new)
        };
        let mut squares = [0.0; 4];
        let mut exposures = [(0.0, 0.0); 4];
        let mut counts = [0.0; 4];
        for (window, influence) in influences.iter().enumerate() {
            let kind = kind_of(window);
            squares[kind] += influence * influence;
            counts[kind] += 1.0;
            let length = self.windows.length[window];
            exposures[kind].0 += length;
            exposures[kind].1 += length * length;
        }
        let all: f64 = squares.iter().sum();
        let neighbours = (1..influences.len()).filter(|&window| {
            self.windows.follows[window] && kind_of(window) == kind_of(window - 1)
        });
        let products: f64 = neighbours
            .map(|window| influences[window] * influences[window - 1])
            .sum();
        let varied = |kind: &usize| squares[*kind] > 0.0;
        let kinds = (0..4).filter(varied).count().max(1) as f64;
        let of_kind =
            ((0..4).filter(varied).map(|kind| counts[kind]).sum::<f64>() / kinds).max(1.0);
        let found = if all > 0.0 { products / all } else { 0.0 };
        // Residuals of few windows seem to be less alike than they are.
        let correlation = (found + (1.0 + 2.0 * found.max(0.0)) / of_kind).max(0.0);
        if correlation > CORRELATION_MAX {
            return Err(Untestable::Alike);
        }
        let dependence = (1.0 + correlation) / (1.0 - correlation);
        let parts: Vec<(f64, f64)> = (squares.iter().zip(&exposures))
            .filter(|(squares, _)| **squares > 0.0)
            .map(|(squares, (sum, sum_of_squares))| {
                // Windows of unequal length count as fewer.
                let windows = (sum * sum / sum_of_squares).max(1.5);
                let variance = squares * windows / (windows - 1.0) * dependence;
                (variance, ((windows - 1.0) / dependence).max(1.0))
            })
            .collect();
        let (variance, df) = match parts.is_empty() {
            true => (0.0, self.windows.count().max(2) as f64 - 1.0),
            false => welch(&parts),
        };
        Ok(Spread { variance, df })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 windows of a second each, one after the other: of base first, then of new.
    fn one_after_the_other() -> Windows {
        let is_base = |window: usize| window < 16;
        let of = |is_in: &dyn Fn(usize) -> bool| (0..32).map(is_in).collect::<Vec<bool>>();
        let covers = [of(&is_base), of(&|window| !is_base(window))];
        Windows {
            exposure: covers.each_ref().map(|covers| {
                covers
                    .iter()
                    .map(|&is_in| f64::from(u8::from(is_in)))
                    .collect()
            }),
            covers,
            length: vec![1.0; 32],
            follows: (0..32).map(|window| window % 16 > 0).collect(),
        }
    }

    /// 16 windows that both sides share.
    fn shared() -> Windows {
        Windows {
            covers: [vec![true; 16], vec![true; 16]],
            length: vec![1.0; 16],
            exposure: [vec![1.0; 16], vec![1.0; 16]],
            follows: (0..16).map(|window| window > 0).collect(),
        }
    }

    const UNEVEN: [u32; 16] = [
        50, 58, 47, 55, 45, 52, 60, 49, 53, 44, 57, 51, 46, 56, 48, 54,
    ];

    fn of<'a>(base: &'a [u32], new: &'a [u32]) -> WindowedCounts<'a> {
        let sum = |counts: &[u32]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        WindowedCounts {
            counts: [base, new],
            value: [1.0; 2],
            samples: [4 * sum(base), 4 * sum(new)],
        }
    }

    fn apart(base: [u32; 16], new: [u32; 16]) -> [Vec<u32>; 2] {
        [[base, [0; 16]].concat(), [[0; 16], new].concat()]
    }

    #[test]
    fn twice_as_much_is_a_difference_and_the_same_is_none() {
        let windows = one_after_the_other();
        let [base, new] = apart(UNEVEN, UNEVEN.map(|count| 2 * count));
        let found = windows.compare(&of(&base, &new)).expect("enough samples");
        assert!(found.p < 1e-6, "{found:?}");
        let change = found.change.expect("a ratio");
        assert!(
            change.low < 1.0 && change.high > 1.0 && change.low > 0.8,
            "{found:?}"
        );
        let [base, new] = apart(UNEVEN, UNEVEN);
        let same = windows.compare(&of(&base, &new)).expect("enough samples");
        assert_eq!((same.difference.value, same.p), (0.0, 1.0));
    }

    #[test]
    fn sides_that_change_places_change_the_sign_alone() {
        let windows = shared();
        let more: [u32; 16] =
            std::array::from_fn(|window| UNEVEN[window] + 9 + UNEVEN[15 - window] % 7);
        let [one, other] = [of(&UNEVEN, &more), of(&more, &UNEVEN)]
            .map(|counts| windows.compare(&counts).expect("enough samples"));
        assert_eq!(one.p, other.p);
        assert_eq!(one.difference.low, -other.difference.high);
    }

    #[test]
    fn windows_that_both_share_take_out_what_both_have_in_common() {
        let load: [u32; 16] = std::array::from_fn(|window| 200 + 400 * (window as u32 * 7 % 3));
        let more: [u32; 16] = std::array::from_fn(|window| load[window] + 80 + UNEVEN[window] % 5);
        let together = shared().compare(&of(&load, &more)).expect("enough samples");
        let [base, new] = apart(load, more);
        let apart = one_after_the_other()
            .compare(&of(&base, &new))
            .expect("enough samples");
        assert!(together.p < apart.p / 2.0, "{together:?} {apart:?}");
    }

    #[test]
    fn neighbours_that_are_alike_make_a_test_careful_and_phases_refuse_it() {
        let windows = one_after_the_other();
        let sorted = |of: [u32; 16]| {
            let mut of = of;
            of.sort_unstable();
            of
        };
        let more = UNEVEN.map(|count| count + 4);
        let [base, new] = apart(sorted(UNEVEN), sorted(more));
        assert_eq!(windows.compare(&of(&base, &new)), Err(Untestable::Alike));
    }

    #[test]
    fn what_is_on_one_side_alone_is_new_unless_it_is_little() {
        let windows = one_after_the_other();
        let [base, new] = apart([0; 16], UNEVEN);
        let many = WindowedCounts {
            samples: [4000, 4000],
            ..of(&base, &new)
        };
        assert_eq!(windows.compare(&many), Err(Untestable::Samples));
        assert!(windows.rare_in_one(&many).is_some_and(|p| p < 1e-6));
        let few: [u32; 16] = std::array::from_fn(|window| u32::from(window * 3 % 8 < 5));
        let [base, new] = apart(few, [0; 16]);
        let few = WindowedCounts {
            samples: [4000, 4000],
            ..of(&base, &new)
        };
        assert!(windows.rare_in_one(&few).is_some_and(|p| p > 1e-4));
        assert_eq!(windows.rare_in_one(&of(&[5; 32], &[5; 32])), None);
    }
}
