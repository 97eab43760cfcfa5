//! Turns of two programs until a change of a given size can be told, or is: when to stop, and what may be said then.
//!
//! After each turn the interval of the whole is looked at. Looking often finds a difference too often, so each look has a
//! part of the 5 % only (Lan and DeMets 1983): α·t² until the fraction t of the information that is wanted (Kim and DeMets
//! 1987), all that is left at the last look. t follows from the variance, which tells nothing of the mean (Mehta and
//! Tsiatis 2001). Each look's level is made from the normal distribution by recursion over the looks (Armitage, McPherson and
//! Rowe 1969) and applied to the p-value of the t test.

use statrs::function::erf::erfc;
use std::f64::consts::{PI, SQRT_2};

use crate::error::Unsuitable;
use crate::log_costs::{TURNS_FOR_PAIRS, difference};
use crate::planning::detectable_at;
use crate::student::{two_sided_p, two_sided_quantile};
use crate::whole::{LEAST_VARIANCE, WholeEffect, effect_at, logarithms};

/// Of a test of these turns alone.
const ALPHA: f64 = 0.05;
/// Of what a series may spend that ends before its limit, and at it. It ends when the variance happens to be small: with 0.05
/// for both, 7.4 % of simulated series without any difference told one; so it is 3 to 6 %.
const ALPHA_BEFORE_LIMIT: f64 = 0.03;
const ALPHA_AT_LIMIT: f64 = 0.04;
/// A look that would get less of it is left out.
const LEAST_SPENT: f64 = 1e-6;
/// Turns between two looks grow with them: who looks after each turn stops when the variance happens to be small.
const NEXT_LOOK: f64 = 1.2;
/// Of the information, before the last look: what is left must be enough for that one.
const FRACTION_MAX: f64 = 0.9;
/// Of the density over the sums that have not ended the series; odd, for Simpson's rule.
const POINTS: usize = 65;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Relative: 0.02 is 2 %. Above 0.
    pub change: f64,
    /// Turns, at most; at least [`TURNS_FOR_PAIRS`].
    pub turns_max: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    GoOn,
    /// The sides differ.
    Told,
    /// A change of the wanted size would have been told in 4 of 5 cases.
    Precise,
    /// There were as many turns as allowed.
    Limit,
}

/// What may be said after some turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoFar {
    pub until: Until,
    pub turns: usize,
    /// When the series has ended: its interval allows for all looks and covers the truth in 95 of 100 series. Before, it is that
    /// of these turns alone.
    pub effect: WholeEffect,
    pub decision: Decision,
    /// Turns that are missing if the rest vary as those so far: an estimate.
    pub missing: usize,
}

/// What the executions of base and new cost by turn: CPU time, per unit of work if that of each is known. `used`: CPU time in ns
/// and units of work (0: unknown) of each execution, in the order of the turns.
pub fn turn_costs(base: &[(u64, f64)], new: &[(u64, f64)]) -> Vec<(f64, f64)> {
    let has_work = base.iter().chain(new).all(|(_, work)| *work > 0.0);
    let cost = |&(cpu_ns, work): &(u64, f64)| match has_work {
        true => cpu_ns as f64 / work,
        false => cpu_ns as f64,
    };
    (base.iter().zip(new))
        .map(|(base, new)| (cost(base), cost(new)))
        .collect()
}

/// `costs`: of base and new, by turn. `None`: there are too few turns to say anything.
///
/// # Errors
/// [`Unsuitable`] when a cost is not above 0.
pub fn until(costs: &[(f64, f64)], until: Until) -> Result<Option<SoFar>, Unsuitable> {
    let sides: (Vec<f64>, Vec<f64>) = costs.iter().copied().unzip();
    let (base, new) = (logarithms(&sides.0)?, logarithms(&sides.1)?);
    let mut looks = Looks::default();
    let mut so_far = None;
    let mut next = TURNS_FOR_PAIRS;
    for turns in TURNS_FOR_PAIRS..=costs.len() {
        let is_looked_at = turns >= next || turns >= until.turns_max;
        if !is_looked_at && turns < costs.len() {
            continue;
        }
        let look = look(
            &base[..turns],
            &new[..turns],
            until,
            is_looked_at,
            &mut looks,
        );
        so_far = Some(look);
        if look.decision != Decision::GoOn {
            break;
        }
        if is_looked_at {
            next = (turns as f64 * NEXT_LOOK).ceil() as usize;
        }
    }
    Ok(so_far)
}

fn look(base: &[f64], new: &[f64], until: Until, is_looked_at: bool, looks: &mut Looks) -> SoFar {
    let turns = base.len();
    let pairs: Vec<(usize, usize)> = (0..turns).map(|turn| (turn, turn)).collect();
    let found = difference(base, new, &pairs, LEAST_VARIANCE);
    // As if it were the last look.
    let is_limit = turns >= until.turns_max;
    let all = looks.level(
        turns,
        if is_limit {
            ALPHA_AT_LIMIT
        } else {
            ALPHA_BEFORE_LIMIT
        },
    );
    let is_precise =
        is_looked_at && detectable_at(all.level, found.standard_error, found.df) <= until.change;
    let is_last = is_precise || is_limit;
    let detectable = detectable_at(ALPHA, found.standard_error, found.df);
    let fraction = (until.change.ln_1p() / detectable.ln_1p()).powi(2);
    let level = match (is_last, is_looked_at) {
        (true, _) => all,
        (_, false) => looks.level(turns, 0.0),
        _ => looks.level(
            turns,
            ALPHA_BEFORE_LIMIT * fraction.min(FRACTION_MAX).powi(2),
        ),
    };
    looks.add(turns, level);
    let is_told = two_sided_p(found.ln_ratio / found.standard_error, found.df) < level.level;
    let decision = match (is_told, is_precise, is_last) {
        (true, ..) => Decision::Told,
        (_, true, _) => Decision::Precise,
        (_, _, true) => Decision::Limit,
        _ => Decision::GoOn,
    };
    let goes_on = decision == Decision::GoOn;
    let wanted = (turns as f64 / fraction.max(1e-6)).ceil() as usize;
    SoFar {
        until,
        turns,
        effect: effect_at(if goes_on { ALPHA } else { level.level }, found),
        decision,
        missing: match goes_on {
            true => wanted.min(until.turns_max).saturating_sub(turns).max(1),
            false => 0,
        },
    }
}

#[derive(Debug, Clone, Copy)]
struct Level {
    /// Two-sided, of the p-value.
    level: f64,
    /// By this look and those before it.
    spent: f64,
}

/// The looks that did not end the series, as the distribution of a sum of standard normal differences, one a turn.
#[derive(Default)]
struct Looks {
    turns: usize,
    spent: f64,
    /// Sums, and the density there times the step of the integral.
    density: Vec<(f64, f64)>,
}

impl Looks {
    /// Of a look after `turns`, if by then so much in all may be spent.
    fn level(&self, turns: usize, spent: f64) -> Level {
        let spend = spent - self.spent;
        if spend < LEAST_SPENT {
            return Level {
                level: 0.0,
                spent: self.spent,
            };
        }
        let scale = (turns as f64).sqrt();
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.probability_beyond(middle * scale, turns) > spend {
                low = middle;
            } else {
                high = middle;
            }
        }
        Level {
            level: erfc(high / SQRT_2),
            spent,
        }
    }

    /// That no look before has ended the series, and the sum after `turns` is farther from 0 than `bound`.
    fn probability_beyond(&self, bound: f64, turns: usize) -> f64 {
        let spread = ((turns - self.turns) as f64).sqrt();
        let beyond = |sum: f64| 0.5 * erfc((bound - sum) / spread / SQRT_2);
        if self.density.is_empty() {
            return 2.0 * beyond(0.0);
        }
        (self.density.iter())
            .map(|&(sum, weight)| weight * (beyond(sum) + beyond(-sum)))
            .sum()
    }

    fn add(&mut self, turns: usize, level: Level) {
        if level.level == 0.0 {
            return;
        }
        let bound = normal_quantile(level.level) * (turns as f64).sqrt();
        let spread = ((turns - self.turns) as f64).sqrt();
        let step = 2.0 * bound / (POINTS - 1) as f64;
        self.density = (0..POINTS)
            .map(|point| {
                let sum = step.mul_add(point as f64, -bound);
                let simpson = match point {
                    0 => 1.0,
                    last if last == POINTS - 1 => 1.0,
                    odd if odd % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                (sum, simpson * step / 3.0 * self.density_at(sum, spread))
            })
            .collect();
        self.turns = turns;
        self.spent = level.spent;
    }

    fn density_at(&self, sum: f64, spread: f64) -> f64 {
        let normal = |distance: f64| {
            (-0.5 * (distance / spread).powi(2)).exp() / (spread * (2.0 * PI).sqrt())
        };
        if self.density.is_empty() {
            return normal(sum);
        }
        (self.density.iter())
            .map(|&(from, weight)| weight * normal(sum - from))
            .sum()
    }
}

fn normal_quantile(p: f64) -> f64 {
    two_sided_quantile(p, f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn the_levels_of_two_looks_are_those_of_the_bivariate_normal_distribution() {
        // Reference values: integral over the first look by Simpson's rule with 20,000 steps.
        let mut looks = Looks::default();
        let first = looks.level(10, ALPHA / 4.0);
        assert_close(first.level, 0.0125, 1e-9);
        looks.add(10, first);
        let second = looks.level(20, ALPHA);
        assert_close(second.level, 0.043_558_959_814_6, 1e-6);
        // What has been spent cannot be spent again.
        looks.add(20, second);
        assert_eq!(looks.level(30, ALPHA).level, 0.0);
    }

    const TWO_PERCENT: Until = Until {
        change: 0.02,
        turns_max: 100,
    };

    fn turns(turns: usize, change: f64, spread: f64) -> Vec<(f64, f64)> {
        (0..turns)
            .map(|turn| {
                let noise = if turn % 2 == 0 { spread } else { -spread };
                (1.0, (change + noise).exp())
            })
            .collect()
    }

    #[test]
    fn a_quiet_program_is_done_soon_and_a_loud_one_at_the_limit() {
        let of = |costs: &[(f64, f64)]| until(costs, TWO_PERCENT).unwrap().unwrap();
        let quiet = of(&turns(100, 0.0, 0.005));
        assert_eq!(
            (quiet.decision, quiet.missing),
            (Decision::Precise, 0),
            "{quiet:?}"
        );
        assert!(quiet.turns < 10 && quiet.effect.smallest_detectable <= 0.02);
        let loud = of(&turns(100, 0.0, 0.3));
        assert_eq!((loud.turns, loud.decision), (100, Decision::Limit));
        assert!(loud.effect.smallest_detectable > 0.02);
    }

    #[test]
    fn a_large_change_is_told_before_a_small_one_could_be() {
        let of = |change| {
            until(&turns(100, change, 0.1), TWO_PERCENT)
                .unwrap()
                .unwrap()
        };
        let [none, large] = [0.0, 0.4].map(of);
        assert_eq!(large.decision, Decision::Told);
        assert!(large.turns < none.turns && large.effect.level < 0.05);
        assert!(large.effect.change.low > 0.0);
    }

    #[test]
    fn before_the_end_turns_are_missing_and_after_it_later_ones_have_no_say() {
        let few = until(&turns(4, 0.0, 0.01), TWO_PERCENT).unwrap();
        assert_eq!(few, None);
        let some = until(&turns(6, 0.0, 0.02), TWO_PERCENT).unwrap().unwrap();
        assert!(some.decision == Decision::GoOn && some.missing > 0);
        let mut costs = turns(40, 0.5, 0.01);
        let ended = until(&costs, TWO_PERCENT).unwrap();
        costs.extend(turns(40, -3.0, 0.5));
        assert_eq!(until(&costs, TWO_PERCENT).unwrap(), ended);
        assert!(until(&[(1.0, 0.0); 6], TWO_PERCENT).is_err());
    }
}
