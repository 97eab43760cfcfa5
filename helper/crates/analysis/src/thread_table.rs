//! What each thread has of the samples.

use std::cmp::Reverse;

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::threads::{ThreadOf, Threads};

impl Analyzed {
    /// The threads of the whole profile, whatever is selected.
    pub fn threads(&self) -> &[ThreadOf] {
        &self.thread_table().all
    }

    pub(crate) fn thread_table(&self) -> &Threads {
        (self.recorded.threads).get_or_init(|| Threads::of(&self.recorded.profile))
    }
}

/// A thread with what of the selection is of it; under several names it has the one of most samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadRow {
    pub thread: ThreadOf,
    pub amount: Amount,
}

/// Threads with samples in the selection, most first. Empty: nothing tells threads apart.
pub fn thread_table(analyzed: &Analyzed, measure: Measure) -> Vec<ThreadRow> {
    let table = analyzed.thread_table();
    let is_known = |thread: &ThreadOf| *thread != ThreadOf::default();
    if measure >= analyzed.profile().sample_types.len() || !table.all.iter().any(is_known) {
        return Vec::new();
    }
    let mut amounts = vec![Amount::default(); table.all.len()];
    for (sample, amount) in analyzed.amounts(measure) {
        amounts[table.of_sample[sample] as usize].add(amount);
    }
    let mut by_name: Vec<ThreadRow> = (table.all.iter().zip(amounts))
        .map(|(&thread, amount)| ThreadRow { thread, amount })
        .filter(|row| row.amount != Amount::default())
        .collect();
    let identity = |row: &ThreadRow| (row.thread.pid, row.thread.tid);
    by_name.sort_by_key(|row| (identity(row), Reverse(row.amount.value)));
    let mut rows: Vec<ThreadRow> = Vec::new();
    for row in by_name {
        match rows.last_mut() {
            Some(last) if identity(last) == identity(&row) && row.thread.tid != 0 => {
                last.amount.add(row.amount);
            }
            _ => rows.push(row),
        }
    }
    rows.sort_by_key(|row| (Reverse(row.amount.value), identity(row)));
    rows
}
