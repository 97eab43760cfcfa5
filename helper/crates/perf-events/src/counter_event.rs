//! Events that perf counts for a thread and for all that it will start, and whose counts can be read.

use std::fs::File;
use std::io::{self, Read};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::event::{
    Attr, DISABLED, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, FREQUENCY, INHERIT, TYPE_SOFTWARE,
    open_in_group,
};

const SOFTWARE_CPU_CLOCK: u64 = 0;
const SOFTWARE_TASK_CLOCK: u64 = 1;
const READ_TOTAL_TIME_ENABLED: u64 = 1;
const READ_TOTAL_TIME_RUNNING: u64 = 2;

const PRECISE_SHIFT: u32 = 15;
const SAMPLE_REGS_INTR: u64 = 1 << 18;
/// ax to ip, flags, and r8 to r15 (arch/x86/include/uapi/asm/perf_regs.h).
const GENERAL_REGISTERS: u64 = 0xff_03ff;

/// What is counted: type and config of `struct perf_event_attr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterEvent {
    pub kind: u32,
    pub config: u64,
}

/// When its BPF program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    /// At each event.
    Each,
    /// After so many nanoseconds.
    Ns(u64),
    /// About so often in a second: the kernel finds out how many events that takes.
    Hz(u64),
}

impl CounterEvent {
    fn period(self, sample_hz: u32) -> Period {
        let hz = u64::from(sample_hz.max(1));
        match (self.kind, self.config) {
            (TYPE_SOFTWARE, SOFTWARE_CPU_CLOCK | SOFTWARE_TASK_CLOCK) => {
                Period::Ns(1_000_000_000 / hz)
            }
            (TYPE_SOFTWARE, _) => Period::Each,
            _ => Period::Hz(hz),
        }
    }

    /// What takes the samples of CPU time where the machine counts it.
    pub const CYCLES: CounterEvent = CounterEvent { kind: 0, config: 0 };

    /// The kernel counts it itself: such events need no place in a counter of the CPU.
    pub fn is_software(self) -> bool {
        self.kind == TYPE_SOFTWARE
    }
}

/// What a counter has counted, of the thread and all that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    pub count: u64,
    /// For how long it was to count, and for how long it had a counter of the CPU.
    pub enabled_ns: u64,
    pub running_ns: u64,
}

/// A counter that is not yet enabled.
pub struct OpenedCounter {
    pub event: OwnedFd,
    /// precise_ip of `struct perf_event_attr`: from 0, where an interrupt comes some instructions after the event, to 3.
    pub precise: u8,
}

/// The counter of a thread and of all that it will start, as precise as the CPU has it. With a leader, the kernel counts both at the
/// same times. Needs cap_perfmon, since it counts in the kernel, too.
///
/// # Errors
/// As perf_event_open(2): ENOENT or EOPNOTSUPP where the machine does not have it, EINVAL where the group has no room.
pub fn open_counter_event(
    tid: u32,
    event: CounterEvent,
    sample_hz: u32,
    leader: Option<BorrowedFd<'_>>,
) -> io::Result<OpenedCounter> {
    let most = match event.is_software() {
        true => 0,
        false => most_precise(),
    };
    let mut precise = most;
    loop {
        match open_event(tid, event, sample_hz, leader, precise) {
            Ok(event) => return Ok(OpenedCounter { event, precise }),
            Err(e) if precise == 0 || e.raw_os_error() == Some(libc::ESRCH) => return Err(e),
            Err(_) => precise -= 1,
        }
    }
}

/// Of Intel's CPUs, which write down the registers at the event itself (PEBS). AMD's have it in other counters (IBS), whose counts are
/// not those of the event; arm64 takes any number and does nothing.
fn most_precise() -> u8 {
    #[cfg(target_arch = "x86_64")]
    {
        let leaf = std::arch::x86_64::__cpuid(0);
        let vendor = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes);
        if vendor.concat() == b"GenuineIntel" {
            return 3;
        }
    }
    0
}

fn open_event(
    tid: u32,
    event: CounterEvent,
    sample_hz: u32,
    leader: Option<BorrowedFd<'_>>,
    precise: u8,
) -> io::Result<OwnedFd> {
    let (sample_period, frequency) = match event.period(sample_hz) {
        Period::Each => (1, 0),
        Period::Ns(ns) => (ns, 0),
        Period::Hz(hz) => (hz, FREQUENCY),
    };
    let attr = Attr {
        kind: event.kind,
        config: event.config,
        sample_period,
        read_format: READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING,
        flags: INHERIT
            | DISABLED
            | EXCLUDE_HYPERVISOR
            | frequency
            | u64::from(precise) << PRECISE_SHIFT,
        ..Attr::default()
    };
    let attr = match precise {
        0 => attr,
        // Without it, only ip is of the event: the other registers are those of the interrupt, and the walk needs all of one moment.
        _ => Attr {
            sample_type: SAMPLE_REGS_INTR,
            sample_regs_intr: GENERAL_REGISTERS,
            ..attr
        },
    };
    open_in_group(attr, tid as i32, -1, leader)
}

/// Whether the machine has such a counter, for this process in user space.
///
/// # Errors
/// As perf_event_open(2): EACCES where this user may count nothing.
pub fn try_counter(event: CounterEvent) -> io::Result<()> {
    let attr = Attr {
        kind: event.kind,
        config: event.config,
        flags: DISABLED | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
        ..Attr::default()
    };
    open_in_group(attr, 0, -1, None).map(drop)
}

/// Whether the CPU has a counter for each of these at a time, where nobody else counts. An event that it does not have at all does not
/// fit. They count for the calling thread meanwhile: of disabled events, the kernel takes any number into a group.
pub fn fit_together(events: &[CounterEvent]) -> bool {
    let mut opened: Vec<OwnedFd> = Vec::new();
    events.iter().all(|event| {
        let attr = Attr {
            kind: event.kind,
            config: event.config,
            flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..Attr::default()
        };
        let leader = opened.first().map(AsFd::as_fd);
        let event = open_in_group(attr, 0, -1, leader);
        event.map(|event| opened.push(event)).is_ok()
    })
}

/// Also of threads that have ended.
///
/// # Errors
/// As read(2) of such a descriptor.
pub fn read_counter(event: &OwnedFd) -> io::Result<Counted> {
    // SAFETY: the descriptor stays open and owned by `event`: this file is never dropped.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(event.as_fd().as_raw_fd()) });
    let mut bytes = [0; 24];
    let read = file.read(&mut bytes)?;
    if read != bytes.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let number = |at: usize| u64::from_ne_bytes(std::array::from_fn(|byte| bytes[8 * at + byte]));
    Ok(Counted {
        count: number(0),
        enabled_ns: number(1),
        running_ns: number(2),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_periods_of_time_and_other_events_of_the_kernel_none() {
        let software = |config| CounterEvent {
            kind: TYPE_SOFTWARE,
            config,
        };
        assert_eq!(software(1).period(1000), Period::Ns(1_000_000));
        assert_eq!(software(2).period(1000), Period::Each);
        let cycles = CounterEvent { kind: 0, config: 0 };
        assert_eq!(cycles.period(999), Period::Hz(999));
    }
}
