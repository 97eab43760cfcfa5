//! Recording: wires launch, sampler, address spaces, counted stacks, symbols and the saved file. The only place that
//! knows all of these stages; each of them knows only its own values.

mod address_spaces;
mod environment;
mod errors;
mod modules;
mod output;
mod recording;
mod run_info;
mod sampler_process;
mod save;
mod stacks;
mod start;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use records::FromSampler;
use target::{Exit, TerminalSize};

pub use errors::RecordError;
pub use output::new_run_path;
use recording::Recording;
pub use sampler_process::sampler_path;

pub const SAMPLE_HZ_DEFAULT: u32 = 999;
pub const SAMPLE_HZ_MAX: u32 = 9999;

/// What to record.
pub enum Target {
    Launch {
        program: PathBuf,
        args: Vec<std::ffi::OsString>,
        cwd: Option<PathBuf>,
        /// Added to our own environment; never stored.
        env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
        terminal: Option<TerminalSize>,
    },
    Attach {
        pid: u32,
    },
}

pub struct RecordOptions {
    pub target: Target,
    pub sample_hz: u32,
    pub duration: Option<Duration>,
    /// The run file to write; None: nothing is kept.
    pub output: Option<PathBuf>,
    pub name: String,
}

/// What the caller may ask for while it records.
pub enum Control {
    /// End the recording and keep it. A launched target is ended too.
    Stop,
    /// The same, when the target has been interrupted with us and ends by itself.
    Interrupt,
    Discard,
    Input(Vec<u8>),
    Resize(TerminalSize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Recording,
    Symbolizing,
    Saving,
}

/// What the caller hears while it records.
pub enum Event {
    Started {
        pid: u32,
        event: &'static str,
    },
    Progress {
        stage: Stage,
        elapsed: Duration,
        samples: u64,
        lost: u64,
    },
    /// From the target's own terminal, if it was given one.
    Output(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Exited,
    Stopped,
    Duration,
    SamplerLost,
}

pub struct Recorded {
    /// None: discarded.
    pub run: Option<PathBuf>,
    pub exit: Option<Exit>,
    pub samples: u64,
    pub lost: u64,
    pub wall: Duration,
    pub end_reason: EndReason,
    pub problems: Vec<String>,
}

enum Incoming {
    Sampler(Vec<FromSampler>),
    SamplerGone(Option<String>),
    TargetExited(Option<Exit>),
    Output(Vec<u8>),
    Control(Control),
}

/// Messages in flight between our threads; beyond it the sampler waits, and counts what it loses.
const INCOMING_MAX: usize = 256;

/// Records until the target ends, the duration is over or `control` says so; then symbolizes and saves.
///
/// # Errors
/// When recording cannot start, or the run cannot be saved. What was recorded is never thrown away for a lesser cause.
pub fn record(
    options: &RecordOptions,
    control: Receiver<Control>,
    mut on_event: impl FnMut(Event),
) -> Result<Recorded, RecordError> {
    if let Some(output) = &options.output {
        output::prepare_output(output)?;
    }
    let (sender, incoming) = sync_channel(INCOMING_MAX);
    let mut recording = Recording::start(options, sender.clone(), &incoming)?;
    let forward = sender.clone();
    thread::spawn(move || {
        while let Ok(c) = control.recv() {
            if forward.send(Incoming::Control(c)).is_err() {
                break;
            }
        }
    });
    recording.release(sender)?;
    on_event(Event::Started {
        pid: recording.pid,
        event: recording.event_name(),
    });
    recording.run(options, &incoming, &mut on_event);
    recording.finish(options, &mut on_event)
}
