//! What each thread of a run spent its life with: CPU time, and waits by reason and place. Of a run that recorded waits.

use std::cmp::Reverse;
use std::collections::HashMap;

use profile::{SeededHash, WAIT, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::threads::ThreadOf;
use crate::wait_places::{WaitPlace, WaitPlaces};

/// A thread, whatever it was called; of several names it has the one with most time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadTimes {
    pub thread: ThreadOf,
    /// Sampled.
    pub cpu: Amount,
    /// Exact; no two of the same reason and place.
    pub waits: Vec<WaitsAt>,
}

/// The waits of one thread for one reason at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitsAt {
    pub reason: WaitReason,
    /// `None`: the stack is not known.
    pub place: Option<WaitPlace>,
    /// Its samples are the waits.
    pub amount: Amount,
}

impl ThreadTimes {
    /// As long as it was seen to live.
    pub fn life_ns(&self) -> u64 {
        let waited = self.waits.iter().map(|waits| waits.amount.value);
        waited.fold(self.cpu.value, u64::saturating_add)
    }
}

/// Of the selection, by (pid, tid). `None`: the run has no waits, or no CPU time.
pub(crate) fn thread_times(analyzed: &Analyzed) -> Option<Vec<ThreadTimes>> {
    cpu_of(analyzed)?;
    waits_of_threads(analyzed)
}

fn cpu_of(analyzed: &Analyzed) -> Option<Measure> {
    (analyzed.profile()).find_sample_type("cpu", "nanoseconds")
}

/// The same of a run that may have no CPU time.
pub(crate) fn waits_of_threads(analyzed: &Analyzed) -> Option<Vec<ThreadTimes>> {
    let wait = (analyzed.profile()).find_sample_type("wait", "nanoseconds")?;
    let mut places = WaitPlaces::of(analyzed);
    let mut threads = AllThreads::default();
    let each = |measure: Measure| analyzed.amounts(measure).filter(|(_, a)| a.value > 0);
    for (sample, amount) in cpu_of(analyzed).into_iter().flat_map(each) {
        let one = threads.of_sample(analyzed, sample, amount);
        one.cpu.add(amount);
    }
    for (sample, amount) in each(wait) {
        let at = (reason_of(analyzed, sample), places.of_sample(sample));
        let one = threads.of_sample(analyzed, sample, amount);
        one.waits.entry(at).or_default().add(amount);
    }
    let all = threads.by_id.into_values();
    let mut threads: Vec<ThreadTimes> = all.map(OneThread::finish).collect();
    threads.sort_by_key(|of| (of.thread.pid, of.thread.tid));
    Some(threads)
}

#[derive(Default)]
struct AllThreads {
    by_id: HashMap<(u32, u32), OneThread, SeededHash>,
}

impl AllThreads {
    fn of_sample(&mut self, analyzed: &Analyzed, sample: usize, amount: Amount) -> &mut OneThread {
        let table = analyzed.thread_table();
        let thread = table.all[table.of_sample[sample] as usize];
        let one = (self.by_id.entry((thread.pid, thread.tid))).or_default();
        *one.names.entry(thread).or_default() += amount.value;
        one
    }
}

#[derive(Default)]
struct OneThread {
    names: HashMap<ThreadOf, u64, SeededHash>,
    cpu: Amount,
    waits: HashMap<(WaitReason, Option<WaitPlace>), Amount, SeededHash>,
}

impl OneThread {
    fn finish(self) -> ThreadTimes {
        let names = self.names.into_iter();
        let longest = names.max_by_key(|(of, ns)| (*ns, Reverse((of.process, of.thread))));
        let waits = self
            .waits
            .into_iter()
            .map(|((reason, place), amount)| WaitsAt {
                reason,
                place,
                amount,
            });
        ThreadTimes {
            thread: longest.map(|(thread, _)| thread).unwrap_or_default(),
            cpu: self.cpu,
            waits: waits.collect(),
        }
    }
}

fn reason_of(analyzed: &Analyzed, sample: usize) -> WaitReason {
    let profile = analyzed.profile();
    let mut labels = profile.samples.labels_of(sample).iter();
    let label = labels.find(|label| profile.text(label.key) == WAIT);
    label.map_or(WaitReason::Other, |label| {
        WaitReason::named(profile.text(label.text))
    })
}
