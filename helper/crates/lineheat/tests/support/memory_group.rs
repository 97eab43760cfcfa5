//! Processes that together may have so much memory: a cgroup, as containers are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// None where this machine lets us make none; said then.
    pub fn of(bytes: u64) -> Option<MemoryGroup> {
        let name = format!("lineheat-test-{}", std::process::id());
        // Version 2 where it has the controller, else version 1.
        for (folder, limit) in [
            ("/sys/fs/cgroup", "memory.max"),
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ] {
            let path = Path::new(folder).join(&name);
            if fs::create_dir(&path).is_err() {
                continue;
            }
            let group = MemoryGroup(path);
            let limit = group.0.join(limit);
            if limit.exists() && fs::write(&limit, bytes.to_string()).is_ok() {
                let _ = fs::write(group.0.join("memory.swap.max"), "0");
                return Some(group);
            }
        }
        eprintln!("SKIPPED: no memory cgroup can be made here.");
        None
    }

    /// `lineheat` with this argument, inside.
    pub fn lineheat(&self, argument: &str) -> Command {
        let procs = self.0.join("cgroup.procs");
        let enter = format!("echo $$ > {} && exec \"$0\" \"$1\"", procs.display());
        let mut command = Command::new("sh");
        command.args(["-c", &enter, env!("CARGO_BIN_EXE_lineheat"), argument]);
        command
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
