//! Several runs each: moderated t on the logarithm of the cost (Smyth 2004), with Benjamini and Hochberg's q.
//!
//! With three runs a side a function's own variance is hardly known; that of all functions together is. Each one's is
//! drawn towards the common one by as much as the variances of all turn out to be alike.

use crate::costs::{Costs, SharedNoise, Tests};
use crate::error::{Unsuitable, check_positive};
use crate::interval::Interval;
use crate::library_size::Ratios;
use crate::prior::Prior;

/// A feature with a smaller mean count over all runs is not tested.
pub const LEAST_MEAN_COUNT: f64 = 20.0;

/// How often library sizes are found again, and below which q a feature then has no say in it.
const REFINEMENTS: usize = 2;
const DIFFERS_Q: f64 = 0.2;

/// Counts of features in runs.
#[derive(Debug, Clone, Copy)]
pub struct CountTable<'a> {
    /// By feature, and in it by run: those of base first.
    pub counts: &'a [u64],
    pub base_runs: usize,
    pub new_runs: usize,
}

/// What makes runs comparable.
#[derive(Debug, Clone, Copy)]
pub enum LibrarySize<'a> {
    /// Of each run, those of base first, up to a common factor: units of work, or wall time, or 1 for a run of fixed work;
    /// divided by the period of sampling where that differs between runs.
    Given(&'a [f64]),
    /// By [`crate::iterated_median_of_ratios`]. All changes are then relative to what did not change.
    Found,
}

/// What is found out over all features, and about each.
#[derive(Debug, Clone, PartialEq)]
pub struct Moderated {
    /// By run.
    pub library_sizes: Vec<f64>,
    /// What is known of the variance of a function's cost; NaN when nothing was tested.
    pub prior: Prior,
    /// Of the logarithm of a run's cost: what all functions vary by together, from run to run, beside what each varies by
    /// itself (`prior`). 0 where library sizes were found, which follow it.
    pub shared_variance: f64,
    /// By feature; `None`: not tested, its mean count is below [`LEAST_MEAN_COUNT`].
    pub effects: Vec<Option<ModeratedEffect>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeratedEffect {
    /// Mean logarithm of new − mean logarithm of base.
    pub ln_ratio: f64,
    /// Of one run's logarithm: the moderated `s̃`, and what all functions vary by together.
    pub standard_deviation: f64,
    /// Of `ln_ratio`.
    pub standard_error: f64,
    pub t: f64,
    /// That of the prior and k_A + k_B − 2, as far as noise is not shared; may be infinite.
    pub df: f64,
    pub p: f64,
    pub q: f64,
    /// exp(`ln_ratio`) − 1, a ratio of geometric means.
    pub change: Interval,
}

/// Tests every feature of a table. A side may have a single run if the other has two or more: it is then taken to vary
/// as the other does. An empty table gives no effects.
///
/// # Errors
/// [`Unsuitable`] when there are too few runs, the table is none, a given library size is not above 0, or library sizes
/// cannot be found.
pub fn moderated(table: &CountTable, library_size: LibrarySize) -> Result<Moderated, Unsuitable> {
    table.check()?;
    let least_count = LEAST_MEAN_COUNT * table.runs() as f64;
    let total =
        |feature: usize| -> f64 { table.row(feature).iter().map(|&count| count as f64).sum() };
    let is_tested = |&feature: &usize| total(feature) >= least_count;
    let tested: Vec<usize> = (0..table.features()).filter(is_tested).collect();
    let costs = Costs::new(table, &tested);
    let (sizes, tests) = match library_size {
        LibrarySize::Given(sizes) => {
            check_sizes(sizes, table.runs())?;
            (sizes.to_vec(), costs.test(sizes, SharedNoise::Separate))
        }
        LibrarySize::Found => found_sizes(table, &tested, &costs)?,
    };
    let mut effects = vec![None; table.features()];
    for (feature, effect) in tested.into_iter().zip(tests.effects) {
        effects[feature] = Some(effect);
    }
    Ok(Moderated {
        library_sizes: sizes,
        prior: tests.prior,
        shared_variance: tests.shared_variance,
        effects,
    })
}

fn check_sizes(sizes: &[f64], runs: usize) -> Result<(), Unsuitable> {
    if sizes.len() != runs {
        let given = sizes.len();
        return Err(Unsuitable::LibrarySizes { given, runs });
    }
    sizes
        .iter()
        .try_for_each(|&size| check_positive("size of a run", size))
}

/// The features that are tested tell the sizes, because ratios of small counts take few values; all do when those do not.
fn found_sizes(
    table: &CountTable,
    tested: &[usize],
    costs: &Costs,
) -> Result<(Vec<f64>, Tests), Unsuitable> {
    let mut ratios = Ratios::new(table, tested.iter().copied());
    let first = ratios.medians(|_| true).or_else(|| {
        ratios = Ratios::new(table, 0..table.features());
        ratios.medians(|_| true)
    });
    let mut sizes = first.ok_or(Unsuitable::NothingInCommon)?;
    let mut tests = costs.test(&sizes, SharedNoise::InSizes);
    for _ in 0..REFINEMENTS {
        let mut differs = vec![false; table.features()];
        for (&feature, effect) in tested.iter().zip(&tests.effects) {
            differs[feature] = effect.q < DIFFERS_Q;
        }
        let Some(refined) = ratios.medians(|feature| !differs[feature]) else {
            break;
        };
        sizes = refined;
        tests = costs.test(&sizes, SharedNoise::InSizes);
    }
    Ok((sizes, tests))
}

impl CountTable<'_> {
    pub(crate) fn runs(&self) -> usize {
        self.base_runs + self.new_runs
    }

    fn features(&self) -> usize {
        self.counts.len() / self.runs()
    }

    pub(crate) fn row(&self, feature: usize) -> &[u64] {
        &self.counts[feature * self.runs()..][..self.runs()]
    }

    fn check(&self) -> Result<(), Unsuitable> {
        if self.base_runs.min(self.new_runs) < 1 || self.runs() < 3 {
            return Err(Unsuitable::TooFewRuns {
                base: self.base_runs,
                new: self.new_runs,
            });
        }
        if !self.counts.len().is_multiple_of(self.runs()) {
            return Err(Unsuitable::NotATable {
                counts: self.counts.len(),
                runs: self.runs(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterated_median_of_ratios;
    use crate::testing::assert_close;

    /// By feature: three runs of base, three of new.
    const EXAMPLE: [u64; 36] = [
        980, 1030, 1000, 2110, 1990, 2050, //
        1010, 1060, 990, 2010, 2105, 1980, //
        1205, 1190, 1260, 2450, 2380, 2520, //
        50, 61, 55, 190, 230, 205, //
        410, 395, 430, 840, 815, 870, //
        8, 12, 9, 20, 17, 23,
    ];

    fn table(counts: &[u64]) -> CountTable<'_> {
        CountTable {
            counts,
            base_runs: 3,
            new_runs: 3,
        }
    }

    #[test]
    fn the_worked_example_at_its_first_pass() {
        let table = table(&EXAMPLE);
        let ratios = Ratios::new(&table, 0..6);
        let sizes = ratios.medians(|_| true).unwrap();
        for (size, wanted) in sizes.iter().zip([
            0.69014728, 0.70351823, 0.69269208, 1.44110006, 1.38657114, 1.46883188,
        ]) {
            assert_close(*size, wanted, 1e-8);
        }
        let all: Vec<usize> = (0..6).collect();
        let found = Costs::new(&table, &all).test(&sizes, SharedNoise::InSizes);
        assert_close(found.prior.df, 1.78928558, 1e-8);
        assert_close(found.prior.variance(1.0), 0.00167128, 1e-5);
        let wanted = [
            (-0.34477296, 0.742444, 0.897326),
            (-0.89903297, 0.404475, 0.808950),
            (-0.92501455, 0.391885, 0.808950),
            (8.09139769, 0.000228947, 0.00137368),
            (-0.23897735, 0.819357, 0.897326),
            (-0.13481024, 0.897326, 0.897326),
        ];
        assert_eq!(found.effects.len(), wanted.len());
        for (effect, (t, p, q)) in found.effects.iter().zip(wanted) {
            assert_close(effect.t, t, 1e-7);
            assert_close(effect.p, p, 2e-6);
            assert_close(effect.q, q, 2e-6);
        }
    }

    #[test]
    fn found_sizes_leave_out_what_grew() {
        let found = moderated(&table(&EXAMPLE), LibrarySize::Found).unwrap();
        // The last function has 15 samples in the mean, the fourth one grew.
        assert_eq!(found.effects[5], None);
        assert!(found.effects[3].unwrap().q < 0.01);
        assert!(
            [0, 1, 2, 4]
                .iter()
                .all(|&other| found.effects[other].unwrap().q > 0.2)
        );
        let unchanged: Vec<u64> = [&EXAMPLE[..18], &EXAMPLE[24..30]].concat();
        let wanted = iterated_median_of_ratios(&table(&unchanged)).unwrap();
        assert_eq!(found.library_sizes, wanted);
    }

    #[test]
    fn a_work_that_doubles_doubles_the_size() {
        let counts = EXAMPLE;
        let once = moderated(&table(&counts), LibrarySize::Given(&[1.0; 6])).unwrap();
        let twice = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        let per_work = moderated(&table(&counts), LibrarySize::Given(&twice)).unwrap();
        let (first, second) = (once.effects[0].unwrap(), per_work.effects[0].unwrap());
        assert_close(first.ln_ratio - second.ln_ratio, 2f64.ln(), 1e-12);
        assert_close(first.standard_error, second.standard_error, 1e-12);
        assert!(first.change.low < first.change.value && first.change.value < first.change.high);
    }

    #[test]
    fn a_single_function_is_tested_by_its_own_variance() {
        let found = moderated(&table(&EXAMPLE[..6]), LibrarySize::Given(&[1.0; 6])).unwrap();
        assert_eq!((found.prior.df, found.effects[0].unwrap().df), (0.0, 4.0));
    }

    #[test]
    fn functions_without_samples_on_a_side_have_finite_figures() {
        let counts = [0, 0, 0, 900, 950, 920, 500, 510, 490, 505, 498, 512];
        let found = moderated(&table(&counts), LibrarySize::Given(&[1.0; 6])).unwrap();
        let new = found.effects[0].unwrap();
        assert!(new.change.value > 1000.0 && new.change.high.is_finite() && new.p < 1e-3);
    }

    #[test]
    fn an_empty_table_has_no_effects() {
        let found = moderated(&table(&[]), LibrarySize::Given(&[1.0; 6])).unwrap();
        assert!(found.effects.is_empty());
    }

    #[test]
    fn functions_of_few_samples_tell_the_sizes_when_there_are_no_others() {
        let counts = [5, 5, 5, 10, 10, 10, 4, 4, 4, 8, 8, 8];
        let found = moderated(&table(&counts), LibrarySize::Found).unwrap();
        assert_eq!(found.effects, [None, None]);
        assert_close(found.library_sizes[5] / found.library_sizes[0], 2.0, 1e-12);
    }

    #[test]
    fn what_all_functions_vary_by_together_is_told_apart() {
        // Each run has a factor, and each count one of its own, of variance 15e-6.
        let counts: Vec<u64> = (0..40u64)
            .flat_map(|feature| {
                let own = move |run: u64| f64::from(((feature * 7 + run * 5) % 11) as u32) - 5.0;
                let shared = [0.0, 0.04, -0.04, 0.03, -0.03, 0.0];
                (0..6)
                    .map(move |run| (1e6 * (1.0 + shared[run as usize] + 0.001 * own(run))) as u64)
            })
            .collect();
        let given = moderated(&table(&counts), LibrarySize::Given(&[1.0; 6])).unwrap();
        assert_close(
            given.shared_variance,
            (2.0 * 0.04f64.powi(2) + 2.0 * 0.03f64.powi(2)) / 4.0,
            0.02,
        );
        assert_close(given.prior.variance(1e6), 15e-6, 0.1);
        let effect = given.effects[0].unwrap();
        assert!(effect.df < 4.2 && effect.p > 0.5, "{effect:?}");
        let found = moderated(&table(&counts), LibrarySize::Found).unwrap();
        assert_eq!(found.shared_variance, 0.0);
        assert!(found.effects[0].unwrap().standard_error < 0.2 * effect.standard_error);
    }

    #[test]
    fn what_cannot_be_tested_is_named() {
        let counts = [1, 2, 3, 0, 5, 6];
        let of = |base_runs, new_runs, size| {
            let table = CountTable {
                counts: &counts,
                base_runs,
                new_runs,
            };
            moderated(&table, size).unwrap_err()
        };
        let ones = [1.0; 6];
        assert_eq!(
            of(1, 1, LibrarySize::Given(&ones[..2])),
            Unsuitable::TooFewRuns { base: 1, new: 1 }
        );
        assert_eq!(
            of(2, 2, LibrarySize::Given(&ones[..4])),
            Unsuitable::NotATable { counts: 6, runs: 4 }
        );
        assert_eq!(
            of(3, 3, LibrarySize::Given(&ones[..4])),
            Unsuitable::LibrarySizes { given: 4, runs: 6 }
        );
        assert_eq!(of(3, 3, LibrarySize::Found), Unsuitable::NothingInCommon);
    }
}
