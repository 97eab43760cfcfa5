//! A recording's journal: what is new since the last step is appended twice a second, so that our own end, or a full
//! disk, costs a second at most, whatever the recording's length.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use profile::run::{JournalKernelName, JournalModule, JournalStep, JournalThread, RunInfo};
use profile::{Journal, RunFile, SampleDetail, Sums, place};
use records::{SampleKind, period_ns};

use super::modules::Modules;
use super::shown_path::shown_path;
use super::stacks::{CodePlace, CountedStacks, Group, comm};

pub const STEP_EVERY: Duration = Duration::from_millis(500);
/// A journal of hours, folded, has a third of this or less.
const FOLD_BYTES_MIN: u64 = 32 << 20;

#[derive(Default)]
pub struct Steps {
    /// Whose journal it is; None: nothing is kept.
    run_file: Option<Arc<RunFile>>,
    journal: Option<Journal>,
    saved: Saved,
    /// Since when nothing could be written, and why.
    pub failed: Option<(Duration, io::Error)>,
    /// None: at once.
    next: Option<Instant>,
    /// Beyond this the journal is made anew from what there is.
    fold_bytes: u64,
}

/// How much of a recording is in its journal.
#[derive(Default)]
struct Saved {
    modules: usize,
    places: usize,
    stacks: usize,
    threads: usize,
    groups: usize,
    sums: Vec<Sums>,
    kernel_names: usize,
    samples: u64,
}

/// What a step is made from.
pub struct Present<'a> {
    pub modules: &'a Modules,
    pub stacks: &'a CountedStacks,
    pub kernel_names: &'a [(u32, String)],
    pub started_monotonic_ns: u64,
    pub sample_hz: u32,
    pub run: RunInfo,
}

impl Steps {
    /// From now on steps are kept, beside this run.
    pub fn keep_beside(&mut self, run_file: Arc<RunFile>) {
        self.run_file = Some(run_file);
    }

    /// Where the run is to be written.
    pub fn run_file(&self) -> Option<&Arc<RunFile>> {
        self.run_file.as_ref()
    }

    pub fn wait_first(&mut self) {
        self.next = Some(Instant::now() + STEP_EVERY);
    }

    pub fn is_due(&self) -> bool {
        self.next.is_none_or(|next| Instant::now() >= next)
    }

    /// Whether the journal holds something.
    pub fn hold_something(&self) -> bool {
        self.journal.as_ref().is_some_and(Journal::has_steps)
    }

    /// Appends what is new. A failure is kept; what could not be written is written with the next step.
    pub fn append(&mut self, elapsed: Duration, present: Present) {
        let started = Instant::now();
        match self.try_append(present) {
            Ok(()) => self.failed = None,
            Err(error) => {
                let since = self.failed.take().map_or(elapsed, |(since, _)| since);
                self.failed = Some((since, error));
            }
        }
        // However long it took: a step costs what is new, and a disk that once was slow must not make the next one late.
        self.next = Some(started + STEP_EVERY);
    }

    fn try_append(&mut self, present: Present) -> io::Result<()> {
        let journal = match (&mut self.journal, &self.run_file) {
            (Some(journal), _) => journal,
            (None, Some(run_file)) => self.journal.insert(Journal::create(run_file)?),
            (None, None) => return Ok(()),
        };
        journal.append(&self.saved.step(&present))?;
        self.saved.note(&present);
        if journal.bytes() > self.fold_bytes.max(FOLD_BYTES_MIN) {
            // Without room for it the journal only grows on.
            let _ = journal.fold(&Saved::default().step(&present));
            self.fold_bytes = 3 * journal.bytes();
        }
        Ok(())
    }

    /// When the run has been saved, or is not wanted.
    pub fn remove(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.remove();
        }
    }
}

impl Saved {
    fn step(&self, present: &Present) -> JournalStep {
        let stacks = present.stacks;
        let (time_sample, time_delta_ns, time_first) = self.times(present);
        let period_ns = period_ns(present.sample_hz);
        let (counts, sums) = self.sums(&stacks.sums, period_ns);
        JournalStep {
            modules: self.modules(present.modules),
            places: (stacks.places.values()[self.places..].iter())
                .flat_map(numbers_of)
                .collect(),
            stacks: (self.stacks..stacks.stacks.len())
                .flat_map(|number| {
                    let stack = stacks.stacks.stack(number as u32);
                    std::iter::once(stack.len() as u32).chain(stack.iter().copied())
                })
                .collect(),
            threads: (stacks.threads.values()[self.threads..].iter())
                .map(|thread| JournalThread {
                    pid: thread.pid,
                    tid: thread.tid,
                    name: comm(&thread.name),
                    repetition: thread.repetition,
                })
                .collect(),
            groups: (stacks.groups.values()[self.groups..].iter())
                .flat_map(|group| [group.stack, group.thread])
                .collect(),
            kernel_names: (present.kernel_names[self.kernel_names..].iter())
                .map(|(symbol, name)| JournalKernelName {
                    symbol: *symbol,
                    name: name.clone(),
                })
                .collect(),
            group_reasons: group_details(&stacks.groups.values()[self.groups..]),
            group_kinds: group_kinds(&stacks.groups.values()[self.groups..]),
            counts,
            sums,
            time_first,
            time_every: stacks.times_every as u32,
            time_sample,
            time_delta_ns,
            run: Some(present.run.clone()),
            period_ns,
        }
    }

    fn modules(&self, modules: &Modules) -> Vec<JournalModule> {
        let new = modules.iter().skip(self.modules);
        new.map(|(_, module)| {
            let span = module.span();
            JournalModule {
                path: shown_path(&module.path),
                memory_start: span.memory_start,
                memory_limit: span.memory_limit,
                file_offset: span.file_offset,
            }
        })
        .collect()
    }

    /// Of each group with new samples: how many, where each is one event of `period_ns`, else their sums.
    fn sums(&self, sums: &[Sums], period_ns: u64) -> (Vec<u64>, Vec<u64>) {
        let (mut counts, mut others) = (Vec::new(), Vec::new());
        let before = (self.sums.iter().copied()).chain(std::iter::repeat(Sums::default()));
        for (group, (now, before)) in (0u64..).zip(sums.iter().zip(before)) {
            let new = Sums {
                samples: now.samples - before.samples,
                weight: now.weight - before.weight,
                value: now.value - before.value,
            };
            match new.samples {
                0 => {}
                samples if new == Sums::of_periods(samples, period_ns) => {
                    counts.extend([group, samples]);
                }
                samples => others.extend([group, samples, new.weight, new.value]),
            }
        }
        (counts, others)
    }

    /// Groups and times of samples after those that are saved, and the number of the first.
    fn times(&self, present: &Present) -> (Vec<u32>, Vec<i64>, u64) {
        let stacks = present.stacks;
        let first = self.samples.div_ceil(stacks.times_every);
        let new = stacks.times.get(first as usize..).unwrap_or_default();
        let mut last = present.started_monotonic_ns;
        let deltas = new.iter().map(|(time_ns, _)| {
            let delta = time_ns.wrapping_sub(last) as i64;
            last = *time_ns;
            delta
        });
        let deltas = deltas.collect();
        let groups = new.iter().map(|(_, group)| *group).collect();
        (groups, deltas, first * stacks.times_every)
    }

    fn note(&mut self, present: &Present) {
        let stacks = present.stacks;
        self.modules = present.modules.iter().count();
        self.places = stacks.places.values().len();
        self.stacks = stacks.stacks.len();
        self.threads = stacks.threads.values().len();
        self.groups = stacks.groups.values().len();
        self.sums.clone_from(&stacks.sums);
        self.kernel_names = present.kernel_names.len();
        self.samples = stacks.sample_count();
    }
}

/// Empty: all are of CPU time.
fn group_kinds(groups: &[Group]) -> Vec<u32> {
    match groups.iter().all(|group| group.kind == SampleKind::Cpu) {
        true => Vec::new(),
        false => groups.iter().map(|group| group.kind as u32).collect(),
    }
}

/// Empty: none has one.
fn group_details(groups: &[Group]) -> Vec<u32> {
    let numbers = groups
        .iter()
        .map(|group| group.detail.map_or(0, SampleDetail::number));
    match groups.iter().all(|group| group.detail.is_none()) {
        true => Vec::new(),
        false => numbers.collect(),
    }
}

fn numbers_of(place: &CodePlace) -> [u64; 2] {
    match *place {
        CodePlace::Unknown { address } => [place::UNKNOWN, address],
        CodePlace::Kernel { symbol } => [place::KERNEL, u64::from(symbol)],
        CodePlace::OtherStack => [place::OTHER, 0],
        CodePlace::InModule { module, vaddr } => [place::MODULES + u64::from(module), vaddr],
    }
}
