//! The threads of a profile, as the labels of its samples tell them.

use std::cmp::Reverse;
use std::collections::HashMap;

use profile::{Label, Profile, SeededHash, StringId};

use crate::analyzed::{Analyzed, Measure};
use crate::tally::Amount;

/// A thread as its samples have it. What is 0 or empty is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ThreadOf {
    pub pid: u32,
    pub tid: u32,
    pub process: StringId,
    pub thread: StringId,
}

pub(crate) struct Threads {
    /// In the order in which samples name them first.
    pub all: Vec<ThreadOf>,
    /// By sample: index into `all`.
    pub of_sample: Vec<u32>,
}

/// The ids of the labels that tell threads apart. Files of others may have a text under several ids.
struct Keys([Option<StringId>; 4]);

const KEYS: [&str; 4] = ["pid", "tid", "process", "thread"];

impl Keys {
    fn of(profile: &Profile) -> Keys {
        let mut keys = Keys([None; 4]);
        let mut last = None;
        for label in &profile.samples.labels {
            if last == Some(label.key) || keys.0.contains(&Some(label.key)) {
                continue;
            }
            last = Some(label.key);
            if let Some(at) = KEYS.iter().position(|key| *key == profile.text(label.key)) {
                keys.0[at] = Some(label.key);
            }
        }
        keys
    }

    fn thread_of(&self, labels: &[Label]) -> ThreadOf {
        let find = |at: usize| {
            let key = self.0[at]?;
            labels.iter().find(|label| label.key == key)
        };
        let number =
            |at: usize| find(at).map_or(0, |label| u32::try_from(label.number).unwrap_or(0));
        let text = |at: usize| find(at).map_or(0, |label| label.text);
        ThreadOf {
            pid: number(0),
            tid: number(1),
            process: text(2),
            thread: text(3),
        }
    }
}

impl Threads {
    /// Equal texts of the profile have equal ids.
    pub fn of(profile: &Profile) -> Threads {
        let keys = Keys::of(profile);
        let mut number_of: HashMap<ThreadOf, u32, SeededHash> = HashMap::default();
        let mut all = Vec::new();
        let of_sample = (0..profile.samples.len())
            .map(|sample| {
                let thread = keys.thread_of(profile.samples.labels_of(sample));
                *number_of.entry(thread).or_insert_with(|| {
                    all.push(thread);
                    all.len() as u32 - 1
                })
            })
            .collect();
        Threads { all, of_sample }
    }
}

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
