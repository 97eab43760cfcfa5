//! The threads of a profile, as the labels of its samples tell them.

use std::collections::HashMap;

use profile::{Label, Profile, SeededHash, StringId};

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
