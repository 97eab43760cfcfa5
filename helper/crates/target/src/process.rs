//! A process that is already running.

use std::{fmt, fs, io};

use crate::owner::{own_uid, why_not_allowed};

#[derive(Debug)]
pub enum ProcessError {
    NoSuchProcess(u32),
    NotAllowed(u32),
    KernelThread(u32),
    Other(u32, io::Error),
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchProcess(pid) => write!(f, "there is no process {pid}"),
            Self::NotAllowed(pid) => f.write_str(&why_not_allowed(*pid, own_uid())),
            Self::KernelThread(pid) => {
                write!(f, "process {pid} is a kernel thread and runs no program")
            }
            Self::Other(pid, e) => write!(f, "process {pid}: {e}"),
        }
    }
}

impl std::error::Error for ProcessError {}

/// The threads of a process that runs a program we may look at.
pub fn threads_of(pid: u32) -> Result<Vec<u32>, ProcessError> {
    let error = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => ProcessError::NoSuchProcess(pid),
        io::ErrorKind::PermissionDenied => ProcessError::NotAllowed(pid),
        _ if e.raw_os_error() == Some(libc::ESRCH) => ProcessError::NoSuchProcess(pid),
        _ => ProcessError::Other(pid, e),
    };
    // The kernel answers here whether we may look into the process.
    let maps = fs::read(format!("/proc/{pid}/maps")).map_err(error)?;
    if maps.is_empty() {
        return Err(ProcessError::KernelThread(pid));
    }
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).map_err(error)?;
    let tid = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    Ok(tasks.filter_map(tid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_threads_are_found_and_a_missing_process_is_named() {
        let own = std::process::id();
        assert!(threads_of(own).unwrap().contains(&own));
        let error = threads_of(4_000_000).unwrap_err();
        assert_eq!(error.to_string(), "there is no process 4000000");
    }
}
