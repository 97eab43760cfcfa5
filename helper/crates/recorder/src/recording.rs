//! A recording in progress: all that it knows. What is done with it is in `start`, `counting`, `launching`, `stopping`,
//! `missed` and `finish`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant, SystemTime};

use records::layout::Counter;
use records::{FileId, FromSampler};
use supervision::{Patience, Urgency};
use target::{Exit, Launched, Launcher, Waiting};

use super::address_spaces::AddressSpaces;
use super::copied_stacks::CopiedStacks;
use super::environment::{self, Environment};
use super::jit::{self, JitProcesses};
use super::journal::Steps;
use super::mapped_paths::{Programs, ways_to_open};
use super::modules::{ModuleIndex, Modules};
use super::own_samples::OwnSamples;
use super::process_repetitions::ProcessRepetitions;
use super::repetitions::Repetitions;
use super::sampler::Sampler;
use super::sampler_watch::SamplerWatch;
use super::stacks::CountedStacks;
use super::turns::Turn;
use super::work::FoundWork;
use super::{EndReason, Event, Incoming, RecordError, RunsSoFar, Stage};

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

/// Processes of which the kernel may have dropped records, and that could not be read any more.
#[derive(Debug, Default)]
pub struct Unread {
    pub pids: BTreeSet<u32>,
}

impl Recording<'_> {
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

    /// Tells the sampler of modules that are new to it; whoever unwinds copies learns of them, too.
    pub(super) fn tell_of_modules(&mut self) {
        for message in self.modules.take_news() {
            self.copies.take(&message);
            self.sampler.say(&message);
        }
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
