//! Recording: wires launch, sampler, address spaces, counted stacks, symbols and the saved file. The only place that
//! knows all of these stages; each of them knows only its own values.

mod address_spaces;
mod environment;
mod errors;
mod modules;
mod output;
mod run_info;
mod sampler_process;
mod save;
mod stacks;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use records::layout::Counter;
use records::{FileId, FromSampler, MappingRecord, PROTOCOL_VERSION, ToSampler};
use target::{Exit, LaunchOptions, Launched, MapsEntry, Stopped, TerminalSize};

use address_spaces::AddressSpaces;
use environment::Environment;
pub use errors::RecordError;
use modules::{Modules, VDSO};
pub use output::new_run_path;
use sampler_process::SamplerProcess;
pub use sampler_process::sampler_path;
use stacks::CountedStacks;

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
    Sampler(FromSampler),
    SamplerGone(Option<String>),
    TargetExited(Option<Exit>),
    Output(Vec<u8>),
    Control(Control),
}

/// Messages in flight between our threads; beyond it the sampler waits, and counts what it loses.
const INCOMING_MAX: usize = 4096;
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// How long an asked target may take to end before it is asked harder.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// A recording in progress.
struct Recording {
    pid: u32,
    target: TargetState,
    sampler: SamplerProcess,
    modules: Modules,
    spaces: AddressSpaces,
    stacks: CountedStacks,
    kernel_names: Vec<(u32, String)>,
    counters: [u64; Counter::ALL.len()],
    lost_mapping_records: u64,
    hardware_cycles: bool,
    started: Instant,
    started_at: SystemTime,
    started_monotonic_ns: u64,
    ended: Option<Instant>,
    exit: Option<Exit>,
    end_reason: EndReason,
    stopping: Option<Instant>,
    discard: bool,
    problems: Vec<String>,
    /// Working directory of the target.
    cwd: PathBuf,
    environment: Option<thread::JoinHandle<Environment>>,
    next_checkpoint: Instant,
}

enum TargetState {
    Stopped(Stopped),
    Running(Launched),
    Attached,
    Gone,
}

impl Recording {
    fn start(
        options: &RecordOptions,
        sender: SyncSender<Incoming>,
        incoming: &Receiver<Incoming>,
    ) -> Result<Recording, RecordError> {
        let (target, pid, tids) = match &options.target {
            Target::Launch { .. } => {
                let stopped = target::launch_stopped(&launch_options(&options.target))?;
                let pid = stopped.pid();
                (TargetState::Stopped(stopped), pid, vec![pid])
            }
            Target::Attach { pid } => (TargetState::Attached, *pid, target::threads_of(*pid)?),
        };
        let cwd = working_directory(&options.target);
        let mut recording = Recording {
            pid,
            target,
            sampler: SamplerProcess::start(sender)?,
            modules: Modules::default(),
            spaces: AddressSpaces::default(),
            stacks: CountedStacks::default(),
            kernel_names: Vec::new(),
            counters: [0; Counter::ALL.len()],
            lost_mapping_records: 0,
            hardware_cycles: false,
            started: Instant::now(),
            started_at: SystemTime::now(),
            started_monotonic_ns: 0,
            ended: None,
            exit: None,
            end_reason: EndReason::Exited,
            stopping: None,
            discard: false,
            problems: Vec::new(),
            environment: Some(gather_environment(&cwd)),
            cwd,
            next_checkpoint: Instant::now() + CHECKPOINT_EVERY,
        };
        recording.introduce(options, tids)?;
        recording.wait_until_ready(incoming)?;
        Ok(recording)
    }

    /// Tells the sampler what the target has mapped and whom to sample.
    fn introduce(&mut self, options: &RecordOptions, tids: Vec<u32>) -> Result<(), RecordError> {
        let maps = target::executable_mappings(self.pid).map_err(|e| {
            RecordError::internal(format!(
                "the mappings of process {} cannot be read: {e}",
                self.pid
            ))
        })?;
        let mut mappings = Vec::new();
        for entry in &maps {
            let file = file_id_of(entry);
            self.add_mapping(
                self.pid,
                0,
                entry.start,
                entry.end - entry.start,
                entry.file_offset,
                file,
                &entry.path,
            );
            mappings.push(MappingRecord {
                pid: self.pid,
                start: entry.start,
                length: entry.end - entry.start,
                file_offset: entry.file_offset,
                file,
            });
        }
        if matches!(options.target, Target::Launch { .. }) {
            self.expect_libraries(options, &maps);
        }
        let capacity = self.modules.fix_capacity();
        let hello = ToSampler::Hello {
            version: PROTOCOL_VERSION,
            sample_hz: options.sample_hz,
            kernel_stacks: true,
            row_capacity: capacity.rows,
            page_capacity: capacity.pages,
        };
        let sampler = &mut self.sampler;
        let modules = &mut self.modules;
        let sent = (|| {
            sampler.say(&hello)?;
            modules.send_pending(sampler.input())?;
            for mapping in mappings {
                sampler.say(&ToSampler::Mapping(mapping))?;
            }
            sampler.say(&ToSampler::Attach { tids })?;
            sampler.flush()
        })();
        // A broken pipe means that the sampler gave up; it has told why, or its end will be noticed.
        let _ = sent;
        Ok(())
    }

    /// Reads the libraries that the loader is going to map, so that their rows are there before their code runs.
    fn expect_libraries(&mut self, options: &RecordOptions, maps: &[MapsEntry]) {
        let Some(program) = maps.iter().find(|m| m.path.starts_with('/')) else {
            return;
        };
        let Some(interpreter) = self
            .modules
            .iter()
            .find(|(_, m)| m.path == Path::new(&program.path))
            .and_then(|(_, m)| m.layout.as_ref()?.interpreter.clone())
        else {
            return; // statically linked
        };
        let interpreter = PathBuf::from(String::from_utf8_lossy(&interpreter).into_owned());
        let launch = launch_options(&options.target);
        let device = (program.device_major, program.device_minor);
        for library in target::needed_libraries(&interpreter, Path::new(&program.path), &launch) {
            self.modules.expect_library(&library, device);
        }
    }

    fn wait_until_ready(&mut self, incoming: &Receiver<Incoming>) -> Result<(), RecordError> {
        const WAIT: Duration = Duration::from_secs(20);
        loop {
            match incoming.recv_timeout(WAIT) {
                Ok(Incoming::Sampler(FromSampler::Hello { version }))
                    if version != PROTOCOL_VERSION =>
                {
                    return Err(RecordError::other_sampler(version));
                }
                Ok(Incoming::Sampler(FromSampler::Ready { hardware_cycles })) => {
                    self.hardware_cycles = hardware_cycles;
                    return Ok(());
                }
                Ok(Incoming::Sampler(FromSampler::Failed(error))) => {
                    return Err(RecordError::of_sampler(error, &self.sampler.complaints()));
                }
                Ok(Incoming::Sampler(message)) => self.handle(message),
                Ok(Incoming::SamplerGone(why)) => {
                    let complaints = self.sampler.complaints();
                    return Err(RecordError::sampler_gone(why, &complaints));
                }
                Ok(_) => {}
                Err(_) => {
                    return Err(RecordError::internal(format!(
                        "the sampler was not ready after {} s",
                        WAIT.as_secs()
                    )));
                }
            }
        }
    }

    /// Lets a launched target run.
    fn release(&mut self, sender: SyncSender<Incoming>) -> Result<(), RecordError> {
        self.started = Instant::now();
        self.started_at = SystemTime::now();
        self.started_monotonic_ns = environment::monotonic_ns();
        let TargetState::Stopped(stopped) =
            std::mem::replace(&mut self.target, TargetState::Attached)
        else {
            return Ok(());
        };
        let launched = stopped
            .release()
            .map_err(|e| RecordError::internal(format!("the program could not be let go: {e}")))?;
        if let Some(terminal) = &launched.terminal {
            let stream = terminal.stream();
            let sender = sender.clone();
            if let Ok(stream) = stream {
                thread::spawn(move || read_terminal(stream, &sender));
            }
        }
        let pid = launched.pid();
        self.target = TargetState::Running(launched);
        thread::spawn(move || {
            let _ = sender.send(Incoming::TargetExited(target::wait(pid).ok()));
        });
        Ok(())
    }

    /// Handles what comes in until the sampler has sent everything and a launched target has ended.
    fn run(
        &mut self,
        options: &RecordOptions,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        const LOOK_EVERY: Duration = Duration::from_millis(100);
        let mut sampler_ended = false;
        while !(sampler_ended && matches!(self.target, TargetState::Gone)) {
            match incoming.recv_timeout(LOOK_EVERY) {
                Ok(Incoming::Sampler(FromSampler::Ended)) => sampler_ended = true,
                Ok(Incoming::Sampler(message)) => {
                    let counts = matches!(message, FromSampler::Counts { .. });
                    self.handle(message);
                    if counts {
                        on_event(self.progress(Stage::Recording));
                        self.checkpoint(options);
                    }
                }
                Ok(Incoming::SamplerGone(why)) => {
                    if !sampler_ended {
                        self.lose_sampler(why);
                        sampler_ended = true;
                    }
                }
                Ok(Incoming::TargetExited(exit)) => {
                    self.exit = exit;
                    self.target = TargetState::Gone;
                    self.stop(EndReason::Exited);
                }
                Ok(Incoming::Output(bytes)) => on_event(Event::Output(bytes)),
                Ok(Incoming::Control(control)) => self.obey(control),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.watch(options);
        }
        // The terminal's last words may still be on their way.
        while let Ok(Incoming::Output(bytes)) = incoming.recv_timeout(Duration::from_millis(20)) {
            on_event(Event::Output(bytes));
        }
        self.ended.get_or_insert_with(Instant::now);
    }

    /// Saves what there is, so that our own end costs a second at most. Takes no more than a twentieth of the time.
    fn checkpoint(&mut self, options: &RecordOptions) {
        let started = Instant::now();
        if let Some(output) = options
            .output
            .as_ref()
            .filter(|_| started >= self.next_checkpoint && self.stopping.is_none())
        {
            let profile = save::checkpoint_of(self, options, self.started.elapsed());
            // A full disk now may have room at the end; then it is told.
            let _ = output::write(&profile, output);
            self.next_checkpoint = Instant::now() + CHECKPOINT_EVERY.max(20 * started.elapsed());
        }
    }

    fn obey(&mut self, control: Control) {
        match control {
            Control::Stop => self.stop_and_end_target(EndReason::Stopped),
            Control::Interrupt => self.stop(EndReason::Stopped),
            Control::Discard => {
                self.discard = true;
                self.stop_and_end_target(EndReason::Stopped);
            }
            Control::Input(bytes) => {
                if let TargetState::Running(Launched {
                    terminal: Some(t), ..
                }) = &self.target
                {
                    // A target that does not read its input loses what exceeds the terminal's buffer, as in any terminal.
                    let _ = t
                        .stream()
                        .and_then(|mut s| std::io::Write::write_all(&mut s, &bytes));
                }
            }
            Control::Resize(size) => {
                if let TargetState::Running(Launched {
                    terminal: Some(t), ..
                }) = &self.target
                {
                    t.resize(size);
                }
            }
        }
    }

    /// Ends sampling, once; the first reason counts.
    fn stop(&mut self, reason: EndReason) {
        if self.stopping.is_some() {
            return;
        }
        self.end_reason = reason;
        self.stopping = Some(Instant::now());
        self.ended = Some(Instant::now());
        let _ = self
            .sampler
            .say(&ToSampler::Stop)
            .and_then(|()| self.sampler.flush());
        if matches!(self.target, TargetState::Attached) {
            self.target = TargetState::Gone; // it goes on without us
        }
    }

    fn stop_and_end_target(&mut self, reason: EndReason) {
        self.stop(reason);
        self.signal(libc::SIGTERM);
    }

    /// What depends on time alone: the duration, an attached process that has ended, a target that does not end.
    fn watch(&mut self, options: &RecordOptions) {
        if self.stopping.is_none()
            && options
                .duration
                .is_some_and(|d| self.started.elapsed() >= d)
        {
            self.stop_and_end_target(EndReason::Duration);
        }
        if matches!(self.target, TargetState::Attached)
            && !Path::new(&format!("/proc/{}", self.pid)).exists()
        {
            self.stop(EndReason::Exited);
        }
        match self.stopping.map(|since| since.elapsed()) {
            Some(waited) if waited > 2 * PATIENCE => self.signal(libc::SIGKILL),
            Some(waited) if waited > PATIENCE => self.signal(libc::SIGTERM),
            _ => {}
        }
    }

    fn signal(&self, signal: i32) {
        if let TargetState::Running(launched) = &self.target {
            target::signal(launched.pid(), signal, launched.terminal.is_some());
        }
    }

    fn lose_sampler(&mut self, why: Option<String>) {
        self.problems.push(format!(
            "The sampler ended before the target did{}: the run holds what was sampled until then.",
            why.map_or(String::new(), |w| format!(" ({w})"))
        ));
        self.stop(EndReason::SamplerLost);
    }

    fn handle(&mut self, message: FromSampler) {
        match message {
            FromSampler::Sample(sample) => self.stacks.add(sample, &self.spaces, &self.modules),
            FromSampler::Mapped {
                time_ns,
                pid,
                start,
                length,
                file_offset,
                file,
                path,
            } => {
                let path = String::from_utf8_lossy(&path).into_owned();
                self.add_mapping(pid, time_ns, start, length, file_offset, file, &path);
                let sent = self.modules.send_pending(self.sampler.input());
                let _ = sent.and_then(|()| self.sampler.flush());
            }
            FromSampler::Forked {
                time_ns,
                pid,
                parent_pid,
            } => self.spaces.fork(pid, parent_pid, time_ns),
            FromSampler::Executed { time_ns, pid } => self.spaces.execute(pid, time_ns),
            FromSampler::KernelSymbol { id, name } => {
                self.kernel_names
                    .push((id, String::from_utf8_lossy(&name).into_owned()));
            }
            FromSampler::Counts {
                counters,
                lost_mapping_records,
            } => {
                self.counters = counters;
                self.lost_mapping_records = lost_mapping_records;
            }
            FromSampler::Failed(error) => self
                .problems
                .push(RecordError::of_sampler(error, "").message),
            FromSampler::Hello { .. } | FromSampler::Ready { .. } | FromSampler::Ended => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one kernel record")]
    fn add_mapping(
        &mut self,
        pid: u32,
        from_ns: u64,
        start: u64,
        length: u64,
        file_offset: u64,
        file: FileId,
        path: &str,
    ) {
        if file.inode == 0 {
            return; // anonymous memory: code made at run time
        }
        let shown = path.strip_suffix(" (deleted)").unwrap_or(path);
        let end = start.saturating_add(length);
        let open_as = [
            PathBuf::from(format!("/proc/{pid}/map_files/{start:x}-{end:x}")),
            PathBuf::from(format!("/proc/{pid}/root{shown}")),
            PathBuf::from(shown),
        ];
        let module = self.modules.of_file(file, Path::new(shown), &open_as);
        self.spaces
            .map(pid, from_ns, (start, end), file_offset, module);
    }

    fn lost(&self) -> u64 {
        Counter::LOSSES
            .iter()
            .map(|c| self.counters[*c as usize])
            .sum()
    }

    fn progress(&self, stage: Stage) -> Event {
        Event::Progress {
            stage,
            elapsed: self.ended.unwrap_or_else(Instant::now) - self.started,
            samples: self.stacks.sample_count(),
            lost: self.lost(),
        }
    }

    fn event_name(&self) -> &'static str {
        if self.hardware_cycles {
            "cycles"
        } else {
            "cpu-clock"
        }
    }

    fn finish(
        mut self,
        options: &RecordOptions,
        on_event: &mut impl FnMut(Event),
    ) -> Result<Recorded, RecordError> {
        let wall = self.ended.unwrap_or_else(Instant::now) - self.started;
        let run = options.output.clone().filter(|_| !self.discard);
        if let Some(output) = options.output.as_ref().filter(|_| self.discard) {
            let _ = std::fs::remove_file(output); // a checkpoint
        }
        if let Some(output) = &run {
            on_event(self.progress(Stage::Symbolizing));
            let environment = self
                .environment
                .take()
                .and_then(|e| e.join().ok())
                .unwrap_or_default();
            let profile = save::profile_of(&self, options, wall, &environment);
            on_event(self.progress(Stage::Saving));
            output::write(&profile, output)?;
        }
        Ok(Recorded {
            run,
            exit: self.exit,
            samples: self.stacks.sample_count(),
            lost: self.lost(),
            wall,
            end_reason: self.end_reason,
            problems: self.problems,
        })
    }
}

fn gather_environment(cwd: &Path) -> thread::JoinHandle<Environment> {
    let cwd = cwd.to_owned();
    thread::spawn(move || Environment::of(&cwd))
}

fn working_directory(target: &Target) -> PathBuf {
    let directory = match target {
        Target::Launch { cwd: Some(cwd), .. } => Ok(cwd.clone()),
        Target::Launch { cwd: None, .. } => std::env::current_dir(),
        Target::Attach { pid } => std::fs::read_link(format!("/proc/{pid}/cwd")),
    };
    directory.unwrap_or_default()
}

fn launch_options(target: &Target) -> LaunchOptions {
    match target {
        Target::Launch {
            program,
            args,
            cwd,
            env,
            terminal,
        } => LaunchOptions {
            program: program.clone(),
            args: args.clone(),
            cwd: cwd.clone(),
            env: env.clone(),
            terminal: *terminal,
        },
        Target::Attach { .. } => unreachable!("only launched targets have launch options"),
    }
}

fn file_id_of(entry: &MapsEntry) -> FileId {
    if entry.path == "[vdso]" {
        return VDSO;
    }
    FileId {
        device_major: entry.device_major,
        device_minor: entry.device_minor,
        inode: entry.inode,
    }
}

fn read_terminal(mut stream: impl Read, sender: &SyncSender<Incoming>) {
    let mut buffer = [0; 16 << 10];
    // EIO: the target has closed its side.
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        if sender.send(Incoming::Output(buffer[..n].to_vec())).is_err() {
            break;
        }
    }
}
