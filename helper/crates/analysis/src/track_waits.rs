//! How much of each column of a timeline threads waited.

use std::ops::Range;

use crate::analyzed::Analyzed;
use crate::wait_times::part;

/// By column, thousandths of its time; empty: it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackWaits {
    /// The thread could have run.
    pub queued: Vec<u32>,
    /// For anything else.
    pub waiting: Vec<u32>,
}

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
    fn at(&self, at: u64) -> usize {
        let end = u128::from(at - self.time.start) + 1;
        let column = (end * self.count as u128 - 1) / self.length();
        (column as usize).min(self.count - 1)
    }
}

/// Of these tracks; `track_of`: by sample, None: another one. Empty: it is not known when the waits were.
pub(crate) fn waits_of_tracks(
    analyzed: &Analyzed,
    columns: &TimeColumns,
    tracks: usize,
    track_of: impl Fn(usize) -> Option<usize>,
) -> Vec<TrackWaits> {
    let Some(times) = analyzed.wait_times() else {
        return Vec::new();
    };
    // Queued, and waiting; by track and column.
    let mut sums = [0; 2].map(|_| vec![0u64; tracks * columns.count]);
    let all = Some(columns.time.clone());
    for wait in times.within(all.as_slice()) {
        let Some(track) = track_of(wait.sample as usize) else {
            continue;
        };
        let sums = &mut sums[usize::from(!times.is_queued[wait.sample as usize])];
        let sums = &mut sums[track * columns.count..][..columns.count];
        let last_ns = wait.start_ns + wait.length_ns.saturating_sub(1);
        let reached = columns.at(wait.start_ns)..=columns.at(last_ns);
        for (column, sum) in reached.clone().zip(&mut sums[reached]) {
            let range = columns.edge(column)..columns.edge(column + 1);
            *sum += part(&wait, &range).map_or(0, |part| part.waited_ns);
        }
    }
    let thousandths = |sums: &[u64], track: usize| -> Vec<u32> {
        let sums = &sums[track * columns.count..][..columns.count];
        let of_column = |(column, ns): (usize, &u64)| {
            let length_ns = (columns.edge(column + 1) - columns.edge(column)).max(1);
            (u128::from(*ns) * 1000 / u128::from(length_ns)).min(1000) as u32
        };
        sums.iter().enumerate().map(of_column).collect()
    };
    (0..tracks)
        .map(|track| TrackWaits {
            queued: thousandths(&sums[0], track),
            waiting: thousandths(&sums[1], track),
        })
        .collect()
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
