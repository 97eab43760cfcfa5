//! A pseudo-terminal, so that the target behaves as it does in the user's terminal (line buffering, colours, input).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}

/// Our side of the target's terminal.
pub struct Terminal {
    master: File,
}

impl Terminal {
    /// A new terminal, and the target's side of it.
    pub(crate) fn open(size: TerminalSize) -> io::Result<(Terminal, OwnedFd)> {
        let (mut master, mut slave) = (-1, -1);
        let size = winsize(size);
        // SAFETY: all pointers are to valid places or null where that is allowed (openpty(3)).
        let result = unsafe {
            libc::openpty(
                &mut master,
                &mut slave,
                std::ptr::null_mut(),
                std::ptr::null(),
                &size,
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: openpty gave us both descriptors; nobody else owns them.
        let (master, slave) =
            unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        for fd in [&master, &slave] {
            // SAFETY: a plain flag on a descriptor of ours: the target must not inherit our side.
            unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        // SAFETY: as above. Input for a target that does not read, as a stopped one, must not keep us.
        unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        Ok((
            Terminal {
                master: File::from(master),
            },
            slave,
        ))
    }

    /// Of a terminal of ours; 80 × 24 where it is not known.
    pub(crate) fn size_of(terminal: &impl AsRawFd) -> TerminalSize {
        let mut size = winsize(TerminalSize {
            columns: 0,
            rows: 0,
        });
        // SAFETY: TIOCGWINSZ writes one winsize to a place that lives through the call.
        unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCGWINSZ, &mut size) };
        let or = |n: u16, usual: u16| if n == 0 { usual } else { n };
        TerminalSize {
            columns: or(size.ws_col, 80),
            rows: or(size.ws_row, 24),
        }
    }

    /// Leaves bytes as the program writes them: the terminal that they are passed on to treats them once.
    pub(crate) fn pass_through(its_side: &OwnedFd) -> io::Result<()> {
        // SAFETY: an all-zero termios is a valid one; both calls use it while it lives.
        let mut settings: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        if unsafe { libc::tcgetattr(its_side.as_raw_fd(), &mut settings) } < 0 {
            return Err(io::Error::last_os_error());
        }
        settings.c_oflag &= !libc::OPOST;
        // SAFETY: as above.
        if unsafe { libc::tcsetattr(its_side.as_raw_fd(), libc::TCSANOW, &settings) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// For reading the target's output; EIO at its end, `WouldBlock` when there is none yet.
    pub fn stream(&self) -> io::Result<File> {
        self.master.try_clone()
    }

    /// Types this. A target that does not read its input loses what exceeds the terminal's buffer, as in any terminal.
    pub fn type_in(&self, bytes: &[u8]) {
        let mut left = bytes;
        while let Ok(taken @ 1..) = (&self.master).write(left) {
            left = &left[taken..];
        }
    }

    pub fn resize(&self, size: TerminalSize) {
        // SAFETY: TIOCSWINSZ reads one winsize; a failure leaves the old size.
        unsafe { libc::ioctl(self.master.as_raw_fd(), libc::TIOCSWINSZ, &winsize(size)) };
    }
}

fn winsize(size: TerminalSize) -> libc::winsize {
    libc::winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::{LaunchOptions, Output, launch_stopped, wait};

    #[test]
    fn typing_for_a_target_that_does_not_read_keeps_nobody() {
        let size = TerminalSize {
            columns: 80,
            rows: 24,
        };
        let (terminal, _its_side) = Terminal::open(size).unwrap();
        terminal.type_in(&vec![b'x'; 4 << 20]);
        terminal.type_in(&[b'\n'; 100_000]);
    }

    #[test]
    fn the_target_sees_a_terminal_of_the_asked_size() {
        let size = TerminalSize {
            columns: 91,
            rows: 17,
        };
        let stopped = launch_stopped(&LaunchOptions {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "test -t 1 && stty size".into()],
            cwd: None,
            env: vec![],
            terminal: Some(size),
            output: Output::Shared,
        })
        .unwrap();
        let launched = stopped.release().unwrap();
        let mut stream = launched.terminal.as_ref().unwrap().stream().unwrap();
        wait(launched.pid()).unwrap();
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text); // ends with EIO
        assert_eq!(String::from_utf8_lossy(&text).trim(), "17 91");
    }
}
