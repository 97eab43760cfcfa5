//! `perf_event_open(2)`: the events that trigger samples, and those that report mappings, forks and execs.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `struct perf_event_attr` up to PERF_ATTR_SIZE_VER5 (include/uapi/linux/perf_event.h).
#[repr(C)]
#[derive(Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clock_id: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}
const _: () = assert!(size_of::<Attr>() == 112);

const TYPE_HARDWARE: u32 = 0;
const TYPE_SOFTWARE: u32 = 1;
const HARDWARE_CYCLES: u64 = 0;
const SOFTWARE_CPU_CLOCK: u64 = 0;
const SOFTWARE_DUMMY: u64 = 9;

const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;

const DISABLED: u64 = 1 << 0;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
const FREQUENCY: u64 = 1 << 10;
const TASK: u64 = 1 << 13;
const WATERMARK: u64 = 1 << 14;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;
const USE_CLOCK_ID: u64 = 1 << 25;

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
    let kernel = if event.kernel_stacks {
        0
    } else {
        EXCLUDE_KERNEL
    };
    let mut attr = Attr {
        flags: DISABLED | INHERIT | EXCLUDE_HYPERVISOR | kernel,
        ..Attr::default()
    };
    if event.hardware_cycles {
        attr.kind = TYPE_HARDWARE;
        attr.config = HARDWARE_CYCLES;
        attr.flags |= FREQUENCY;
        attr.sample_period = u64::from(event.sample_hz);
    } else {
        attr.kind = TYPE_SOFTWARE;
        attr.config = SOFTWARE_CPU_CLOCK;
        attr.sample_period = 1_000_000_000 / u64::from(event.sample_hz); // ns
    }
    open(attr, tid, -1)
}

/// The event that reports what a thread and all that it will start do to address spaces, while on `cpu`.
/// (An inherited event can be read through memory only when it is bound to a CPU.)
pub fn open_map_event(tid: u32, cpu: i32) -> io::Result<OwnedFd> {
    let attr = Attr {
        kind: TYPE_SOFTWARE,
        config: SOFTWARE_DUMMY,
        sample_type: SAMPLE_TID | SAMPLE_TIME,
        flags: INHERIT
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
    };
    open(attr, tid, cpu)
}

fn open(mut attr: Attr, tid: u32, cpu: i32) -> io::Result<OwnedFd> {
    attr.size = size_of::<Attr>() as u32;
    // SAFETY: attr is a complete structure of the size that it states; the kernel only reads it.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attr,
            tid as i32,
            cpu,
            -1,
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
