//! Several runs each: moderated t on the logarithm of the cost (Smyth 2004), with Benjamini and Hochberg's q.
//!
//! With three runs a side a function's own variance is hardly known; that of all functions together is. Each one's is
//! drawn towards the common one by as much as the variances of all turn out to be alike.

use crate::error::{Unsuitable, check_positive};
use crate::interval::Interval;
use crate::library_size::Ratios;
use crate::multiple_tests::benjamini_hochberg;
use crate::prior::{Prior, fit_prior};
use crate::student::{two_sided_p, two_sided_quantile};
use crate::summary::{mean, sum_of_squares};

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
    /// What is known of the variance of a function's cost; its variances are NaN when nothing was tested.
    pub prior: Prior,
    /// By feature; `None`: not tested, its mean count is below [`LEAST_MEAN_COUNT`].
    pub effects: Vec<Option<ModeratedEffect>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeratedEffect {
    /// Mean logarithm of new − mean logarithm of base.
    pub ln_ratio: f64,
    /// Moderated standard deviation `s̃` of one run's logarithm.
    pub standard_deviation: f64,
    /// Of `ln_ratio`.
    pub standard_error: f64,
    pub t: f64,
    /// That of the prior and k_A + k_B − 2; may be infinite.
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
    moderated_from(table, library_size, LEAST_MEAN_COUNT)
}

fn moderated_from(
    table: &CountTable,
    library_size: LibrarySize,
    least_mean_count: f64,
) -> Result<Moderated, Unsuitable> {
    let least_count = least_mean_count * table.runs() as f64;
    let is_tested = |&feature: &usize| table.row(feature).iter().sum::<u64>() as f64 >= least_count;
    let tested: Vec<usize> = (0..table.features()).filter(is_tested).collect();
    let costs = Costs::new(table, &tested);
    let (sizes, tests) = match library_size {
        LibrarySize::Given(sizes) => {
            check_sizes(sizes, table.runs())?;
            (sizes.to_vec(), costs.test(sizes))
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
    let mut tests = costs.test(&sizes);
    for _ in 0..REFINEMENTS {
        let mut differs = vec![false; table.features()];
        for (&feature, effect) in tested.iter().zip(&tests.effects) {
            differs[feature] = effect.q < DIFFERS_Q;
        }
        let Some(refined) = ratios.medians(|feature| !differs[feature]) else {
            break;
        };
        sizes = refined;
        tests = costs.test(&sizes);
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

/// The logarithms of the counts of the features that are tested.
struct Costs {
    /// By feature and run.
    ln_counts: Vec<f64>,
    /// By feature, their mean.
    ln_means: Vec<f64>,
    base_runs: usize,
    new_runs: usize,
}

struct Tests {
    prior: Prior,
    effects: Vec<ModeratedEffect>,
}

impl Costs {
    fn new(table: &CountTable, tested: &[usize]) -> Costs {
        let counts = tested.iter().flat_map(|&feature| table.row(feature));
        // Half a sample more, so that none at all has a logarithm.
        let ln_counts: Vec<f64> = counts.map(|&count| (count as f64 + 0.5).ln()).collect();
        Costs {
            ln_means: ln_counts.chunks_exact(table.runs()).map(mean).collect(),
            ln_counts,
            base_runs: table.base_runs,
            new_runs: table.new_runs,
        }
    }

    /// With the sizes of the runs.
    fn test(&self, sizes: &[f64]) -> Tests {
        let (ln_ratios, variances) = self.ratios_and_variances(sizes);
        let features = variances.len() as f64;
        let own_df = (self.base_runs + self.new_runs - 2) as f64;
        let prior = fit_prior(&variances, &self.ln_means, own_df);
        // All features together do not know more than they have degrees of freedom.
        let df = (prior.df + own_df).min(features * own_df);
        let runs = (1.0 / self.base_runs as f64 + 1.0 / self.new_runs as f64).sqrt();
        let quantile = two_sided_quantile(0.05, df);
        let mut effects: Vec<ModeratedEffect> = ln_ratios
            .into_iter()
            .zip(variances)
            .zip(&self.ln_means)
            .map(|((ln_ratio, variance), ln_mean)| {
                let moderated = prior.moderate(variance, own_df, ln_mean.exp());
                let standard_deviation = moderated.sqrt();
                let standard_error = standard_deviation * runs;
                let t = ln_ratio / standard_error;
                ModeratedEffect {
                    ln_ratio,
                    standard_deviation,
                    standard_error,
                    t,
                    df,
                    p: two_sided_p(t, df),
                    q: f64::NAN,
                    change: Interval::relative(ln_ratio, quantile * standard_error),
                }
            })
            .collect();
        let p: Vec<f64> = effects.iter().map(|effect| effect.p).collect();
        for (effect, q) in effects.iter_mut().zip(benjamini_hochberg(&p)) {
            effect.q = q;
        }
        Tests { prior, effects }
    }

    /// Of each feature the difference of the sides' mean logarithms, and the variance of a run's, both sides together.
    fn ratios_and_variances(&self, sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let ln_sizes: Vec<f64> = sizes.iter().map(|size| size.ln()).collect();
        let own_df = (self.base_runs + self.new_runs - 2) as f64;
        let mut costs = vec![0.0; ln_sizes.len()];
        self.ln_counts
            .chunks_exact(ln_sizes.len())
            .zip(&self.ln_means)
            .map(|(ln_counts, ln_mean)| {
                for ((cost, ln_count), ln_size) in costs.iter_mut().zip(ln_counts).zip(&ln_sizes) {
                    *cost = ln_count - ln_size;
                }
                let (base, new) = costs.split_at(self.base_runs);
                let variance = (sum_of_squares(base) + sum_of_squares(new)) / own_df;
                // Counts are whole: even equal ones vary by what rounding hides.
                let rounding = (-2.0 * ln_mean).exp() / 12.0;
                (mean(new) - mean(base), variance.max(rounding))
            })
            .unzip()
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
        let found = moderated_from(&table, LibrarySize::Given(&sizes), 0.0).unwrap();
        assert_close(found.prior.df, 1.78928558, 1e-8);
        assert_close(found.prior.variance(1.0), 0.00167128, 1e-5);
        let effects: Vec<ModeratedEffect> = found.effects.into_iter().flatten().collect();
        let wanted = [
            (-0.34477296, 0.742444, 0.897326),
            (-0.89903297, 0.404475, 0.808950),
            (-0.92501455, 0.391885, 0.808950),
            (8.09139769, 0.000228947, 0.00137368),
            (-0.23897735, 0.819357, 0.897326),
            (-0.13481024, 0.897326, 0.897326),
        ];
        assert_eq!(effects.len(), wanted.len());
        for (effect, (t, p, q)) in effects.iter().zip(wanted) {
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
