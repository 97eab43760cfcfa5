//! Runs a command with what it may take: its output, CPU time and peak memory.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// CPU time of one command on one file, whatever else the machine does meanwhile.
pub const CPU_TIME_MAX: Duration = Duration::from_secs(10);
/// After this it hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const MEMORY_BYTES_MAX: u64 = 1 << 30;

pub struct Measured {
    /// `None`: ended by a signal, as a command is that hangs.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub cpu_time: Duration,
    pub peak_bytes: u64,
}

#[expect(
    clippy::zombie_processes,
    reason = "wait4 waits, and tells what was used"
)]
pub fn measured(command: &mut Command, patience: Duration) -> Measured {
    let mut child = (command.process_group(0).stdin(Stdio::null()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let stdout = read_all(child.stdout.take().expect("piped"));
    let stderr = read_all(child.stderr.take().expect("piped"));
    let deadline = Instant::now() + patience;
    let mut peak_bytes = 0;
    let (status, usage) = loop {
        // Not `ru_maxrss`: that begins with what this process, from which the child was forked, had in memory.
        peak_bytes = peak_bytes.max(peak_bytes_of(child.id()));
        if let Some(ended) = ended(child.id()) {
            break ended;
        }
        if Instant::now() > deadline {
            // With its children: `go tool pprof` is one of `go`.
            // SAFETY: kill(2) has no preconditions; the group is that of our child, who is not waited for yet.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Measured {
        status: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        stdout: stdout.join().expect("read"),
        stderr: String::from_utf8_lossy(&stderr.join().expect("read")).into_owned(),
        cpu_time: time(usage.ru_utime) + time(usage.ru_stime),
        peak_bytes,
    }
}

fn read_all(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

fn ended(pid: u32) -> Option<(i32, libc::rusage)> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is one without any use.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are ours; the child is waited for here only.
    let got = unsafe { libc::wait4(pid as i32, &mut status, libc::WNOHANG, &mut usage) };
    assert!(got >= 0, "{}", io::Error::last_os_error());
    (got > 0).then_some((status, usage))
}

fn time(value: libc::timeval) -> Duration {
    Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
}

/// The most that a living process had in memory.
pub fn peak_bytes_of(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.map_or(0, |kib| kib * 1024)
}
