//! Capabilities: lowered for a question to the kernel, reduced to what recording needs, and given up for good.

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
const HEADER: CapabilityHeader = CapabilityHeader {
    version: CAPABILITY_VERSION_3,
    pid: 0,
};

// include/uapi/linux/capability.h
const CAP_SETPCAP: u32 = 8;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

fn get() -> io::Result<[CapabilitySet; 2]> {
    let mut sets = [CapabilitySet::default(); 2];
    // SAFETY: header and sets have the layout that version 3 asks for (capget(2)).
    check(unsafe { libc::syscall(libc::SYS_capget, &HEADER, sets.as_mut_ptr()) })?;
    Ok(sets)
}

fn set(sets: &[CapabilitySet; 2]) -> io::Result<()> {
    // SAFETY: header and sets have the layout that version 3 asks for (capset(2)).
    check(unsafe { libc::syscall(libc::SYS_capset, &HEADER, sets.as_ptr()) })
}

/// Asks the kernel something as if this process had no capability.
///
/// # Errors
/// When they cannot be lowered or, afterwards, had again: then nothing may go on.
pub fn without_capabilities<T>(ask: impl FnOnce() -> T) -> io::Result<T> {
    let before = get()?;
    let lowered = before.map(|s| CapabilitySet { effective: 0, ..s });
    set(&lowered)?;
    let answer = ask();
    set(&before)?;
    Ok(answer)
}

/// Becomes another user with no more capabilities than recording needs, and one to drop the bounding set with.
///
/// # Errors
/// Nothing may go on then: rights may be left.
pub fn become_user(uid: u32, gid: u32, with_admin: bool) -> io::Result<()> {
    // SAFETY: plain system calls; the list of groups is empty.
    unsafe {
        check(i64::from(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0)))?;
        check(i64::from(libc::setgroups(0, std::ptr::null())))?;
        check(i64::from(libc::setresgid(gid, gid, gid)))?;
        check(i64::from(libc::setresuid(uid, uid, uid)))?;
    }
    let mut sets = [CapabilitySet::default(); 2];
    let admin = with_admin.then_some(CAP_SYS_ADMIN);
    for capability in [CAP_SETPCAP, CAP_PERFMON, CAP_BPF].into_iter().chain(admin) {
        let set = &mut sets[capability as usize / 32];
        set.permitted |= 1 << (capability % 32);
        set.effective = set.permitted;
    }
    set(&sets)
}

/// Forbids others of this user to trace this process, to read its memory or to take its descriptors, as long as it lives.
pub fn protect_from_tracing() -> io::Result<()> {
    // SAFETY: prctl with this option takes plain numbers.
    check(i64::from(unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0)
    }))
}

/// Drops all capabilities of this (only) thread, for good, and forbids the process to gain any again. Sampling goes on:
/// what it needs are descriptors and memory that are already ours.
pub fn drop_all() -> io::Result<()> {
    // SAFETY: prctl with these options takes plain numbers.
    unsafe {
        check(i64::from(libc::prctl(
            libc::PR_SET_NO_NEW_PRIVS,
            1,
            0,
            0,
            0,
        )))?;
        let clear = libc::PR_CAP_AMBIENT_CLEAR_ALL;
        check(i64::from(libc::prctl(libc::PR_CAP_AMBIENT, clear, 0, 0, 0)))?;
        // Takes CAP_SETPCAP, which file capabilities do not give. Without it the bounding set means nothing any more:
        // there is no exec by which it could become anything.
        for capability in 0..64 {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
    }
    set(&[CapabilitySet::default(); 2])
}

fn check(result: i64) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
