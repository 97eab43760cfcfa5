//! Runs brought to one scale when nothing else tells their size.
//!
//! The total would do it only if nothing changed: where one function grows, the share of every other one falls. The
//! median over functions of count / usual count does not move when a few grow (Anders and Huber 2010), and leaving out
//! those that were found to differ (Kadota 2012) keeps it right when a tenth of them grow.

use crate::error::Unsuitable;
use crate::moderated::CountTable;

/// The size of each run, their geometric mean being near 1: the median of ratios, found again twice without the features
/// of q < 0.2.
///
/// # Errors
/// [`Unsuitable`], see [`crate::moderated`].
pub fn iterated_median_of_ratios(table: &CountTable) -> Result<Vec<f64>, Unsuitable> {
    todo!("{table:?}")
}
