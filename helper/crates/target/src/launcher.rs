//! A thread that starts programs, one after the other. Whoever samples this thread samples each of them from its very
//! beginning: they inherit its events. (A tracer is a thread, not a process, so launch and release are done on it, too.)

use std::io::{self, PipeReader, Read};
use std::os::fd::AsRawFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::thread::gettid;
use supervision::{LOOK_EVERY, Patience, Urgency, state_of};

use crate::gate::{self, LaunchError, LaunchOptions, Launched, Stopped, launch_stopped_after};

/// A program on a slow file system may take its time to start.
const START_WITHIN: Duration = Duration::from_secs(30);
/// What the kernel does at once.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

pub struct Launcher {
    tid: u32,
    /// None once it is to end.
    requests: Option<Sender<Request>>,
    thread: Option<thread::JoinHandle<()>>,
    /// Numbers of new processes. One that is kept from its program is known by it alone: whoever starts it waits.
    born: PipeReader,
    urgency: Urgency,
}

/// A program that waits before its first instruction.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    pub pid: u32,
    /// CPU time that its process has used already.
    pub cpu_time: Duration,
}

enum Request {
    Launch(
        LaunchOptions,
        Duration,
        Sender<Result<Waiting, LaunchError>>,
    ),
    ClearByte(u64, Sender<io::Result<u8>>),
    Release(Sender<io::Result<Launched>>),
    GiveUp,
}

impl Launcher {
    /// Nothing is started for long once `urgency` is asked.
    pub fn start(urgency: &Urgency) -> io::Result<Launcher> {
        let (requests, incoming) = channel();
        let (born, tell_born) = io::pipe()?;
        fcntl_setfl(&born, OFlags::NONBLOCK)?;
        let (tell_tid, tid) = channel();
        let thread = thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                let _ = tell_tid.send(gettid().as_raw_pid() as u32);
                serve(&incoming, &tell_born);
            })?;
        let tid = tid.recv().map_err(io::Error::other)?;
        Ok(Launcher {
            tid,
            requests: Some(requests),
            thread: Some(thread),
            born,
            urgency: urgency.clone(),
        })
    }

    pub fn tid(&self) -> u32 {
        self.tid
    }

    /// Starts the program and stops it right after its exec; its process has then used at least this CPU time.
    ///
    /// # Errors
    /// When the program cannot be run, or does not come to its first instruction. Nothing is left behind then that can be
    /// ended.
    pub fn launch(
        &self,
        options: &LaunchOptions,
        cpu_time: Duration,
    ) -> Result<Waiting, LaunchError> {
        let gone = |e: &dyn std::error::Error| {
            LaunchError::Other(options.program.clone(), io::Error::other(e.to_string()))
        };
        let (sender, answer) = channel();
        self.born();
        self.send(Request::Launch(options.clone(), cpu_time, sender))
            .map_err(|e| gone(&e))?;
        let mut patience = Patience::new(START_WITHIN, &self.urgency);
        loop {
            match answer.recv_timeout(LOOK_EVERY) {
                Ok(launched) => return launched,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(gone(&RecvTimeoutError::Disconnected));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_over = patience.runs_out();
            if is_over || self.urgency.is_asked() {
                let why = self.end_newborn(&answer);
                let program = options.program.clone();
                return Err(match self.urgency.is_asked() {
                    true => LaunchError::Unwanted(program),
                    false => LaunchError::Late(program, patience.waited(), why),
                });
            }
        }
    }

    /// Writes 0 over a byte of the waiting program, if it is 1. Gives what it was.
    ///
    /// # Errors
    /// As ptrace(2).
    pub fn clear_byte(&self, address: u64) -> io::Result<u8> {
        let (sender, answer) = channel();
        self.send(Request::ClearByte(address, sender))?;
        let mut patience = Patience::new(ANSWER_WITHIN, &self.urgency);
        supervision::receive(&answer, &mut patience).map_err(io::Error::other)?
    }

    /// Lets the waiting program run.
    pub fn release(&self) -> io::Result<Launched> {
        let (sender, answer) = channel();
        self.send(Request::Release(sender))?;
        let mut patience = Patience::new(ANSWER_WITHIN, &self.urgency);
        supervision::receive(&answer, &mut patience).map_err(io::Error::other)?
    }

    /// Ends the process that does not come to its program. Gives how it was.
    fn end_newborn<T>(&self, answer: &Receiver<T>) -> String {
        let Some(pid) = self.born() else {
            return "its process was never created".to_owned();
        };
        let state = state_of(pid);
        // The child was not waited for before our last look, and a number is not given out again so soon.
        gate::kill(pid);
        let mut patience = Patience::new(ANSWER_WITHIN, &self.urgency);
        let ended = supervision::receive(answer, &mut patience).is_ok();
        let left = if ended {
            ""
        } else {
            ", and could not be ended"
        };
        format!("{}{left}", state.in_words())
    }

    /// The newest process since this was asked last.
    fn born(&self) -> Option<u32> {
        let mut newest = None;
        let mut number = [0; 4];
        while matches!((&self.born).read(&mut number), Ok(4)) {
            newest = Some(u32::from_ne_bytes(number));
        }
        newest
    }

    /// Ends the waiting program.
    pub fn give_up(&self) {
        let _ = self.send(Request::GiveUp);
    }

    fn send(&self, request: Request) -> io::Result<()> {
        let requests = self.requests.as_ref().expect("there until it is dropped");
        requests.send(request).map_err(io::Error::other)
    }
}

impl Drop for Launcher {
    /// Waits until a waiting program has been ended, unless it cannot be.
    fn drop(&mut self) {
        drop(self.requests.take());
        let mut patience = Patience::new(ANSWER_WITHIN, &self.urgency);
        let is_busy = |thread: &thread::JoinHandle<()>| !thread.is_finished();
        while self.thread.as_ref().is_some_and(is_busy) && !patience.runs_out() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn serve(requests: &Receiver<Request>, born: &impl AsRawFd) {
    let mut waiting: Option<Stopped> = None;
    while let Ok(request) = requests.recv() {
        match request {
            Request::Launch(options, cpu_time, answer) => {
                let stopped = launch_stopped_after(&options, cpu_time, Some(born.as_raw_fd()));
                let _ = answer.send(stopped.map(|stopped| {
                    let told = Waiting {
                        pid: stopped.pid(),
                        cpu_time: stopped.cpu_time(),
                    };
                    waiting = Some(stopped);
                    told
                }));
            }
            Request::ClearByte(address, answer) => {
                let none = || Err(io::Error::other("no program waits"));
                let cleared = (waiting.as_ref()).map_or_else(none, |w| w.clear_byte(address));
                let _ = answer.send(cleared);
            }
            Request::Release(answer) => {
                let none = || Err(io::Error::other("no program waits"));
                let _ = answer.send(waiting.take().map_or_else(none, Stopped::release));
            }
            Request::GiveUp => waiting = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Output, wait};

    fn options() -> LaunchOptions {
        LaunchOptions {
            program: "/bin/sh".into(),
            called_as: None,
            args: vec!["-c".into(), "exit 7".into()],
            cwd: None,
            env: vec![],
            terminal: None,
            output: Output::Shared,
        }
    }

    #[test]
    fn programs_run_one_after_the_other_and_use_the_asked_time_before() {
        let launcher = Launcher::start(&Urgency::default()).unwrap();
        for asked in [Duration::ZERO, Duration::from_millis(20)] {
            let waiting = launcher.launch(&options(), asked).unwrap();
            assert!(waiting.cpu_time >= asked, "{waiting:?}");
            let launched = launcher.release().unwrap();
            let exit = wait(launched.pid()).unwrap();
            assert_eq!(exit.code, 7);
            let own = exit.without(waiting.cpu_time);
            assert!(own.user_ns + own.system_ns < exit.user_ns + exit.system_ns);
        }
        assert!(launcher.release().is_err());
    }

    #[test]
    fn a_program_that_does_not_start_is_given_up_when_the_user_asks_to_stop() {
        let urgency = Urgency::default();
        let launcher = Launcher::start(&urgency).unwrap();
        let asks = urgency.clone();
        let (asked_for, long) = (options(), Duration::from_secs(3600));
        // It spins until it has used an hour of CPU time.
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            asks.ask();
        });
        let unwanted = launcher.launch(&asked_for, long).unwrap_err();
        assert!(matches!(unwanted, LaunchError::Unwanted(_)), "{unwanted}");
        let children =
            std::fs::read_to_string(format!("/proc/self/task/{}/children", launcher.tid));
        assert_eq!(children.unwrap_or_default(), "");
    }

    #[test]
    fn a_program_that_is_given_up_is_ended() {
        let launcher = Launcher::start(&Urgency::default()).unwrap();
        let waiting = launcher.launch(&options(), Duration::ZERO).unwrap();
        launcher.give_up();
        assert!(
            launcher.release().is_err(),
            "also waits until it is given up"
        );
        assert!(!std::path::Path::new(&format!("/proc/{}", waiting.pid)).exists());
    }

    #[test]
    fn a_program_that_waits_ends_with_its_launcher() {
        let launcher = Launcher::start(&Urgency::default()).unwrap();
        let waiting = launcher.launch(&options(), Duration::ZERO).unwrap();
        drop(launcher);
        assert!(!std::path::Path::new(&format!("/proc/{}", waiting.pid)).exists());
    }
}
