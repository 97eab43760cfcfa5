//! A recording in progress: what comes in is counted, until the target has ended or somebody says so.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use records::layout::Counter;
use records::{FileId, FromSampler, ToSampler};
use target::{Exit, Launched, Stopped};

use super::address_spaces::AddressSpaces;
use super::environment::{self, Environment};
use super::modules::Modules;
use super::sampler_process::SamplerProcess;
use super::stacks::CountedStacks;
use super::{
    Control, EndReason, Event, Incoming, RecordError, RecordOptions, Recorded, Stage, output, save,
};

pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// How long an asked target may take to end before it is asked harder.
const PATIENCE: Duration = Duration::from_secs(2);
/// A recording in progress.
pub struct Recording {
    pub(super) pid: u32,
    pub(super) target: TargetState,
    pub(super) sampler: SamplerProcess,
    pub(super) modules: Modules,
    pub(super) spaces: AddressSpaces,
    pub(super) stacks: CountedStacks,
    pub(super) kernel_names: Vec<(u32, String)>,
    pub(super) counters: [u64; Counter::ALL.len()],
    pub(super) lost_mapping_records: u64,
    pub(super) hardware_cycles: bool,
    pub(super) started: Instant,
    pub(super) started_at: SystemTime,
    pub(super) started_monotonic_ns: u64,
    pub(super) ended: Option<Instant>,
    pub(super) exit: Option<Exit>,
    pub(super) end_reason: EndReason,
    pub(super) stopping: Option<Instant>,
    pub(super) discard: bool,
    pub(super) problems: Vec<String>,
    /// Working directory of the target.
    pub(super) cwd: PathBuf,
    pub(super) environment: Option<thread::JoinHandle<Environment>>,
    pub(super) next_checkpoint: Instant,
}

pub enum TargetState {
    Stopped(Stopped),
    Running(Launched),
    Attached,
    Gone,
}

impl Recording {
    /// Lets a launched target run.
    pub(super) fn release(&mut self, sender: SyncSender<Incoming>) -> Result<(), RecordError> {
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
    pub(super) fn run(
        &mut self,
        options: &RecordOptions,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        const LOOK_EVERY: Duration = Duration::from_millis(100);
        let mut sampler_ended = false;
        while !(sampler_ended && matches!(self.target, TargetState::Gone)) {
            match incoming.recv_timeout(LOOK_EVERY) {
                Ok(Incoming::Sampler(messages)) => {
                    let mut counted = false;
                    for message in messages {
                        sampler_ended |= message == FromSampler::Ended;
                        counted |= matches!(message, FromSampler::Counts { .. });
                        self.handle(message);
                    }
                    if counted {
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
        self.sampler.say(&ToSampler::Stop);
        self.sampler.send();
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

    pub(super) fn handle(&mut self, message: FromSampler) {
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
                self.modules.tell(self.sampler.unsent());
                self.sampler.send();
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
    pub(super) fn add_mapping(
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

    pub(super) fn event_name(&self) -> &'static str {
        if self.hardware_cycles {
            "cycles"
        } else {
            "cpu-clock"
        }
    }

    pub(super) fn finish(
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

fn read_terminal(mut stream: impl Read, sender: &SyncSender<Incoming>) {
    let mut buffer = [0; 16 << 10];
    // EIO: the target has closed its side.
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        if sender.send(Incoming::Output(buffer[..n].to_vec())).is_err() {
            break;
        }
    }
}
