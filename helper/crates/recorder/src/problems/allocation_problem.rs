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
    /// Files of Go that are not the command.
    GoElsewhere {
        files: Vec<String>,
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
        program: String,
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
                "What {program} allocates was not recorded: it is statically linked and cannot load the library that samples it. Link it dynamically."
            ),
            AllocationProblem::NotLoaded { program } => format!(
                "What {program} allocates was not recorded: it did not load the library that samples it (LD_PRELOAD). Programs with other rights than yours ignore it."
            ),
            AllocationProblem::Go { program, why } => format!(
                "What {program} allocates in Go was not recorded: {}. Go's own heap profile (runtime/pprof) has it, and `lineheat report` opens it.",
                why_not_go(why)
            ),
            AllocationProblem::GoElsewhere { files } => format!(
                "What {} allocates in Go was not recorded: Go's sampling is turned on only in the command itself. To record a program of Go that another program starts, give it as the command.",
                listed(files)
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
                "{program} sets runtime.MemProfileRate: Go sampled its allocations {} apart on average, instead of 512 KiB. Figures and errors are by that.",
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

fn why_not_go(why: &NoGoSampling) -> String {
    match why {
        NoGoSampling::Unknown(NoGoHeap::Stripped) => {
            "it has no symbol table, which shows where Go samples its heap. Build it without -ldflags=-s".to_owned()
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
