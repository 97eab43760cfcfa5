//! What a run says of programs of Go that the command has started.

use std::collections::BTreeMap;

use super::go_sampling::NoGoSampling;

#[derive(Debug, Default)]
pub struct StartedGo {
    /// Nanoseconds from the beginning of a program to its sampling: of each.
    pub delays_ns: Vec<u64>,
    /// Ended before they were sampled.
    pub ended: u64,
    /// There was no room for their probes.
    pub beyond: u64,
    /// Files whose programs are not sampled.
    pub refused: BTreeMap<String, NoGoSampling>,
}
