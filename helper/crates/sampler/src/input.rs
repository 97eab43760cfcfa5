//! What the engine sends: bytes, by a pipe or a socket, and by a socket also a file (unix(7), `SCM_RIGHTS`).

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Room for the head of one control message and one descriptor.
const CONTROL_WORDS: usize = 4;

/// More files than a recording has with chosen functions.
const FILES_MAX: usize = 256;

#[derive(Default)]
pub struct Input {
    /// Those that came and were not taken yet, in order.
    files: VecDeque<OwnedFd>,
    only_bytes: bool,
}

impl Input {
    /// The file of the next message that has one.
    pub fn take_file(&mut self) -> Option<OwnedFd> {
        self.files.pop_front()
    }

    /// From now on the kernel closes files that come. The system call that receives them is not needed any more.
    pub fn refuse_files(&mut self) {
        self.files.clear();
        self.only_bytes = true;
    }

    /// Of more files than one in a message, the kernel closes those without room.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut part = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        let mut control = [0u64; CONTROL_WORDS];
        // SAFETY: an all-zero msghdr is valid: no name, no buffers.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        // SAFETY: CMSG_SPACE computes with its argument.
        message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as _;
        // SAFETY: message describes one live buffer and live, aligned room for control messages.
        let n = unsafe { libc::recvmsg(self.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
        if n < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: message is as recvmsg left it; a control message of this kind holds at least one descriptor, which is nobody else's.
        unsafe {
            let head = libc::CMSG_FIRSTHDR(&message);
            if !head.is_null()
                && (*head).cmsg_level == libc::SOL_SOCKET
                && (*head).cmsg_type == libc::SCM_RIGHTS
            {
                let fd = libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned();
                let file = OwnedFd::from_raw_fd(fd);
                if self.files.len() < FILES_MAX {
                    self.files.push_back(file);
                }
            }
        }
        Ok(n as usize)
    }
}

impl AsRawFd for Input {
    fn as_raw_fd(&self) -> RawFd {
        libc::STDIN_FILENO
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.only_bytes {
            match self.receive(buffer) {
                Err(e) if e.raw_os_error() == Some(libc::ENOTSOCK) => self.only_bytes = true,
                received => return received,
            }
        }
        // SAFETY: buffer is live and of the length that is passed.
        let n = unsafe { libc::read(self.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        match n {
            0.. => Ok(n as usize),
            _ => match io::Error::last_os_error() {
                // It was closed: libc has put something in its place that can only be written to.
                e if e.raw_os_error() == Some(libc::EBADF) => Ok(0),
                e => Err(e),
            },
        }
    }
}
