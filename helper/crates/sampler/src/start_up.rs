//! What a process with rights does before it listens to anybody: nothing of what its starter gave it stays but two pipes.

use std::io;

use crate::privilege;

/// Takes leave of the starter's environment, folder, descriptors and masks; who it is for is settled here, too.
///
/// # Errors
/// Nothing may go on then.
pub fn isolate() -> io::Result<()> {
    privilege::protect_from_tracing()?;
    let invoker = user_behind_sudo();
    // SAFETY: this is the only thread, and nothing holds a reference into the environment. The other calls take plain
    // numbers or a terminated string. Nothing of ours has been opened yet.
    unsafe {
        libc::clearenv();
        libc::umask(0o077);
        libc::close_range(3, u32::MAX, 0);
        if libc::chdir(c"/".as_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    if let Some((uid, gid)) = invoker {
        privilege::become_user(uid, gid, perf_events_are_for_admins())?;
        privilege::protect_from_tracing()?;
    }
    end_with_starter();
    Ok(())
}

/// Under sudo: whoever typed it. That can only take rights away here (root that nobody stands behind may record
/// everything), so it does no harm that an environment is easily forged. An engine that is root itself passes none on.
fn user_behind_sudo() -> Option<(u32, u32)> {
    // SAFETY: getuid has no preconditions.
    if unsafe { libc::getuid() } != 0 {
        return None;
    }
    let number = |name| std::env::var(name).ok()?.parse::<u32>().ok();
    let (uid, gid) = (number("SUDO_UID")?, number("SUDO_GID")?);
    (uid != 0).then_some((uid, gid))
}

/// Debian's and Ubuntu's levels 3 and 4.
fn perf_events_are_for_admins() -> bool {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    level.is_ok_and(|l| l.trim().parse().is_ok_and(|l: i32| l > 2))
}

/// The end of input ends this process in any case; this also where it waits for something else.
fn end_with_starter() {
    // SAFETY: plain numbers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
}

/// The user for whom is recorded; 0: root, who may record everything.
pub fn invoker() -> u32 {
    // SAFETY: getuid has no preconditions.
    unsafe { libc::getuid() }
}
