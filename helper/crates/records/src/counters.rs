//! Counters of events: which ones the engine asks for, and what the sampler has counted.

use crate::bytes::{Body, Fields};

/// At a time: `COUNTERS_OF_EVENTS` of bpf/counters.h.
pub const COUNTERS_MAX: usize = 8;

/// Type and config of `struct perf_event_attr`. The sampler checks both: see [`CounterRequest::is_allowed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRequest {
    pub kind: u32,
    pub config: u64,
}

// Types of include/uapi/linux/perf_event.h. All others are probes, tracepoints, breakpoints, or devices that count for the
// whole machine.
const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const HARDWARE_CACHE: u32 = 3;
const RAW: u32 = 4;

const HARDWARE_EVENTS: u64 = 10;
/// Up to emulation-faults; what follows is no count, or counts for a control group.
const SOFTWARE_EVENTS: u64 = 9;
const CACHES: u64 = 7;
/// What may be chosen of a raw event: on x86-64, event, umask, edge, inv, cmask, and AMD's high bits of the event. Not `any`, which
/// counts what other programs do on the same core.
const RAW_BITS: u64 = if cfg!(target_arch = "aarch64") {
    0xffff
} else {
    0xf_ff84_ffff
};

impl CounterRequest {
    /// Events that say nothing of other programs, and have no pointer or descriptor among their parameters.
    pub fn is_allowed(self) -> bool {
        let byte = |n: u32| self.config >> (8 * n) & 0xff;
        match self.kind {
            HARDWARE => self.config < HARDWARE_EVENTS,
            SOFTWARE => self.config < SOFTWARE_EVENTS,
            HARDWARE_CACHE => {
                byte(0) < CACHES && byte(1) < 3 && byte(2) < 2 && self.config >> 24 == 0
            }
            RAW => self.config & !RAW_BITS == 0,
            _ => false,
        }
    }

    pub(crate) fn put(self, body: Body) -> Body {
        body.u32(self.kind).u64(self.config)
    }

    pub(crate) fn parse_all(f: &mut Fields<'_>) -> Option<Vec<CounterRequest>> {
        let mut all = Vec::new();
        while !f.0.is_empty() {
            all.push(CounterRequest {
                kind: f.u32()?,
                config: f.u64()?,
            });
        }
        Some(all)
    }
}

/// Of one counter, in the order in which they were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CounterTotal {
    /// Why there is none; 0: it has counted.
    pub errno: i32,
    /// By the kernel, of all that was recorded.
    pub count: u64,
    /// For how long it was to count, and for how long it did: the CPU has fewer counters than were wanted.
    pub enabled_ns: u64,
    pub running_ns: u64,
    /// Events that came to the BPF program.
    pub events: u64,
    /// Of them: in programs that the user may not look into; in samples for which there was no room; after the last sample.
    pub hidden: u64,
    pub lost: u64,
    pub pending: u64,
    /// Samples that were sent.
    pub samples: u64,
    /// When events were most frequent, one in so many was walked on average; 0: each.
    pub longest_gap: u32,
    /// precise_ip of its events.
    pub precise: u32,
}

impl CounterTotal {
    pub(crate) const BYTES: usize = 76;

    pub(crate) fn put(self, body: Body) -> Body {
        body.u32(self.errno as u32)
            .u64(self.count)
            .u64(self.enabled_ns)
            .u64(self.running_ns)
            .u64(self.events)
            .u64(self.hidden)
            .u64(self.lost)
            .u64(self.pending)
            .u64(self.samples)
            .u32(self.longest_gap)
            .u32(self.precise)
    }

    pub(crate) fn parse_all(f: &mut Fields<'_>) -> Option<Vec<CounterTotal>> {
        let mut all = Vec::new();
        while !f.0.is_empty() {
            all.push(CounterTotal {
                errno: f.u32()? as i32,
                count: f.u64()?,
                enabled_ns: f.u64()?,
                running_ns: f.u64()?,
                events: f.u64()?,
                hidden: f.u64()?,
                lost: f.u64()?,
                pending: f.u64()?,
                samples: f.u64()?,
                longest_gap: f.u32()?,
                precise: f.u32()?,
            });
        }
        (all.len() <= COUNTERS_MAX).then_some(all)
    }
}

const _: () = assert!(COUNTERS_MAX * CounterTotal::BYTES < crate::MESSAGE_BYTES_MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_and_counters_of_other_programs_are_not_allowed() {
        let allowed = |kind, config| CounterRequest { kind, config }.is_allowed();
        assert!(allowed(HARDWARE, 0) && !allowed(HARDWARE, 10));
        assert!(!allowed(HARDWARE, 4 << 32), "of one kind of core");
        assert!(allowed(SOFTWARE, 2) && !allowed(SOFTWARE, 9) && !allowed(SOFTWARE, 11));
        assert!(allowed(HARDWARE_CACHE, 2 | 1 << 16) && !allowed(HARDWARE_CACHE, 2 << 16));
        assert!(allowed(RAW, 0x3c) && !allowed(RAW, 1 << 21) && !allowed(RAW, 1 << 40));
        for kind in [2, 5, 6, 7, 8, 9, u32::MAX] {
            assert!(!allowed(kind, 0), "{kind}");
        }
    }
}
