//! Which test two sides allow, and the test of many rows at once.
//!
//! - One execution each: batch means. It tests these two executions, not the two programs.
//! - Several: t over the executions, within their turns where they were made in turns. Where one side has a single one, it
//!   is taken to vary as the other side's do. Where samples are worth different amounts, it is values that are compared, in units of
//!   what one is worth on average: how much executions vary is seen from them, whatever their samples are.
//! - Two parts of one run that are no executions: windows of their time.

use profile::Nature;
use statistics::{
    BATCHES, BatchedCounts, CountTable, FeatureEffect, LEAST_COUNT, LibrarySize, RunNoise,
    WholeEffect, Windows, batch_means, benjamini_hochberg, compare_features,
    iterated_median_of_ratios, rare_on_one_side,
};

use crate::amounts::{Amount, Amounts};
use crate::counts::{Columns, Counted, Counts, value_of_count};
use crate::effect::{Effect, Effects, FEW_SAMPLES};
use crate::frames::Measure;
use crate::learnt_noise::{FEW_EXECUTIONS, LearntNoise, Spread};
use crate::missing_executions::missing_executions;
use crate::normalisation::Normalisation;
use crate::side::Side;
use crate::turns::turns;
use crate::windows::CutTime;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Batches,
    Executions,
    /// Of the time of two parts of one run.
    Windows,
    /// There is nothing to test by.
    None,
}

/// Counts that are held at once, of one side.
const COUNTS_MAX: usize = 64_000_000;

const OTHER_LOAD: &str = "CPU time per second of a part also depends on what else the machine did, so changes of it cannot be distinguished from noise. Compare shares instead.";

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
    pub value_of_sample: [f64; 2],
    /// What one in the columns is worth, where it is not a sample.
    pub value_of_count: Option<f64>,
    pub samples: [u64; 2],
    /// By execution, base first.
    library_sizes: Vec<f64>,
    /// Executions of base and new that were made in turns.
    pub turns: Vec<(usize, usize)>,
    /// Between executions, where there are few.
    pub noise: LearntNoise,
    /// Of two parts of one run.
    pub windows: Windows,
    pub cut: Option<CutTime>,
    /// Executions vary by at least this: those of the sides are few, and not in turns.
    pub least_noise: Option<RunNoise>,
}

impl Evidence {
    /// `rows`: of the largest table that is to be tested. `cut`: the time of two parts of a run, or why it cannot be used.
    pub fn of(
        sides: [&Side; 2],
        measure: [Measure; 2],
        rows: usize,
        cut: Option<Result<CutTime, String>>,
    ) -> Evidence {
        let several = sides.iter().any(|side| side.executions.len() > 1);
        let counted =
            (sides.iter().zip(measure)).all(|(side, measure)| side.analyzed.is_counted(measure));
        let old = (sides.iter()).any(|side| side.executions.iter().any(|one| one.runs > 1));
        let none = |problem: &str| Evidence {
            problem: problem.to_owned(),
            ..Evidence::of_nothing()
        };
        let measures = || {
            (sides.iter().zip(measure))
                .filter_map(|(side, measure)| side.analyzed.measures().get(measure))
        };
        let by_value =
            several && cut.is_none() && !old && measures().all(|of| of.nature != Nature::Sampled);
        if let Some(exact) = measures().find(|of| of.nature == Nature::Exact && !by_value) {
            return none(&format!(
                "{} is counted exactly, but these profiles do not show how much it varies from one execution to the next, so changes cannot be distinguished from noise.",
                exact.name
            ));
        }
        // What is counted exactly needs no samples where executions show how it varies.
        let is_exact = measures().all(|of| of.nature == Nature::Exact);
        if !(counted || by_value && is_exact) {
            return none(
                "These profiles contain no sample counts, so changes cannot be distinguished from noise.",
            );
        }
        if let Some(weighted) = measures().find(|of| of.nature == Nature::Weighted && !by_value) {
            return none(&format!(
                "Samples of {} are worth different amounts, so counting them does not distinguish changes from noise.",
                weighted.name
            ));
        }
        if old && !several {
            return none(
                "A file from an older Lineheat does not separate its executions, so changes cannot be distinguished from noise.",
            );
        }
        if (sides.iter()).any(|side| side.executions.iter().all(|one| one.samples == 0)) {
            return none("One side has no samples, so changes cannot be distinguished from noise.");
        }
        let are_cut = sides.map(|side| side.executions.iter().all(|one| one.is_cut));
        let are_complete = sides.map(|side| side.executions.iter().all(|one| one.is_complete));
        for (cut, [cut_name, other]) in [["base", "new run"], ["new run", "base"]]
            .iter()
            .enumerate()
        {
            if are_cut[cut] && are_complete[1 - cut] {
                return none(&format!(
                    "The {cut_name} was stopped before its program ended and the {other} was not, so they did different work. Record both to the end, or both for the same time."
                ));
            }
        }
        let windows = match &cut {
            Some(Ok(cut)) => cut.count(),
            _ => 0,
        };
        let executions = sides.map(|side| side.executions.len().max(BATCHES).max(windows));
        if !fits(rows, executions[0].max(executions[1])) {
            return none("There are too many functions, lines or executions to test each of them.");
        }
        let cut = match cut {
            Some(Err(problem)) => return none(&problem),
            Some(Ok(cut)) => Some(cut),
            None => None,
        };
        let value_of_count = by_value.then(|| {
            let are_events = is_exact && measures().all(|of| of.unit == "count");
            value_of_count(sides, are_events)
        });
        let columns = if let Some(value) = value_of_count {
            Some([0, 1].map(|side| Columns::of_values(sides[side], measure[side], value)))
        } else if let Some(cut) = &cut {
            Some([0, 1].map(|side| cut.columns(&sides[side].analyzed, measure[side])))
        } else if several {
            Some([0, 1].map(|side| Columns::of_executions(sides[side], measure[side])))
        } else {
            let of = |side: usize| Columns::of_batches(&sides[side].analyzed, measure[side]);
            of(0).zip(of(1)).map(|(base, new)| [base, new])
        };
        let Some(columns) = columns else {
            return none(
                "One of the runs has no timeline with enough samples, so changes cannot be distinguished from noise. Record both with --repeat 5, or longer.",
            );
        };
        Evidence {
            test: match (&cut, several) {
                (Some(_), _) => Test::Windows,
                (None, true) => Test::Executions,
                (None, false) => Test::Batches,
            },
            windows: cut.as_ref().map_or_else(Windows::default, CutTime::windows),
            cut,
            samples: [columns[0].samples(), columns[1].samples()],
            columns,
            problem: String::new(),
            value_of_sample: [0.0; 2],
            value_of_count,
            library_sizes: Vec::new(),
            turns: turns(&sides[0].executions, &sides[1].executions),
            noise: LearntNoise::UNKNOWN,
            least_noise: None,
        }
    }

    /// Takes what earlier runs tell of the noise between executions.
    pub fn learn(&mut self, noise: LearntNoise, normalisation: Normalisation) {
        self.noise = noise;
        if self.test == Test::Windows && normalisation == Normalisation::Share {
            let samples = |columns: &Columns| columns.sums().into_iter().map(f64::from).collect();
            self.windows.exposure = [samples(&self.columns[0]), samples(&self.columns[1])];
        }
        if self.test == Test::Windows && normalisation != Normalisation::Share {
            self.test = Test::None;
            self.problem = OTHER_LOAD.to_owned();
        }
        // Shares leave out what all functions have in common.
        let is_told = self.test == Test::Executions && normalisation != Normalisation::Share;
        self.least_noise = noise.least.filter(|_| is_told);
    }

    /// Whether what earlier runs show of single rows is of use.
    pub fn learns_rows(&self) -> bool {
        self.test == Test::Batches || self.least_noise.is_some()
    }

    /// From what earlier runs show of the row; None: they do not have it.
    pub fn noise_of_row(&self, shown: Option<&Spread>) -> RunNoise {
        match (self.least_noise, shown) {
            (Some(least), shown) => {
                (shown.and_then(Spread::seen)).map_or(least, |row| row.or_louder(least))
            }
            (None, Some(shown)) => shown.noise().or_louder(self.noise.noise),
            (None, None) => self.noise.of_unknown_row(),
        }
    }

    /// As so many executions of each side what is learnt of noise counts.
    pub fn runs_of_noise(runs: [usize; 2]) -> [usize; 2] {
        runs.map(|runs| runs.min(FEW_EXECUTIONS))
    }

    pub fn noise_of_whole(&self) -> RunNoise {
        self.least_noise.unwrap_or(self.noise.noise)
    }

    /// As rows are, the whole varies by the number of its events at least.
    pub fn at_least_of_events(&self, found: WholeEffect, runs: [usize; 2]) -> WholeEffect {
        let executions = (runs[0] + runs[1]) as f64;
        let mean = self.samples.iter().sum::<u64>() as f64 / executions;
        let noise = RunNoise {
            cv: mean.max(1.0).sqrt().recip(),
            df: f64::INFINITY,
        };
        found.with_at_least(noise, runs)
    }

    pub fn of_nothing() -> Evidence {
        Evidence {
            test: Test::None,
            columns: [Columns::none(), Columns::none()],
            problem: String::new(),
            value_of_sample: [0.0; 2],
            value_of_count: None,
            samples: [0; 2],
            library_sizes: Vec::new(),
            windows: Windows::default(),
            cut: None,
            turns: Vec::new(),
            noise: LearntNoise::UNKNOWN,
            least_noise: None,
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
            turns: &self.turns,
        })
        .ok()
    }

    /// `totals`: value of each side per unit; `units`: by execution; `value_of_sample`: of each execution, not per unit,
    /// those of base first.
    pub fn relate(&mut self, totals: [f64; 2], units: &[Vec<f64>; 2], value_of_sample: &[f64]) {
        self.value_of_sample = [0, 1].map(|side| totals[side] / self.samples[side].max(1) as f64);
        self.library_sizes = (units.iter().flatten().zip(value_of_sample))
            .map(|(units, value)| units / value)
            .collect();
    }

    /// Of each row, self and total: one family of tests. `amounts`: of base and new, values per unit.
    pub fn effects(&self, base: &Counted, new: &Counted, amounts: &[[Amounts; 2]]) -> Vec<Effects> {
        let self_of = |[base, new]: &[Amounts; 2]| [base.self_, new.self_];
        let total_of = |[base, new]: &[Amounts; 2]| [base.total, new.total];
        let mut effects: Vec<Effects> = (amounts.iter())
            .map(|both| Effects {
                self_: Effect::bare(self_of(both)),
                total: Effect::bare(total_of(both)),
            })
            .collect();
        let least = FEW_SAMPLES / 2;
        let of_self = Rows {
            effects: &mut effects,
            effect: |effects| &mut effects.self_,
            amounts: |row| self_of(&amounts[row]),
        };
        self.test_rows(least, &base.self_, &new.self_, of_self);
        let of_total = Rows {
            effects: &mut effects,
            effect: |effects| &mut effects.total,
            amounts: |row| total_of(&amounts[row]),
        };
        self.test_rows(least, &base.total, &new.total, of_total);
        judge(
            (effects.iter_mut().zip(amounts)).flat_map(|(effects, both)| {
                [
                    (&mut effects.self_, self_of(both)),
                    (&mut effects.total, total_of(both)),
                ]
            }),
        );
        effects
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
        let mut effects = self.tested(least, base, new, amounts);
        judge(effects.iter_mut().zip(amounts.iter().copied()));
        effects
    }

    /// Without q and verdict, which depend on all of a family. `least` as in [`Evidence::effects_from`].
    pub fn tested(
        &self,
        least: u64,
        base: &Counts,
        new: &Counts,
        amounts: &[[Amount; 2]],
    ) -> Vec<Effect> {
        let mut effects: Vec<Effect> = amounts.iter().copied().map(Effect::bare).collect();
        let rows = Rows {
            effects: &mut effects,
            effect: |effect| effect,
            amounts: |row| amounts[row],
        };
        self.test_rows(least, base, new, rows);
        effects
    }

    fn test_rows<T, A: Fn(usize) -> [Amount; 2]>(
        &self,
        least: u64,
        base: &Counts,
        new: &Counts,
        rows: Rows<T, A>,
    ) {
        match self.test {
            Test::None => {}
            Test::Batches => self.test_batches(least, base, new, rows),
            Test::Executions => self.test_executions(base, new, rows),
            Test::Windows => self.test_windows(least, base, new, rows),
        }
    }

    fn test_batches<T, A>(&self, least: u64, base: &Counts, new: &Counts, rows: Rows<T, A>) {
        for (row, of_row) in rows.effects.iter_mut().enumerate() {
            let effect = (rows.effect)(of_row);
            let sums = [base.sum(row), new.sum(row)];
            let samples = sums[0] + sums[1];
            if samples < 2 * least {
                effect.missing_executions = missing_executions(samples, [1, 1]);
                continue;
            }
            let sides = [(base, 0), (new, 1)].map(|(counts, side)| BatchedCounts {
                counts: batches(counts.row(row)),
                samples: self.samples[side],
                value: self.value_of_sample[side],
            });
            let noise = base
                .noise
                .get(row)
                .copied()
                .unwrap_or(self.noise.of_unknown_row());
            if let Some(p) = rare_on_one_side(&sides[0], &sides[1], noise) {
                effect.p = p;
            } else if let Ok(found) = batch_means(&sides[0], &sides[1], noise) {
                effect.p = found.p;
                effect.difference_low = found.difference.low;
                effect.difference_high = found.difference.high;
                if let Some(change) = found.change {
                    (effect.low, effect.high) = (change.low, change.high);
                }
            }
        }
    }

    fn test_executions<T, A: Fn(usize) -> [Amount; 2]>(
        &self,
        base: &Counts,
        new: &Counts,
        rows: Rows<T, A>,
    ) {
        let samples = |row: usize| base.sum(row) + new.sum(row);
        let (tested, rare): (Vec<usize>, Vec<usize>) =
            (0..rows.effects.len()).partition(|&row| samples(row) >= LEAST_COUNT);
        for row in rare {
            let effect = (rows.effect)(&mut rows.effects[row]);
            effect.missing_executions =
                missing_executions(samples(row), [base.columns, new.columns]);
        }
        let counts = table(base, new, &tested);
        let table = CountTable {
            counts: &counts,
            base_runs: base.columns,
            new_runs: new.columns,
            turns: &self.turns,
        };
        let Ok(found) = compare_features(&table, LibrarySize::Given(&self.library_sizes)) else {
            return;
        };
        let runs = [base.columns, new.columns];
        for (row, found) in tested.into_iter().zip(found.effects) {
            if let Some(mut found) = found {
                if self.value_of_count.is_some() {
                    // Events of their own, or samples at random distances, vary by their number at least.
                    let mean = samples(row) as f64 / (runs[0] + runs[1]) as f64;
                    found = found.with_at_least(RunNoise::NONE, mean, runs);
                }
                let found = self.least_noise.map_or(found, |of_whole| {
                    let noise = base.noise.get(row).copied().unwrap_or(of_whole);
                    let of_noise = Evidence::runs_of_noise(runs);
                    // All samples count, however many executions do.
                    let mean = samples(row) as f64 / of_noise.iter().sum::<usize>() as f64;
                    found.with_at_least(noise, mean, of_noise)
                });
                let effect = (rows.effect)(&mut rows.effects[row]);
                state(&found, (rows.amounts)(row), effect);
            }
        }
    }
}

/// Rows that are tested: what holds the effect of each, and amounts of base and new.
pub(crate) struct Rows<'a, T, A> {
    pub effects: &'a mut [T],
    pub effect: fn(&mut T) -> &mut Effect,
    amounts: A,
}

/// Benjamini and Hochberg's q over all that were tested, and the verdicts.
fn judge<'a>(family: impl Iterator<Item = (&'a mut Effect, [Amount; 2])>) {
    let mut tested: Vec<_> = family.filter(|(effect, _)| !effect.p.is_nan()).collect();
    let p: Vec<f64> = tested.iter().map(|(effect, _)| effect.p).collect();
    for ((effect, [base, new]), q) in tested.iter_mut().zip(benjamini_hochberg(&p)) {
        effect.q = q;
        effect.judge(*base, *new);
    }
}

fn state(found: &FeatureEffect, [base, new]: [Amount; 2], effect: &mut Effect) {
    effect.p = found.p;
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
