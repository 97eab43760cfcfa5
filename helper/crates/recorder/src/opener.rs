//! Opens files of the target in a process of its own, and waits for each no longer than a file system that answers needs:
//! whoever opens, examines or closes a file on one that has stopped answering (FUSE) sleeps until it answers, and
//! cannot be killed meanwhile.
//!
//! What comes back never sleeps: a file that lies on FUSE comes as a copy in memory. The process is `open_worker`.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Stdio};
use std::time::Duration;

use records::FileId;
use supervision::{LOOK_EVERY, Patience, ProcessState, Urgency, end_sometime, state_of};

use crate::fd_passing::{pair, receive, receive_within, send};
use crate::open_messages::{Answer, encode};
pub use crate::open_messages::{Asked, Identity};
use crate::open_worker;

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
    urgency: Urgency,
}

/// Why there is no answer.
enum NoAnswer {
    /// For so long; the process was in this state.
    Silent(ProcessState),
    Gone,
}

impl Opener {
    /// When it is urgent, nothing is opened any more.
    pub fn with(urgency: &Urgency) -> Opener {
        Opener {
            urgency: urgency.clone(),
            ..Opener::default()
        }
    }

    /// # Errors
    /// Why there is no file, as the predicate of a sentence on it.
    pub fn open(&mut self, asked: &Asked) -> Result<Opened, String> {
        let id = asked.identity.id();
        let device = id.map(|id| (id.device_major, id.device_minor));
        if device.is_some_and(|device| self.asleep.contains(&device)) {
            return Err(asleep());
        }
        let request = encode(asked);
        let mut why = "could not be opened: the process that opens files exited".to_owned();
        // It may have died of something else since it was asked last, or be stopped: that is not the file's fault.
        for _ in 0..2 {
            if self.urgency.is_urgent() {
                return Err("was not opened: the recording was stopped immediately".to_owned());
            }
            let wait = if self.waits < WAITS_MAX {
                WAIT
            } else {
                SHORT_WAIT
            };
            let process = match self.process.take().map_or_else(Process::start, Ok) {
                Ok(process) => process,
                Err(e) => {
                    return Err(format!(
                        "could not be opened: cannot start the process that opens files ({e})"
                    ));
                }
            };
            match process.ask(&request, Patience::new(wait, &self.urgency)) {
                Ok((Answer::Opened { id, is_last }, Some(fd))) => {
                    self.process = Some(process).filter(|_| !is_last);
                    let file = File::from(fd);
                    return Ok(Opened { file, id });
                }
                Ok((Answer::Failed { why, is_last }, _)) => {
                    self.process = Some(process).filter(|_| !is_last);
                    return Err(why);
                }
                Err(NoAnswer::Silent(state)) if state.is_held() => {
                    self.waits = self.waits.saturating_add(1);
                    why = held(wait, state);
                }
                Err(NoAnswer::Silent(_)) => {
                    self.waits = self.waits.saturating_add(1);
                    self.asleep
                        .extend(device.filter(|&(major, _)| major == NO_DISK));
                    return Err(asleep());
                }
                Ok(_) | Err(NoAnswer::Gone) => {}
            }
        }
        Err(why)
    }
}

fn held(wait: Duration, state: ProcessState) -> String {
    format!(
        "could not be opened: the process that opens files did not respond for {:.1} s ({}), nor did its replacement, so its code has no names",
        wait.as_secs_f64(),
        state.in_words()
    )
}

fn asleep() -> String {
    format!(
        "could not be read: its file system did not respond within {} s, so its code has no names",
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
        receive_within(socket.as_fd(), LOOK_EVERY)?;
        let child = Some(command.spawn()?);
        Ok(Process { child, socket })
    }

    fn ask(
        &self,
        request: &[u8],
        mut patience: Patience,
    ) -> Result<(Answer, Option<OwnedFd>), NoAnswer> {
        send(self.socket.as_fd(), request, None).map_err(|_| NoAnswer::Gone)?;
        let mut waits_for_a_turn = 0;
        loop {
            match receive(self.socket.as_fd()) {
                Ok((bytes, fd)) => match Answer::decode(&bytes).ok_or(NoAnswer::Gone)? {
                    Answer::StillReading => patience.renew(),
                    answer => return Ok((answer, fd)),
                },
                Err(e) if e.kind() != io::ErrorKind::WouldBlock => return Err(NoAnswer::Gone),
                Err(_) if !patience.runs_out() => {}
                // Whoever waits for a file system does not want to run.
                Err(_) => match self.state() {
                    ProcessState::Runnable if waits_for_a_turn < WAITS_FOR_A_TURN => {
                        waits_for_a_turn += 1;
                        patience.renew();
                    }
                    state => return Err(NoAnswer::Silent(state)),
                },
            }
        }
    }

    fn state(&self) -> ProcessState {
        let pid = self.child.as_ref().map(Child::id);
        pid.map_or(ProcessState::Ended, state_of)
    }
}

impl Drop for Process {
    /// It may sleep until a file system answers: that is waited for by nobody.
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            end_sometime(child);
        }
    }
}
