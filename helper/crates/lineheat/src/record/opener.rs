//! Opens files of the target in a process of its own, and waits for each no longer than a file system that answers needs:
//! whoever opens, examines or closes a file on one that has stopped answering (FUSE) sleeps until it answers, and
//! cannot be killed meanwhile.
//!
//! What comes back never sleeps: a file that lies on FUSE comes as a copy in memory. The process is `open_worker`.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use records::FileId;

use crate::fd_passing::{pair, receive, receive_within, send};
use crate::open_worker::{self, Answer};

/// A file that answers later has no names. As long as nobody reads them, samples are held by the kernel's buffer.
const WAIT: Duration = Duration::from_secs(2);
/// For waiting so long in all; from then on each file has only the short time that local files need.
const WAITS_MAX: u32 = 4;
const SHORT_WAIT: Duration = Duration::from_millis(100);
/// Major number of file systems without a disk, FUSE among them.
const NO_DISK: u32 = 0;
/// A process that wants to run and may not, as on a machine with too much to do, is given so many waits more.
const WAITS_FOR_A_TURN: u32 = 15;
/// Of its own; copies do not count.
const MEMORY_BYTES_MAX: u64 = 64 << 20;
const CPU_TIME_MAX: Duration = Duration::from_secs(600);

/// A file to be opened: the first of `paths` that is regular, not too large, and the wanted one.
pub struct Asked<'a> {
    pub identity: Identity,
    pub paths: &'a [PathBuf],
    pub bytes_max: u64,
}

/// Which file it is to the kernel's mapping records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    Is(FileId),
    /// To be found out.
    Wanted,
    Any,
}

impl Identity {
    pub fn id(self) -> Option<FileId> {
        match self {
            Identity::Is(id) => Some(id),
            Identity::Wanted | Identity::Any => None,
        }
    }
}

pub struct Opened {
    pub file: File,
    /// None: it was not wanted, or the kernel does not tell.
    pub id: Option<FileId>,
}

#[derive(Default)]
pub struct Opener {
    process: Option<Process>,
    /// Device numbers of file systems that do not answer: one wait for each is enough. Those of disks are not among them: a
    /// disk that is slow once answers again.
    asleep: HashSet<(u32, u32)>,
    waits: u32,
}

impl Opener {
    /// # Errors
    /// Why there is no file, as the predicate of a sentence on it.
    pub fn open(&mut self, asked: &Asked) -> Result<Opened, String> {
        let id = asked.identity.id();
        let device = id.map(|id| (id.device_major, id.device_minor));
        if device.is_some_and(|device| self.asleep.contains(&device)) {
            return Err(asleep());
        }
        let request = open_worker::encode(asked);
        // It may have died of something else since it was asked last.
        for _ in 0..2 {
            let wait = if self.waits < WAITS_MAX {
                WAIT
            } else {
                SHORT_WAIT
            };
            let process = match self.process.take().map_or_else(Process::start, Ok) {
                Ok(process) => process,
                Err(e) => return Err(format!("could not be opened: no process for it ({e})")),
            };
            match process.ask(&request, wait) {
                Ok((Answer::Opened { id, is_last }, Some(fd))) => {
                    self.process = Some(process).filter(|_| !is_last);
                    let file = File::from(fd);
                    return Ok(Opened { file, id });
                }
                Ok((Answer::Failed { why, is_last }, _)) => {
                    self.process = Some(process).filter(|_| !is_last);
                    return Err(why);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.waits = self.waits.saturating_add(1);
                    self.asleep
                        .extend(device.filter(|&(major, _)| major == NO_DISK));
                    return Err(asleep());
                }
                Ok(_) | Err(_) => {}
            }
        }
        Err("could not be opened: the process for it ended".to_owned())
    }
}

fn asleep() -> String {
    format!(
        "could not be read: its file system did not answer within {} s, so its code has no names",
        WAIT.as_secs()
    )
}

struct Process {
    child: Option<Child>,
    socket: OwnedFd,
}

impl Process {
    fn start() -> io::Result<Process> {
        let (socket, its_socket) = pair()?;
        let mut command = open_worker::command();
        (command.stdin(Stdio::from(its_socket)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        symbolize::confine(&mut command, Vec::new(), MEMORY_BYTES_MAX, CPU_TIME_MAX);
        let child = Some(command.spawn()?);
        Ok(Process { child, socket })
    }

    /// `WouldBlock`: it has said nothing for so long.
    fn ask(&self, request: &[u8], wait: Duration) -> io::Result<(Answer, Option<OwnedFd>)> {
        send(self.socket.as_fd(), request, None)?;
        receive_within(self.socket.as_fd(), wait)?;
        let mut waits_for_a_turn = 0;
        loop {
            let (bytes, fd) = match receive(self.socket.as_fd()) {
                Err(e)
                    if e.kind() == io::ErrorKind::WouldBlock
                        && waits_for_a_turn < WAITS_FOR_A_TURN
                        && self.wants_to_run() =>
                {
                    waits_for_a_turn += 1;
                    continue;
                }
                received => received?,
            };
            match Answer::decode(&bytes).ok_or(io::ErrorKind::InvalidData)? {
                Answer::StillReading => {}
                answer => return Ok((answer, fd)),
            }
        }
    }

    /// Runnable: who waits for a file system is not.
    fn wants_to_run(&self) -> bool {
        let Some(child) = &self.child else {
            return false;
        };
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id()));
        stat.is_ok_and(|stat| state_in(&stat) == Some('R'))
    }
}

impl Drop for Process {
    /// It may sleep until a file system answers: that is waited for by nobody.
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            symbolize::end_sometime(child);
        }
    }
}

/// The letter behind the name, which may hold parentheses itself (proc_pid_stat(5)).
fn state_in(stat: &str) -> Option<char> {
    stat.rsplit_once(") ")?.1.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_stands_behind_whatever_the_name_is() {
        assert_eq!(state_in("7 (a) S b) R 1 7"), Some('R'));
        assert_eq!(state_in("7 (open-worker) D 1 7"), Some('D'));
        assert_eq!(state_in(""), None);
    }

    /// A process that gets no turn is no file system that sleeps.
    #[test]
    fn who_wants_to_run_is_told_from_who_waits() {
        let started = |program: &str, args: &[&str]| {
            let (socket, _) = pair().unwrap();
            let child = std::process::Command::new(program).args(args).spawn();
            Process {
                child: Some(child.unwrap()),
                socket,
            }
        };
        let mut busy = started("sh", &["-c", "while :; do :; done"]);
        let mut waiting = started("sleep", &["60"]);
        // On its way to its program each now runs, now waits: what it comes to is looked for.
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        let mut told = [false, true];
        while told != [true, false] && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
            told = [busy.wants_to_run(), waiting.wants_to_run()];
        }
        for process in [&mut busy, &mut waiting] {
            let mut child = process.child.take().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(told, [true, false]);
    }
}
