//! How much of each column of a timeline threads waited.

use crate::analyzed::Analyzed;
use crate::time_columns::TimeColumns;
use crate::wait_times::part;

/// By column, thousandths of its time; empty: it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackWaits {
    /// The thread could have run.
    pub queued: Vec<u32>,
    /// For anything else.
    pub waiting: Vec<u32>,
    /// Of both, with the tinted function anywhere on the stack; empty: none is tinted.
    pub(crate) tinted: Vec<u32>,
}

/// Whose waits are wanted.
#[derive(Clone, Copy)]
pub(crate) enum WaitsOf<'a> {
    Each,
    /// The last ones are those of all threads of the run, also of those without a track here: a thread that waits all the time adds
    /// 1000. By call path, whether it is tinted.
    EachAndAll(Option<&'a [bool]>),
}

/// Of these tracks; `track_of`: by sample, None: another one. Empty: it is not known when the waits were.
pub(crate) fn waits_of_tracks(
    analyzed: &Analyzed,
    columns: &TimeColumns,
    tracks: usize,
    track_of: impl Fn(usize) -> Option<usize>,
    of: WaitsOf,
) -> Vec<TrackWaits> {
    let Some(times) = analyzed.wait_times() else {
        return Vec::new();
    };
    let (rows, tinted) = match of {
        WaitsOf::Each => (tracks, None),
        WaitsOf::EachAndAll(tinted) => (tracks + 1, tinted),
    };
    let nodes = &analyzed.stacks().node_of_sample;
    // Queued, waiting, and tinted; by track and column.
    let mut sums = [0; 3].map(|_| vec![0u64; rows * columns.count]);
    let all = Some(columns.time.clone());
    for wait in times.within(all.as_slice()) {
        let sample = wait.sample as usize;
        let everybody = (rows > tracks).then_some(tracks);
        let kind = usize::from(!times.is_queued[sample]);
        let is_tinted = tinted.is_some_and(|tinted| tinted[nodes[sample] as usize]);
        let last_ns = wait.start_ns + wait.length_ns.saturating_sub(1);
        let reached = columns.at(wait.start_ns)..=columns.at(last_ns);
        for row in track_of(sample).into_iter().chain(everybody) {
            for column in reached.clone() {
                let range = columns.edge(column)..columns.edge(column + 1);
                let waited_ns = part(&wait, &range).map_or(0, |part| part.waited_ns);
                let at = row * columns.count + column;
                sums[kind][at] += waited_ns;
                if is_tinted {
                    sums[2][at] += waited_ns;
                }
            }
        }
    }
    let thousandths = |sums: &[u64], row: usize| -> Vec<u32> {
        let most = if row < tracks { 1000 } else { u32::MAX };
        let sums = &sums[row * columns.count..][..columns.count];
        let of_column = |(column, ns): (usize, &u64)| {
            let length_ns = (columns.edge(column + 1) - columns.edge(column)).max(1);
            (u128::from(*ns) * 1000 / u128::from(length_ns)).min(u128::from(most)) as u32
        };
        sums.iter().enumerate().map(of_column).collect()
    };
    (0..rows)
        .map(|row| TrackWaits {
            queued: thousandths(&sums[0], row),
            waiting: thousandths(&sums[1], row),
            tinted: tinted.map_or_else(Vec::new, |_| thousandths(&sums[2], row)),
        })
        .collect()
}
