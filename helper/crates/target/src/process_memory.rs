//! The memory of a process that runs (proc(5), `/proc/PID/mem`): to be read, and changed by one byte.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

use user_files::invoker;

/// Of the program that the process runs when this is opened. Once it executes another one, nothing is read or written any more, so
/// what is checked and what is changed is always of one program.
#[derive(Debug)]
pub struct ProcessMemory(File);

impl ProcessMemory {
    /// # Errors
    /// No such process, or not one that the user may change: the kernel decides, and for root behind sudo the process's users.
    pub fn open(pid: u32) -> io::Result<ProcessMemory> {
        let path = format!("/proc/{pid}/mem");
        let memory = OpenOptions::new().read(true).write(true).open(path)?;
        // The kernel asks for our rights, which under sudo are more than the user's.
        if let Some(user) = invoker() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
            if !is_all_of(&status, user.uid) {
                return Err(io::Error::from(io::ErrorKind::PermissionDenied));
            }
        }
        Ok(ProcessMemory(memory))
    }

    /// # Errors
    /// The process runs another program now, or has nothing there.
    pub fn read<const N: usize>(&self, address: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(bytes)
    }

    /// # Errors
    /// As [`ProcessMemory::read`].
    pub fn read_all(&self, address: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(bytes)
    }

    /// A byte is written at once: no thread of the process sees a part of it.
    ///
    /// # Errors
    /// As [`ProcessMemory::read`].
    pub fn write_byte(&self, address: u64, byte: u8) -> io::Result<()> {
        self.0.write_all_at(&[byte], address)
    }
}

/// Whether the real, effective, saved and file-system user of a process are this one.
fn is_all_of(status: &str, uid: u32) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    let uids = line.map(|line| line.split_whitespace().map(str::parse));
    uids.is_some_and(|mut uids| uids.all(|found| found == Ok(uid)))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_byte_of_a_child_is_changed_and_read_again() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let maps = || std::fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap();
        while !maps().contains("libc") {
            std::thread::yield_now();
        }
        let maps = maps();
        let stack = maps.lines().find(|line| line.contains("[stack]")).unwrap();
        let start = u64::from_str_radix(stack.split('-').next().unwrap(), 16).unwrap();
        let memory = ProcessMemory::open(child.id()).unwrap();
        assert_eq!(memory.read::<2>(start).unwrap(), [0, 0]);
        memory.write_byte(start + 1, 7).unwrap();
        assert_eq!(memory.read_all(start, 3).unwrap(), [0, 7, 0]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(memory.read::<1>(start).is_err(), "it has ended");
        assert!(memory.write_byte(start, 1).is_err());
    }

    #[test]
    fn what_was_opened_before_an_exec_does_not_reach_the_next_program() {
        let mut child = Command::new("sh")
            .args(["-c", "read line; exec sleep 100"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let name = || std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
        while name() != "sh\n" {
            std::thread::yield_now();
        }
        let memory = ProcessMemory::open(child.id()).unwrap();
        drop(child.stdin.take());
        while name() != "sleep\n" {
            std::thread::yield_now();
        }
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap();
        let start = u64::from_str_radix(maps.split('-').next().unwrap(), 16).unwrap();
        assert!(memory.read::<1>(start).is_err());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_is_a_users_only_with_all_four_ids() {
        assert!(is_all_of("Name:\tx\nUid:\t7\t7\t7\t7\nGid:\t1\n", 7));
        assert!(!is_all_of("Uid:\t7\t0\t7\t7\n", 7));
        assert!(!is_all_of("Name:\tx\n", 7));
    }
}
