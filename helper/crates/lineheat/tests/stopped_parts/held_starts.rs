//! Holds processes that the engine starts of itself before their first instruction.
//!
//! The kernel asks before it executes the engine's file (fanotify). What is started is stopped while it waits for the answer, so
//! that it stops as soon as it is the new program; by its command line it is then held, or goes on.

use std::ffi::CString;
use std::fs;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::held_parts::Holder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    First,
    All,
}

/// Processes that are held.
pub struct Held {
    pids: Arc<Mutex<Vec<u32>>>,
    is_over: Arc<AtomicBool>,
    watcher: Option<JoinHandle<Holder>>,
}

impl Held {
    /// From now on each process that `engine` starts of itself by this name is held; the first alone, if that is wanted.
    pub fn started_by(engine: &mut Command, name: &str, which: Which, holder: Holder) -> Held {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        engine.env("HELD_STARTS", &mark);
        let mut asked = executions_of(env!("CARGO_BIN_EXE_lineheat"));
        let (pids, is_over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let watch = Watch {
            mark: format!("HELD_STARTS={mark}").into_bytes(),
            name: name.as_bytes().to_vec(),
            which,
            holder,
            pids: Arc::clone(&pids),
        };
        let over = Arc::clone(&is_over);
        let watcher = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                watch.answer(&mut asked);
            }
            watch.holder
        });
        Held {
            pids,
            is_over,
            watcher: Some(watcher),
        }
    }

    pub fn pids(&self) -> Vec<u32> {
        self.pids.lock().expect("no panic").clone()
    }

    /// Waits for the first.
    pub fn wait(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.pids().is_empty() {
            assert!(Instant::now() < deadline, "none is held");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        drop(self.watcher.take().map(JoinHandle::join));
    }
}

struct Watch {
    /// Of the environment of `engine`, which a process that it starts still has when the kernel asks.
    mark: Vec<u8>,
    name: Vec<u8>,
    which: Which,
    holder: Holder,
    pids: Arc<Mutex<Vec<u32>>>,
}

impl Watch {
    /// Whatever is asked within a moment.
    fn answer(&self, asked: &mut fs::File) {
        let mut poll = libc::pollfd {
            fd: asked.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: poll is given one descriptor that is open.
        if unsafe { libc::poll(&raw mut poll, 1, 20) } != 1 {
            return;
        }
        let mut bytes = [0u8; size_of::<libc::fanotify_event_metadata>()];
        asked.read_exact(&mut bytes).expect("an event");
        // SAFETY: the kernel wrote one such structure, whose every value is one.
        let event: libc::fanotify_event_metadata =
            unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) };
        let pid = event.pid as u32;
        let is_ours = part_is(&format!("/proc/{pid}/environ"), |part| part == self.mark);
        if is_ours {
            signal(pid, libc::SIGSTOP);
        }
        let response = libc::fanotify_response {
            fd: event.fd,
            response: libc::FAN_ALLOW,
        };
        // SAFETY: the structure is what the kernel reads here; the event's descriptor is ours to close.
        unsafe {
            let length = size_of_val(&response);
            libc::write(asked.as_raw_fd(), (&raw const response).cast(), length);
            libc::close(event.fd);
        }
        if is_ours {
            self.hold_or_let_go(pid);
        }
    }

    fn hold_or_let_go(&self, pid: u32) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !is_stopped(pid) {
            assert!(Instant::now() < deadline, "{pid} does not stop");
            thread::sleep(Duration::from_millis(1));
        }
        let mut pids = self.pids.lock().expect("no panic");
        let is_wanted = self.which == Which::All || pids.is_empty();
        let named = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if is_wanted && named.split(|byte| *byte == 0).nth(1) == Some(&self.name) {
            self.holder.hold(pid);
            pids.push(pid);
        } else {
            signal(pid, libc::SIGCONT);
        }
    }
}

/// Asks us from now on before it executes this file; one event a read, as there is room for one.
fn executions_of(file: &str) -> fs::File {
    let path = CString::new(file).expect("no zero");
    let flags = libc::FAN_CLASS_CONTENT | libc::FAN_CLOEXEC;
    // SAFETY: both are given numbers and a string that outlives the call; the descriptor is nobody else's.
    unsafe {
        let group = libc::fanotify_init(flags, (libc::O_RDONLY | libc::O_CLOEXEC) as u32);
        assert!(group >= 0, "fanotify: {}", std::io::Error::last_os_error());
        let (add, event) = (libc::FAN_MARK_ADD, libc::FAN_OPEN_EXEC_PERM);
        let marked = libc::fanotify_mark(group, add, event, libc::AT_FDCWD, path.as_ptr());
        assert_eq!(marked, 0, "fanotify: {}", std::io::Error::last_os_error());
        fs::File::from_raw_fd(group)
    }
}

/// Whether one of the parts that end with a zero is so.
fn part_is(file: &str, is_so: impl Fn(&[u8]) -> bool) -> bool {
    let bytes = fs::read(file).unwrap_or_default();
    bytes.split(|byte| *byte == 0).any(is_so)
}

fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    // What ended is not waited for.
    matches!(state, Some('T' | 'Z' | 'X') | None)
}

fn signal(pid: u32, signal: i32) {
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(pid as i32, signal) };
}
