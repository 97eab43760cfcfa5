//! What page faults and system calls may lack, as facts and as sentences.

use profile::OTHER_STACKS;
use records::{SamplerError, SamplerStep};

/// Of page faults or system calls.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledEventProblem {
    pub events: Events,
    pub lack: Lack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Events {
    Faults,
    Syscalls,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Lack {
    NoPrivilege,
    Refused(SamplerError),
    /// Of so many that were seen.
    Lost {
        events: u64,
        all: u64,
    },
    NotAllowed {
        events: u64,
    },
    /// Of any process.
    Skipped {
        events: u64,
    },
    WithoutStack {
        events: u64,
        all: u64,
    },
    /// Time for which there was no room in a run.
    Beyond {
        ns: u64,
    },
    /// One fault may bring 2 MiB.
    HugePages,
}

impl SampledEventProblem {
    /// As the user reads it.
    pub fn sentence(&self) -> String {
        let (name, few) = match self.events {
            Events::Faults => ("Page faults", "page faults"),
            Events::Syscalls => ("System calls", "system calls"),
        };
        match &self.lack {
            Lack::NoPrivilege => format!(
                "{name} were not recorded: this requires root or the installed sampler. `lineheat doctor` shows how to install it."
            ),
            Lack::Refused(refusal) => {
                format!("{name} were not recorded: this kernel {}.", why(*refusal))
            }
            Lack::Lost { events, all } => format!(
                "{events} of {all} {few} were lost: there were too many at a time, or more threads than can be followed."
            ),
            Lack::NotAllowed { events } => format!(
                "{events} {few} of programs that you may not inspect (different rights, or protected memory) were not counted."
            ),
            Lack::Skipped { events } => format!(
                "Up to {events} {few} are missing from the counts: this kernel skipped them while it counted one of another thread. The number includes {few} of other programs."
            ),
            Lack::WithoutStack { events, all } => format!(
                "{events} of {all} {few} are counted by thread, as {OTHER_STACKS}: no stack was taken after them. The total is exact."
            ),
            Lack::Beyond { ns } => format!(
                "{:.1} h in system calls are not in the run, which can hold 26 days, summed over all threads. Record for a shorter time.",
                *ns as f64 / 3.6e12
            ),
            Lack::HugePages => "Transparent huge pages are on: one page fault may bring 2 MiB instead of one page, so page faults do not show how much memory was touched.".to_owned(),
        }
    }
}

fn why(refusal: SamplerError) -> String {
    match (refusal.step, refusal.errno) {
        (SamplerStep::OpenFaultEvent, libc::EPERM | libc::EACCES) => {
            "lets only administrators open events of page faults".to_owned()
        }
        (SamplerStep::OpenFaultEvent, libc::EMFILE) => {
            "allows too few open files for so many threads".to_owned()
        }
        (_, errno) => format!(
            "does not offer what it requires ({})",
            std::io::Error::from_raw_os_error(errno)
        ),
    }
}
