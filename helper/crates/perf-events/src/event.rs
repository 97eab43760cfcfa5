//! `perf_event_open(2)`: the events that trigger samples, and those that report mappings, forks and execs.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// `struct perf_event_attr` up to PERF_ATTR_SIZE_VER5 (include/uapi/linux/perf_event.h).
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Attr {
    pub kind: u32,
    pub size: u32,
    pub config: u64,
    pub sample_period: u64,
    pub sample_type: u64,
    pub read_format: u64,
    pub flags: u64,
    pub wakeup: u32,
    pub bp_type: u32,
    pub config1: u64,
    pub config2: u64,
    pub branch_sample_type: u64,
    pub sample_regs_user: u64,
    pub sample_stack_user: u32,
    pub clock_id: i32,
    pub sample_regs_intr: u64,
    pub aux_watermark: u32,
    pub sample_max_stack: u16,
    pub reserved: u16,
}
const _: () = assert!(size_of::<Attr>() == 112);

const TYPE_HARDWARE: u32 = 0;
pub(crate) const TYPE_SOFTWARE: u32 = 1;
const HARDWARE_CYCLES: u64 = 0;
const SOFTWARE_CPU_CLOCK: u64 = 0;
const SOFTWARE_CONTEXT_SWITCHES: u64 = 3;
const SOFTWARE_PAGE_FAULTS_MINOR: u64 = 5;
const SOFTWARE_PAGE_FAULTS_MAJOR: u64 = 6;
const SOFTWARE_DUMMY: u64 = 9;

pub(crate) const SAMPLE_TID: u64 = 1 << 1;
pub(crate) const SAMPLE_TIME: u64 = 1 << 2;
pub(crate) const SAMPLE_CALLCHAIN: u64 = 1 << 5;

pub(crate) const DISABLED: u64 = 1 << 0;
pub(crate) const INHERIT: u64 = 1 << 1;
pub(crate) const EXCLUDE_KERNEL: u64 = 1 << 5;
pub(crate) const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
pub(crate) const FREQUENCY: u64 = 1 << 10;
const TASK: u64 = 1 << 13;
pub(crate) const WATERMARK: u64 = 1 << 14;
pub(crate) const SAMPLE_ID_ALL: u64 = 1 << 18;
pub(crate) const EXCLUDE_CALLCHAIN_KERNEL: u64 = 1 << 21;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;
pub(crate) const USE_CLOCK_ID: u64 = 1 << 25;

impl Attr {
    /// What ticks at `sample_hz`: hardware cycles or the CPU clock.
    pub fn of_clock(hardware_cycles: bool, sample_hz: u32) -> Attr {
        let hz = u64::from(sample_hz);
        let (kind, config, sample_period, flags) = if hardware_cycles {
            (TYPE_HARDWARE, HARDWARE_CYCLES, hz, FREQUENCY)
        } else {
            (TYPE_SOFTWARE, SOFTWARE_CPU_CLOCK, 1_000_000_000 / hz, 0) // a period in ns
        };
        Attr {
            kind,
            config,
            sample_period,
            flags,
            ..Attr::default()
        }
    }
}

const FLAG_FD_CLOEXEC: u64 = 1 << 3;
const IOCTL_ENABLE: u64 = 0x2400;
const IOCTL_DISABLE: u64 = 0x2401;
const IOCTL_SET_OUTPUT: u64 = 0x2405;

#[derive(Clone, Copy)]
pub struct SampleEvent {
    pub sample_hz: u32,
    pub kernel_stacks: bool,
    pub hardware_cycles: bool,
}

/// The event that takes samples of a thread and of all that it will start; not yet enabled.
///
/// # Errors
/// As perf_event_open(2); ENOENT or EOPNOTSUPP for cycles on a machine without counters.
pub fn open_sample_event(tid: u32, event: SampleEvent) -> io::Result<OwnedFd> {
    open(event.attr(INHERIT), tid as i32, -1)
}

/// The event that takes samples on `cpu`, whatever runs there; not yet enabled. Needs cap_perfmon. Its phase is that of
/// the CPU, so the shortest life is sampled in proportion; a new thread's own event begins a whole period with it.
///
/// # Errors
/// As perf_event_open(2); ENODEV for a CPU that is offline.
pub fn open_sample_event_of_cpu(cpu: i32, event: SampleEvent) -> io::Result<OwnedFd> {
    open(event.attr(0), -1, cpu)
}

/// The event that counts each time that a thread, or one of those that it will start, loses its CPU; not yet enabled. It counts in
/// the kernel, so it needs cap_perfmon, or cap_sys_admin where only administrators may open perf events.
///
/// # Errors
/// As perf_event_open(2).
pub fn open_switch_event(tid: u32) -> io::Result<OwnedFd> {
    open_each(SOFTWARE_CONTEXT_SWITCHES, tid)
}

/// The same for page faults: those that the kernel serves from memory, or those that it has to read for.
///
/// # Errors
/// As perf_event_open(2).
pub fn open_fault_event(tid: u32, is_major: bool) -> io::Result<OwnedFd> {
    let config = match is_major {
        true => SOFTWARE_PAGE_FAULTS_MAJOR,
        false => SOFTWARE_PAGE_FAULTS_MINOR,
    };
    open_each(config, tid)
}

/// How often it has happened, children included.
///
/// # Errors
/// As read(2).
pub fn read_count(event: &OwnedFd) -> io::Result<u64> {
    let mut count = [0u8; 8];
    // SAFETY: the buffer is as long as what is asked for.
    let read = unsafe { libc::read(event.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    match read {
        8 => Ok(u64::from_ne_bytes(count)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Each event of a thread and of those that it will start.
fn open_each(config: u64, tid: u32) -> io::Result<OwnedFd> {
    let attr = Attr {
        kind: TYPE_SOFTWARE,
        config,
        sample_period: 1,
        flags: INHERIT | DISABLED,
        ..Attr::default()
    };
    open(attr, tid as i32, -1)
}

impl SampleEvent {
    fn attr(self, flags: u64) -> Attr {
        let kernel = if self.kernel_stacks {
            0
        } else {
            EXCLUDE_KERNEL
        };
        let clock = Attr::of_clock(self.hardware_cycles, self.sample_hz);
        Attr {
            flags: clock.flags | flags | DISABLED | EXCLUDE_HYPERVISOR | kernel,
            ..clock
        }
    }
}

/// The event that reports what a thread and all that it will start do to address spaces, while on `cpu`.
/// (An inherited event can be read through memory only when it is bound to a CPU.)
pub fn open_map_event(tid: u32, cpu: i32) -> io::Result<OwnedFd> {
    open(map_event(INHERIT), tid as i32, cpu)
}

/// The event that reports what every process does to its address space on `cpu`. Needs cap_perfmon. Unlike one event a
/// thread and CPU, it costs the target's forks and new threads nothing. Its reader is woken when so much is in the ring.
pub fn open_map_event_of_cpu(cpu: i32, wakeup_bytes: u32) -> io::Result<OwnedFd> {
    let event = Attr {
        wakeup: wakeup_bytes,
        ..map_event(0)
    };
    open(event, -1, cpu)
}

fn map_event(flags: u64) -> Attr {
    Attr {
        kind: TYPE_SOFTWARE,
        config: SOFTWARE_DUMMY,
        sample_type: SAMPLE_TID | SAMPLE_TIME,
        flags: flags
            | MMAP
            | MMAP2
            | COMM
            | COMM_EXEC
            | TASK
            | WATERMARK
            | SAMPLE_ID_ALL
            | USE_CLOCK_ID
            | EXCLUDE_KERNEL,
        wakeup: 1,
        clock_id: libc::CLOCK_MONOTONIC,
        ..Attr::default()
    }
}

pub(crate) fn open(attr: Attr, tid: i32, cpu: i32) -> io::Result<OwnedFd> {
    open_in_group(attr, tid, cpu, None)
}

pub(crate) fn open_in_group(
    mut attr: Attr,
    tid: i32,
    cpu: i32,
    leader: Option<BorrowedFd<'_>>,
) -> io::Result<OwnedFd> {
    attr.size = size_of::<Attr>() as u32;
    // SAFETY: attr is a complete structure of the size that it states; the kernel only reads it.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attr,
            tid,
            cpu,
            leader.map_or(-1, |leader| leader.as_raw_fd()),
            FLAG_FD_CLOEXEC,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

pub fn enable(event: &OwnedFd) -> io::Result<()> {
    control(event, IOCTL_ENABLE, 0)
}

/// Also stops the events that children inherited.
pub fn disable(event: &OwnedFd) -> io::Result<()> {
    control(event, IOCTL_DISABLE, 0)
}

/// Sends the records of `event` to the ring of `ring_owner`, an event of the same CPU.
pub fn share_ring(event: &OwnedFd, ring_owner: &OwnedFd) -> io::Result<()> {
    control(event, IOCTL_SET_OUTPUT, ring_owner.as_raw_fd() as u64)
}

fn control(event: &OwnedFd, request: u64, argument: u64) -> io::Result<()> {
    // SAFETY: these requests of perf events take a plain number and touch no memory of ours.
    let result = unsafe { libc::ioctl(event.as_raw_fd(), request as _, argument) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
