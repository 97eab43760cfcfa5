//! What the threads of a run were at in a part of the time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use profile::SeededHash;

use crate::analyzed::Analyzed;
use crate::frames::FunctionId;
use crate::wait_times::reason_of;

/// The call path that most samples of a thread, or of all, were taken on, in a part of the time; without a sample, the one of the wait
/// that took most of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HottestStack {
    /// Outermost first; empty: there is no sample.
    pub functions: Vec<FunctionId>,
    pub samples: u64,
    /// In that part of the time.
    pub of_samples: u64,
    /// Why the thread waited, and for how long in that part of the time; `None`: it is of samples.
    pub waited: Option<(String, u64)>,
}

/// `thread`: pid and tid; `None`: any.
pub fn hottest_stack(
    analyzed: &Analyzed,
    time: &Range<u64>,
    thread: Option<(u32, u32)>,
) -> HottestStack {
    let (Some(times), Some(run)) = (analyzed.sample_times(), &analyzed.profile().run) else {
        return HottestStack::default();
    };
    let is_of_thread = |sample: u32| is_of_thread(analyzed, sample, thread);
    let stacks = analyzed.stacks();
    let mut samples_of: HashMap<u32, u64, SeededHash> = HashMap::default();
    let mut of_samples = 0;
    for at in times.within(time) {
        let sample = run.time_sample[at];
        if is_of_thread(sample) {
            of_samples += 1;
            let node = stacks.node_of_sample[sample as usize];
            *samples_of.entry(node).or_default() += 1;
        }
    }
    let hottest = (samples_of.iter()).max_by_key(|(node, samples)| (**samples, Reverse(**node)));
    if let Some((&node, &samples)) = hottest {
        return HottestStack {
            functions: path_to(analyzed, node),
            samples,
            of_samples,
            waited: None,
        };
    }
    longest_wait(analyzed, time, thread)
}

/// The call path of the wait that took most of a part of the time; no functions: there was none. `thread` as of `hottest_stack`.
pub fn longest_wait(
    analyzed: &Analyzed,
    time: &Range<u64>,
    thread: Option<(u32, u32)>,
) -> HottestStack {
    let stacks = analyzed.stacks();
    let waits = analyzed
        .wait_times()
        .map(|waits| waits.sums_within(std::slice::from_ref(time)));
    let waits = waits.unwrap_or_default().into_iter();
    let longest = (waits.filter(|(sample, _)| is_of_thread(analyzed, *sample, thread)))
        .max_by_key(|(sample, waited)| (waited.ns, Reverse(*sample)));
    let Some((sample, waited)) = longest else {
        return HottestStack::default();
    };
    let reason = reason_of(analyzed.profile(), sample as usize).unwrap_or_default();
    HottestStack {
        functions: path_to(analyzed, stacks.node_of_sample[sample as usize]),
        waited: Some((reason.to_owned(), waited.ns)),
        ..HottestStack::default()
    }
}

fn is_of_thread(analyzed: &Analyzed, sample: u32, thread: Option<(u32, u32)>) -> bool {
    let table = analyzed.thread_table();
    let of = table.all[table.of_sample[sample as usize] as usize];
    thread.is_none_or(|thread| thread == (of.pid, of.tid))
}

/// Outermost first.
fn path_to(analyzed: &Analyzed, mut node: u32) -> Vec<FunctionId> {
    let stacks = analyzed.stacks();
    let mut functions = Vec::new();
    while node != 0 {
        let chain = analyzed.chain(stacks.chain[node as usize]);
        functions.extend(chain.iter().map(|frame| frame.function));
        node = stacks.parent[node as usize];
    }
    functions.reverse();
    functions
}
