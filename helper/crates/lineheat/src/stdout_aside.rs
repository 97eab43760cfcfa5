//! Keeps what commands print out of a standard output that is to hold one object.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// As long as it lives, standard output is standard error, ours and that of what we start.
pub struct StdoutAside {
    /// None: it could not be put aside.
    kept: Option<OwnedFd>,
}

impl StdoutAside {
    pub fn begin() -> StdoutAside {
        let (out, err) = (io::stdout().as_raw_fd(), io::stderr().as_raw_fd());
        // SAFETY: a copy of an open descriptor, which the programs that we start do not get.
        let copy = unsafe { libc::fcntl(out, libc::F_DUPFD_CLOEXEC, 3) };
        if copy < 0 {
            return StdoutAside { kept: None };
        }
        // SAFETY: fcntl gave us the descriptor; nobody else owns it.
        let kept = unsafe { OwnedFd::from_raw_fd(copy) };
        // SAFETY: both descriptors are open.
        unsafe { libc::dup2(err, out) };
        StdoutAside { kept: Some(kept) }
    }
}

impl Drop for StdoutAside {
    fn drop(&mut self) {
        if let Some(kept) = &self.kept {
            // SAFETY: both descriptors are open.
            unsafe { libc::dup2(kept.as_raw_fd(), io::stdout().as_raw_fd()) };
        }
    }
}
