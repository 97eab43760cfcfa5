//! What a process that reads foreign files may not do: outlive its parent, gain rights, dump core, take all memory or
//! time, hold on to files of its parent.

use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{
    Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal, setpgid,
    setrlimit,
};
use rustix::thread::set_no_new_privs;

/// Applied between fork and exec. `inherited` stay open under their numbers; stdin, stdout and stderr, too.
pub fn confine(
    command: &mut Command,
    inherited: Vec<RawFd>,
    memory_bytes: u64,
    cpu_time: Duration,
) {
    let parent = Some(getpid());
    let confine = move || {
        // Signals of the terminal are for the program that is recorded and for the engine.
        setpgid(None, None)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() != parent {
            return Err(Errno::SRCH.into());
        }
        set_no_new_privs(true)?;
        limit(Resource::Core, 0)?;
        limit(Resource::Data, memory_bytes)?;
        limit(Resource::Cpu, cpu_time.as_secs().max(1))?;
        // Before Linux 5.11 the standard library's own marks have to do.
        // SAFETY: closes nothing now; what is left open is marked below.
        unsafe {
            libc::syscall(
                libc::SYS_close_range,
                3,
                u32::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            )
        };
        for fd in &inherited {
            // SAFETY: the caller keeps these open until the process is started; one that is not is refused.
            let fd = unsafe { BorrowedFd::borrow_raw(*fd) };
            fcntl_setfd(fd, FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: all that it does are system calls on this process, which are async-signal-safe; nothing is allocated.
    unsafe { command.pre_exec(confine) };
}

/// Never higher than it is.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let now = getrlimit(resource);
    let no_more = |than: Option<u64>| Some(than.map_or(most, |than| than.min(most)));
    let limits = Rlimit {
        current: no_more(now.current.or(now.maximum)),
        maximum: no_more(now.maximum),
    };
    Ok(setrlimit(resource, limits)?)
}
