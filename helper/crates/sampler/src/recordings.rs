//! How many recordings a user has: a setting of no file, but what runs.

use std::fs;

/// Of one user at a time. Root has no limit.
pub const RECORDINGS_MAX: usize = 2;

/// What the kernel shows of our name: 15 bytes.
const NAME: &std::ffi::CStr = c"lineheat-sample";

/// To be done first: whatever link to the file was used to start it.
pub fn take_name() {
    // SAFETY: the name is terminated and short enough.
    unsafe { libc::prctl(libc::PR_SET_NAME, NAME.as_ptr(), 0, 0, 0) };
}

/// Whether this process comes after as many of the same user as may record. Of two that start together the later one
/// (by start time, then number) is one too many.
pub fn is_one_too_many(uid: u32) -> bool {
    let own = std::process::id();
    let Some(own_start) = start_of(own) else {
        return true;
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let earlier = pids
        .filter(|pid| *pid != own && is_sampler_of(*pid, uid))
        .filter(|pid| start_of(*pid).is_some_and(|start| (start, *pid) < (own_start, own)));
    earlier.count() >= RECORDINGS_MAX
}

fn is_sampler_of(pid: u32, uid: u32) -> bool {
    let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    if name.strip_suffix(b"\n") != Some(NAME.to_bytes()) {
        return false;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    is_alive_and_of(&status, uid)
}

/// By `/proc/PID/status` (proc_pid_status(5)). One that has ended stays a zombie where nobody waits for it, as in a
/// container whose first process does not: it records nothing.
fn is_alive_and_of(status: &str, uid: u32) -> bool {
    let first_word = |field: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(field))?;
        line.split_whitespace().next()
    };
    let ended = matches!(first_word("State:"), Some("Z" | "X") | None);
    !ended && first_word("Uid:").and_then(|real| real.parse().ok()) == Some(uid)
}

/// In the kernel's ticks since boot.
fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split(' ').nth(22 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zombie_is_no_recording() {
        let status = |state| format!("Name:\tlineheat-sample\nState:\t{state}\nUid:\t7\t0\t0\t0\n");
        assert!(is_alive_and_of(&status("S (sleeping)"), 7));
        assert!(is_alive_and_of(&status("T (stopped)"), 7));
        assert!(!is_alive_and_of(&status("Z (zombie)"), 7));
        assert!(!is_alive_and_of(&status("S (sleeping)"), 8));
        assert!(!is_alive_and_of("", 7));
    }
}
