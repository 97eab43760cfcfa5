//! What a reader of a run has to know before trusting its figures, as facts. `text` says them.

use records::SamplerError;
use symbolize::{Language, Text};

use super::allocation_problem::AllocationProblem;
use super::call_problem::CallProblem;
use super::sampled_event_problem::SampledEventProblem;
use super::wakeup_problem::WakeupProblem;
use crate::modules::MadeBy;

/// Shares are of all samples where nothing else is said.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// CPU time of the target; that in the kernel is missing.
    UserSpaceOnly {
        user_ns: u64,
        system_ns: u64,
    },
    /// The user may not look into their processes.
    SamplesNotAllowed {
        samples: u64,
        taken: u64,
    },
    /// They gained rights, and were left out from then on.
    ProgramsNotAllowed {
        programs: u64,
    },
    /// There was no room for them in the sampler.
    NotFollowed {
        processes: u64,
    },
    /// By any other cause.
    Lost {
        samples: u64,
        taken: u64,
    },
    /// There was no room for more than so many stacks.
    WithoutStack {
        samples: u64,
        kept: u64,
        stacks: usize,
    },
    /// The sampler could not see them.
    NoWaits(SamplerError),
    /// In the kernel; `ns` of those whose length is known.
    WaitsLost {
        waits: u64,
        ns: u64,
    },
    /// They were not walked: they have the stack of an earlier wait at the same place.
    WaitsByPlace {
        waits: u64,
        all: u64,
    },
    /// Where they were is not known.
    WaitsWithoutStack {
        waits: u64,
        ns: u64,
        all_ns: u64,
    },
    /// How long they were is not known.
    WaitsWithoutEnd {
        waits: u64,
    },
    /// There was no room for them in a run.
    WaitsBeyond {
        waits: u64,
        ns: u64,
    },
    CausesBeyond {
        waits: u64,
    },
    /// They waited all the time; nothing is known of where.
    ThreadsNotRun {
        threads: u64,
    },
    /// Of who ended waits.
    Wakeups(WakeupProblem),
    /// Of page faults and system calls.
    SampledEvents(SampledEventProblem),
    /// Of allocated memory.
    Allocations(AllocationProblem),
    /// Of counted events, as sentences: one or more counters.
    Counters(Vec<String>),
    /// Of counted calls.
    Calls(CallProblem),
    /// Of code that was loaded; what is shown is not known.
    MappingRecordsLost {
        records: u64,
    },
    /// Records of these processes were dropped, and they could not be read any more.
    UnreadProcesses {
        samples: u64,
        of: Processes,
    },
    /// The share is of the frames in user space.
    UnknownFrames {
        share: f64,
        why: WhyUnknown,
    },
    /// Of all stacks.
    DeepStacks {
        share: f64,
    },
    /// Of all stacks: longer than what is copied.
    LongCopies {
        share: f64,
        is_privileged: bool,
    },
    /// Of all stacks: their outermost frame is not the thread's start.
    BrokenStacks {
        share: f64,
        mostly: Option<StacksEnd>,
    },
    /// Code of a process's own making has no names.
    MadeCode {
        by: MadeBy,
        share: f64,
        why: String,
    },
    /// The same, of so many more processes.
    MoreMadeCode {
        processes: usize,
    },
    /// A module without line tables, or without any names.
    NoLines {
        module: String,
        share: f64,
        why: Option<String>,
        /// No way of building it would have helped.
        is_unread: bool,
        /// None: it came with the system.
        own: Option<Language>,
    },
    /// A module whose names are not all there.
    NamesMissing {
        module: String,
        share: f64,
        why: String,
    },
    /// The share is that of samples in such code.
    Unoptimized {
        module: String,
        share: f64,
        language: Language,
    },
    /// The same; functions that share their code, by their linker's names.
    Folded {
        module: String,
        share: f64,
        functions: Vec<Vec<Text>>,
    },
    /// It is not the text that ran.
    SourceChanged {
        path: String,
        /// By its checksum, not only by its time.
        differs: bool,
    },
    /// The rest ran in threads and processes that were over before their first sample was due.
    ShortLives {
        /// In samples, as `expected`.
        missing: f64,
        expected: f64,
        running_ns: u64,
        samples: u64,
        asked_hz: u32,
        timers: TimersUsed,
    },
    /// The kernel took fewer.
    Throttled {
        achieved_hz: f64,
        asked_hz: u32,
    },
    /// Of so many executions, when it was looked for in what they print.
    WorkUnknown {
        unknown: usize,
        executions: usize,
        expression: String,
        /// What was found in place of a number.
        found: Option<String>,
    },
}

/// Processes by name and pid, those with the most frames first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processes {
    pub first: Vec<(String, u32)>,
    pub are_all: bool,
}

/// Why most unknown frames are unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyUnknown {
    /// The kernel dropped records of these processes.
    Dropped(Processes),
    RecordsLost(u64),
    NeverMapped(Processes),
    NoFile,
}

/// Where most of the stacks end that end too early.
#[derive(Debug, Clone, PartialEq)]
pub struct StacksEnd {
    /// None: in code without a file.
    pub file: Option<String>,
    /// Of those stacks.
    pub share: f64,
    pub run_time: Option<RunTime>,
}

/// Run times that keep stacks in a way of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTime {
    Ghc,
    Java,
    LuaJit,
}

/// What made the kernel take samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimersUsed {
    PerCpu,
    /// Where those of CPUs could be had, too.
    PerThread,
    /// Without privilege.
    Unprivileged,
}
