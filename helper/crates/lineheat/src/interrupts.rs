//! Ctrl+C, and what else asks to end, while something is recorded.

use std::io::{self, Read};
use std::os::fd::IntoRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use recorder::Control;

use crate::at_once;

/// Signals that come together are one: whoever starts us (npm, a terminal that closes) may pass on what we get ourselves.
const ONE_TIME: Duration = Duration::from_millis(100);

/// Where the signal handler writes; -1 until there is a reader.
static INTERRUPTED: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_interrupt(_signal: libc::c_int) {
    // SAFETY: write(2) may be called in a signal handler; one byte from a live buffer.
    unsafe {
        libc::write(
            INTERRUPTED.load(Ordering::Relaxed),
            [0u8].as_ptr().cast(),
            1,
        )
    };
}

/// Passes on every Ctrl+C, SIGTERM and end of the terminal. The terminal has sent it to the command, too, which gets time
/// to end by itself. From the second one on that time is short, whatever keeps us; `runs` are being recorded. To be called
/// once.
pub fn watch_interrupts(control: Sender<Control>, runs: Vec<PathBuf>) -> io::Result<()> {
    let (mut reader, writer) = io::pipe()?;
    INTERRUPTED.store(writer.into_raw_fd(), Ordering::Relaxed);
    let handler = on_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only writes to a pipe that stays open. Handlers do not survive exec, so the command is not
    // affected.
    unsafe {
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGTERM, handler);
        // Under nohup it is ignored, and stays so.
        if libc::signal(libc::SIGHUP, handler) == libc::SIG_IGN {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
        }
    }
    thread::spawn(move || {
        let mut runs = Some(runs);
        let mut is_first = true;
        let mut last: Option<Instant> = None;
        while reader.read_exact(&mut [0]).is_ok() {
            if last.is_some_and(|last| last.elapsed() < ONE_TIME) {
                continue;
            }
            last = Some(Instant::now());
            // Whoever does not listen any more is about to end.
            let _ = control.send(Control::Interrupt);
            if !std::mem::take(&mut is_first)
                && let Some(runs) = runs.take()
            {
                at_once::end_soon(runs);
            }
        }
    });
    Ok(())
}
