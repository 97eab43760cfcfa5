//! How often each thread was sampled over time, and in whose code.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use profile::{Counting, SeededHash};

use crate::analyzed::Analyzed;
use crate::frames::{FunctionKind, FunctionOf};
use crate::named_functions::{NamedFunction, marked};
use crate::selection::OwnCode;
use crate::threads::ThreadOf;
use crate::track_waits::{TimeColumns, TrackWaits, waits_of_tracks};
use crate::tracks::Tracks;

/// What is wanted of it.
pub struct TimelineOf<'a> {
    /// Nanoseconds since the recording began; cut at its end.
    pub time: Range<u64>,
    /// Equal parts of that; at least one.
    pub columns: u32,
    /// Of the tracks, in their order.
    pub tracks: Range<usize>,
    /// By process, then by samples; else by samples alone.
    pub by_process: bool,
    /// Counted apart.
    pub tinted: Option<&'a NamedFunction>,
    /// Where the user's own code is; none: where the run was recorded.
    pub folders: &'a [String],
}

pub struct Timeline {
    /// Of the recording.
    pub end_ns: u64,
    pub time: Range<u64>,
    pub columns: u32,
    /// Samples of a column in which one thread is on a CPU all the time.
    pub full: f64,
    pub all: Track,
    /// Of the run.
    pub track_count: usize,
    pub tracks: Vec<Track>,
    pub samples_without_time: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Track {
    /// Nothing is known of it on the track of all threads.
    pub thread: ThreadOf,
    /// In the whole recording.
    pub samples: u64,
    /// By column, samples whose innermost frame is own code, a library's, the kernel's.
    pub of_code: [Vec<u32>; 3],
    /// By column, samples with the tinted function anywhere; empty: none is tinted.
    pub tinted: Vec<u32>,
    /// By column, thousandths of its time; empty: not known, or of all threads.
    pub waits: TrackWaits,
}

impl Track {
    fn new(thread: ThreadOf, samples: u64, columns: usize, is_tinted: bool) -> Track {
        Track {
            thread,
            samples,
            of_code: std::array::from_fn(|_| vec![0; columns]),
            tinted: vec![0; if is_tinted { columns } else { 0 }],
            waits: TrackWaits::default(),
        }
    }

    fn add(&mut self, column: usize, code: Code, is_tinted: bool) {
        let count = &mut self.of_code[code as usize][column];
        *count = count.saturating_add(1);
        if is_tinted {
            self.tinted[column] += 1;
        }
    }
}

/// Whose code a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Own = 0,
    Library = 1,
    Kernel = 2,
}

/// `None`: the profile does not say when its samples were taken. A selection has the timeline of the whole run.
pub fn timeline(analyzed: &Analyzed, wanted: &TimelineOf) -> Option<Timeline> {
    let times = analyzed.sample_times()?;
    let run = analyzed.profile().run.as_ref()?;
    let end_ns = run
        .wall_ns
        .max(times.ns.last().map_or(0, |last| last.saturating_add(1)));
    let time = wanted.time.start.min(end_ns)..wanted.time.end.min(end_ns);
    let columns = wanted.columns.max(1) as usize;
    let length = (time.end.saturating_sub(time.start)).max(1);

    let threads = analyzed.tracks(wanted.by_process);
    let shown =
        wanted.tracks.start.min(threads.all.len())..wanted.tracks.end.min(threads.all.len());
    let is_tinted = wanted.tinted.is_some();
    let track =
        |&(thread, samples): &(ThreadOf, u64)| Track::new(thread, samples, columns, is_tinted);
    let mut tracks: Vec<Track> = threads.all[shown.clone()].iter().map(track).collect();
    let samples = threads
        .all
        .iter()
        .fold(0u64, |sum, of| sum.saturating_add(of.1));
    let mut all = Track::new(ThreadOf::default(), samples, columns, is_tinted);

    let code = code_of_nodes(analyzed, wanted.folders);
    let tinted = (wanted.tinted).map(|function| nodes_with(analyzed, function));
    let in_time = analyzed.in_time();
    let (mut at, last) = (times.within(&time).start, times.within(&time).end);
    let cut = TimeColumns {
        time: time.clone(),
        count: columns,
    };
    for column in 0..columns {
        let end = cut.edge(column + 1);
        while at < last && times.ns[at] < end {
            let (node, thread) = in_time[at];
            at += 1;
            let code = code[node as usize];
            let is_tinted = tinted.as_ref().is_some_and(|tinted| tinted[node as usize]);
            all.add(column, code, is_tinted);
            let track = threads.of_thread[thread as usize];
            if shown.contains(&track) {
                tracks[track - shown.start].add(column, code, is_tinted);
            }
        }
    }
    let waits = waits_of_tracks(analyzed, &cut, tracks.len(), |sample| {
        let track = threads.of_thread[analyzed.thread_table().of_sample[sample] as usize];
        shown.contains(&track).then(|| track - shown.start)
    });
    for (track, waits) in tracks.iter_mut().zip(waits) {
        track.waits = waits;
    }
    Some(Timeline {
        end_ns,
        time,
        columns: columns as u32,
        full: length as f64 / columns as f64 / period_ns(analyzed),
        all,
        track_count: threads.all.len(),
        tracks,
        samples_without_time: without_time(analyzed, &times.occurrences),
    })
}

/// Time between two entries of the timeline of a thread that is on a CPU all the time.
pub(crate) fn period_ns(analyzed: &Analyzed) -> f64 {
    let run = analyzed.profile().run.as_ref();
    let every = run.map_or(1, |run| run.time_every.max(1));
    let of_samples = analyzed
        .profile()
        .find_sample_type("cpu", "nanoseconds")
        .and_then(|cpu| {
            let Counting::Value(count) = analyzed.measures()[cpu].counting else {
                return None;
            };
            let (value, count) = (
                analyzed.profile().total(cpu),
                analyzed.profile().total(count),
            );
            (value > 0 && count > 0).then(|| value as f64 / count as f64)
        });
    let asked = run.map_or(0.0, |run| run.asked_hz);
    let asked = if asked > 0.0 { 1e9 / asked } else { 1e6 };
    of_samples.unwrap_or(asked) * f64::from(every)
}

fn without_time(analyzed: &Analyzed, occurrences: &[u32]) -> u64 {
    (occurrences.iter().enumerate())
        .filter(|(_, occurrences)| **occurrences == 0)
        .map(|(sample, _)| analyzed.taken(sample))
        .fold(0, u64::saturating_add)
}

impl Analyzed {
    /// Call path and thread of each sample, in the order of time: samples that follow each other lie anywhere in the profile.
    fn in_time(&self) -> &[(u32, u32)] {
        self.paths.in_time.get_or_init(|| {
            let threads = &self.thread_table().of_sample;
            let nodes = &self.stacks().node_of_sample;
            let samples = self.profile().run.iter().flat_map(|run| &run.time_sample);
            samples
                .map(|&sample| (nodes[sample as usize], threads[sample as usize]))
                .collect()
        })
    }

    /// The same in every selection.
    fn tracks(&self, by_process: bool) -> &Tracks {
        let tracks = &self.recorded.tracks[usize::from(by_process)];
        tracks.get_or_init(|| Tracks::of(self, by_process))
    }
}

impl Tracks {
    /// A thread that changed its name has one track, with the name of most samples.
    fn of(analyzed: &Analyzed, by_process: bool) -> Tracks {
        let table = analyzed.thread_table();
        let mut samples = vec![0u64; table.all.len()];
        for (sample, &thread) in table.of_sample.iter().enumerate() {
            samples[thread as usize] += analyzed.taken(sample);
        }
        let mut by_samples: Vec<usize> = (0..table.all.len()).collect();
        by_samples.sort_by_key(|&number| Reverse(samples[number]));
        let mut track_of: HashMap<ThreadOf, usize, SeededHash> = HashMap::default();
        let mut all: Vec<(ThreadOf, u64)> = Vec::new();
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
                all.push((thread, 0));
                all.len() - 1
            });
            all[track].1 += samples[number];
            track_of_thread[number] = track;
        }
        let mut of_process: HashMap<u32, u64, SeededHash> = HashMap::default();
        for (thread, samples) in &all {
            *of_process.entry(thread.pid).or_default() += samples;
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&track| {
            let (thread, samples) = all[track];
            let process = by_process.then(|| (Reverse(of_process[&thread.pid]), thread.pid));
            (process, Reverse(samples), thread.pid, thread.tid)
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

/// By call path, whose code its innermost frame is.
fn code_of_nodes(analyzed: &Analyzed, folders: &[String]) -> Vec<Code> {
    let own_code = OwnCode::of(analyzed, folders);
    let of_function: Vec<Code> = (analyzed.functions().iter())
        .map(|function| match function.kind {
            FunctionKind::Kernel | FunctionKind::Interrupts => Code::Kernel,
            _ if own_code.is_source_of(analyzed, function) => Code::Own,
            // Without debug information, only the file that it is in tells: a program, or a library.
            _ if is_program_without_source(analyzed, function) => Code::Own,
            _ => Code::Library,
        })
        .collect();
    let of_chain: Vec<Code> = (0..analyzed.chain_count())
        .map(|chain| of_function[analyzed.chain(chain)[0].function as usize])
        .collect();
    // The root has none.
    let of_nodes = analyzed.stacks().chain[1..]
        .iter()
        .map(|&chain| of_chain[chain as usize]);
    std::iter::once(Code::Library).chain(of_nodes).collect()
}

fn is_program_without_source(analyzed: &Analyzed, function: &FunctionOf) -> bool {
    let module = analyzed.text(function.module);
    analyzed.text(function.file).is_empty() && !module.contains(".so") && !module.starts_with('[')
}

/// By call path, whether the function is on it.
fn nodes_with(analyzed: &Analyzed, function: &NamedFunction) -> Vec<bool> {
    let marks = marked(analyzed, std::slice::from_ref(function));
    let has_frame = |chain: u32| {
        let mut frames = analyzed.chain(chain).iter();
        frames.any(|frame| marks[frame.function as usize])
    };
    let of_chain: Vec<bool> = (0..analyzed.chain_count()).map(has_frame).collect();
    let stacks = analyzed.stacks();
    let mut has = vec![false; stacks.parent.len()];
    for node in 1..has.len() {
        has[node] = has[stacks.parent[node] as usize] || of_chain[stacks.chain[node] as usize];
    }
    has
}
