//! A recording in progress: what comes in is counted, until the target has ended or somebody says so.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant, SystemTime};

use records::layout::{COPY_BYTES_MAX, Counter};
use records::{FileId, FromSampler, ToSampler};
use supervision::{LOOK_EVERY, Patience, Urgency};
use target::{Exit, Launched, Launcher, Waiting};

use super::address_spaces::AddressSpaces;
use super::copied_stacks::CopiedStacks;
use super::environment::{self, Environment};
use super::jit::{self, JitProcesses};
use super::journal::{Present, Steps};
use super::mapped_paths::{Programs, ways_to_open};
use super::missed::{Missed, Unread};
use super::modules::{ModuleIndex, Modules};
use super::own_samples::OwnSamples;
use super::process_repetitions::ProcessRepetitions;
use super::repetitions::Repetitions;
use super::sampler::Sampler;
use super::sampler_watch::SamplerWatch;
use super::stacks::CountedStacks;
use super::turns::Turn;
use super::unprivileged::Copies;
use super::work::FoundWork;
use super::{EndReason, Event, Incoming, RecordError, RecordOptions, RunsSoFar, Stage, run_info};

/// What a target has printed is read by then; what it has started may print for ever.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A recording in progress.
pub struct Recording<'a> {
    /// When the command may run; None: always.
    pub(super) turn: Option<&'a Turn>,
    /// How soon it is to end.
    pub(super) urgency: Urgency,
    /// The first of the target's processes.
    pub(super) pid: u32,
    /// Those that were attached to at the beginning.
    pub(super) attached: Vec<u32>,
    /// Starts the command; None when attached.
    pub(super) launcher: Option<Launcher>,
    pub(super) repetitions: Repetitions,
    /// The sampler has applied all that it was told.
    pub(super) is_synced: bool,
    pub(super) own_samples: OwnSamples,
    pub(super) of_processes: ProcessRepetitions,
    /// For what the threads of further repetitions have to say.
    pub(super) sender: Option<SyncSender<Incoming>>,
    pub(super) target: TargetState,
    pub(super) sampler: Sampler,
    pub(super) sampler_watch: SamplerWatch,
    /// It has sent everything, or is waited for no longer.
    pub(super) sampler_ended: bool,
    /// It did not send everything.
    pub(super) sampler_lost: bool,
    /// Why the privileged sampler could not be used, if it was wanted.
    pub(super) refused: Option<RecordError>,
    pub(super) modules: Modules,
    pub(super) spaces: AddressSpaces,
    pub(super) programs: Programs,
    pub(super) missed: Unread,
    pub(super) jit: JitProcesses,
    pub(super) copies: CopiedStacks,
    pub(super) stacks: CountedStacks,
    pub(super) kernel_names: Vec<(u32, String)>,
    pub(super) counters: [u64; Counter::ALL.len()],
    pub(super) lost_mapping_records: u64,
    /// For how long sampled threads ran; 0: not known (yet).
    pub(super) running_ns: u64,
    /// Processes that the target has started.
    pub(super) forks: u64,
    pub(super) hardware_cycles: bool,
    /// Samples are taken by a timer on each CPU, not by the threads' own.
    pub(super) per_cpu: bool,
    pub(super) started: Instant,
    pub(super) started_at: SystemTime,
    pub(super) started_monotonic_ns: u64,
    pub(super) ended: Option<Instant>,
    pub(super) exit: Option<Exit>,
    pub(super) end_reason: EndReason,
    /// Since when no more samples are taken.
    pub(super) stopping: Option<Instant>,
    /// Since when the target is expected to end.
    pub(super) ending: Option<Instant>,
    /// For a target that was killed.
    pub(super) killed: Patience,
    pub(super) discard: bool,
    pub(super) problems: Vec<String>,
    /// What runs said in whose output no work was found.
    pub(super) unknown_work: Vec<FoundWork>,
    /// Working directory of the target.
    pub(super) cwd: PathBuf,
    pub(super) environment: Receiver<Environment>,
    pub(super) steps: Steps,
}

pub enum TargetState {
    /// Stopped before its first instruction.
    Waiting(Waiting),
    Running(Launched),
    Attached,
    Gone,
}

impl Recording<'_> {
    /// Handles what comes in until the sampler has sent everything and a launched target has ended.
    pub(super) fn run(
        &mut self,
        options: &RecordOptions,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        while !(self.sampler_ended && matches!(self.target, TargetState::Gone)) {
            match incoming.recv_timeout(LOOK_EVERY) {
                Ok(Incoming::Sampler(messages)) => {
                    self.sampler_watch.heard();
                    let mut counted = false;
                    for message in messages {
                        self.sampler_ended |= message == FromSampler::Ended;
                        counted |= matches!(message, FromSampler::Counts { .. });
                        self.handle(message);
                    }
                    // Of all libraries that were heard of together.
                    self.sampler.send();
                    if std::mem::take(&mut self.is_synced) {
                        self.run_waiting(options);
                    }
                    if counted && self.is_its_turn() {
                        on_event(self.progress(Stage::Recording));
                    }
                }
                Ok(Incoming::Copies(copies)) => {
                    self.sampler_watch.heard();
                    self.unwind(copies);
                    self.sampler.send();
                }
                Ok(Incoming::SamplerGone(why)) => {
                    if !self.sampler_ended {
                        on_event(Event::Trouble(self.lose_sampler(why)));
                        self.append_step(options);
                    }
                }
                Ok(Incoming::TargetExited(ended)) => {
                    self.take_exit(options, ended);
                    on_event(self.progress(Stage::Recording));
                }
                Ok(Incoming::Output(bytes)) => on_event(Event::Output(bytes)),
                Ok(Incoming::Control(control)) => self.obey(control),
                Ok(Incoming::YourTurn) => self.take_turn(options),
                Ok(Incoming::AllHaveRun) => self.end_with_others(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.watch(options);
            if let Some(told) = self.watch_sampler() {
                on_event(Event::Trouble(told));
            }
            // By our own clock: a sampler that says nothing must not keep what it has said from the journal.
            if self.steps.is_due() {
                self.append_step(options);
            }
        }
        if self.was_interrupted() {
            self.await_own_interrupt(incoming, on_event);
        }
        // The terminal's last words may still be on their way.
        let mut last_words = Patience::new(LAST_WORDS, &self.urgency);
        while let Ok(Incoming::Output(bytes)) = incoming.recv_timeout(Duration::from_millis(20))
            && !last_words.runs_out()
        {
            on_event(Event::Output(bytes));
        }
        self.ended.get_or_insert_with(Instant::now);
    }

    /// Saves what is new.
    pub(super) fn append_step(&mut self, options: &RecordOptions) {
        if self.steps.run_file().is_none() {
            return;
        }
        let wall = self.ended.unwrap_or_else(Instant::now) - self.started;
        let run = run_info::run_info_so_far(self, options, wall);
        let present = Present {
            modules: &self.modules,
            stacks: &self.stacks,
            kernel_names: &self.kernel_names,
            started_monotonic_ns: self.started_monotonic_ns,
            sample_hz: options.sample_hz,
            run,
        };
        self.steps.append(wall, present);
    }

    pub(super) fn handle(&mut self, message: FromSampler) {
        if self.own_samples.takes(&message) {
            return;
        }
        self.of_processes.hear(&message);
        match message {
            FromSampler::Sample(sample) => {
                let repetition = match self.repetitions.are_told() {
                    true => self.of_processes.of(&sample),
                    false => 0,
                };
                (self.stacks).add(sample, repetition, &self.spaces, &self.modules);
            }
            FromSampler::Copy(copy) => {
                let (spaces, modules) = (&self.spaces, &self.modules);
                let sample = (self.copies).unwind(copy, &[], COPY_BYTES_MAX, spaces, modules);
                self.handle(FromSampler::Sample(sample));
            }
            FromSampler::Mapped {
                time_ns,
                pid,
                start,
                length,
                file_offset,
                file,
                path,
            } => {
                let path = Path::new(OsStr::from_bytes(&path));
                self.add_mapping(pid, time_ns, start, length, file_offset, file, path);
                self.modules.tell(&mut self.copies, self.sampler.unsent());
            }
            FromSampler::Forked {
                time_ns,
                pid,
                parent_pid,
            } => self.fork(pid, time_ns, parent_pid),
            FromSampler::Executed { time_ns, pid } => {
                self.spaces.execute(pid, time_ns);
                self.programs.forget(pid);
                self.jit.execute(pid);
            }
            FromSampler::Exited { pid, .. } => {
                self.spaces.exit(pid);
                self.programs.forget(pid);
                self.jit.exit(pid);
                self.copies.forget(pid);
            }
            FromSampler::Missed {
                pid,
                since_ns,
                forked_ns,
                is_new,
            } => self.catch_up_with(Missed {
                pid,
                since_ns,
                forked_ns,
                is_new,
            }),
            FromSampler::MissedAll => self.sampler.say(&ToSampler::CaughtUp),
            FromSampler::Synced => self.is_synced = true,
            FromSampler::Ran { running_ns } => self.running_ns = running_ns,
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
            FromSampler::Failed(error) => self.problems.push(self.sampler.error(error).message),
            FromSampler::Hello { .. } | FromSampler::Ready { .. } | FromSampler::Ended => {}
        }
    }

    fn fork(&mut self, pid: u32, time_ns: u64, parent_pid: u32) {
        self.forks += 1;
        self.spaces.fork(pid, parent_pid);
        let (modules, spaces) = (&mut self.modules, &mut self.spaces);
        self.jit.fork(pid, parent_pid, time_ns, modules, spaces);
    }

    /// A process of the target, of whose fork nobody has told. It may have executed another program since: the parent's
    /// mappings are not taken for its own.
    pub(super) fn take_unheard_child(&mut self, pid: u32, time_ns: u64, parent_pid: u32) {
        self.forks += 1;
        self.spaces.exit(pid);
        self.of_processes.hear(&FromSampler::Forked {
            time_ns,
            pid,
            parent_pid,
        });
    }

    /// Handles what our own sampler has collected, in the order of time.
    fn unwind(&mut self, copies: Vec<Copies>) {
        for copy in copies {
            let Sampler::Own(own) = &mut self.sampler else {
                return;
            };
            let message = match copy {
                Copies::Happened(event) => own.message_of(event),
                Copies::Sample(copy) => {
                    let copies = &mut self.copies;
                    let sample = own.unwind(copy, copies, &self.spaces, &self.modules);
                    Some(FromSampler::Sample(sample))
                }
            };
            if let Some(message) = message {
                self.handle(message);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one kernel record")]
    pub(super) fn add_mapping(
        &mut self,
        pid: u32,
        from_ns: u64,
        start: u64,
        length: u64,
        file_offset: u64,
        file: FileId,
        path: &Path,
    ) {
        let end = start.saturating_add(length);
        if file.inode == 0 {
            if jit::is_without_file(path) {
                let (modules, spaces) = (&mut self.modules, &mut self.spaces);
                self.jit.map(pid, from_ns, (start, end), modules, spaces);
            }
            return;
        }
        let module = self.module_of(pid, from_ns, (start, end), file, path);
        self.spaces
            .map(pid, from_ns, (start, end), file_offset, module);
    }

    /// The module of a mapped file, which is opened when it is met for the first time.
    pub(super) fn module_of(
        &mut self,
        pid: u32,
        from_ns: u64,
        (start, end): (u64, u64),
        file: FileId,
        path: &Path,
    ) -> ModuleIndex {
        if let Some(known) = self.modules.known(file) {
            return known;
        }
        let (shown, open_as) = ways_to_open(pid, (start, end), path, &mut self.programs);
        let mapped_at = (from_ns > 0).then(|| {
            let since = environment::monotonic_ns().saturating_sub(from_ns);
            SystemTime::now() - Duration::from_nanos(since)
        });
        (self.modules).of_file(file, &shown, &open_as, mapped_at)
    }

    pub(super) fn lost(&self) -> u64 {
        Counter::LOSSES
            .iter()
            .map(|c| self.counters[*c as usize])
            .sum()
    }

    pub(super) fn progress(&self, stage: Stage) -> Event {
        Event::Progress {
            stage,
            elapsed: self.ended.unwrap_or_else(Instant::now) - self.started,
            samples: self.stacks.sample_count(),
            lost: self.lost(),
            runs: self.runs_so_far(),
        }
    }

    fn is_its_turn(&self) -> bool {
        self.turn.is_none() || matches!(self.target, TargetState::Running(_))
    }

    fn runs_so_far(&self) -> Option<RunsSoFar> {
        let repetitions = &self.repetitions;
        let number = repetitions.number().min(repetitions.wanted);
        (repetitions.wanted > 1 || self.turn.is_some()).then(|| RunsSoFar {
            number,
            wanted: repetitions.wanted,
            warm_up: false,
            done: repetitions.whole().count() as u32,
            cpu: repetitions.cpu_so_far(),
        })
    }

    pub(super) fn event_name(&self) -> &'static str {
        match (self.hardware_cycles, self.sampler.is_privileged()) {
            (true, true) => "cycles",
            (true, false) => "cycles:u",
            (false, true) => "cpu-clock",
            (false, false) => "cpu-clock:u",
        }
    }
}
