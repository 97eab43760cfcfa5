//! A recording in progress: what it has seen is its `evidence`, the rest is what it does. That is in `start`, `counting`, `launching`, `stopping`,
//! `missed` and `finish`.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant, SystemTime};

use records::{AllocationPlace, FromSampler, Mapping};
use supervision::{Job, Patience, Urgency};
use target::{Launched, Launcher, Waiting};

use super::copied_stacks::CopiedStacks;
use super::environment::{self, Environment};
use super::evidence::Evidence;
use super::go_programs::GoPrograms;
use super::go_sampling::GoSampling;
use super::jit::{self, JitProcesses};
use super::journal::Steps;
use super::mapped_paths::{Programs, ways_to_open};
use super::module_files::ModuleFiles;
use super::modules::ModuleIndex;
use super::own_samples::OwnSamples;
use super::preload::{Library, is_library};
use super::process_repetitions::ProcessRepetitions;
use super::sampler::Sampler;
use super::sampler_watch::SamplerWatch;
use super::turns::Turn;
use super::{Event, Incoming, RecordError, RunsSoFar, Stage};

/// A recording in progress: what it has seen, and what it does.
pub struct Recording<'a> {
    pub(super) seen: Evidence,
    /// When the command may run; None: always.
    pub(super) turn: Option<&'a Turn>,
    /// How soon it is to end.
    pub(super) urgency: Urgency,
    /// What the command loads, to sample what it allocates; None: that is not wanted.
    pub(super) library: Option<Library>,
    /// How the command samples its heap itself, if it does.
    pub(super) go: Option<GoSampling>,
    pub(super) go_programs: GoPrograms,
    /// The command, if it reports its allocations by probes, and where.
    pub(super) reports: Option<(File, Vec<AllocationPlace>)>,
    /// Starts the command; None when attached.
    pub(super) launcher: Option<Launcher>,
    /// The sampler has applied all that it was told.
    pub(super) is_synced: bool,
    pub(super) own_samples: OwnSamples,
    pub(super) of_processes: ProcessRepetitions,
    /// For what the threads of further repetitions have to say.
    pub(super) sender: Option<SyncSender<Incoming>>,
    pub(super) target: TargetState,
    /// The command with all that it has started.
    pub(super) job: Job,
    pub(super) sampler: Sampler,
    pub(super) sampler_watch: SamplerWatch,
    /// It has sent everything, or is waited for no longer.
    pub(super) sampler_ended: bool,
    /// Why the privileged sampler could not be used, if it was wanted.
    pub(super) refused: Option<RecordError>,
    pub(super) files: ModuleFiles,
    pub(super) programs: Programs,
    pub(super) jit: JitProcesses,
    pub(super) copies: CopiedStacks,
    pub(super) started: Instant,
    pub(super) ended: Option<Instant>,
    /// Since when no more samples are taken.
    pub(super) stopping: Option<Instant>,
    /// Since when the target is expected to end.
    pub(super) ending: Option<Instant>,
    /// For a target that was killed.
    pub(super) killed: Patience,
    pub(super) discard: bool,
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
    /// A process of the target, of whose fork nobody has told. It may have executed another program since: the parent's
    /// mappings are not taken for its own.
    pub(super) fn take_unheard_child(&mut self, pid: u32, time_ns: u64, parent_pid: u32) {
        self.seen.forks += 1;
        self.job.heard_of(pid, time_ns);
        self.seen.spaces.exit(pid);
        self.of_processes.hear(&FromSampler::Forked {
            time_ns,
            pid,
            parent_pid,
        });
    }

    pub(super) fn add_mapping(&mut self, pid: u32, from_ns: u64, mapping: Mapping, path: &Path) {
        let range = (mapping.start, mapping.end());
        if mapping.file.inode == 0 {
            if jit::is_without_file(path) {
                let (modules, spaces) = (&mut self.seen.modules, &mut self.seen.spaces);
                self.jit.map(pid, from_ns, range, modules, spaces);
            }
            return;
        }
        if is_library(path) {
            self.seen.allocations.note_library(pid);
        }
        let module = self.module_of(pid, from_ns, &mapping, path);
        self.note_go(pid, from_ns, &mapping, module, path);
        self.seen
            .spaces
            .map(pid, from_ns, range, mapping.file_offset, module);
    }

    /// The module of a mapped file, which is opened when it is met for the first time.
    pub(super) fn module_of(
        &mut self,
        pid: u32,
        from_ns: u64,
        mapping: &Mapping,
        path: &Path,
    ) -> ModuleIndex {
        if let Some(known) = self.seen.modules.known(mapping.file) {
            return known;
        }
        let (shown, open_as) = ways_to_open(pid, mapping, path, &mut self.programs);
        let mapped_at = (from_ns > 0).then(|| {
            let since = environment::monotonic_ns().saturating_sub(from_ns);
            SystemTime::now() - Duration::from_nanos(since)
        });
        (self.files).module_of(
            &mut self.seen.modules,
            mapping.file,
            &shown,
            &open_as,
            mapped_at,
        )
    }

    /// Tells the sampler of modules that are new to it; whoever unwinds copies learns of them, too.
    pub(super) fn tell_of_modules(&mut self) {
        for message in self.files.take_news() {
            self.copies.take(&message);
            self.sampler.say(&message);
        }
    }

    pub(super) fn progress(&self, stage: Stage) -> Event {
        Event::Progress {
            stage,
            elapsed: self.ended.unwrap_or_else(Instant::now) - self.started,
            samples: self.seen.kept(),
            lost: self.seen.told_lost(),
            runs: self.runs_so_far(),
        }
    }

    fn runs_so_far(&self) -> Option<RunsSoFar> {
        let repetitions = &self.seen.repetitions;
        let number = repetitions.number().min(repetitions.wanted);
        (repetitions.wanted > 1 || self.turn.is_some()).then(|| RunsSoFar {
            number,
            wanted: repetitions.wanted,
            warm_up: false,
            done: repetitions.whole().count() as u32,
            cpu: repetitions.cpu_so_far(),
        })
    }
}
