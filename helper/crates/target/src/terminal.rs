//! A pseudo-terminal, so that the target behaves as it does in the user's terminal (line buffering, colours, input).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    OptionalActions, OutputModes, Winsize, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
};

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
        // Neither side is for the programs that other threads start meanwhile.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        unlockpt(&master)?;
        let slave = ioctl_tiocgptpeer(&master, flags)?;
        tcsetwinsize(&master, winsize(size))?;
        // Input for a target that does not read, as a stopped one, must not keep us.
        fcntl_setfl(&master, OFlags::NONBLOCK)?;
        Ok((
            Terminal {
                master: File::from(master),
            },
            slave,
        ))
    }

    /// Of a terminal of ours; 80 × 24 where it is not known.
    pub(crate) fn size_of(terminal: &impl AsFd) -> TerminalSize {
        let size = tcgetwinsize(terminal);
        let or = |n: u16, usual: u16| if n == 0 { usual } else { n };
        TerminalSize {
            columns: or(size.map_or(0, |size| size.ws_col), 80),
            rows: or(size.map_or(0, |size| size.ws_row), 24),
        }
    }

    /// Leaves bytes as the program writes them: the terminal that they are passed on to treats them once.
    pub(crate) fn pass_through(its_side: &OwnedFd) -> io::Result<()> {
        let mut settings = tcgetattr(its_side)?;
        settings.output_modes.remove(OutputModes::OPOST);
        Ok(tcsetattr(its_side, OptionalActions::Now, &settings)?)
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
        // A failure leaves the old size.
        let _ = tcsetwinsize(&self.master, winsize(size));
    }
}

fn winsize(size: TerminalSize) -> Winsize {
    Winsize {
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
            called_as: None,
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
