//! Recordings that the editor asked for: started, steered and told about until they are saved.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use recorder::KeptBuilds;
use recorder::turn_so_far;
use recorder::{
    AttachTo, Build, Control, Event, MissingCalls, Privilege, RecordOptions, Recorded, RunsSoFar,
    Stage, Target, Work, new_run_path, record, work_expression,
};
use recorder::{ENDS_WITHIN, what_is_left};
use records::layout::Timers;
use statistics::Summary;
use target::TerminalSize;
use wire::reply::Body;
use wire::{
    Done, RecordRequest, RecordingEnded, RecordingProgress, RecordingStarted, StopRequest,
    TargetOutput, TerminalInput, recording_progress,
};

use super::failure::{Failure, FailureKind, caught};
use super::replies::Replies;
use super::requested_choices;
use super::saved_runs;
use super::session::{Session, Steered};
use super::so_far::SoFar;
use super::telling::Telling;

/// Keys typed faster than the target reads them; beyond it they are refused.
const CONTROLS_WAITING_MAX: usize = 256;
/// When the editor has gone, a recording is saved if that takes no longer than this.
const SAVE_AFTER_END_MAX: Duration = Duration::from_secs(10);

/// Starts the recording of request `id`; its replies follow until the run is saved.
pub fn start(session: &Arc<Session>, replies: &Replies, id: u32, request: RecordRequest) {
    let options = match options(&request) {
        Ok(options) => options,
        Err(failure) => return replies.fail(id, failure),
    };
    let runs = options.output.clone().into_iter().collect();
    in_background(session, replies, id, runs, move |replies, control| {
        let recorded = {
            let telling = Telling::start(replies, id);
            record(&options, control, |event| telling.tell(told(event)))?
        };
        Ok(Body::RecordingEnded(ended(&recorded)))
    });
}

/// Runs a recording of these runs on a thread of its own, where the requests that steer it find it. What `recording` gives
/// is the last reply.
pub fn in_background(
    session: &Arc<Session>,
    replies: &Replies,
    id: u32,
    runs: Vec<PathBuf>,
    recording: impl FnOnce(&Replies, Receiver<Control>) -> Result<Body, Failure> + Send + 'static,
) {
    let (control, receiver) = sync_channel(CONTROLS_WAITING_MAX);
    let steered = Steered {
        control,
        stops: Arc::default(),
        so_far: Arc::new(SoFar::of(runs)),
    };
    if !session.add_recording(id, steered) {
        return replies.fail(
            id,
            Failure::protocol(format!("Recording {id} is already running.")),
        );
    }
    let session = Arc::clone(session);
    let replies = replies.clone();
    std::thread::spawn(move || {
        let answer = caught(|| recording(&replies, receiver));
        replies.answer(id, answer);
        session.remove_recording(id);
    });
}

pub fn ended(recorded: &Recorded) -> RecordingEnded {
    let mut ended = RecordingEnded::default();
    if let Some(path) = &recorded.run {
        ended.run_path = path.to_string_lossy().into_owned();
        ended.run = Some(saved_runs::summary_of(path));
    }
    ended.problems.clone_from(&recorded.problems);
    ended.not_kept = recorded.not_kept.as_ref().map(|why| wire::Failure {
        kind: FailureKind::NotKept.into(),
        message: why.sentence(),
        advice: why.advice().to_owned(),
    });
    ended
}

/// The second time it ends soon, whatever keeps it: what there is by then is named.
pub fn stop(
    session: &Arc<Session>,
    replies: &Replies,
    request: &StopRequest,
) -> Result<Body, Failure> {
    let control = if request.discard {
        Control::Discard
    } else {
        Control::Stop
    };
    let id = request.record_id;
    let recording = session.recording(id)?;
    let stops: &AtomicU32 = &recording.stops;
    if stops.fetch_add(1, Ordering::Relaxed) == 1 {
        let (session, replies) = (Arc::clone(session), replies.clone());
        std::thread::spawn(move || {
            std::thread::sleep(ENDS_WITHIN);
            if session.remove_recording(id) {
                let left = what_is_left(recording.so_far.runs());
                replies.fail(id, Failure::new(FailureKind::NoAnswer, left));
            }
        });
    }
    steer(session, id, control)
}

pub fn input(session: &Session, request: TerminalInput) -> Result<Body, Failure> {
    steer(session, request.record_id, Control::Input(request.bytes))
}

pub fn resize(session: &Session, request: &wire::TerminalSize) -> Result<Body, Failure> {
    let size = terminal_size(request.columns, request.rows);
    steer(session, request.record_id, Control::Resize(size))
}

/// Ends what is still being recorded and waits, within bounds, until it is saved.
pub fn stop_all_and_wait(session: &Session) {
    for recording in session.recordings() {
        // A full queue holds a stop or input for a target that is about to end.
        if recording.stops.fetch_add(1, Ordering::Relaxed) == 0 {
            let _ = recording.control.try_send(Control::Stop);
        }
    }
    let deadline = Instant::now() + SAVE_AFTER_END_MAX;
    while !session.recordings().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    if !session.recordings().is_empty() {
        supervision::end_children();
    }
}

fn steer(session: &Session, id: u32, control: Control) -> Result<Body, Failure> {
    session.recording(id)?.control.try_send(control).map_err(|_| {
        Failure::new(
            FailureKind::TooLarge,
            format!("Recording {id} already has {CONTROLS_WAITING_MAX} inputs waiting, because the target does not read them."),
        )
    })?;
    Ok(Body::Done(Done {}))
}

pub fn options(request: &RecordRequest) -> Result<RecordOptions, Failure> {
    let target = match attach_to(request) {
        None if request.program.is_empty() => {
            return Err(Failure::protocol(
                "A recording needs a program or a process to attach to.",
            ));
        }
        None => Target::Launch {
            program: program(request),
            args: request.args.iter().map(OsString::from).collect(),
            cwd: (!request.cwd.is_empty()).then(|| PathBuf::from(&request.cwd)),
            env: request
                .env
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            terminal: Some(terminal_size(
                request.terminal_columns,
                request.terminal_rows,
            )),
        },
        Some(to) => Target::Attach(to),
    };
    Ok(RecordOptions {
        target,
        chosen: requested_choices::choices(request)?,
        privilege: Privilege::BestAvailable,
        timers: Timers::Best,
        until: None,
        work: work(request)?,
        output: Some(output(request)),
        demangle: Default::default(),
        name: request.name.clone(),
        sweep: None,
        layouts: None,
        calls: request.calls.clone(),
        missing_calls: MissingCalls::LeftOut,
        counters: request.counters.clone(),
        build: kept(request),
    })
}

fn work(request: &RecordRequest) -> Result<Work, Failure> {
    if !request.work_from.is_empty() {
        let expression = work_expression(&request.work_from).map_err(|why| {
            let from = &request.work_from;
            Failure::protocol(format!(
                "'{from}' cannot extract the work from the output: {why}"
            ))
        })?;
        return Ok(Work::FromOutput(expression));
    }
    match request.work {
        0.0 => Ok(Work::Unknown),
        units if units.is_finite() && units > 0.0 => Ok(Work::Each(units)),
        units => Err(Failure::protocol(format!(
            "{units} is not a valid number of units of work."
        ))),
    }
}

fn attach_to(request: &RecordRequest) -> Option<AttachTo> {
    if !request.attach_process.is_empty() {
        return Some(AttachTo::Named(request.attach_process.clone()));
    }
    if request.attach_tree != 0 {
        return Some(AttachTo::Tree(request.attach_tree));
    }
    let pids = std::iter::once(&request.attach_pid).chain(&request.attach_pids);
    let pids: Vec<u32> = pids.copied().filter(|pid| *pid != 0).collect();
    (!pids.is_empty()).then_some(AttachTo::Pids(pids))
}

/// The editor may want to compare what it launches with a later build, unless its user turned that off. One that is looked up in the search path is not
/// built here.
fn kept(request: &RecordRequest) -> Build {
    let is_built = attach_to(request).is_none() && request.program.contains('/');
    let is_wanted = is_built && !request.no_kept_build;
    let builds = is_wanted.then(|| KeptBuilds::beside(&runs_directory(request)));
    builds.flatten().map_or(Build::Present, Build::Kept)
}

/// A name without a slash is looked up in the search path, as in a shell; others are relative to the target's folder.
pub fn program(request: &RecordRequest) -> PathBuf {
    let program = Path::new(&request.program);
    if request.program.contains('/') && !request.cwd.is_empty() {
        Path::new(&request.cwd).join(program)
    } else {
        program.to_owned()
    }
}

pub fn output(request: &RecordRequest) -> PathBuf {
    if !request.output.is_empty() {
        return PathBuf::from(&request.output);
    }
    new_run_path(&runs_directory(request))
}

pub fn runs_directory(request: &RecordRequest) -> PathBuf {
    match request.runs_directory.as_str() {
        "" => Path::new(&request.cwd).join(".lineheat/runs"),
        directory => PathBuf::from(directory),
    }
}

fn terminal_size(columns: u32, rows: u32) -> TerminalSize {
    let bounded = |size: u32, usual: u16| match u16::try_from(size) {
        Ok(0) => usual,
        Ok(size) => size,
        Err(_) => u16::MAX,
    };
    TerminalSize {
        columns: bounded(columns, 80),
        rows: bounded(rows, 24),
    }
}

fn cpu(runs: Option<RunsSoFar>) -> Option<Summary> {
    runs.and_then(|runs| runs.cpu)
}

pub fn told(event: Event) -> Body {
    match event {
        Event::Started {
            pid,
            event,
            user_space_only,
            ..
        } => Body::RecordingStarted(RecordingStarted {
            pid,
            event: event.to_owned(),
            mode: if user_space_only {
                "user-space"
            } else {
                "ebpf"
            }
            .to_owned(),
        }),
        Event::Progress {
            stage,
            elapsed,
            samples,
            lost,
            runs,
        } => Body::RecordingProgress(RecordingProgress {
            repetition: runs.map_or(0, |r| r.number),
            repetitions: runs.map_or(0, |r| r.wanted),
            warm_up: runs.is_some_and(|r| r.warm_up),
            mean_cpu_ns: cpu(runs).map_or(0, |cpu| cpu.mean as u64),
            cpu_variation: cpu(runs).map_or(0.0, |cpu| cpu.cv).max(0.0),
            stage: match stage {
                Stage::Recording => recording_progress::Stage::Recording,
                Stage::Symbolizing { .. } => recording_progress::Stage::Symbolizing,
                Stage::Saving => recording_progress::Stage::Saving,
            }
            .into(),
            symbolized: match stage {
                Stage::Symbolizing { done, total } if total > 0 => done as f32 / total as f32,
                _ => 0.0,
            },
            elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            samples,
            lost,
            ..RecordingProgress::default()
        }),
        Event::Turn(so_far) => Body::TargetOutput(TargetOutput {
            bytes: format!("\r\nlineheat: {}\r\n", turn_so_far(&so_far)).into_bytes(),
        }),
        Event::Output(bytes) => Body::TargetOutput(TargetOutput { bytes }),
        Event::Trouble(sentence) => Body::TargetOutput(TargetOutput {
            bytes: format!("\r\nlineheat: {sentence}\r\n").into_bytes(),
        }),
    }
}
