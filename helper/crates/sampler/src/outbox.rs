//! Messages for the engine, written without ever waiting for it: while it is busy they are kept here, so that the kernel's
//! rings are emptied in time.

use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Beyond it the rings are left to fill, and what they lose is counted: some 100,000 samples.
const BYTES_MAX: usize = 64 << 20;

/// Of the pipe, where the kernel allows it: the engine is then woken less often.
const PIPE_BYTES: i32 = 1 << 20;

/// How long an engine that has closed its end is waited for to read the rest.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub struct Outbox<'a> {
    pipe: BorrowedFd<'a>,
    bytes: Vec<u8>,
    sent: usize,
}

impl<'a> Outbox<'a> {
    pub fn new(pipe: BorrowedFd<'a>) -> io::Result<Outbox<'a>> {
        // SAFETY: these requests take plain numbers.
        unsafe {
            let flags = libc::fcntl(pipe.as_raw_fd(), libc::F_GETFL);
            if libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) != 0 {
                return Err(io::Error::last_os_error());
            }
            libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES);
        }
        Ok(Outbox {
            pipe,
            bytes: Vec::new(),
            sent: 0,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() - self.sent >= BYTES_MAX
    }

    /// To be waited for when there is something to send.
    pub fn pollfd(&self) -> libc::pollfd {
        libc::pollfd {
            fd: if self.is_empty() {
                -1
            } else {
                self.pipe.as_raw_fd()
            },
            events: libc::POLLOUT,
            revents: 0,
        }
    }

    /// Sends all, as long as the engine holds `input` open; a moment longer when it has closed that.
    ///
    /// # Errors
    /// When the engine does not read any more.
    pub fn finish(&mut self, input: BorrowedFd) -> io::Result<()> {
        let mut closed: Option<Instant> = None;
        loop {
            self.flush()?;
            if self.is_empty() {
                return Ok(());
            }
            let mut fds = [
                self.pollfd(),
                libc::pollfd {
                    fd: if closed.is_some() {
                        -1
                    } else {
                        input.as_raw_fd()
                    },
                    events: 0, // the end alone
                    revents: 0,
                },
            ];
            let timeout = closed.map_or(-1, |since| {
                LAST_WORDS.saturating_sub(since.elapsed()).as_millis() as i32
            });
            // SAFETY: fds is a live array of the length that is passed.
            let ready = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, timeout) };
            if fds[1].revents != 0 {
                closed = Some(Instant::now());
            }
            if ready == 0 && closed.is_some() {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}

impl Write for Outbox<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Sends what the pipe has room for.
    fn flush(&mut self) -> io::Result<()> {
        while !self.is_empty() {
            let unsent = &self.bytes[self.sent..];
            // SAFETY: unsent is a live buffer of the length that is passed.
            let n =
                unsafe { libc::write(self.pipe.as_raw_fd(), unsent.as_ptr().cast(), unsent.len()) };
            match n {
                0.. => self.sent += n as usize,
                _ => match io::Error::last_os_error() {
                    e if e.kind() == io::ErrorKind::WouldBlock => break,
                    e if e.kind() == io::ErrorKind::Interrupted => {}
                    e => return Err(e),
                },
            }
        }
        // Moving what is left costs no more than sending as much has cost.
        if self.sent >= self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn what_a_full_pipe_does_not_take_is_kept_and_sent_later() {
        let (mut reader, writer) = io::pipe().unwrap();
        let (input, _engine) = io::pipe().unwrap();
        let mut out = Outbox::new(writer.as_fd()).unwrap();
        let message: Vec<u8> = (0..3 << 20).map(|i| (i % 251) as u8).collect();
        out.write_all(&message).unwrap();
        out.flush().unwrap();
        assert!(!out.is_empty());
        let read = std::thread::spawn(move || {
            let mut bytes = vec![0; 3 << 20];
            reader.read_exact(&mut bytes).map(|()| bytes)
        });
        out.finish(input.as_fd()).unwrap();
        assert!(out.is_empty());
        assert_eq!(read.join().unwrap().unwrap(), message);
    }

    #[test]
    fn nobody_is_waited_for_who_has_closed_the_input_and_does_not_read() {
        let (_reader, writer) = io::pipe().unwrap();
        let (input, engine) = io::pipe().unwrap();
        drop(engine);
        let mut out = Outbox::new(writer.as_fd()).unwrap();
        out.write_all(&vec![0; 3 << 20]).unwrap();
        let ended = out.finish(input.as_fd());
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
