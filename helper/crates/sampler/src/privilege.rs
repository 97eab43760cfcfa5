//! Giving up what is needed only for attaching.

use std::io;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilitySet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const CAPABILITY_VERSION_3: u32 = 0x2008_0522;

/// Drops all capabilities of this (only) thread, for good, and forbids the process to be traced or to gain any again.
/// Sampling goes on: what it needs are descriptors and memory that are already ours.
pub fn drop_all() -> io::Result<()> {
    // SAFETY: prctl with these options takes plain numbers.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        );
        for capability in 0..64 {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
    }
    let header = CapabilityHeader {
        version: CAPABILITY_VERSION_3,
        pid: 0,
    };
    let none = [CapabilitySet::default(); 2];
    // SAFETY: header and sets have the layout that version 3 asks for (capset(2)).
    let result = unsafe { libc::syscall(libc::SYS_capset, &header, none.as_ptr()) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
