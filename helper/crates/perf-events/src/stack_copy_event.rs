//! The event that takes samples without privilege: the thread's registers and a copy of its stack, in user space only.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::event::{
    Attr, DISABLED, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, INHERIT, SAMPLE_ID_ALL, SAMPLE_TID,
    SAMPLE_TIME, USE_CLOCK_ID, WATERMARK, open,
};
use crate::registers::REGISTERS_MASK;

const SAMPLE_REGS_USER: u64 = 1 << 12;
const SAMPLE_STACK_USER: u64 = 1 << 13;

/// read(2) gives the event's count, then the samples that found no room in the ring (since Linux 6.0).
const FORMAT_LOST: u64 = 1 << 4;

/// What a sample holds: the registers of [`REGISTERS_MASK`], in the order of the kernel's numbers.
pub const REGISTERS: usize = REGISTERS_MASK.count_ones() as usize;

#[derive(Debug, Clone, Copy)]
pub struct StackCopyEvent {
    pub sample_hz: u32,
    pub hardware_cycles: bool,
    /// A multiple of 8, below 64 Ki less what else is in a record.
    pub stack_bytes: u32,
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
    open(attr, tid as i32, cpu)
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
