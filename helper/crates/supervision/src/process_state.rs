//! What keeps a process from answering, as far as the kernel tells.

use std::fs;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// It runs, or wants to.
    Runnable,
    /// By SIGSTOP and the like.
    Stopped,
    /// Held by a tracer, as a debugger is.
    Traced,
    /// By its control group.
    Frozen,
    /// It cannot even be killed before the kernel, a file system or a device has answered.
    Uninterruptible,
    /// It waits for something.
    Waiting,
    Ended,
}

/// Where the second version of control groups is mounted: alone, or beside the first.
const GROUPS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

pub fn state_of(pid: u32) -> ProcessState {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    match letter_in(&stat) {
        None | Some('Z' | 'X') => ProcessState::Ended,
        Some('T') => ProcessState::Stopped,
        Some('t') => ProcessState::Traced,
        Some(_) if is_frozen(pid) => ProcessState::Frozen,
        Some('R') => ProcessState::Runnable,
        Some('D') => ProcessState::Uninterruptible,
        Some(_) => ProcessState::Waiting,
    }
}

/// User and system time of all its threads, ended ones included, in clock ticks of 10 ms; None: there is no such process.
pub fn cpu_time_of(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.rsplit_once(") ")?.1;
    let ticks = after_name.split(' ').skip(14 - 3).take(2); // proc_pid_stat(5): utime, stime
    let ticks: u64 = ticks.map(|t| t.parse().unwrap_or(0)).sum();
    Some(Duration::from_millis(10 * ticks))
}

impl ProcessState {
    /// It does nothing for a reason that is not its own.
    pub fn is_held(self) -> bool {
        use ProcessState::{Frozen, Stopped, Traced};
        matches!(self, Stopped | Traced | Frozen)
    }

    /// As the end of a sentence on the process: "the sampler did not answer for 5 s: it is stopped (SIGSTOP)".
    pub fn in_words(self) -> &'static str {
        match self {
            ProcessState::Runnable => "it was given no CPU time, or was busy",
            ProcessState::Stopped => "it was stopped by a signal, such as SIGSTOP",
            ProcessState::Traced => "it was held by a debugger",
            ProcessState::Frozen => "its control group was frozen",
            ProcessState::Uninterruptible => "it was waiting for the kernel or a file system",
            ProcessState::Waiting => "it was waiting",
            ProcessState::Ended => "it had exited",
        }
    }
}

/// The letter behind the name, which may hold parentheses itself (proc_pid_stat(5)).
fn letter_in(stat: &str) -> Option<char> {
    stat.rsplit_once(") ")?.1.chars().next()
}

/// By the freezer of the second version: to the first one's, a frozen process waits uninterruptibly.
fn is_frozen(pid: u32) -> bool {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let Some(group) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
        return false;
    };
    GROUPS.iter().any(|folder| {
        let events = fs::read_to_string(format!("{folder}{group}/cgroup.events"));
        events.is_ok_and(|events| events.lines().any(|line| line == "frozen 1"))
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_state_stands_behind_whatever_the_name_is() {
        assert_eq!(letter_in("7 (a) S b) R 1 7"), Some('R'));
        assert_eq!(letter_in("7 (open-worker) D 1 7"), Some('D'));
        assert_eq!(letter_in(""), None);
    }

    /// On its way to its program a process now runs, now waits: what it comes to is looked for.
    fn comes_to(child: &Child, wanted: ProcessState) -> bool {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if state_of(child.id()) == wanted {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    #[test]
    fn who_runs_who_waits_who_is_stopped_and_who_has_ended() {
        let spawn = |script: &str| Command::new("sh").args(["-c", script]).spawn().unwrap();
        let mut busy = spawn("while :; do :; done");
        let mut waiting = spawn("exec sleep 60");
        let mut stopped = spawn("kill -STOP $$");
        let found = [
            comes_to(&busy, ProcessState::Runnable),
            comes_to(&waiting, ProcessState::Waiting),
            comes_to(&stopped, ProcessState::Stopped),
        ];
        for child in [&mut busy, &mut waiting, &mut stopped] {
            child.kill().unwrap();
        }
        assert_eq!(found, [true; 3]);
        assert!(comes_to(&busy, ProcessState::Ended));
        for child in [&mut busy, &mut waiting, &mut stopped] {
            child.wait().unwrap();
        }
    }
}
