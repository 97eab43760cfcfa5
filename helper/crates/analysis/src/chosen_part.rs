//! When and where the samples of a selection were taken, without what it does to their stacks.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ChosenPart {
    /// Nanoseconds since the recording began; empty: all the time.
    pub times: Vec<Range<u64>>,
    /// Names of threads and of processes, of those that are in and of those that are left out.
    pub threads: [Vec<String>; 4],
    /// From 1; empty: all.
    pub executions: Vec<u32>,
    /// What all this leaves out.
    pub is_rest: bool,
}

impl ChosenPart {
    pub fn is_of_threads(&self) -> bool {
        self.threads.iter().any(|names| !names.is_empty())
    }

    pub fn is_rest_of(&self, other: &ChosenPart) -> bool {
        let same = ChosenPart {
            is_rest: other.is_rest,
            ..self.clone()
        };
        self.is_rest && !other.is_rest && same == *other
    }
}
