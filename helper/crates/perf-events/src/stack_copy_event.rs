//! The event that takes samples without privilege: the thread's registers and a copy of its stack, in user space only.
//! Also the return addresses that the kernel finds by frame pointers, where that is asked for.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::event::{
    Attr, DISABLED, EXCLUDE_CALLCHAIN_KERNEL, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, INHERIT,
    SAMPLE_CALLCHAIN, SAMPLE_ID_ALL, SAMPLE_TID, SAMPLE_TIME, USE_CLOCK_ID, WATERMARK, open,
};
use crate::registers::REGISTERS_MASK;

const SAMPLE_REGS_USER: u64 = 1 << 12;
const SAMPLE_STACK_USER: u64 = 1 << 13;

/// read(2) gives the event's count, then the samples that found no room in the ring (since Linux 6.0).
const FORMAT_LOST: u64 = 1 << 4;

/// Return addresses of a sample: as many as kernel.perf_event_max_stack allows by default. Some 1 KiB of the 64 KiB that
/// a record may have.
pub const CHAIN_MAX: u16 = 127;

#[derive(Debug, Clone, Copy)]
pub struct StackCopyEvent {
    pub sample_hz: u32,
    pub hardware_cycles: bool,
    /// A multiple of 8, below 64 Ki less what else is in a record.
    pub stack_bytes: u32,
    /// Whether the kernel follows the frame pointers, too: some 75 ns for each frame. Stack and registers cost 10 µs.
    pub chain: bool,
    /// The ring's reader is woken when so much is in it.
    pub wakeup_bytes: u32,
}

/// Takes samples of a thread, and of all that it will start, while on `cpu`; not yet enabled.
///
/// # Errors
/// As perf_event_open(2); EACCES where kernel.perf_event_paranoid is above 2.
pub fn open_stack_copy_event(tid: u32, cpu: i32, event: StackCopyEvent) -> io::Result<OwnedFd> {
    let clock = Attr::of_clock(event.hardware_cycles, event.sample_hz);
    let attr = Attr {
        sample_type: SAMPLE_TID | SAMPLE_TIME | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
        read_format: FORMAT_LOST,
        flags: clock.flags
            | DISABLED
            | INHERIT
            | EXCLUDE_KERNEL
            | EXCLUDE_HYPERVISOR
            | WATERMARK
            | SAMPLE_ID_ALL
            | USE_CLOCK_ID,
        wakeup: event.wakeup_bytes,
        clock_id: libc::CLOCK_MONOTONIC,
        sample_regs_user: REGISTERS_MASK,
        sample_stack_user: event.stack_bytes,
        ..clock
    };
    if event.chain {
        return open_with_chain(attr, tid, cpu);
    }
    open(attr, tid as i32, cpu)
}

fn open_with_chain(attr: Attr, tid: u32, cpu: i32) -> io::Result<OwnedFd> {
    let of_length = |sample_max_stack| {
        let attr = Attr {
            sample_type: attr.sample_type | SAMPLE_CALLCHAIN,
            flags: attr.flags | EXCLUDE_CALLCHAIN_KERNEL,
            sample_max_stack,
            ..attr
        };
        open(attr, tid as i32, cpu)
    };
    match of_length(CHAIN_MAX) {
        // kernel.perf_event_max_stack is lower: 0 stands for as many as it allows.
        Err(e) if e.raw_os_error() == Some(libc::EOVERFLOW) => of_length(0),
        opened => opened,
    }
}

/// Samples of the event, those of inherited ones included, that found no room in its ring.
pub fn lost_samples(event: &OwnedFd) -> io::Result<u64> {
    let mut values = [0_u64; 2]; // count, lost
    let length = size_of_val(&values);
    // SAFETY: values is a live buffer of the length that is passed.
    let got = unsafe { libc::read(event.as_raw_fd(), values.as_mut_ptr().cast(), length) };
    match got {
        16 => Ok(values[1]),
        0.. => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        _ => Err(io::Error::last_os_error()),
    }
}
