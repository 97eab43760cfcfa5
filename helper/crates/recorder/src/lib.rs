//! Recording: wires launch, sampler, address spaces, counted stacks, symbols and the saved file. The only place that
//! knows all of these stages; each of them knows only its own values.

mod address_spaces;
mod allocations;
mod attach_to;
mod bpf_refusals;
mod call_samples;
mod calls;
mod cause_lines;
mod choices;
mod copied_stacks;
mod counters;
mod counting;
mod earlier_build;
mod environment;
mod errors;
mod events;
mod evidence;
mod fd_passing;
mod finish;
mod follow;
mod git;
mod go_programs;
mod go_sampling;
mod heap_of_program;
#[cfg(test)]
mod hours;
mod in_turns;
mod incoming;
mod incomplete_stacks;
mod jit;
mod journal;
mod keeping;
mod kept_builds;
mod launch_options;
mod launching;
mod layouts;
mod live_memory;
mod locator;
mod lock_holders;
mod mapped_paths;
mod memory_in_time;
mod memory_times;
mod missed;
mod missing_rights;
mod module_files;
mod modules;
mod named;
mod names_so_far;
mod numbering;
mod open_messages;
pub mod open_worker;
mod opener;
mod options;
mod output;
mod own_program;
mod own_samples;
mod pid_namespace;
mod preload;
mod probe_errors;
mod problems;
mod process_repetitions;
mod rate;
mod recorded;
mod recording;
mod repetitions;
mod reported_memory;
mod row_cache;
mod run_info;
mod sample_started_go;
mod sampled_events;
mod sampler;
mod sampler_errors;
mod sampler_process;
mod sampler_watch;
mod save;
mod shown_path;
mod source_texts;
mod stacks;
mod start;
mod started_go;
mod stopping;
mod stops;
pub mod symbolize_worker;
mod symbols;
mod trouble;
mod turn_text;
mod turns;
mod unprivileged;
mod unwind_tables;
mod wait_causes;
mod wait_reasons;
mod wait_times;
mod waits;
mod wakers;
mod warm_up;
mod ways;
mod what_is_left;
mod work;

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use machine::kernel_support;
use supervision::Urgency;

pub use attach_to::AttachTo;
pub use choices::Choices;
pub use counters::{KnownCounter, known_counters};
pub use errors::{RecordError, RecordErrorKind};
pub use events::{Control, Event, RunsSoFar, Stage};
pub use in_turns::{IN_TURNS_MAX, record_in_turns};
use incoming::Incoming;
pub use kept_builds::{EarlierBuild, KeptBuilds, NoEarlierBuild};
pub use layouts::DrawnLayouts;
pub use names_so_far::NamesSoFar;
pub use options::{Build, Earlier, MissingCalls, Privilege, RecordOptions, Target};
pub use output::new_run_path;
pub use own_program::OWN_PROGRAM;
pub use recorded::{EndReason, Recorded};
use recording::Recording;
pub use shown_path::shown_path;
pub use turn_text::turn_so_far;
use turns::Turn;
use warm_up::WarmedUp;
pub use what_is_left::{ENDS_WITHIN, what_is_left};
pub use work::{Work, work_expression};

/// Messages in flight between our threads; beyond it the sampler waits, and counts what it loses.
const INCOMING_MAX: usize = 256;

/// Records until the target ends, the duration is over or `control` says so; then symbolizes and saves.
///
/// # Errors
/// When recording cannot start, or the run cannot be saved. What was recorded is never thrown away for a lesser cause.
pub fn record(
    options: &RecordOptions,
    control: Receiver<Control>,
    on_event: impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    record_in(options, None, control, on_event)
}

/// The same; the command runs when it is its turn.
fn record_in(
    options: &RecordOptions,
    turn: Option<&Turn>,
    control: Receiver<Control>,
    mut on_event: impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    let urgency = Urgency::default();
    let control = stops::listen(control, urgency.clone());
    match record_until_asked(options, turn, &urgency, control, &mut on_event) {
        Err(e) if e.is_stopped() => Ok(Recorded::nothing(e.message)),
        other => other,
    }
}

fn record_until_asked(
    options: &RecordOptions,
    turn: Option<&Turn>,
    urgency: &Urgency,
    control: Receiver<Control>,
    mut on_event: &mut impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    let alone = turn.map(Turn::prepare);
    if let Some(error) = RecordError::old_kernel(&kernel_support::release()) {
        return Err(error);
    }
    pid_namespace::check_proc()?;
    rate::check(options.chosen.sample_hz, rate::kernel_limit_hz())?;
    calls::check(options)?;
    counters::check(options)?;
    let library = preload::wanted(options)?;
    let run_file = (options.output.as_deref()).map(output::prepare_output);
    let run_file = run_file.transpose()?;
    let warm_ups = match warm_up::run(options, urgency, &control, &mut on_event)? {
        WarmedUp::All(warm_ups) => warm_ups,
        WarmedUp::Stopped(recorded) => return Ok(recorded),
    };
    let (sender, incoming) = sync_channel(INCOMING_MAX);
    let mut recording = Recording::start(
        options,
        library,
        turn,
        warm_ups,
        urgency,
        sender.clone(),
        &incoming,
    )?;
    if let Some(run_file) = run_file {
        recording.steps.keep_beside(run_file);
    }
    drop(alone);
    let forward = sender.clone();
    thread::spawn(move || {
        while let Ok(c) = control.recv() {
            if forward.send(Incoming::Control(c)).is_err() {
                break;
            }
        }
    });
    recording.begin(options, sender)?;
    on_event(Event::Started {
        pid: recording.seen.pid,
        event: recording.seen.event_name(),
        user_space_only: !recording.sampler.is_privileged(),
        refused: recording.refused.clone(),
    });
    recording.run(options, &incoming, &mut on_event);
    if let Some(turn) = turn {
        // Names are found when nobody runs any more whom that would slow down.
        turn.end_runs(urgency);
    }
    recording.finish(options, &mut on_event)
}
