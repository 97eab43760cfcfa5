//! The test of two parts of a run, over windows of their time.

use statistics::WindowedCounts;

use crate::counts::Counts;
use crate::evidence::{Evidence, Rows};

impl Evidence {
    fn windowed<'a>(&self, counts: [&'a [u32]; 2]) -> WindowedCounts<'a> {
        WindowedCounts {
            counts,
            value: self.value_of_sample,
            samples: self.samples,
        }
    }

    pub(crate) fn test_windows<T, A>(
        &self,
        least: u64,
        base: &Counts,
        new: &Counts,
        rows: Rows<T, A>,
    ) {
        for (row, of_row) in rows.effects.iter_mut().enumerate() {
            if base.sum(row) + new.sum(row) < 2 * least {
                continue;
            }
            let effect = (rows.effect)(of_row);
            let counts = self.windowed([base.row(row), new.row(row)]);
            if let Some(p) = self.windows.rare_in_one(&counts) {
                effect.p = p;
            } else if let Ok(found) = self.windows.compare(&counts) {
                effect.p = found.p;
                effect.difference_low = found.difference.low;
                effect.difference_high = found.difference.high;
                if let Some(change) = found.change {
                    (effect.low, effect.high) = (change.low, change.high);
                }
            }
        }
    }
}
