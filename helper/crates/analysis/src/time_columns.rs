//! The columns of a timeline.

use std::ops::Range;

/// Equal parts of a range of time, as far as whole nanoseconds allow.
pub(crate) struct TimeColumns {
    pub time: Range<u64>,
    pub count: usize,
}

impl TimeColumns {
    fn length(&self) -> u128 {
        u128::from((self.time.end.saturating_sub(self.time.start)).max(1))
    }

    /// Where the column of this number begins, and the one before ends.
    pub fn edge(&self, column: usize) -> u64 {
        let offset = self.length() * column as u128 / self.count as u128;
        self.time.start.saturating_add(offset as u64)
    }

    /// The last one that begins at this time or before; `at` is in the range.
    pub fn at(&self, at: u64) -> usize {
        let end = u128::from(at - self.time.start) + 1;
        let column = (end * self.count as u128 - 1) / self.length();
        (column as usize).min(self.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_the_column_between_whose_edges_it_is() {
        for (time, count) in [(10..17, 3), (0..1000, 7), (5..6, 4), (100..103, 10)] {
            let columns = TimeColumns { time, count };
            for at in columns.time.clone() {
                let column = columns.at(at);
                let edges = columns.edge(column)..columns.edge(column + 1);
                assert!(edges.contains(&at), "{at} in {edges:?}");
            }
        }
    }
}
