//! What a recording has seen: plain values that only grow, from which its run is described, saved and judged. Nothing in
//! here opens, waits or tells; whoever does is a part of the recording itself.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use records::layout::Counter;
use records::{SamplerError, StackEnd};
use target::Exit;

use super::address_spaces::AddressSpaces;
use super::allocations::Allocations;
use super::calls::Calls;
use super::counters::Counters;
use super::modules::Modules;
use super::recorded::EndReason;
use super::repetitions::Repetitions;
use super::sampled_events::SampledEvents;
use super::stacks::CountedStacks;
use super::trouble::Trouble;
use super::waits::Waits;
use super::work::FoundWork;

pub struct Evidence {
    /// As the sampler was asked.
    pub asked_hz: u32,
    /// Waiting time was asked for.
    pub waits_wanted: bool,
    /// The sampler could not see waits.
    pub no_waits: Option<SamplerError>,
    /// The same of page faults and system calls.
    pub faults_wanted: bool,
    pub no_faults: Option<SamplerError>,
    pub syscalls_wanted: bool,
    pub no_syscalls: Option<SamplerError>,
    /// The same of who ended waits.
    pub wakeups_wanted: bool,
    pub no_wakeups: Option<SamplerError>,
    /// The expression that finds the work in the command's output.
    pub work_from: Option<String>,
    /// The first of the target's processes.
    pub pid: u32,
    /// Those that were attached to at the beginning.
    pub attached: Vec<u32>,
    /// Working directory of the target.
    pub cwd: PathBuf,
    pub started_at: SystemTime,
    pub started_monotonic_ns: u64,
    pub by: SampledBy,
    /// Cycles make the samples, not a clock.
    pub hardware_cycles: bool,
    /// Samples are taken by a timer on each CPU, not by the threads' own.
    pub per_cpu: bool,
    pub modules: Modules,
    pub spaces: AddressSpaces,
    /// Processes of which the kernel may have dropped records, and that could not be read any more.
    pub unread: BTreeSet<u32>,
    pub stacks: CountedStacks,
    pub waits: Waits,
    pub sampled_events: SampledEvents,
    pub allocations: Allocations,
    pub calls: Calls,
    pub counters_of_events: Counters,
    /// By the sampler's symbol ids.
    pub kernel_names: Vec<(u32, String)>,
    /// As the sampler has told them last.
    pub counters: [u64; Counter::ALL.len()],
    pub lost_mapping_records: u64,
    /// Samples of ourselves, which are in no figure.
    pub own_samples: u64,
    /// Stacks that were longer than what is copied, and ended there.
    pub cut_copies: u64,
    /// For how long sampled threads ran; 0: not known (yet).
    pub running_ns: u64,
    /// Processes that the target has started.
    pub forks: u64,
    pub repetitions: Repetitions,
    /// What runs said in whose output no work was found.
    pub unknown_work: Vec<FoundWork>,
    pub exit: Option<Exit>,
    pub end_reason: EndReason,
    /// The sampler did not send everything.
    pub sampler_lost: bool,
    /// What went wrong meanwhile.
    pub troubles: Vec<Trouble>,
}

impl Default for Evidence {
    /// Of a recording that has seen nothing yet.
    fn default() -> Self {
        Evidence {
            asked_hz: 0,
            waits_wanted: false,
            no_waits: None,
            faults_wanted: false,
            no_faults: None,
            syscalls_wanted: false,
            no_syscalls: None,
            wakeups_wanted: false,
            no_wakeups: None,
            work_from: None,
            pid: 0,
            attached: Vec::new(),
            cwd: PathBuf::new(),
            started_at: SystemTime::UNIX_EPOCH,
            started_monotonic_ns: 0,
            by: SampledBy {
                is_privileged: true,
                way: "",
            },
            hardware_cycles: false,
            per_cpu: false,
            modules: Modules::default(),
            spaces: AddressSpaces::default(),
            unread: BTreeSet::new(),
            stacks: CountedStacks::default(),
            waits: Waits::default(),
            sampled_events: SampledEvents::default(),
            allocations: Allocations::default(),
            calls: Calls::default(),
            counters_of_events: Counters::default(),
            kernel_names: Vec::new(),
            counters: [0; Counter::ALL.len()],
            lost_mapping_records: 0,
            own_samples: 0,
            cut_copies: 0,
            running_ns: 0,
            forks: 0,
            repetitions: Repetitions::new(1, Vec::new(), false),
            unknown_work: Vec::new(),
            exit: None,
            end_reason: EndReason::Exited,
            sampler_lost: false,
            troubles: Vec::new(),
        }
    }
}

/// Who took the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledBy {
    /// Otherwise user space only.
    pub is_privileged: bool,
    /// By which way it has its rights.
    pub way: &'static str,
}

impl Evidence {
    /// For the run: what made the samples.
    pub fn event_name(&self) -> &'static str {
        match (self.hardware_cycles, self.by.is_privileged) {
            (true, true) => "cycles",
            (true, false) => "cycles:u",
            (false, true) => "cpu-clock",
            (false, false) => "cpu-clock:u",
        }
    }

    /// Waiting time was asked for, and the sampler can see it.
    pub fn has_waits(&self) -> bool {
        self.waits_wanted && self.by.is_privileged && self.no_waits.is_none()
    }

    /// The same of page faults.
    pub fn has_faults(&self) -> bool {
        self.faults_wanted && self.by.is_privileged && self.no_faults.is_none()
    }

    /// The same of system calls.
    pub fn has_syscalls(&self) -> bool {
        self.syscalls_wanted && self.by.is_privileged && self.no_syscalls.is_none()
    }

    /// Allocations were asked for.
    pub fn has_allocations(&self) -> bool {
        self.allocations.interval > 0
    }

    /// What the sampler counted, without what was our own.
    pub fn counted(&self, counter: Counter) -> u64 {
        self.counters[counter as usize].saturating_sub(self.own_samples)
    }

    /// Samples that the sampler says were lost.
    pub fn told_lost(&self) -> u64 {
        Counter::LOSSES
            .iter()
            .map(|c| self.counters[*c as usize])
            .sum()
    }

    /// Samples that were taken and are not in the run, by cause: those without a sample are left out.
    ///
    /// Taken = kept + Σ losses: what was taken and neither arrived nor is lost by a cause was lost on its way to us. When
    /// the sampler has died, its last counts are older than the last samples.
    pub fn losses(&self) -> Vec<(&'static str, u64)> {
        let causes = Counter::LOSSES
            .iter()
            .map(|c| (c.name(), self.counters[*c as usize]));
        let mut losses: Vec<_> = causes.collect();
        let told = self.told_lost();
        let taken = (self.counted(Counter::Taken)).max(self.counted(Counter::Kept) + told);
        let on_the_way = taken.saturating_sub(self.stacks.sample_count() + told);
        losses.push(("on-the-way", on_the_way));
        losses.retain(|(_, count)| *count > 0);
        losses
    }

    /// All that were taken and are not in the run.
    pub fn lost(&self) -> u64 {
        self.losses().iter().map(|(_, count)| count).sum()
    }

    /// Samples that were taken.
    pub fn taken(&self) -> u64 {
        self.kept() + self.lost()
    }

    /// Samples that are in the run.
    pub fn kept(&self) -> u64 {
        self.stacks.sample_count()
    }

    /// Stacks that ended so.
    pub fn ended_by(&self, end: StackEnd) -> u64 {
        self.stacks.ends[end as usize]
    }
}
