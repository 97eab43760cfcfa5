//! Loads what was asked for, as far as the kernel lets.

use records::{SamplerError, SamplerStep};

use crate::attachment::Waits;
use crate::bpf::{Bpf, Wanted};
use crate::end::{End, errno_of};

pub struct Loaded {
    pub bpf: Bpf,
    pub waits: Waits,
    /// Page faults or system calls were wanted, and the kernel does not load what sees them.
    pub no_sampled_events: Option<SamplerError>,
    /// The same of who ends waits.
    pub no_wakeups: Option<SamplerError>,
}

/// A kernel that loads all but what sees wake-ups, page faults and system calls, or waits, records the rest.
pub fn load(wanted: Wanted, invoker: u32) -> Result<Loaded, End> {
    let without_wakeups = Wanted {
        wakeups: false,
        ..wanted
    };
    let without_sampled = Wanted {
        faults: false,
        syscalls: false,
        ..without_wakeups
    };
    let without_waits = Wanted {
        waits: false,
        ..without_sampled
    };
    let mut refused = None;
    for wanted_now in [wanted, without_wakeups, without_sampled, without_waits] {
        let error = match Bpf::load(wanted_now, invoker) {
            Ok(bpf) => {
                let waits = match refused {
                    _ if wanted_now.waits => Waits::Seen,
                    Some(error) if wanted.waits => Waits::Refused(error),
                    _ => Waits::Unwanted,
                };
                let wants_sampled = wanted.faults || wanted.syscalls;
                let has_sampled = wanted_now.faults || wanted_now.syscalls;
                return Ok(Loaded {
                    bpf,
                    waits,
                    no_sampled_events: refused.filter(|_| wants_sampled && !has_sampled),
                    no_wakeups: refused.filter(|_| wanted.wakeups && !wanted_now.wakeups),
                });
            }
            Err(error) => SamplerError {
                step: SamplerStep::LoadBpf,
                errno: errno_of(&error),
                pid: 0,
            },
        };
        refused = Some(error);
    }
    let errno = refused.map_or(0, |error| error.errno);
    Err(End::Failed(SamplerStep::LoadBpf, errno, 0))
}
