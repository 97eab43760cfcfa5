//! A program that was let go, followed until it has ended and said its last: what it prints is read, passed on and searched.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::time::Timespec;
use supervision::{Patience, Urgency};
use target::{Exit, Launched};

use super::work::{FoundWork, LineScanner, Work};

/// A command that has ended.
#[derive(Debug)]
pub struct Ended {
    /// None: it is not known how.
    pub exit: Option<Exit>,
    pub at: Instant,
    pub work: FoundWork,
}

/// What is told of it; false: nobody hears any more.
pub enum Told {
    /// Of a terminal of its own.
    Output(Vec<u8>),
    Ended(Ended),
}

/// How long a program's output is waited for when it has ended: it lies in a pipe or terminal already.
const LAST_WORDS: Duration = Duration::from_secs(2);
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// Follows a program from threads of its own.
pub fn follow<F>(launched: &mut Launched, work: &Work, urgency: &Urgency, tell: F)
where
    F: Fn(Told) -> bool + Clone + Send + 'static,
{
    let shared = Arc::new(Shared::default());
    let mut readers = Vec::new();
    if let Some(stream) = launched.terminal.as_ref().and_then(|t| t.stream().ok()) {
        let tell = tell.clone();
        let pass_on = move |bytes: &[u8]| tell(Told::Output(bytes.to_vec()));
        readers.push(read(stream, scanner(work), Arc::clone(&shared), pass_on));
    }
    for mut copied in launched.copied.drain(..) {
        let Ok(stream) = copied.stream() else {
            continue;
        };
        let pass_on = move |bytes: &[u8]| {
            copied.follow_size();
            copied.pass_on(bytes);
            true
        };
        readers.push(read(stream, scanner(work), Arc::clone(&shared), pass_on));
    }
    let pid = launched.pid();
    let mut last_words = Patience::new(LAST_WORDS, urgency);
    let each = match work {
        Work::Each(units) => FoundWork::Units(*units),
        Work::Unknown | Work::FromOutput(_) => FoundWork::Nothing,
    };
    thread::spawn(move || {
        let exit = target::wait(pid).ok();
        let at = Instant::now();
        shared.has_ended.store(true, Ordering::Release);
        for said_its_last in readers {
            let _ = supervision::receive(&said_its_last, &mut last_words);
        }
        let found = shared
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let work = found.unwrap_or(each);
        tell(Told::Ended(Ended { exit, at, work }))
    });
}

#[derive(Default)]
struct Shared {
    has_ended: AtomicBool,
    found: Mutex<Option<FoundWork>>,
}

fn scanner(work: &Work) -> Option<LineScanner> {
    match work {
        Work::FromOutput(expression) => Some(LineScanner::new(expression.clone())),
        Work::Unknown | Work::Each(_) => None,
    }
}

/// Reads until all writers are gone. The receiver hears when all that the program itself has printed was read: what it has
/// started may live on, and print.
fn read(
    mut stream: File,
    mut scanner: Option<LineScanner>,
    shared: Arc<Shared>,
    mut pass_on: impl FnMut(&[u8]) -> bool + Send + 'static,
) -> std::sync::mpsc::Receiver<()> {
    let (said, receiver) = std::sync::mpsc::channel();
    let note = move |found: Option<FoundWork>| {
        if found.is_some() {
            *shared.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        shared.has_ended.load(Ordering::Acquire)
    };
    thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        loop {
            let has_ended = note(None);
            match readable(&stream) {
                Ok(false) if has_ended => {
                    note(scanner.as_mut().and_then(LineScanner::end_of_line));
                    let _ = said.send(());
                    continue;
                }
                Ok(false) => continue,
                Ok(true) => {}
                Err(_) => break,
            }
            let n = match stream.read(&mut buffer) {
                Ok(n @ 1..) => n,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => continue,
                // EIO: all writers of a terminal have gone.
                Ok(_) | Err(_) => break,
            };
            note(scanner.as_mut().and_then(|s| s.feed(&buffer[..n])));
            if !pass_on(&buffer[..n]) {
                break;
            }
        }
        note(scanner.as_mut().and_then(LineScanner::end_of_line));
        let _ = said.send(());
    });
    receiver
}

/// Waits a moment for something to read, or for the end.
fn readable(stream: &File) -> io::Result<bool> {
    let mut polled = [PollFd::new(stream, PollFlags::IN)];
    match poll(&mut polled, Some(&LOOK_EVERY)) {
        Err(Errno::INTR) => Ok(false),
        Err(e) => Err(e.into()),
        Ok(n) => Ok(n > 0),
    }
}
