//! Several runs each: a test of every feature by itself, with Benjamini and Hochberg's q.
//!
//! - From [`LEAST_MEAN_COUNT`] samples a run on: Student's t on the logarithms of its costs (`log_costs`).
//! - With fewer, from [`LEAST_COUNT`] samples in all runs on: the sums of both sides, as counts that vary more than
//!   Poisson's by a factor that the runs show (quasi-Poisson).
//!
//! A feature is judged by its own variance alone. To lend it that of the others (Smyth's moderated t) is right on
//! average over all features, and wrong for each one that varies more or less than they do.

use crate::count_table::CountTable;
use crate::error::{Unsuitable, check_positive};
use crate::feature_effect::{FeatureEffect, Quantiles, effect};
use crate::library_size::Ratios;
use crate::log_costs::difference;
use crate::multiple_tests::benjamini_hochberg;
use crate::student::two_sided_p;

/// A feature with a smaller mean count over all runs is tested by its sums.
pub const LEAST_MEAN_COUNT: f64 = 5.0;
/// A feature with fewer samples in all runs together is not tested.
pub const LEAST_COUNT: u64 = 30;

/// Fewer samples a run vary at least as independent ones do (Poisson), even if a few runs happen to be alike.
const INDEPENDENT_BELOW: f64 = 20.0;

/// How often library sizes are found again, and below which q a feature then has no say in it.
const REFINEMENTS: usize = 2;
const DIFFERS_Q: f64 = 0.2;

/// What makes runs comparable.
#[derive(Debug, Clone, Copy)]
pub enum LibrarySize<'a> {
    /// Of each run, those of base first, up to a common factor: units of work, or wall time, or 1 for a run of fixed work;
    /// divided by the period of sampling where that differs between runs.
    Given(&'a [f64]),
    /// By [`crate::iterated_median_of_ratios`]. All changes are then relative to what did not change.
    Found,
}

/// What is found out about each feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// By run.
    pub library_sizes: Vec<f64>,
    /// By feature; `None`: not tested, it has too few samples.
    pub effects: Vec<Option<FeatureEffect>>,
}

/// Tests every feature of a table. A side may have a single run if the other has two or more: it is then taken to vary
/// as the other does. An empty table gives no effects.
///
/// # Errors
/// [`Unsuitable`] when there are too few runs, the table is none, a given library size is not above 0, or library sizes
/// cannot be found.
pub fn compare_features(
    table: &CountTable,
    library_size: LibrarySize,
) -> Result<Compared, Unsuitable> {
    table.check()?;
    let total = |feature: usize| -> u64 { table.row(feature).iter().sum() };
    let is_tested = |&feature: &usize| total(feature) >= LEAST_COUNT;
    let tested: Vec<usize> = (0..table.features()).filter(is_tested).collect();
    let (sizes, found) = match library_size {
        LibrarySize::Given(sizes) => {
            check_sizes(sizes, table.runs())?;
            (sizes.to_vec(), test(table, &tested, sizes))
        }
        LibrarySize::Found => found_sizes(table, &tested)?,
    };
    let mut effects = vec![None; table.features()];
    for (feature, effect) in tested.into_iter().zip(found) {
        effects[feature] = Some(effect);
    }
    Ok(Compared {
        library_sizes: sizes,
        effects,
    })
}

/// The size of each run, near 1: the median of ratios, found again twice without the features of q < 0.2.
///
/// # Errors
/// [`Unsuitable`], see [`crate::compare_features`].
pub fn iterated_median_of_ratios(table: &CountTable) -> Result<Vec<f64>, Unsuitable> {
    Ok(compare_features(table, LibrarySize::Found)?.library_sizes)
}

fn check_sizes(sizes: &[f64], runs: usize) -> Result<(), Unsuitable> {
    if sizes.len() != runs {
        let given = sizes.len();
        return Err(Unsuitable::LibrarySizes { given, runs });
    }
    sizes
        .iter()
        .try_for_each(|&size| check_positive("size of an execution", size))
}

/// The features that are tested tell the sizes, because ratios of small counts take few values; all do when those do not.
fn found_sizes(
    table: &CountTable,
    tested: &[usize],
) -> Result<(Vec<f64>, Vec<FeatureEffect>), Unsuitable> {
    let mut ratios = Ratios::new(table, tested.iter().copied());
    let first = ratios.medians(|_| true).or_else(|| {
        ratios = Ratios::new(table, 0..table.features());
        ratios.medians(|_| true)
    });
    let mut sizes = first.ok_or(Unsuitable::NothingInCommon)?;
    let mut effects = test(table, tested, &sizes);
    for _ in 0..REFINEMENTS {
        let mut differs = vec![false; table.features()];
        for (&feature, effect) in tested.iter().zip(&effects) {
            differs[feature] = effect.q < DIFFERS_Q;
        }
        let Some(refined) = ratios.medians(|feature| !differs[feature]) else {
            break;
        };
        sizes = refined;
        effects = test(table, tested, &sizes);
    }
    Ok((sizes, effects))
}

fn test(table: &CountTable, tested: &[usize], sizes: &[f64]) -> Vec<FeatureEffect> {
    let ln_sizes: Vec<f64> = sizes.iter().map(|size| size.ln()).collect();
    let mut quantiles = Quantiles::default();
    let mut effects: Vec<FeatureEffect> = (tested.iter())
        .map(|&feature| {
            let row = table.row(feature);
            let mean = row.iter().sum::<u64>() as f64 / row.len() as f64;
            if mean >= LEAST_MEAN_COUNT {
                by_logarithms(table, row, mean, &ln_sizes, &mut quantiles)
            } else {
                by_sums(table, row, sizes, &mut quantiles)
            }
        })
        .collect();
    let p: Vec<f64> = effects.iter().map(|effect| effect.p).collect();
    for (effect, q) in effects.iter_mut().zip(benjamini_hochberg(&p)) {
        effect.q = q;
    }
    effects
}

fn by_logarithms(
    table: &CountTable,
    row: &[u64],
    mean: f64,
    ln_sizes: &[f64],
    quantiles: &mut Quantiles,
) -> FeatureEffect {
    // Half a sample more, so that none at all has a logarithm.
    let costs: Vec<f64> = (row.iter().zip(ln_sizes))
        .map(|(&count, ln_size)| (count as f64 + 0.5).ln() - ln_size)
        .collect();
    let (base, new) = costs.split_at(table.base_runs);
    let least_variance = if mean < INDEPENDENT_BELOW {
        1.0 / mean
    } else {
        // Counts are whole: even equal ones vary by what rounding hides.
        mean.powi(-2) / 12.0
    };
    let found = difference(base, new, table.turns, least_variance);
    let p = two_sided_p(found.ln_ratio / found.standard_error, found.df);
    effect(found.ln_ratio, found.standard_error, found.df, p, quantiles)
}

fn by_sums(
    table: &CountTable,
    row: &[u64],
    sizes: &[f64],
    quantiles: &mut Quantiles,
) -> FeatureEffect {
    let (base, new) = (0..table.base_runs, table.base_runs..table.runs());
    let [base, new] = [base, new].map(|runs| SideSum::new(&row[runs.clone()], &sizes[runs]));
    // A side without samples shows nothing of how they vary.
    let df = (base.df + new.df).max(1.0);
    let dispersion = ((base.pearson + new.pearson) / df).max(1.0);
    let rate = (base.count + new.count) / (base.size + new.size);
    let deviance = 2.0 * (base.deviance_from(rate) + new.deviance_from(rate)).max(0.0);
    let p = two_sided_p((deviance / dispersion).sqrt(), df);
    // Half a sample more where there is none.
    let [least_base, least_new] = [&base, &new].map(|side| side.count.max(0.5));
    let ln_ratio = (least_new / new.size / (least_base / base.size)).ln();
    let standard_error = (dispersion * (1.0 / least_base + 1.0 / least_new)).sqrt();
    effect(ln_ratio, standard_error, df, p, quantiles)
}

/// The sum of a feature over the runs of a side.
struct SideSum {
    count: f64,
    size: f64,
    /// Pearson's χ² of the runs about their own mean, and its degrees of freedom.
    pearson: f64,
    df: f64,
}

impl SideSum {
    fn new(counts: &[u64], sizes: &[f64]) -> SideSum {
        let count: f64 = counts.iter().map(|&count| count as f64).sum();
        let size: f64 = sizes.iter().sum();
        let squares = counts.iter().zip(sizes).map(|(&found, run_size)| {
            let expected = count / size * run_size;
            (found as f64 - expected).powi(2) / expected
        });
        let has_samples = count > 0.0;
        SideSum {
            count,
            size,
            pearson: if has_samples { squares.sum() } else { 0.0 },
            df: if has_samples {
                (counts.len() - 1) as f64
            } else {
                0.0
            },
        }
    }

    fn deviance_from(&self, rate: f64) -> f64 {
        if self.count == 0.0 {
            return 0.0;
        }
        self.count * (self.count / (rate * self.size)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            turns: &[],
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
        // Reference values: scipy 1.17, ttest_ind and false_discovery_control.
        let all: Vec<usize> = (0..6).collect();
        let found = test(&table, &all, &sizes);
        let wanted = [
            (-0.48293222, 0.6543854, 0.94834118),
            (-0.8639337, 0.4363528, 0.87270561),
            (-1.11503607, 0.32730534, 0.87270561),
            (6.94898967, 0.00225302, 0.01351811),
            (-0.24943415, 0.8153103, 0.94834118),
            (-0.06894662, 0.94834118, 0.94834118),
        ];
        assert_eq!(found.len(), wanted.len());
        for (effect, (t, p, q)) in found.iter().zip(wanted) {
            assert_eq!(effect.df, 4.0);
            assert_close(effect.ln_ratio / effect.standard_error, t, 1e-6);
            assert_close(effect.p, p, 1e-5);
            assert_close(effect.q, q, 1e-5);
        }
    }

    #[test]
    fn rare_features_are_tested_by_their_sums() {
        // Reference values: quasi-Poisson by scipy's F distribution.
        let counts = [
            3, 1, 2, 2, 0, 4, 1, 5, 6, 4, 9, 3, 7, 5, 4, 6, //
            0, 0, 0, 0, 0, 0, 0, 0, 2, 7, 4, 4, 3, 6, 1, 5, //
            0, 1, 0, 3, 0, 1, 2, 1, 0, 0, 2, 1, 1, 4, 0, 2,
        ];
        let table = CountTable {
            counts: &counts,
            base_runs: 8,
            new_runs: 8,
            turns: &[],
        };
        let found = compare_features(&table, LibrarySize::Given(&[1.0; 16])).unwrap();
        let [Some(more), Some(new), None] = found.effects[..] else {
            panic!("18 samples are too few, the others are not: {found:?}");
        };
        assert_close(more.p, 0.004_728_527_3, 1e-8);
        assert_close(new.p, 0.000_287_735_9, 1e-7);
        assert_eq!((more.df, new.df), (14.0, 7.0));
        assert!(more.change.low > 0.0 && new.change.low > 0.0 && new.change.high.is_finite());
        // The same where each run of new did twice the work.
        let sizes: Vec<f64> = (0..16).map(|run| if run < 8 { 1.0 } else { 2.0 }).collect();
        let found = compare_features(&table, LibrarySize::Given(&sizes)).unwrap();
        let per_work = found.effects[0].unwrap();
        assert_close(more.ln_ratio - per_work.ln_ratio, 2f64.ln(), 1e-12);
        assert!(per_work.p > 0.3);
    }

    #[test]
    fn runs_in_turns_are_compared_within_turns() {
        let counts = [1000, 1100, 1205, 1290, 1410, 1471, 1340, 1248, 1150, 1042];
        let turns: Vec<(usize, usize)> = (0..5).map(|run| (run, 4 - run)).collect();
        let of = |turns| {
            let table = CountTable {
                counts: &counts,
                base_runs: 5,
                new_runs: 5,
                turns,
            };
            let found = compare_features(&table, LibrarySize::Given(&[1.0; 10])).unwrap();
            found.effects[0].unwrap()
        };
        assert_close(of(&turns).p, 1.697_965_97e-5, 1e-6);
        assert_close(of(&[]).p, 0.647_192_284_9, 1e-8);
    }

    #[test]
    fn found_sizes_leave_out_what_grew() {
        let found = compare_features(&table(&EXAMPLE), LibrarySize::Found).unwrap();
        // The fourth one grew.
        assert!(found.effects[3].unwrap().q < 0.02);
        assert!(
            [0, 1, 2, 4, 5]
                .iter()
                .all(|&other| found.effects[other].unwrap().q > 0.2)
        );
        let unchanged: Vec<u64> = [&EXAMPLE[..18], &EXAMPLE[24..]].concat();
        let wanted = iterated_median_of_ratios(&table(&unchanged)).unwrap();
        assert_eq!(found.library_sizes, wanted);
    }

    #[test]
    fn a_work_that_doubles_doubles_the_size() {
        let counts = EXAMPLE;
        let once = compare_features(&table(&counts), LibrarySize::Given(&[1.0; 6])).unwrap();
        let twice = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        let per_work = compare_features(&table(&counts), LibrarySize::Given(&twice)).unwrap();
        let (first, second) = (once.effects[0].unwrap(), per_work.effects[0].unwrap());
        assert_close(first.ln_ratio - second.ln_ratio, 2f64.ln(), 1e-12);
        assert_close(first.standard_error, second.standard_error, 1e-12);
        assert!(first.change.low < first.change.value && first.change.value < first.change.high);
    }

    #[test]
    fn functions_without_samples_on_a_side_have_finite_figures() {
        let counts = [0, 0, 0, 900, 950, 920, 500, 510, 490, 505, 498, 512];
        let found = compare_features(&table(&counts), LibrarySize::Given(&[1.0; 6])).unwrap();
        let new = found.effects[0].unwrap();
        assert!(new.change.value > 1000.0 && new.change.high.is_finite() && new.p < 1e-3);
    }

    #[test]
    fn an_empty_table_has_no_effects() {
        let found = compare_features(&table(&[]), LibrarySize::Given(&[1.0; 6])).unwrap();
        assert!(found.effects.is_empty());
    }

    #[test]
    fn functions_of_few_samples_tell_the_sizes_when_there_are_no_others() {
        let counts = [2, 2, 2, 4, 4, 4, 3, 3, 3, 6, 6, 6];
        let found = compare_features(&table(&counts), LibrarySize::Found).unwrap();
        assert_eq!(found.effects, [None, None]);
        assert_close(found.library_sizes[5] / found.library_sizes[0], 2.0, 1e-12);
    }

    #[test]
    fn what_cannot_be_tested_is_named() {
        let counts = [1, 2, 3, 0, 5, 6];
        let of = |base_runs, new_runs, size| {
            let table = CountTable {
                counts: &counts,
                base_runs,
                new_runs,
                turns: &[],
            };
            compare_features(&table, size).unwrap_err()
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
