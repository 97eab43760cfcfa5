//! A thread that starts programs, one after the other. Whoever samples this thread samples each of them from its very
//! beginning: they inherit its events. (A tracer is a thread, not a process, so launch and release are done on it, too.)

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::gate::{LaunchError, LaunchOptions, Launched, Stopped, launch_stopped_after};

pub struct Launcher {
    tid: u32,
    /// None once it is to end.
    requests: Option<Sender<Request>>,
    thread: Option<thread::JoinHandle<()>>,
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
    Release(Sender<io::Result<Launched>>),
    GiveUp,
}

impl Launcher {
    pub fn start() -> io::Result<Launcher> {
        let (requests, incoming) = channel();
        let (tell_tid, tid) = channel();
        let thread = thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                // SAFETY: gettid has no preconditions.
                let _ = tell_tid.send(unsafe { libc::gettid() } as u32);
                serve(&incoming);
            })?;
        let tid = tid.recv().map_err(io::Error::other)?;
        Ok(Launcher {
            tid,
            requests: Some(requests),
            thread: Some(thread),
        })
    }

    pub fn tid(&self) -> u32 {
        self.tid
    }

    /// Starts the program and stops it right after its exec; its process has then used at least this CPU time.
    ///
    /// # Errors
    /// When the program cannot be run; nothing is left behind then.
    pub fn launch(
        &self,
        options: &LaunchOptions,
        cpu_time: Duration,
    ) -> Result<Waiting, LaunchError> {
        let gone = |e: &dyn std::error::Error| {
            LaunchError::Other(options.program.clone(), io::Error::other(e.to_string()))
        };
        let (sender, answer) = channel();
        self.send(Request::Launch(options.clone(), cpu_time, sender))
            .map_err(|e| gone(&e))?;
        answer.recv().map_err(|e| gone(&e))?
    }

    /// Lets the waiting program run.
    pub fn release(&self) -> io::Result<Launched> {
        let (sender, answer) = channel();
        self.send(Request::Release(sender))?;
        answer.recv().map_err(io::Error::other)?
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
    /// Waits until a waiting program has been ended: were we to end first, its tracer would be gone and it would run.
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(requests: &Receiver<Request>) {
    let mut waiting: Option<Stopped> = None;
    while let Ok(request) = requests.recv() {
        match request {
            Request::Launch(options, cpu_time, answer) => {
                let stopped = launch_stopped_after(&options, cpu_time);
                let _ = answer.send(stopped.map(|stopped| {
                    let told = Waiting {
                        pid: stopped.pid(),
                        cpu_time: stopped.cpu_time(),
                    };
                    waiting = Some(stopped);
                    told
                }));
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
            args: vec!["-c".into(), "exit 7".into()],
            cwd: None,
            env: vec![],
            terminal: None,
            output: Output::Shared,
        }
    }

    #[test]
    fn programs_run_one_after_the_other_and_use_the_asked_time_before() {
        let launcher = Launcher::start().unwrap();
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
    fn a_program_that_is_given_up_is_ended() {
        let launcher = Launcher::start().unwrap();
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
        let launcher = Launcher::start().unwrap();
        let waiting = launcher.launch(&options(), Duration::ZERO).unwrap();
        drop(launcher);
        assert!(!std::path::Path::new(&format!("/proc/{}", waiting.pid)).exists());
    }
}
