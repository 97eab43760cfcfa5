//! Whether `/proc` speaks of processes by the numbers that this process itself uses. It does not where a PID namespace was
//! entered without a `/proc` of its own: every number in it is then another process's, or nobody's.

use std::fs;
use std::path::{Path, PathBuf};

use super::errors::{RecordError, RecordErrorKind};

/// The inode of the initial PID namespace (PROC_PID_INIT_INO, include/linux/proc_ns.h).
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";

/// # Errors
/// When `/proc` is missing or is another namespace's.
pub fn check_proc() -> Result<(), RecordError> {
    check(fs::read_link("/proc/self").ok(), std::process::id())
}

fn check(own_entry: Option<PathBuf>, own_pid: u32) -> Result<(), RecordError> {
    let refused = |message: String| {
        Err(RecordError {
            kind: RecordErrorKind::Unsupported,
            message,
            advice: "Mount the /proc of this PID namespace: mount -t proc proc /proc. With unshare, add --mount-proc.".to_owned(),
        })
    };
    match own_entry {
        Some(entry) if entry == Path::new(&own_pid.to_string()) => Ok(()),
        Some(entry) => refused(format!(
            "cannot record: /proc belongs to another PID namespace (it shows this process as {}, but its PID here is {own_pid})",
            entry.display()
        )),
        None => refused("cannot record: /proc is not mounted".to_owned()),
    }
}

/// Inside a container, as a rule: processes outside of it cannot be seen.
pub fn is_nested() -> bool {
    let own = fs::read_link("/proc/self/ns/pid");
    own.is_ok_and(|own| own != Path::new(INITIAL_PID_NAMESPACE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proc_that_numbers_us_otherwise_is_refused() {
        assert_eq!(check(Some("12".into()), 12), Ok(()));
        let error = check(Some("4711".into()), 12).unwrap_err();
        assert!(error.message.contains("another PID namespace"), "{error}");
        assert!(check(None, 12).unwrap_err().message.contains("not mounted"));
    }
}
