//! What a run may lack of allocated memory, as facts and as sentences.

use symbolize::{NoGoHeap, OwnAllocator};

use crate::go_sampling::NoGoSampling;

#[derive(Debug, Clone, PartialEq)]
pub enum AllocationProblem {
    /// The command could not load the library.
    Static {
        program: String,
    },
    /// Nobody says why.
    NotLoaded {
        program: String,
    },
    /// It allocates without the functions that the library has.
    OwnAllocator {
        program: String,
        allocator: OwnAllocator,
    },
    /// Its heap was not sampled.
    Go {
        program: String,
        why: NoGoSampling,
    },
    /// Programs of Go that the command has started, and whose heap was not sampled.
    StartedGoRefused {
        programs: Vec<(String, NoGoSampling)>,
    },
    /// Those that were sampled, from some time after their beginning on.
    StartedGoLate {
        programs: u64,
        shortest_ns: u64,
        longest_ns: u64,
    },
    StartedGoEnded {
        programs: u64,
    },
    StartedGoBeyond {
        programs: u64,
    },
    /// Its own probes were used.
    Reports {
        program: String,
    },
    /// They could not be.
    ProbesNotUsed {
        program: String,
    },
    /// It wants other distances between samples than usual: some of these.
    GoRates {
        /// None: it is not the command.
        program: Option<String>,
        bytes: Vec<u32>,
    },
    /// Programs that the command has started.
    ProgramsWithout {
        programs: u64,
        all: u64,
    },
    /// In the kernel.
    Lost {
        samples: u64,
        all: u64,
    },
    FreesLost {
        frees: u64,
    },
    NotAllowed {
        samples: u64,
    },
    /// Their frees cannot be seen.
    Untracked {
        samples: u64,
        bytes: u64,
        all_bytes: u64,
    },
    /// There was no room for them in a run.
    Beyond {
        samples: u64,
    },
}

impl AllocationProblem {
    /// As the user reads it.
    pub fn sentence(&self) -> String {
        match self {
            AllocationProblem::Static { program } => format!(
                "What {program} allocates was not recorded: it is statically linked and cannot load the library that samples it. Link it dynamically, or have its allocator report samples by the probes otel_memory:alloc and otel_memory:free."
            ),
            AllocationProblem::NotLoaded { program } => format!(
                "What {program} allocates was not recorded: it did not load the library that samples it (LD_PRELOAD). Programs with other rights than yours ignore it."
            ),
            AllocationProblem::Go { program, why } => format!(
                "What {program} allocates in Go was not recorded: {}. Go's own heap profile (runtime/pprof) has it, and `lineheat report` opens it.",
                why_not_go(why)
            ),
            AllocationProblem::StartedGoRefused { programs } => started_go_refused(programs),
            AllocationProblem::StartedGoLate {
                programs: 1,
                longest_ns,
                ..
            } => format!(
                "1 program of Go that the command started was sampled from {} after its start: what it allocated before is missing.",
                milliseconds(*longest_ns)
            ),
            AllocationProblem::StartedGoLate {
                programs,
                shortest_ns,
                longest_ns,
            } => format!(
                "{programs} programs of Go that the command started were sampled from {} to {} after their start: what they allocated before is missing.",
                milliseconds(*shortest_ns),
                milliseconds(*longest_ns)
            ),
            AllocationProblem::StartedGoEnded { programs } => format!(
                "Programs of Go that ended before their allocations could be sampled: {programs}."
            ),
            AllocationProblem::StartedGoBeyond { programs } => format!(
                "Go programs that were not sampled, because too many ran: {programs}. A recording samples at most 85 program files, and at most 64 processes whose file belongs to somebody else. Copy such a program: all processes of a file of yours count as one."
            ),
            AllocationProblem::Reports { program } => format!(
                "{program} reports its allocations itself (otel_memory): only these were recorded, not those of programs that it starts."
            ),
            AllocationProblem::ProbesNotUsed { program } => format!(
                "{program} has probes for its allocations (otel_memory) that could not be used: each must be a nop of one byte, with its numbers in registers, in memory at a register, or constant, on x86-64."
            ),
            AllocationProblem::OwnAllocator {
                program,
                allocator: OwnAllocator::Ocaml,
            } => format!(
                "{program} is written in OCaml and manages its memory itself: only what its runtime and its C code take from malloc was recorded, in large pieces. Values in the minor heap are not seen."
            ),
            AllocationProblem::GoRates { program, bytes } => format!(
                "{} sets runtime.MemProfileRate: Go sampled its allocations {} apart on average, instead of 512 KiB. Figures and errors are by that.",
                program.as_deref().unwrap_or("A program of Go"),
                in_words(bytes)
            ),
            AllocationProblem::OwnAllocator { program, allocator } => format!(
                "{program} has an allocator of its own ({}): what that provides was not recorded. Build it with the allocator of the C library, or link this one dynamically.",
                allocator.name()
            ),
            AllocationProblem::ProgramsWithout { programs, all } => format!(
                "{programs} of {all} programs of the target did not load the library that samples allocations (statically linked, with other rights, or started with another environment): what they allocated is missing."
            ),
            AllocationProblem::Lost { samples, all } => format!(
                "{samples} of {all} samples of allocations were lost ({:.1} %): there were too many at a time. Allocated and used memory are too low by as much.",
                100.0 * *samples as f64 / (*all).max(1) as f64
            ),
            AllocationProblem::FreesLost { frees } => format!(
                "{frees} frees of sampled memory were lost: there were too many at a time. The memory in use, also at the peak, is too high by up to as many samples."
            ),
            AllocationProblem::NotAllowed { samples } => format!(
                "{samples} samples of allocations belong to programs that you may not inspect (different rights, or protected memory). They were not recorded."
            ),
            AllocationProblem::Untracked {
                samples,
                bytes,
                all_bytes,
            } => format!(
                "{samples} samples of allocations ({:.1} % of the bytes) are counted as allocated but not as in use, at the end or at the peak: too much memory was in use at a time to see when each was freed.",
                100.0 * *bytes as f64 / (*all_bytes).max(1) as f64
            ),
            AllocationProblem::Beyond { samples } => format!(
                "{samples} samples of allocations are missing: a run can hold 4 PiB of allocated memory. Record for a shorter time."
            ),
        }
    }
}

fn milliseconds(ns: u64) -> String {
    format!("{:.1} ms", ns as f64 / 1e6)
}

/// A sentence for each reason.
fn started_go_refused(programs: &[(String, NoGoSampling)]) -> String {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for (program, why) in programs {
        let why = why_not_go(why);
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, programs)) => programs.push(program.clone()),
            None => by_reason.push((why, vec![program.clone()])),
        }
    }
    let sentences = by_reason.iter().map(|(why, programs)| {
        let programs = listed(programs);
        format!("What {programs} allocated in Go was not recorded: {why}.")
    });
    sentences.collect::<Vec<_>>().join(" ")
}

fn why_not_go(why: &NoGoSampling) -> String {
    match why {
        NoGoSampling::Unknown(NoGoHeap::Stripped) => {
            "it has no symbol table, and its code does not show where Go samples its heap. Build it without -ldflags=-s".to_owned()
        }
        NoGoSampling::Unknown(NoGoHeap::Version(version)) if version.is_empty() => {
            "it does not say which version of Go it was built with".to_owned()
        }
        NoGoSampling::Unknown(NoGoHeap::Version(version)) => {
            format!("it was built with {version}, expected Go 1.19 to 1.26")
        }
        NoGoSampling::Unknown(NoGoHeap::Unusual) => {
            "its runtime is not as that version of Go has it".to_owned()
        }
        NoGoSampling::Machine => "that is supported on x86-64 only".to_owned(),
        NoGoSampling::Switch(found) => {
            format!("its sampling could not be turned on ({found})")
        }
        NoGoSampling::Probes(error) => format!("the kernel refused probes in it ({error})"),
        NoGoSampling::OthersFile(owner) => format!(
            "the file belongs to {owner}, and only its first execution could be recorded. Record one execution, or a copy of the file"
        ),
    }
}

fn listed(files: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let names = files.iter().take(NAMED_MAX).cloned();
    let names = names.collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(NAMED_MAX) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

fn in_words(rates: &[u32]) -> String {
    let texts: Vec<String> = rates.iter().map(|rate| format!("{rate} B")).collect();
    texts.join(" or ")
}
