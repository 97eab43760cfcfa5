//! What is known of each thread over time: samples by whose code, waits, or memory in use, by the measure that is looked at.

use std::ops::Range;

use profile::{Counting, Family};

use crate::analyzed::Analyzed;
use crate::frames::{FunctionKind, FunctionOf, Measure};
use crate::memory_columns::{MemoryColumns, memory_columns};
use crate::named_functions::{NamedFunction, marked};
use crate::selection::OwnCode;
use crate::threads::ThreadOf;
use crate::time_columns::TimeColumns;
use crate::track_waits::{TrackWaits, WaitsOf, waits_of_tracks};
use crate::tracks::TrackOf;

/// What is wanted of it.
pub struct TimelineOf<'a> {
    /// Nanoseconds since the recording began; cut at its end.
    pub time: Range<u64>,
    /// Equal parts of that; at least one.
    pub columns: u32,
    /// Of the tracks, in their order.
    pub tracks: Range<usize>,
    /// By process, then by the measure; else by the measure alone.
    pub by_process: bool,
    /// What is looked at.
    pub measure: Measure,
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
    pub shows: Shows,
    pub all: Track,
    /// Of the run.
    pub track_count: usize,
    pub tracks: Vec<Track>,
    pub samples_without_time: u64,
}

/// What the columns of the tracks stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shows {
    /// With the waits of each thread, where they are known.
    Samples,
    /// Alone: samples are on no track.
    Waits,
    /// Of all threads together; tracks have nothing.
    Memory(MemoryColumns),
    /// As `Samples`, since it is not known when the events of the measure were.
    SamplesForLackOfTimes,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Track {
    /// Nothing is known of it on the track of all threads.
    pub thread: ThreadOf,
    /// In the whole recording.
    pub samples: u64,
    /// Of the measure, in the whole recording.
    pub value: u64,
    /// By column, samples whose innermost frame is own code, a library's, the kernel's.
    pub of_code: [Vec<u32>; 3],
    /// By column, samples with the tinted function anywhere, or of waits thousandths of the column's time; empty: none is tinted.
    pub tinted: Vec<u32>,
    /// By column, thousandths of its time; empty: not known, or of all threads. Where waits are shown, those of all threads are a sum.
    pub waits: TrackWaits,
}

impl Track {
    fn new(of: TrackOf, columns: usize, is_tinted: bool) -> Track {
        Track {
            thread: of.thread,
            samples: of.samples,
            value: of.value,
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
    let cut = TimeColumns {
        time: time.clone(),
        count: columns,
    };

    let shows = analyzed.shown_over_time(wanted.measure, &cut);
    let threads = analyzed.tracks(wanted.by_process, wanted.measure);
    let shown =
        wanted.tracks.start.min(threads.all.len())..wanted.tracks.end.min(threads.all.len());
    let is_tinted = wanted.tinted.is_some();
    let mut tracks: Vec<Track> = (threads.all[shown.clone()].iter())
        .map(|&of| Track::new(of, columns, is_tinted))
        .collect();
    let mut all = Track::new(TrackOf::sum(&threads.all), columns, is_tinted);

    let code = code_of_nodes(analyzed, wanted.folders);
    let tinted = (wanted.tinted).map(|function| nodes_with(analyzed, function));
    let in_time = analyzed.in_time();
    let has_samples = matches!(shows, Shows::Samples | Shows::SamplesForLackOfTimes);
    let (mut at, last) = (times.within(&time).start, times.within(&time).end);
    for column in (0..columns).filter(|_| has_samples) {
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
    let track_of = |sample: usize| {
        let track = threads.of_thread[analyzed.thread_table().of_sample[sample] as usize];
        shown.contains(&track).then(|| track - shown.start)
    };
    match &shows {
        Shows::Samples | Shows::SamplesForLackOfTimes => {
            let waits = waits_of_tracks(analyzed, &cut, tracks.len(), track_of, WaitsOf::Each);
            for (track, waits) in tracks.iter_mut().zip(waits) {
                track.waits = waits;
            }
        }
        Shows::Waits => {
            let of = WaitsOf::EachAndAll(tinted.as_deref());
            let waits = waits_of_tracks(analyzed, &cut, tracks.len(), track_of, of);
            for (track, mut waits) in tracks.iter_mut().chain([&mut all]).zip(waits) {
                track.tinted = std::mem::take(&mut waits.tinted);
                track.waits = waits;
            }
        }
        Shows::Memory(_) => {}
    }
    Some(Timeline {
        end_ns,
        time,
        columns: columns as u32,
        full: length as f64 / columns as f64 / period_ns(analyzed),
        shows,
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

    /// What the columns of a timeline stand for when a measure is looked at.
    fn shown_over_time(&self, measure: Measure, cut: &TimeColumns) -> Shows {
        let Some(of) = self.measures().get(measure) else {
            return Shows::Samples;
        };
        match of.family {
            Family::Cpu => Shows::Samples,
            Family::Waiting if self.wait_times().is_some() => Shows::Waits,
            Family::Memory => match memory_columns(self, of.main.unwrap_or(measure), cut) {
                Some(memory) => Shows::Memory(memory),
                None => Shows::SamplesForLackOfTimes,
            },
            // The default of a run counts its samples, whatever they are of.
            _ if measure == self.default_measure() => Shows::Samples,
            _ => Shows::SamplesForLackOfTimes,
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
