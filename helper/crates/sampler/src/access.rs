//! May the user look into this process? The kernel is asked, as for ptrace(2), with our capabilities lowered, before
//! anything is attached. What changes later is seen by the BPF program, sample by sample.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use records::SamplerStep;

use crate::end::End;
use crate::privilege::without_capabilities;

#[derive(Debug)]
pub enum Refused {
    /// It has ended, or never was.
    Gone,
    NotAllowed(io::Error),
}

/// A process that the user may look into.
pub struct Process {
    pidfd: OwnedFd,
    /// `/proc/PID`, bound to this very process whoever gets its number later.
    folder: OwnedFd,
    started: Vec<u8>,
}

impl Process {
    /// The process is taken hold of first and asked about then: its number may be another's in between.
    pub fn open(pid: u32) -> Result<Process, Refused> {
        let process = Process::hold(pid)?;
        let asked = without_capabilities(|| {
            let mut maps = File::from(open_at(process.folder.as_raw_fd(), "maps", libc::O_RDONLY)?);
            maps.read(&mut [0])
        });
        match asked.map_err(Refused::NotAllowed)? {
            Ok(1..) => {}
            Ok(0) => return Err(Refused::Gone), // a zombie; or a thread of the kernel, which has no program to look into
            Err(e) if matches!(e.raw_os_error(), Some(libc::ESRCH | libc::ENOENT)) => {
                return Err(Refused::Gone);
            }
            Err(e) => return Err(Refused::NotAllowed(e)),
        }
        process
            .is_still_there()
            .then_some(process)
            .ok_or(Refused::Gone)
    }

    /// Without asking, for root.
    fn hold(pid: u32) -> Result<Process, Refused> {
        // SAFETY: pidfd_open takes plain numbers; a descriptor that it gives is nobody else's.
        let pidfd = unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
            if fd < 0 {
                return Err(Refused::Gone);
            }
            OwnedFd::from_raw_fd(fd as i32)
        };
        let folder = open_at(libc::AT_FDCWD, &format!("/proc/{pid}"), libc::O_PATH);
        let folder = folder.map_err(|_| Refused::Gone)?;
        let started = started(&folder, "stat").ok_or(Refused::Gone)?;
        let process = Process {
            pidfd,
            folder,
            started,
        };
        process
            .is_still_there()
            .then_some(process)
            .ok_or(Refused::Gone)
    }

    /// When the thread started, if it is one of this process now.
    pub fn thread(&self, tid: u32) -> Option<Vec<u8>> {
        started(&self.folder, &format!("task/{tid}/stat"))
    }

    /// Its threads now.
    pub fn threads(&self) -> Vec<u32> {
        // What was opened through /proc is only this process's, and its names are numbers.
        let path = format!("/proc/self/fd/{}/task", self.folder.as_raw_fd());
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries
            .filter_map(|e| e.file_name().to_str()?.parse().ok())
            .collect()
    }

    /// To be asked last: as long as the process lives, its number is not another's.
    pub fn is_still_there(&self) -> bool {
        let mut poll = libc::pollfd {
            fd: self.pidfd.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one live structure; a pidfd is readable once its process has ended.
        let ended = unsafe { libc::poll(&mut poll, 1, 0) } != 0;
        !ended && started(&self.folder, "stat").as_ref() == Some(&self.started)
    }
}

/// The process, for a session of this user (0: root, who may look into all); None: it has ended.
pub fn open_process(pid: u32, invoker: u32) -> Result<Option<Process>, End> {
    let opened = match invoker {
        0 => Process::hold(pid),
        _ => Process::open(pid),
    };
    match opened {
        Ok(process) => Ok(Some(process)),
        Err(Refused::Gone) => Ok(None),
        Err(Refused::NotAllowed(e)) => Err(End::Failed(
            SamplerStep::NotAllowed,
            e.raw_os_error().unwrap_or(0),
            pid,
        )),
    }
}

/// The start time in a stat file (proc_pid_stat(5), field 22), as it stands there.
fn started(folder: &OwnedFd, path: &str) -> Option<Vec<u8>> {
    let mut stat = Vec::new();
    let mut file = File::from(open_at(folder.as_raw_fd(), path, libc::O_RDONLY).ok()?);
    file.read_to_end(&mut stat).ok()?;
    let after_name = stat.iter().rposition(|b| *b == b')')? + 2;
    let fields = stat[after_name..].split(|b| *b == b' ');
    fields.skip(22 - 3).map(<[u8]>::to_vec).next()
}

fn open_at(folder: i32, path: &str, flags: i32) -> io::Result<OwnedFd> {
    let path = std::ffi::CString::new(path)?;
    // SAFETY: the path is terminated; a descriptor that open gives is nobody else's.
    unsafe {
        let fd = libc::openat(
            folder,
            path.as_ptr(),
            flags | libc::O_CLOEXEC | libc::O_NOFOLLOW,
        );
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_may_be_looked_into_and_its_threads_are_its_own() {
        let own = std::process::id();
        let process = Process::open(own).ok().unwrap();
        assert!(process.thread(own).is_some());
        assert_eq!(process.thread(1), None);
        assert!(process.is_still_there());
    }

    #[test]
    fn a_process_that_has_ended_is_gone_also_for_who_held_it() {
        let mut child = std::process::Command::new("/bin/sleep")
            .arg("100")
            .spawn()
            .unwrap();
        let opened = Process::open(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        match opened {
            Ok(process) => {
                assert!(!process.is_still_there());
                assert_eq!(process.thread(child.id()), None);
            }
            // A child of root has capabilities, and we asked without ours.
            Err(refused) => {
                assert!(matches!(refused, Refused::NotAllowed(_)), "{refused:?}");
                assert_eq!(crate::start_up::invoker(), 0);
            }
        }
        assert!(matches!(Process::open(child.id()), Err(Refused::Gone)));
    }
}
