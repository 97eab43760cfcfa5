//! How often each function, line or node was sampled in each part of a run: what tests are made of.
//!
//! The parts are *columns*: the executions of a side, or the batches of time of a single one. Sample values are of no
//! account here, a test counts samples.

use statistics::{BATCHES, RunNoise};

use crate::analyzed::Analyzed;
use crate::frames::{ChainFrame, Measure};
use crate::side::Side;
use crate::stack_trie::StackTrie;
use crate::tally::OpenGroups;

/// Counts that are held for all call paths at once; beyond it columns are taken in turn.
const DENSE_MAX: usize = 32_000_000;

/// Of all that is counted together.
const COUNT_MAX: f64 = 2e9;

/// What counts as one: an event of its own, or what a sample of both sides is worth on average; more where sums would be too large.
pub(crate) fn value_of_count(sides: [&Side; 2], are_events: bool) -> f64 {
    let executions = || sides.iter().flat_map(|side| &side.executions);
    let value: f64 = executions().map(|one| one.value as f64).sum();
    let samples: f64 = executions().map(|one| one.samples as f64).sum();
    let of_event = match are_events {
        true => 1.0,
        false => value / samples.max(1.0),
    };
    of_event.max(value / COUNT_MAX)
}

/// Samples by column.
pub(crate) struct Columns {
    pub count: usize,
    /// Sample, column, and how often.
    entries: Vec<(u32, u32, u32)>,
}

impl Columns {
    /// Nothing to count.
    pub fn none() -> Columns {
        Columns {
            count: 0,
            entries: Vec::new(),
        }
    }

    /// One column an execution.
    pub fn of_executions(side: &Side, measure: Measure) -> Columns {
        let entries = (side.analyzed.amounts(measure))
            .map(|(sample, amount)| {
                let samples = u32::try_from(amount.samples).unwrap_or(u32::MAX);
                (sample as u32, side.execution_of(sample), samples)
            })
            .filter(|entry| entry.2 > 0)
            .collect();
        Columns {
            count: side.executions.len(),
            entries,
        }
    }

    /// One column an execution; counts are values in units of `value_of_count`. What rounding leaves of a sample is counted with the next
    /// ones, so that sums of many small values are right.
    pub fn of_values(side: &Side, measure: Measure, value_of_count: f64) -> Columns {
        let mut rest = vec![0.0; side.executions.len()];
        let entries = (side.analyzed.amounts(measure))
            .map(|(sample, amount)| {
                let execution = side.execution_of(sample);
                let rest = &mut rest[execution as usize];
                *rest += amount.value as f64 / value_of_count;
                let count = rest.round().max(0.0);
                *rest -= count;
                (sample as u32, execution, count as u32)
            })
            .filter(|entry| entry.2 > 0)
            .collect();
        Columns {
            count: side.executions.len(),
            entries,
        }
    }

    /// Sample, column and how often.
    pub fn of_entries(count: usize, entries: Vec<(u32, u32, u32)>) -> Columns {
        Columns { count, entries }
    }

    /// The batches of a single execution, by its timeline: equally many samples each, in the order of time, over all
    /// threads together. What is left over at the end is left out. `None`: no timeline, or one of too few samples.
    ///
    /// In a very long run the timeline holds one sample in N: the test then uses these samples alone.
    pub fn of_batches(analyzed: &Analyzed, measure: Measure) -> Option<Columns> {
        let mut is_of_measure = vec![false; analyzed.profile().samples.len()];
        for (sample, amount) in analyzed.amounts(measure) {
            is_of_measure[sample] = amount.samples > 0;
        }
        let in_time: Vec<u32> = (analyzed.samples_in_time().iter().copied())
            .filter(|&sample| is_of_measure.get(sample as usize) != Some(&false))
            .collect();
        let length = in_time.len() / BATCHES;
        let samples = analyzed.profile().samples.len();
        if length == 0 || in_time.iter().any(|&sample| sample as usize >= samples) {
            return None;
        }
        let entries = (in_time.chunks_exact(length).take(BATCHES).enumerate())
            .flat_map(|(batch, of_batch)| {
                of_batch
                    .iter()
                    .map(move |&sample| (sample, batch as u32, 1))
            })
            .collect();
        Some(Columns {
            count: BATCHES,
            entries,
        })
    }

    /// Call path, column, and how often; what has no call path is left out.
    pub fn by_node<'a>(
        &'a self,
        trie: &'a StackTrie,
    ) -> impl Iterator<Item = (u32, u32, u32)> + 'a {
        (self.entries.iter())
            .map(|&(sample, column, count)| (trie.node_of_sample[sample as usize], column, count))
            .filter(|(node, _, _)| *node != 0)
    }

    /// Samples of each column.
    pub fn sums(&self) -> Vec<u32> {
        let mut sums = vec![0u32; self.count];
        for &(_, column, count) in &self.entries {
            let sum = &mut sums[column as usize];
            *sum = sum.saturating_add(count);
        }
        sums
    }

    /// Samples of all columns together.
    pub fn samples(&self) -> u64 {
        (self.entries.iter()).fold(0u64, |sum, entry| sum.saturating_add(entry.2.into()))
    }
}

/// Rows of counts, one number a column.
#[derive(Default, Clone)]
pub(crate) struct Counts {
    pub columns: usize,
    values: Vec<u32>,
    /// By row, how much executions differ where that was learnt; empty: nothing is known of any.
    pub noise: Vec<RunNoise>,
}

impl Counts {
    pub fn new(rows: usize, columns: usize) -> Counts {
        Counts {
            columns,
            values: vec![0; rows * columns],
            noise: Vec::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn row(&self, row: usize) -> &[u32] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub fn sum(&self, row: usize) -> u64 {
        self.row(row).iter().map(|&count| u64::from(count)).sum()
    }

    pub fn add(&mut self, row: usize, first: usize, counts: &[u32]) {
        let to = &mut self.values[row * self.columns + first..][..counts.len()];
        for (sum, &count) in to.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count);
        }
    }

    /// Adds every row to the row of its parent, of a tree whose parents stand before their children.
    pub fn fold_into_parents(&mut self, parent: &[u32]) {
        for node in (1..parent.len()).rev() {
            let (above, below) = self.values.split_at_mut(node * self.columns);
            let to = &mut above[parent[node] as usize * self.columns..][..self.columns];
            for (sum, &count) in to.iter_mut().zip(&below[..self.columns]) {
                *sum = sum.saturating_add(count);
            }
        }
    }
}

/// Of self and total.
pub(crate) struct Counted {
    pub self_: Counts,
    pub total: Counts,
}

/// One pass over the samples, and one walk over all call paths, for as many columns at once as fit. `group_of`: by the ids
/// that `id_of` gives of frames, a grouping into so many; as [`crate::tally::Groups`] has sums.
pub(crate) fn count_groups(
    analyzed: &Analyzed,
    columns: &Columns,
    (group_of, groups): (&[u32], usize),
    id_of: impl Fn(&ChainFrame) -> Option<u32>,
) -> Counted {
    let trie = analyzed.stacks();
    let group_of_frame = |frame: &ChainFrame| Some(group_of[id_of(frame)? as usize] as usize);
    let mut counted = Counted {
        self_: Counts::new(groups, columns.count),
        total: Counts::new(groups, columns.count),
    };
    // Two tables: what is counted on a path, and that with all below it.
    let block = (DENSE_MAX / 2 / trie.parent.len()).clamp(1, columns.count.max(1));
    for first in (0..columns.count).step_by(block) {
        let last = (first + block).min(columns.count);
        let self_ = counts_of_paths(trie, columns, first, last);
        let mut below = self_.clone();
        below.fold_into_parents(&trie.parent);
        let mut open = OpenGroups::new(groups);
        for path in trie.paths() {
            let below = below.row(path.node as usize);
            let chain = analyzed.chain(trie.chain[path.node as usize]);
            for group in chain.iter().filter_map(group_of_frame) {
                if open.enter(group, path) {
                    counted.total.add(group, first, below);
                }
            }
            let own = self_.row(path.node as usize);
            if own.iter().any(|&count| count > 0)
                && let Some(group) = group_of_frame(&chain[0])
            {
                counted.self_.add(group, first, own);
            }
        }
    }
    counted
}

/// By call path, what was counted on it, of the columns `first..last`.
fn counts_of_paths(trie: &StackTrie, columns: &Columns, first: usize, last: usize) -> Counts {
    let mut counts = Counts::new(trie.parent.len(), last - first);
    for &(sample, column, count) in &columns.entries {
        let column = column as usize;
        if (first..last).contains(&column) {
            let node = trie.node_of_sample[sample as usize] as usize;
            counts.add(node, column - first, &[count]);
        }
    }
    counts
}

/// By node of a tree that `node_of_path` leads to: what was counted on it alone.
pub(crate) fn count_nodes(
    analyzed: &Analyzed,
    columns: &Columns,
    node_of_path: &[u32],
    counts: &mut Counts,
) {
    let trie = analyzed.stacks();
    for &(sample, column, count) in &columns.entries {
        let node = node_of_path[trie.node_of_sample[sample as usize] as usize];
        counts.add(node as usize, column as usize, &[count]);
    }
}
