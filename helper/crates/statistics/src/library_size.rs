//! Runs brought to one scale when nothing else tells their size.
//!
//! The total would do it only if nothing changed: where one function grows, the share of every other one falls. The
//! median over functions of count / usual count does not move when a few grow (Anders and Huber 2010), and leaving out
//! those that were found to differ (Kadota 2012) keeps it right when a tenth of them grow.

use crate::count_table::CountTable;
use crate::summary::mean;

/// The logarithm of count / geometric mean of the feature's counts, of features that have a sample in every run.
pub(crate) struct Ratios {
    /// By run, and in it by feature of `features`.
    by_run: Vec<Vec<f64>>,
    features: Vec<usize>,
}

impl Ratios {
    /// Of those of `features` that have a sample in every run.
    pub fn new(table: &CountTable, features: impl Iterator<Item = usize>) -> Ratios {
        let features: Vec<usize> = features
            .filter(|&feature| table.row(feature).iter().all(|&count| count > 0))
            .collect();
        let mut by_run = vec![Vec::with_capacity(features.len()); table.runs()];
        let mut logs = vec![0.0; table.runs()];
        for &feature in &features {
            for (log, &count) in logs.iter_mut().zip(table.row(feature)) {
                *log = (count as f64).ln();
            }
            let usual = mean(&logs);
            for (ratios, log) in by_run.iter_mut().zip(&logs) {
                ratios.push(log - usual);
            }
        }
        Ratios { by_run, features }
    }

    /// By run the median ratio over the features that `is_wanted`; `None` when there are none.
    pub fn medians(&self, is_wanted: impl Fn(usize) -> bool) -> Option<Vec<f64>> {
        let wanted: Vec<usize> = (0..self.features.len())
            .filter(|&index| is_wanted(self.features[index]))
            .collect();
        if wanted.is_empty() {
            return None;
        }
        let of_run =
            |ratios: &Vec<f64>| median(wanted.iter().map(|&index| ratios[index]).collect());
        Some(self.by_run.iter().map(of_run).collect())
    }
}

/// The number whose logarithm is the median of `logs`, at least one of them.
fn median(mut logs: Vec<f64>) -> f64 {
    let middle = logs.len() / 2;
    let is_even = logs.len().is_multiple_of(2);
    let (below, &mut upper, _) = logs.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp);
    match lower {
        Some(lower) if is_even => ((lower + upper) / 2.0).exp(),
        _ => upper.exp(),
    }
}
