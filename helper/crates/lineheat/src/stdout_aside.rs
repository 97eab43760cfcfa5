//! Keeps what commands print out of a standard output that is to hold one object.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::dup2_stdout;

/// As long as it lives, standard output is standard error, ours and that of what we start.
pub struct StdoutAside {
    /// None: it could not be put aside.
    kept: Option<OwnedFd>,
}

impl StdoutAside {
    pub fn begin() -> StdoutAside {
        // Above the standard three, and not for the programs that we start.
        let Ok(kept) = fcntl_dupfd_cloexec(io::stdout(), 3) else {
            return StdoutAside { kept: None };
        };
        let _ = dup2_stdout(io::stderr());
        StdoutAside { kept: Some(kept) }
    }
}

impl Drop for StdoutAside {
    fn drop(&mut self) {
        if let Some(kept) = &self.kept {
            let _ = dup2_stdout(kept);
        }
    }
}
