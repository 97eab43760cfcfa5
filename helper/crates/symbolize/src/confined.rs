//! What a process that reads foreign files may not do: outlive its parent, gain rights, dump core, take all memory or
//! time, hold on to files of its parent.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Applied between fork and exec. `inherited` stay open under their numbers; stdin, stdout and stderr, too.
pub fn confine(
    command: &mut Command,
    inherited: Vec<RawFd>,
    memory_bytes: u64,
    cpu_time: Duration,
) {
    let parent = std::process::id();
    let confine = move || {
        // SAFETY: plain system calls on this process; all are async-signal-safe, and nothing is allocated.
        unsafe {
            // Signals of the terminal are for the program that is recorded and for the engine.
            checked(libc::setpgid(0, 0))?;
            checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
            if libc::getppid() as u32 != parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            limit(libc::RLIMIT_CORE, 0)?;
            limit(libc::RLIMIT_DATA, memory_bytes)?;
            limit(libc::RLIMIT_CPU, cpu_time.as_secs().max(1))?;
            // Before Linux 5.11 the standard library's own marks have to do.
            libc::syscall(
                libc::SYS_close_range,
                3,
                u32::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            );
            for fd in &inherited {
                checked(libc::fcntl(*fd, libc::F_SETFD, 0))?;
            }
        }
        Ok(())
    };
    // SAFETY: see the calls inside.
    unsafe { command.pre_exec(confine) };
}

/// # Safety
/// None beyond that of setrlimit(2): the limit is of this process.
unsafe fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    // SAFETY: both structures are whole and ours.
    unsafe {
        let mut now: libc::rlimit = std::mem::zeroed();
        checked(libc::getrlimit(resource, &mut now))?;
        let most = most.min(now.rlim_max);
        let limits = libc::rlimit {
            rlim_cur: most.min(now.rlim_cur),
            rlim_max: most,
        };
        checked(libc::setrlimit(resource, &limits))
    }
}

fn checked(result: i32) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
