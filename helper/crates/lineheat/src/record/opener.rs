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
/// Of its own; copies do not count.
const MEMORY_BYTES_MAX: u64 = 64 << 20;
const CPU_TIME_MAX: Duration = Duration::from_secs(600);

/// A file to be opened: the first of `paths` that is regular, not too large, and `id` if there is one.
pub struct Asked<'a> {
    pub id: Option<FileId>,
    pub paths: &'a [PathBuf],
    pub bytes_max: u64,
}

pub struct Opened {
    pub file: File,
    /// As the kernel calls it in mapping records; None: it does not tell.
    pub id: Option<FileId>,
}

#[derive(Default)]
pub struct Opener {
    process: Option<Process>,
    /// Device numbers of file systems that do not answer: one wait for each is enough.
    asleep: HashSet<(u32, u32)>,
    waits: u32,
}

impl Opener {
    /// # Errors
    /// Why there is no file, as the predicate of a sentence on it.
    pub fn open(&mut self, asked: &Asked) -> Result<Opened, String> {
        let device = asked.id.map(|id| (id.device_major, id.device_minor));
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
                    self.asleep.extend(device);
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
        loop {
            let (bytes, fd) = receive(self.socket.as_fd())?;
            match Answer::decode(&bytes).ok_or(io::ErrorKind::InvalidData)? {
                Answer::StillReading => {}
                answer => return Ok((answer, fd)),
            }
        }
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
