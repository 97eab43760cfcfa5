//! Which test two sides allow, and the test of many rows at once.
//!
//! - One execution each: batch means. It tests these two executions, not the two programs.
//! - Several: moderated t over the executions. Where one side has a single one, it is taken to vary as the other side's do.

use statistics::{
    BATCHES, BatchedCounts, CountTable, LEAST_MEAN_COUNT, LibrarySize, ModeratedEffect,
    batch_means, benjamini_hochberg, iterated_median_of_ratios, moderated, rare_on_one_side,
};

use crate::analyzed::Measure;
use crate::counts::{Columns, Counts};
use crate::effect::{Effect, FEW_SAMPLES};
use crate::side::Side;
use crate::tally::Amount;

/// The noise between runs cannot be seen when there is one each. Real programs on virtual machines vary by 2 to 5 % from run to run
/// (`npm run bench -- same-program`). Without it whatever holds the whole run on its stacks would be told to differ
/// whenever the machine clocks a little faster.
const ASSUMED_RUN_CV: f64 = 0.03;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Batches,
    Executions,
    /// There is nothing to test by.
    None,
}

/// Counts that are held at once, of one side.
const COUNTS_MAX: usize = 64_000_000;

pub(crate) fn fits(rows: usize, columns: usize) -> bool {
    rows.saturating_mul(columns) <= COUNTS_MAX
}

/// Samples of both sides in columns, and what makes them comparable.
pub(crate) struct Evidence {
    pub test: Test,
    pub columns: [Columns; 2],
    /// Why there is no test, as a sentence; or empty.
    pub problem: String,
    /// Value of a sample of each side per unit, of batches; see [`BatchedCounts::value`].
    value_of_sample: [f64; 2],
    samples: [u64; 2],
    /// By execution, base first.
    library_sizes: Vec<f64>,
}

impl Evidence {
    /// `rows`: of the largest table that is to be tested.
    pub fn of(sides: [&Side; 2], measure: [Measure; 2], rows: usize) -> Evidence {
        let several = sides.iter().any(|side| side.executions.len() > 1);
        let counted = (sides.iter()).all(|side| {
            side.analyzed
                .profile()
                .find_sample_type("samples", "count")
                .is_some()
        });
        let old = (sides.iter()).any(|side| side.executions.iter().any(|one| one.runs > 1));
        let none = |problem: &str| Evidence {
            problem: problem.to_owned(),
            ..Evidence::of_nothing()
        };
        if !counted {
            return none(
                "These profiles do not tell how many samples were taken, so no difference can be told from noise.",
            );
        }
        if old && !several {
            return none(
                "The repetitions in a file of an older Lineheat cannot be told apart, so no difference can be told from noise.",
            );
        }
        let executions = sides.map(|side| side.executions.len().max(BATCHES));
        if !fits(rows, executions[0].max(executions[1])) {
            return none("There are too many functions, lines or executions for a test of each.");
        }
        let columns = if several {
            Some([0, 1].map(|side| Columns::of_executions(sides[side], measure[side])))
        } else {
            let of = |side: usize| Columns::of_batches(&sides[side].analyzed);
            of(0).zip(of(1)).map(|(base, new)| [base, new])
        };
        let Some(columns) = columns else {
            return none(
                "Not both runs have a timeline with enough samples, so no difference can be told from noise: \
                 record both with --repeat 5, or longer.",
            );
        };
        Evidence {
            test: if several {
                Test::Executions
            } else {
                Test::Batches
            },
            samples: [columns[0].samples(), columns[1].samples()],
            columns,
            problem: String::new(),
            value_of_sample: [0.0; 2],
            library_sizes: Vec::new(),
        }
    }

    pub fn of_nothing() -> Evidence {
        Evidence {
            test: Test::None,
            columns: [Columns::none(), Columns::none()],
            problem: String::new(),
            value_of_sample: [0.0; 2],
            samples: [0; 2],
            library_sizes: Vec::new(),
        }
    }

    /// Sizes of the executions by what did not change, if they can be found; of function self counts.
    pub fn found_sizes(&self, base: &Counts, new: &Counts, rows: usize) -> Option<Vec<f64>> {
        let all: Vec<usize> = (0..rows)
            .filter(|&row| base.sum(row) > 0 && new.sum(row) > 0)
            .collect();
        let counts = table(base, new, &all);
        iterated_median_of_ratios(&CountTable {
            counts: &counts,
            base_runs: base.columns,
            new_runs: new.columns,
        })
        .ok()
    }

    /// `totals`: value of each side per unit; `units`: by execution; `value_of_sample`: of each side, not per unit.
    pub fn relate(&mut self, totals: [f64; 2], units: &[Vec<f64>; 2], value_of_sample: [f64; 2]) {
        self.value_of_sample = [0, 1].map(|side| totals[side] / self.samples[side].max(1) as f64);
        self.library_sizes = (units.iter().zip(value_of_sample))
            .flat_map(|(units, value)| units.iter().map(move |units| units / value))
            .collect();
    }

    /// Of each row. `amounts`: of base and new, values per unit.
    pub fn effects(&self, base: &Counts, new: &Counts, amounts: &[[Amount; 2]]) -> Vec<Effect> {
        self.effects_from(FEW_SAMPLES / 2, base, new, amounts)
    }

    /// Of very many rows: those in which the sides do not have `least` samples on average are not tested. It is the sum that decides, not the
    /// difference, so the false discovery rate stays right.
    pub fn effects_from(
        &self,
        least: u64,
        base: &Counts,
        new: &Counts,
        amounts: &[[Amount; 2]],
    ) -> Vec<Effect> {
        let mut effects: Vec<Effect> = (amounts.iter())
            .map(|&[base, new]| Effect::bare(base, new))
            .collect();
        match self.test {
            Test::None => return effects,
            Test::Batches => self.test_batches(least, base, new, &mut effects),
            Test::Executions => self.test_executions(base, new, amounts, &mut effects),
        }
        for (effect, &[base, new]) in effects.iter_mut().zip(amounts) {
            effect.judge(base, new);
        }
        effects
    }

    fn test_batches(&self, least: u64, base: &Counts, new: &Counts, effects: &mut [Effect]) {
        let mut tested = Vec::new();
        for (row, effect) in effects.iter_mut().enumerate() {
            let sums = [base.sum(row), new.sum(row)];
            if sums[0] + sums[1] < 2 * least {
                continue;
            }
            let sides = [(base, 0), (new, 1)].map(|(counts, side)| BatchedCounts {
                counts: batches(counts.row(row)),
                samples: self.samples[side],
                value: self.value_of_sample[side],
                run_cv: ASSUMED_RUN_CV,
            });
            if let Some(p) = rare_on_one_side(&sides[0], &sides[1]) {
                effect.p = p;
            } else if let Ok(found) = batch_means(&sides[0], &sides[1]) {
                effect.p = found.p;
                effect.difference_low = found.difference.low;
                effect.difference_high = found.difference.high;
                if let Some(change) = found.change {
                    (effect.low, effect.high) = (change.low, change.high);
                }
            }
            if !effect.p.is_nan() {
                tested.push(row);
            }
        }
        let p: Vec<f64> = tested.iter().map(|&row| effects[row].p).collect();
        for (row, q) in tested.into_iter().zip(benjamini_hochberg(&p)) {
            effects[row].q = q;
        }
    }

    fn test_executions(
        &self,
        base: &Counts,
        new: &Counts,
        amounts: &[[Amount; 2]],
        effects: &mut [Effect],
    ) {
        let runs = (base.columns + new.columns) as f64;
        let tested: Vec<usize> = (0..amounts.len())
            .filter(|&row| (base.sum(row) + new.sum(row)) as f64 >= LEAST_MEAN_COUNT * runs)
            .collect();
        let counts = table(base, new, &tested);
        let table = CountTable {
            counts: &counts,
            base_runs: base.columns,
            new_runs: new.columns,
        };
        let Ok(found) = moderated(&table, LibrarySize::Given(&self.library_sizes)) else {
            return;
        };
        for (row, found) in tested.into_iter().zip(found.effects) {
            if let Some(found) = found {
                state(&found, amounts[row], &mut effects[row]);
            }
        }
    }
}

fn state(found: &ModeratedEffect, [base, new]: [Amount; 2], effect: &mut Effect) {
    effect.p = found.p;
    effect.q = found.q;
    if base.samples > 0 && new.samples > 0 {
        effect.change = found.change.value;
        (effect.low, effect.high) = (found.change.low, found.change.high);
        effect.difference_low = base.value as f64 * effect.low;
        effect.difference_high = base.value as f64 * effect.high;
    } else {
        // What has no ratio has the spread of the side that it is on.
        let factor = (1.0 + found.change.high) / found.ln_ratio.exp();
        let value = new.value as f64 - base.value as f64;
        let bounds = [value / factor, value * factor];
        effect.difference_low = bounds[0].min(bounds[1]);
        effect.difference_high = bounds[0].max(bounds[1]);
    }
}

fn batches(counts: &[u32]) -> [u64; BATCHES] {
    std::array::from_fn(|batch| counts.get(batch).copied().unwrap_or(0).into())
}

fn table(base: &Counts, new: &Counts, rows: &[usize]) -> Vec<u64> {
    (rows.iter())
        .flat_map(|&row| base.row(row).iter().chain(new.row(row)))
        .map(|&count| u64::from(count))
        .collect()
}
