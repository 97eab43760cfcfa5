//! What a run may lack of who ended its waits, as facts and as sentences.

use records::SamplerError;

#[derive(Debug, Clone, PartialEq)]
pub enum WakeupProblem {
    NoPrivilege,
    /// They end waits, which were not recorded.
    NoWaits,
    Refused(SamplerError),
    /// So many waits were ended by a thread of which it is not known where it was.
    Unseen {
        waits: u64,
        ns: u64,
        all_ns: u64,
    },
}

impl WakeupProblem {
    /// As the user reads it.
    pub fn sentence(&self) -> String {
        match self {
            WakeupProblem::NoPrivilege => "Wake-ups were not recorded: this requires root or the installed sampler. `lineheat doctor` shows how to install it.".to_owned(),
            WakeupProblem::NoWaits => "Wake-ups were not recorded: they show who ended a wait, and waiting time was not recorded.".to_owned(),
            WakeupProblem::Refused(refusal) => format!(
                "Wake-ups were not recorded: this kernel does not offer what it requires ({}).",
                std::io::Error::from_raw_os_error(refusal.errno)
            ),
            WakeupProblem::Unseen { waits, ns, all_ns } => format!(
                "{waits} waits ({:.1} % of the waiting time) show which thread ended them, but not at which line: there were too many to find the stack of each.",
                100.0 * *ns as f64 / (*all_ns).max(1) as f64
            ),
        }
    }
}
