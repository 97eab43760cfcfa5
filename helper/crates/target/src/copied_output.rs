//! Output that the program shares with us, led past us so that it can be read: over a terminal where ours is one, so that
//! the program behaves as it would, over a pipe otherwise. Input stays shared.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::fstat;

use crate::terminal::{Terminal, TerminalSize};

/// One of the program's two outputs, or both when ours are the same.
pub struct CopiedOutput {
    from: From,
    to: File,
    size: Option<TerminalSize>,
}

enum From {
    Terminal(Terminal),
    Pipe(File),
}

impl CopiedOutput {
    /// For our standard output and error, with the program's sides of them.
    pub(crate) fn open() -> io::Result<(Vec<CopiedOutput>, [OwnedFd; 2])> {
        let (out, err) = (io::stdout(), io::stderr());
        let (first, its_out) = CopiedOutput::of(&out)?;
        if same_file(&out, &err) {
            let its_err = its_out.try_clone()?;
            return Ok((vec![first], [its_out, its_err]));
        }
        let (second, its_err) = CopiedOutput::of(&err)?;
        Ok((vec![first, second], [its_out, its_err]))
    }

    fn of(own: &(impl AsFd + IsTerminal)) -> io::Result<(CopiedOutput, OwnedFd)> {
        let to = File::from(own.as_fd().try_clone_to_owned()?);
        if !own.is_terminal() {
            let (reader, writer) = io::pipe()?;
            let from = From::Pipe(File::from(OwnedFd::from(reader)));
            let size = None;
            return Ok((CopiedOutput { from, to, size }, writer.into()));
        }
        let size = Terminal::size_of(own);
        let (terminal, its_side) = Terminal::open(size)?;
        Terminal::pass_through(&its_side)?;
        let copied = CopiedOutput {
            from: From::Terminal(terminal),
            to,
            size: Some(size),
        };
        Ok((copied, its_side))
    }

    /// For reading what the program prints. A terminal ends with EIO, and says `WouldBlock` when there is nothing yet.
    pub fn stream(&self) -> io::Result<File> {
        match &self.from {
            From::Terminal(terminal) => terminal.stream(),
            From::Pipe(pipe) => pipe.try_clone(),
        }
    }

    /// Passes on what was read. A reader of ours that has gone is no reason to end the program.
    pub fn pass_on(&mut self, bytes: &[u8]) {
        let _ = self.to.write_all(bytes);
    }

    /// Makes the program's terminal as large as ours is now.
    pub fn follow_size(&mut self) {
        if let (From::Terminal(terminal), Some(known)) = (&self.from, &mut self.size) {
            let now = Terminal::size_of(&self.to);
            if now != *known {
                *known = now;
                terminal.resize(now);
            }
        }
    }
}

fn same_file(a: &impl AsFd, b: &impl AsFd) -> bool {
    match (fstat(a), fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use crate::{LaunchOptions, Output, launch_stopped, wait};

    /// Under cargo the output of a test is no terminal, or one; either way the program prints as it would without us.
    #[test]
    fn what_the_program_prints_can_be_read() {
        let stopped = launch_stopped(&LaunchOptions {
            program: "/bin/sh".into(),
            called_as: None,
            args: vec!["-c".into(), "printf 'a\\nb'; printf c >&2".into()],
            cwd: None,
            env: vec![],
            terminal: None,
            output: Output::Copied,
        })
        .unwrap();
        let launched = stopped.release().unwrap();
        wait(launched.pid()).unwrap();
        let mut read = Vec::new();
        for copied in &launched.copied {
            let mut text = Vec::new();
            let _ = copied.stream().unwrap().read_to_end(&mut text);
            read.push(String::from_utf8(text).unwrap());
        }
        assert_eq!(read.concat(), "a\nbc");
    }
}
