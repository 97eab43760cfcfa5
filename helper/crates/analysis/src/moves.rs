//! Whether a function and those that it calls exchanged cost, as when a call is inlined without a record of it, or code is
//! split off: both ends are judged together, as one row.
//!
//! Cost moved if all of these hold:
//! - One end is told from noise in the table.
//! - The other ends changed the other way. Each is tested by itself, at 5 % divided by the number of functions that could
//!   have exchanged cost. Choosing the ends by sign and adding them up would find a change in noise.
//! - Both changes are of one size.
//! - The sum of all ends is not told from noise at 5 %.
//!
//! An end without enough samples for a test takes part with all others like it, as one end. If even that has too few
//! samples, the interval of the sum must exclude that the tested end changed alone.

use crate::amounts::Amount;
use crate::call_partners::Partners;
use crate::comparison::Comparison;
use crate::counts::{Counted, Counts};
use crate::effect::{Effect, FEW_SAMPLES};
use crate::evidence::fits;
use crate::inside::{Inside, count_inside};

const ALPHA: f64 = 0.05;
/// What one end lost the other must have got, within this part of it.
const TOLERANCE: f64 = 0.3;

/// An exchange of cost; functions are pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Exchange {
    pub outer: u32,
    /// Value per unit that `outer` got, or lost.
    pub got: f64,
    /// Each with the change of what it costs inside `outer`.
    pub inner: Vec<(u32, f64)>,
}

/// Rows that are tested beside those of the table.
struct Rows {
    base: Counts,
    new: Counts,
    amounts: Vec<[Amount; 2]>,
}

impl Rows {
    /// Each the sum of some of the rows that `all` gives: counts of both sides and amounts.
    fn sums<'a>(
        columns: [usize; 2],
        groups: &[Vec<usize>],
        all: impl Fn(usize) -> ([&'a [u32]; 2], [Amount; 2]),
    ) -> Rows {
        let mut sums = Rows::none(groups.len(), columns);
        for (to, group) in groups.iter().enumerate() {
            for &row in group {
                let ([base, new], amounts) = all(row);
                sums.base.add(to, 0, base);
                sums.new.add(to, 0, new);
                sums.amounts[to][0].add(amounts[0]);
                sums.amounts[to][1].add(amounts[1]);
            }
        }
        sums
    }

    fn none(rows: usize, columns: [usize; 2]) -> Rows {
        Rows {
            base: Counts::new(rows, columns[0]),
            new: Counts::new(rows, columns[1]),
            amounts: vec![[Amount::default(); 2]; rows],
        }
    }

    fn sums_of(&self, groups: &[Vec<usize>]) -> Rows {
        let columns = [self.base.columns, self.new.columns];
        Rows::sums(columns, groups, |row| {
            ([self.base.row(row), self.new.row(row)], self.amounts[row])
        })
    }

    fn tested(&self, comparison: &Comparison) -> Vec<Effect> {
        let least = FEW_SAMPLES / 2;
        (comparison.evidence).tested(least, &self.base, &self.new, &self.amounts)
    }

    fn change(&self, row: usize) -> f64 {
        let [base, new] = self.amounts[row];
        new.value as f64 - base.value as f64
    }
}

/// Every outer function and what its callees cost inside it, as rows: first self of each outer function.
pub(crate) struct Ends {
    outers: Vec<u32>,
    rows: Rows,
    /// By outer function: of each callee, its pair and its row.
    inner: Vec<Vec<(u32, usize)>>,
}

impl Ends {
    pub fn of(comparison: &Comparison, counts: [&Counted; 2], partners: &Partners) -> Ends {
        let mut outers: Vec<u32> = partners.callees.keys().copied().collect();
        outers.sort_unstable();
        outers.retain(|outer| !partners.callees[outer].is_empty());
        let insides: Vec<Inside> = (outers.iter())
            .flat_map(|&outer| {
                partners.callees[&outer]
                    .iter()
                    .map(move |&inner| Inside { outer, inner })
            })
            .collect();
        let columns = &comparison.evidence.columns;
        let most = columns[0].count.max(columns[1].count);
        if !fits(outers.len() + insides.len(), most) {
            return Ends {
                outers: Vec::new(),
                rows: Rows::none(0, [columns[0].count, columns[1].count]),
                inner: Vec::new(),
            };
        }
        let [base, new] = count_inside(comparison, columns, &insides);
        let of_outers = |side: usize| -> Vec<Amount> {
            (outers.iter())
                .map(|&outer| comparison.function_amounts[outer as usize][side].self_)
                .collect()
        };
        let amounts = (of_outers(0).into_iter().chain(base.1))
            .zip(of_outers(1).into_iter().chain(new.1))
            .map(|(base, new)| [base, new])
            .collect();
        let mut row = outers.len();
        let inner = (outers.iter())
            .map(|outer| {
                let callees = partners.callees[outer].iter();
                callees
                    .map(|&inner| {
                        row += 1;
                        (inner, row - 1)
                    })
                    .collect()
            })
            .collect();
        Ends {
            rows: Rows {
                base: below(&outers, &counts[0].self_, &base.0),
                new: below(&outers, &counts[1].self_, &new.0),
                amounts,
            },
            outers,
            inner,
        }
    }
}

impl Ends {
    /// Of self of `inner` inside `outer`; 0 where that was not looked at.
    fn change_inside(&self, outer: u32, inner: u32) -> f64 {
        let row = self.outers.binary_search(&outer).ok().and_then(|at| {
            let of_outer = &self.inner[at];
            of_outer.iter().find(|one| one.0 == inner)
        });
        row.map_or(0.0, |&(_, row)| self.rows.change(row))
    }
}

/// The rows of some functions, and others below them.
fn below(outers: &[u32], functions: &Counts, others: &Counts) -> Counts {
    let rows = others.rows();
    let mut all = Counts::new(outers.len() + rows, others.columns);
    for (to, &outer) in outers.iter().enumerate() {
        all.add(to, 0, functions.row(outer as usize));
    }
    (0..rows).for_each(|row| all.add(outers.len() + row, 0, others.row(row)));
    all
}

/// What may have been exchanged in one outer function, before the sum is tested.
struct Proposal {
    outer: usize,
    inner: Vec<(u32, usize)>,
    /// The change that the tested end alone would be, if the other has no test.
    alone: Option<f64>,
}

/// The exchanges of cost between functions and their callees. `is_told`: by pair, its self is told from noise.
pub(crate) fn exchanges(
    comparison: &Comparison,
    ends: &Ends,
    is_told: &dyn Fn(u32) -> bool,
) -> Vec<Exchange> {
    let effects = ends.rows.tested(comparison);
    let is_tested = |row: usize| !effects[row].p.is_nan();
    let untested: Vec<Vec<usize>> = (ends.inner.iter())
        .map(|inner| {
            inner
                .iter()
                .map(|one| one.1)
                .filter(|&row| !is_tested(row))
                .collect()
        })
        .collect();
    let untested_rows = ends.rows.sums_of(&untested);
    let untested_effects = untested_rows.tested(comparison);
    let proposals: Vec<Proposal> = (0..ends.outers.len())
        .filter_map(|outer| {
            let of_untested = (untested_rows.change(outer), untested_effects[outer].p);
            propose(ends, outer, &effects, of_untested, is_told)
        })
        .collect();
    let sets: Vec<Vec<usize>> = (proposals.iter())
        .map(|one| {
            one.inner
                .iter()
                .map(|inner| inner.1)
                .chain([one.outer])
                .collect()
        })
        .collect();
    let sums = ends.rows.sums_of(&sets).tested(comparison);
    (proposals.iter().zip(&sums))
        .filter(|(proposal, sum)| is_unchanged(sum, proposal.alone))
        .map(|(proposal, _)| Exchange {
            outer: ends.outers[proposal.outer],
            got: ends.rows.change(proposal.outer),
            inner: (proposal.inner.iter())
                .map(|&(inner, row)| (inner, ends.rows.change(row)))
                .collect(),
        })
        .collect()
}

fn propose(
    ends: &Ends,
    outer: usize,
    effects: &[Effect],
    (of_untested, p_of_untested): (f64, f64),
    is_told: &dyn Fn(u32) -> bool,
) -> Option<Proposal> {
    let got = ends.rows.change(outer);
    let tests = (ends.inner[outer].iter())
        .filter(|(_, row)| !effects[*row].p.is_nan())
        .count();
    let has_untested = tests < ends.inner[outer].len();
    let level = ALPHA / (tests + usize::from(has_untested)).max(1) as f64;
    let opposite = |change: f64| change * got < 0.0;
    let mut inner: Vec<(u32, usize)> = (ends.inner[outer].iter().copied())
        .filter(|&(_, row)| opposite(ends.rows.change(row)) && effects[row].p < level)
        .collect();
    let told = |inner: &[(u32, usize)]| inner.iter().any(|&(pair, _)| is_told(pair));
    let is_outer_told = is_told(ends.outers[outer]);
    let p_of_outer = effects[outer].p;
    let sum =
        |inner: &[(u32, usize)]| -> f64 { inner.iter().map(|one| ends.rows.change(one.1)).sum() };
    let mut alone = None;
    if !balances(got, sum(&inner)) && has_untested && opposite(of_untested) {
        // Of either sign, so that chance does not choose them.
        let untested = |row: usize| effects[row].p.is_nan() && ends.rows.change(row) != 0.0;
        inner.extend((ends.inner[outer].iter().copied()).filter(|one| untested(one.1)));
        if p_of_untested.is_nan() {
            alone = Some(got);
        } else if p_of_untested >= level {
            return None;
        }
    }
    if !(is_outer_told || told(&inner)) {
        return None;
    }
    if p_of_outer.is_nan() {
        alone = Some(sum(&inner));
    } else if !is_outer_told && p_of_outer >= level {
        return None;
    }
    balances(got, sum(&inner)).then_some(Proposal {
        outer,
        inner,
        alone,
    })
}

/// What one got is what the other lost.
pub(crate) fn balances(got: f64, other: f64) -> bool {
    got * other < 0.0 && (got + other).abs() <= TOLERANCE * got.abs().max(other.abs())
}

/// Of a sum that was tested. `alone`: the change that it must exclude.
fn is_unchanged(sum: &Effect, alone: Option<f64>) -> bool {
    sum.p >= ALPHA
        && alone.is_none_or(|change| change < sum.difference_low || sum.difference_high < change)
}

/// A function whose cost went into all its callers together, or came out of them: none of them need to show it alone.
/// `changed`: pairs that are told from noise and take part in no exchange.
pub(crate) fn spread_over_callers(
    comparison: &Comparison,
    counts: [&Counted; 2],
    (ends, partners): (&Ends, &Partners),
    changed: &[u32],
) -> Vec<(u32, Vec<u32>)> {
    let spread: Vec<(u32, &Vec<u32>)> = (changed.iter())
        .filter_map(|&pair| Some((pair, partners.callers.get(&pair)?)))
        .filter(|(_, callers)| callers.len() > 1)
        .collect();
    let amounts = |pair: usize| comparison.function_amounts[pair].map(|amounts| amounts.self_);
    let change = |pair: u32| {
        let [base, new] = amounts(pair as usize);
        new.value as f64 - base.value as f64
    };
    let of = |group: &dyn Fn(u32, &[u32]) -> Vec<usize>| {
        let groups: Vec<Vec<usize>> = (spread.iter())
            .map(|(pair, callers)| group(*pair, callers))
            .collect();
        let [base, new] = counts.map(|counted| &counted.self_);
        Rows::sums([base.columns, new.columns], &groups, |pair| {
            ([base.row(pair), new.row(pair)], amounts(pair))
        })
    };
    let only = |_: u32, callers: &[u32]| callers.iter().map(|&one| one as usize).collect();
    let with = |pair: u32, callers: &[u32]| {
        let all = callers.iter().chain([&pair]);
        all.map(|&one| one as usize).collect()
    };
    let (of_callers, of_all) = (of(&only), of(&with));
    let effects = of_callers.tested(comparison);
    let sums = of_all.tested(comparison);
    (0..spread.len())
        .filter(|&row| {
            let (pair, callers) = spread[row];
            let each: Vec<[f64; 2]> = (callers.iter())
                .map(|&caller| [change(caller), ends.change_inside(caller, pair)])
                .collect();
            balances(change(pair), of_callers.change(row))
                && is_from_each(&each)
                && effects[row].p < ALPHA
                && is_unchanged(&sums[row], None)
        })
        .map(|row| {
            let (pair, callers) = spread[row];
            let opposite = |caller: &&u32| change(**caller) * change(pair) < 0.0;
            (pair, callers.iter().filter(opposite).copied().collect())
        })
        .collect()
}

/// Each caller got what the function lost inside it: its own change by that of the callee inside it. The slope through 0
/// is nearly −1; by the sums alone a change of one caller could make up for calls that another one no longer makes.
fn is_from_each(changes: &[[f64; 2]]) -> bool {
    let products: f64 = changes.iter().map(|[own, inside]| own * inside).sum();
    let squares: f64 = changes.iter().map(|[_, inside]| inside * inside).sum();
    balances(products / squares, 1.0)
}
