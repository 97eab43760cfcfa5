//! Ctrl+C while something is recorded.

use std::io::{self, Read};
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

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

/// Calls `on_first` at the first Ctrl+C, or at the terminal's end. The terminal has sent it to the command, too, which
/// gets time to end by itself. To be called once.
pub fn watch_interrupts(on_first: impl FnOnce() + Send + 'static) -> io::Result<()> {
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
        if reader.read_exact(&mut [0]).is_ok() {
            on_first();
        }
    });
    Ok(())
}
