//! Where in time and in which threads a run was sampled.

use analysis::{NamedFunction, Shows, TimelineOf};
use profile::Family;
use wire::timeline::Shows as ShowsOnWire;
use wire::{ExecutionMark, HottestStackRequest, Message, TimelineRequest, timeline_request::Order};

use super::failure::Failure;
use super::measured::Measured;
use super::open_run::OpenRun;

/// As many as the contract has.
const COLUMNS_MAX: u32 = 4096;
const TRACKS_MAX: u32 = 256;

/// Encoded. Without tracks and of no length where the run does not say when its samples were taken.
pub fn timeline(run: &OpenRun, request: &TimelineRequest) -> Result<Vec<u8>, Failure> {
    if !(1..=COLUMNS_MAX).contains(&request.columns) || request.count > TRACKS_MAX {
        return Err(Failure::protocol(format!(
            "A timeline has 1 to {COLUMNS_MAX} columns and at most {TRACKS_MAX} tracks at once."
        )));
    }
    let measure = Measured::of(run, request.value)?.measure;
    let analyzed = &run.analyzed;
    let tinted = (request.tinted.as_ref()).map(|of| NamedFunction::new(&of.name, &of.module));
    let first = request.first as usize;
    let end = match request.to_ns {
        0 => u64::MAX,
        end => end,
    };
    let wanted = TimelineOf {
        time: request.from_ns..end,
        columns: request.columns,
        tracks: first..first.saturating_add(request.count as usize),
        by_process: request.order() == Order::Process,
        measure,
        tinted: tinted.as_ref(),
        folders: &run.workspace_folders,
    };
    let Some(found) = analysis::timeline(analyzed, &wanted) else {
        return Ok(wire::Timeline::default().encode_to_vec());
    };
    let track = |track: analysis::Track| {
        let [own, library, kernel] = track.of_code;
        wire::Track {
            pid: track.thread.pid,
            tid: track.thread.tid,
            process: analyzed.text(track.thread.process).to_owned(),
            thread: analyzed.text(track.thread.thread).to_owned(),
            samples: track.samples,
            value: track.value,
            own,
            library,
            kernel,
            tinted: track.tinted,
            queued: track.waits.queued,
            waiting: track.waits.waiting,
        }
    };
    let (shows, memory) = match found.shows {
        Shows::Samples => (ShowsOnWire::Samples, None),
        Shows::Waits => (ShowsOnWire::Waits, None),
        Shows::Memory(memory) => (ShowsOnWire::Memory, Some(memory_on_wire(memory))),
        Shows::SamplesForLackOfTimes => (ShowsOnWire::SamplesForLackOfTimes, None),
    };
    let message = wire::Timeline {
        end_ns: found.end_ns,
        from_ns: found.time.start,
        to_ns: found.time.end,
        columns: found.columns,
        full: found.full,
        cpus: (analyzed.profile().run.as_ref()).map_or(0, |run| run.cpu_count),
        all: Some(track(found.all)),
        track_count: found.track_count as u32,
        tracks: found.tracks.into_iter().map(track).collect(),
        executions: execution_marks(run),
        shows: shows.into(),
        memory,
        samples_without_time: found.samples_without_time,
    };
    Ok(message.encode_to_vec())
}

fn memory_on_wire(memory: analysis::MemoryColumns) -> wire::MemoryColumns {
    let peak = |of: profile::run::MemoryPeak| wire::MemoryPeak {
        time_ns: of.time_ns,
        peak_bytes: of.bytes,
    };
    wire::MemoryColumns {
        highest_bytes: memory.highest_bytes,
        peaks: memory.peaks.into_iter().map(peak).collect(),
    }
}

/// Empty when the command was executed once.
fn execution_marks(run: &OpenRun) -> Vec<ExecutionMark> {
    let recorded = run.analyzed.profile().run.as_ref();
    let mut number = 0;
    (recorded.iter().flat_map(|run| &run.repetitions))
        .map(|repetition| {
            number += u32::from(!repetition.warm_up);
            ExecutionMark {
                number: if repetition.warm_up { 0 } else { number },
                from_ns: repetition.start_ns,
                to_ns: repetition.start_ns.saturating_add(repetition.wall_ns),
            }
        })
        .collect()
}

pub fn hottest_stack(
    run: &OpenRun,
    request: &HottestStackRequest,
) -> Result<wire::HottestStack, Failure> {
    let measure = Measured::of(run, request.value)?.measure;
    let time = request.time.unwrap_or_default();
    let thread = (request.tid != 0).then_some((request.pid, request.tid));
    let analyzed = &run.analyzed;
    let time = time.from_ns..time.to_ns;
    let found = match analyzed.measures().get(measure).map(|of| of.family) {
        Some(Family::Waiting) => analysis::longest_wait(analyzed, &time, thread),
        _ => analysis::hottest_stack(analyzed, &time, thread),
    };
    let named = |&id: &u32| {
        let function = analyzed.function(id);
        let named =
            NamedFunction::new(analyzed.text(function.name), analyzed.text(function.module));
        wire::NamedFunction {
            name: named.name,
            module: named.module,
        }
    };
    let frames = found.functions.iter().map(named).collect();
    let (waits_for, waited_ns) = found.waited.unwrap_or_default();
    Ok(wire::HottestStack {
        frames,
        samples: found.samples,
        of_samples: found.of_samples,
        waits_for,
        waited_ns,
    })
}
