//! What comes in while a recording runs is counted, until the target has ended or somebody says so.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use records::layout::COPY_BYTES_MAX;
use records::{FromSampler, SampleKind, ToSampler};
use supervision::{LOOK_EVERY, Patience};

use super::events::{Event, Stage};
use super::incoming::Incoming;
use super::journal::Present;
use super::locator::Locator;
use super::missed::Missed;
use super::options::RecordOptions;
use super::recording::{Recording, TargetState};
use super::run_info;
use super::sampler::Sampler;
use super::trouble::Trouble;
use super::unprivileged::Copies;

/// What a target has printed is read by then; what it has started may print for ever.
const LAST_WORDS: Duration = Duration::from_secs(2);

impl Recording<'_> {
    /// Handles what comes in until the sampler has sent everything and a launched target has ended, with all that it has
    /// started if it was to end.
    pub(super) fn run(
        &mut self,
        options: &RecordOptions,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        self.run_until_over(options, incoming, on_event);
        if self.was_interrupted() {
            self.await_own_interrupt(incoming, on_event);
            self.run_until_over(options, incoming, on_event);
        }
        self.note_refused();
        // The terminal's last words may still be on their way.
        let mut last_words = Patience::new(LAST_WORDS, &self.urgency);
        while let Ok(Incoming::Output(bytes)) = incoming.recv_timeout(Duration::from_millis(20))
            && !last_words.runs_out()
        {
            on_event(Event::Output(bytes));
        }
        self.ended.get_or_insert_with(Instant::now);
    }

    fn run_until_over(
        &mut self,
        options: &RecordOptions,
        incoming: &Receiver<Incoming>,
        on_event: &mut impl FnMut(Event),
    ) {
        while !self.is_over() {
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
    }

    fn is_over(&mut self) -> bool {
        let is_over = self.sampler_ended && matches!(self.target, TargetState::Gone);
        is_over && !self.rest_is_ending()
    }

    /// Saves what is new.
    pub(super) fn append_step(&mut self, options: &RecordOptions) {
        if self.steps.run_file().is_none() {
            return;
        }
        let wall = self.ended.unwrap_or_else(Instant::now) - self.started;
        let run = run_info::run_info_so_far(&self.seen, options, wall);
        let present = Present {
            modules: &self.seen.modules,
            stacks: &self.seen.stacks,
            kernel_names: &self.seen.kernel_names,
            started_monotonic_ns: self.seen.started_monotonic_ns,
            sample_hz: options.chosen.sample_hz,
            run,
        };
        self.steps.append(wall, present);
    }

    pub(super) fn handle(&mut self, message: FromSampler) {
        if self.own_samples.takes(&message) {
            self.seen.own_samples = self.own_samples.left_out;
            return;
        }
        self.of_processes.hear(&message);
        match message {
            FromSampler::Sample(sample) => {
                let repetition = self.repetition_of(sample.pid, sample.time_ns);
                let locator = &mut Locator {
                    repetition,
                    stacks: &mut self.seen.stacks,
                    spaces: &self.seen.spaces,
                    modules: &self.seen.modules,
                };
                match sample.worth.kind {
                    SampleKind::Cpu => {
                        (locator.stacks).add(sample, repetition, locator.spaces, locator.modules);
                    }
                    SampleKind::Wait => self.seen.waits.begin(sample, locator),
                    SampleKind::WakeUp => self.seen.waits.wakers.note(sample, locator),
                    SampleKind::Allocation
                    | SampleKind::GoAllocation
                    | SampleKind::ReportedAllocation => {
                        self.seen.allocations.add(sample, locator);
                    }
                    SampleKind::Fault | SampleKind::Syscall | SampleKind::SyscallError => {
                        self.seen.sampled_events.add(sample, locator);
                    }
                    SampleKind::InUse | SampleKind::Peak | SampleKind::Temporary => {}
                    _ => self.seen.counters_of_events.add(sample, locator),
                }
            }
            FromSampler::Freed {
                time_ns,
                pid,
                tid,
                id,
            } => {
                let stacks = &mut self.seen.stacks;
                (self.seen.allocations).free(time_ns, pid, tid, id, stacks);
            }
            FromSampler::Rest(rest) => {
                let repetition = self.repetition_of(rest.pid, rest.time_ns);
                let stacks = &mut self.seen.stacks;
                (self.seen.sampled_events).add_rest(&rest, repetition, stacks);
            }
            FromSampler::WaitEnd(end) => {
                let repetition = self.repetition_of(end.pid, end.began_ns);
                self.seen.waits.end(end, repetition, &mut self.seen.stacks);
            }
            FromSampler::Copy(copy) => {
                let (spaces, modules) = (&self.seen.spaces, &self.seen.modules);
                let sample = (self.copies).unwind(copy, &[], COPY_BYTES_MAX, spaces, modules);
                self.seen.cut_copies = self.copies.cut;
                self.handle(FromSampler::Sample(sample));
            }
            FromSampler::Mapped {
                time_ns,
                pid,
                mapping,
                path,
            } => {
                let path = Path::new(OsStr::from_bytes(&path));
                self.add_mapping(pid, time_ns, mapping, path);
                self.tell_of_modules();
            }
            FromSampler::Forked {
                time_ns,
                pid,
                parent_pid,
            } => self.fork(pid, time_ns, parent_pid),
            FromSampler::Executed { time_ns, pid } => {
                self.seen.spaces.execute(pid, time_ns);
                (self.seen.allocations).note_exec(time_ns, pid, &mut self.seen.stacks);
                self.programs.forget(pid);
                self.go_programs.note_exec(pid);
                self.jit.execute(pid);
            }
            FromSampler::Exited { time_ns, pid } => {
                (self.seen.allocations).note_exit(time_ns, pid, &mut self.seen.stacks);
                self.seen.spaces.exit(pid);
                self.programs.forget(pid);
                self.go_programs.note_exit(pid);
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
            FromSampler::ProgramPlaced {
                time_ns,
                pid,
                errno,
            } => self.note_placed(time_ns, pid, errno),
            FromSampler::MissedAll => self.sampler.say(&ToSampler::CaughtUp),
            FromSampler::Synced => self.is_synced = true,
            FromSampler::Calls { totals } => {
                let at = self.started.elapsed();
                self.seen.calls.take_totals(&totals, at);
            }
            FromSampler::Counted { totals } => self.seen.counters_of_events.end(&totals),
            FromSampler::CallTimes(times) => {
                let started_ns = self.seen.started_monotonic_ns;
                self.seen.calls.take_times(times, started_ns);
            }
            FromSampler::CallPrice(price) => self.seen.calls.price = Some(price),
            FromSampler::CallsOfThreads { calls } => {
                if self.seen.repetitions.are_told() {
                    let of = |pid| Some((pid, self.of_processes.of_any(pid)?));
                    let known = calls.iter().filter_map(|thread| of(thread.pid));
                    self.seen.calls.repetitions.extend(known);
                }
                self.seen.calls.take_threads(&calls);
            }
            FromSampler::Ran { running_ns } => self.seen.running_ns = running_ns,
            FromSampler::KernelSymbol { id, name } => {
                let name = String::from_utf8_lossy(&name).into_owned();
                self.seen.waits.note_kernel_function(id, &name);
                self.seen.kernel_names.push((id, name));
            }
            FromSampler::Counts {
                counters,
                lost_mapping_records,
            } => {
                self.seen.counters = counters;
                self.seen.lost_mapping_records = lost_mapping_records;
                self.go_programs.settle();
                // The last message of a look at the rings.
                self.seen.allocations.settle(&mut self.seen.stacks);
            }
            FromSampler::Failed(error) => {
                let why = self.sampler.error(error).message;
                self.seen.troubles.push(Trouble::SamplerFailed { why });
            }
            FromSampler::Hello { .. } | FromSampler::Ready { .. } | FromSampler::Ended => {}
        }
    }

    /// 0: these are not told.
    fn repetition_of(&self, pid: u32, time_ns: u64) -> u32 {
        match self.seen.repetitions.are_told() {
            true => self.of_processes.of(pid, time_ns),
            false => 0,
        }
    }

    fn fork(&mut self, pid: u32, time_ns: u64, parent_pid: u32) {
        self.seen.forks += 1;
        if parent_pid != std::process::id() {
            // The next execution is the launcher's until it is released.
            self.job.heard_of(pid, time_ns);
        }
        self.seen.spaces.fork(pid, parent_pid);
        let (modules, spaces) = (&mut self.seen.modules, &mut self.seen.spaces);
        self.jit.fork(pid, parent_pid, time_ns, modules, spaces);
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
                    let sample = own.unwind(copy, copies, &self.seen.spaces, &self.seen.modules);
                    self.seen.cut_copies = copies.cut;
                    Some(FromSampler::Sample(sample))
                }
            };
            if let Some(message) = message {
                self.handle(message);
            }
        }
    }

    fn is_its_turn(&self) -> bool {
        self.turn.is_none() || matches!(self.target, TargetState::Running(_))
    }
}
