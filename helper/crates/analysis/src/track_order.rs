//! The tracks of a timeline in their order.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use profile::{Family, SeededHash};

use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::threads::ThreadOf;
use crate::tracks::{TrackOf, Tracks};

impl Analyzed {
    /// The same in every selection.
    pub(crate) fn tracks(&self, by_process: bool, measure: Measure) -> Arc<Tracks> {
        let mut made =
            (self.recorded.tracks.lock()).unwrap_or_else(|poisoned| poisoned.into_inner());
        let tracks = (made.entry((by_process, measure)))
            .or_insert_with(|| Arc::new(Tracks::of(self, by_process, measure)));
        Arc::clone(tracks)
    }
}

impl Tracks {
    /// A thread that changed its name has one track, with the name of most samples. Samples say more of the order than a time that
    /// is estimated from them.
    fn of(analyzed: &Analyzed, by_process: bool, measure: Measure) -> Tracks {
        let table = analyzed.thread_table();
        let mut of_names = vec![TrackOf::default(); table.all.len()];
        for (sample, &thread) in table.of_sample.iter().enumerate() {
            let of = &mut of_names[thread as usize];
            of.samples = of.samples.saturating_add(analyzed.taken(sample));
            if measure < analyzed.measures().len() {
                let value = analyzed.profile().value(sample, measure);
                of.value = of.value.saturating_add(value);
            }
        }
        let mut by_samples: Vec<usize> = (0..table.all.len()).collect();
        by_samples
            .sort_by_key(|&number| Reverse((of_names[number].samples, of_names[number].value)));
        let mut track_of: HashMap<ThreadOf, usize, SeededHash> = HashMap::default();
        let mut all: Vec<TrackOf> = Vec::new();
        let mut track_of_thread = vec![0; table.all.len()];
        for number in by_samples {
            let thread = table.all[number];
            let identity = match thread.tid {
                0 => thread,
                tid => ThreadOf {
                    pid: thread.pid,
                    tid,
                    ..ThreadOf::default()
                },
            };
            let track = *track_of.entry(identity).or_insert_with(|| {
                all.push(TrackOf {
                    thread,
                    ..TrackOf::default()
                });
                all.len() - 1
            });
            let sum = TrackOf::sum(&[all[track], of_names[number]]);
            all[track] = TrackOf {
                thread: all[track].thread,
                ..sum
            };
            track_of_thread[number] = track;
        }
        let is_cpu = (analyzed.measures().get(measure)).is_none_or(|of| of.family == Family::Cpu);
        let weight = |of: &TrackOf| match is_cpu {
            true => of.samples,
            false => of.value,
        };
        let mut of_process: HashMap<u32, u64, SeededHash> = HashMap::default();
        for of in &all {
            let sum = of_process.entry(of.thread.pid).or_default();
            *sum = sum.saturating_add(weight(of));
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&track| {
            let of = &all[track];
            let thread = of.thread;
            let process = by_process.then(|| (Reverse(of_process[&thread.pid]), thread.pid));
            (process, Reverse(weight(of)), thread.pid, thread.tid)
        });
        let mut place = vec![0; all.len()];
        for (at, &track) in order.iter().enumerate() {
            place[track] = at;
        }
        Tracks {
            all: order.iter().map(|&track| all[track]).collect(),
            of_thread: track_of_thread.iter().map(|&track| place[track]).collect(),
        }
    }
}
