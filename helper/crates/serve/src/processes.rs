//! Running processes that the user may profile.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::param::clock_ticks_per_second;
use user_files::accounts::user_names;
use wire::{Process, ProcessList};

/// Longer command lines are cut where they are shown.
const COMMAND_LINE_BYTES_MAX: usize = 4096;

/// The user's own processes (everyone's for root) that run a program, newest first; kernel threads and this process
/// are left out. A process that ends meanwhile is skipped.
pub fn list() -> ProcessList {
    let own_uid = rustix::process::geteuid().as_raw();
    let users = user_names();
    let boot_ms = boot_time_ms();
    let ticks_per_second = clock_ticks_per_second().max(1);
    let mut processes: Vec<Process> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let uid = entry.metadata().ok()?.uid();
            if pid == std::process::id() || (own_uid != 0 && uid != own_uid) {
                return None;
            }
            let folder = entry.path();
            let stat = fs::read_to_string(folder.join("stat")).ok()?;
            let stat = ProcessStat::parse(&stat)?;
            let command_line = command_line(&fs::read(folder.join("cmdline")).ok()?);
            // A kernel thread has no command line, and a dead process has nothing left to sample.
            if command_line.is_empty() || stat.is_dead {
                return None;
            }
            Some(Process {
                pid,
                name: stat.name,
                command_line,
                user: users.get(&uid).cloned().unwrap_or_else(|| uid.to_string()),
                started_unix_ms: boot_ms + stat.start_ticks.saturating_mul(1000) / ticks_per_second,
            })
        })
        .collect();
    processes.sort_by_key(|process| std::cmp::Reverse((process.started_unix_ms, process.pid)));
    ProcessList { processes }
}

#[derive(Debug, PartialEq, Eq)]
struct ProcessStat {
    name: String,
    is_dead: bool,
    /// Since boot.
    start_ticks: u64,
}

impl ProcessStat {
    /// Parses `/proc/PID/stat` (proc_pid_stat(5)). The name may itself have parentheses and spaces.
    fn parse(text: &str) -> Option<ProcessStat> {
        let (before, after) = text.rsplit_once(") ")?;
        let name = before.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = after.split_ascii_whitespace().collect();
        Some(ProcessStat {
            name,
            is_dead: matches!(*fields.first()?, "Z" | "X"),
            // Field 22 of the whole line; the first after the name is field 3.
            start_ticks: fields.get(22 - 3)?.parse().ok()?,
        })
    }
}

fn command_line(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(COMMAND_LINE_BYTES_MAX)];
    let text = String::from_utf8_lossy(cut);
    text.trim_end_matches('\0').replace('\0', " ")
}

fn boot_time_ms() -> u64 {
    fs::read_to_string("/proc/stat")
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("btime ")?.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1000
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_name_may_have_parentheses() {
        let fields = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(
            ProcessStat::parse(&format!("42 (a) (b c)) {fields}")),
            Some(ProcessStat {
                name: "a) (b c)".to_owned(),
                is_dead: false,
                start_ticks: 777
            })
        );
        assert_eq!(ProcessStat::parse("42 (a"), None);
    }

    #[test]
    fn a_child_is_listed_with_its_start() {
        let mut child = Command::new("sh")
            .args(["-c", "echo; read word"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Its command line is in place when it runs, a moment after it was started.
        let mut word = [0];
        child.stdout.take().unwrap().read_exact(&mut word).unwrap();
        let listed = list();
        child.kill().unwrap();
        child.wait().unwrap();
        let found = listed
            .processes
            .iter()
            .find(|process| process.pid == child.id())
            .unwrap();
        assert_eq!(found.command_line, "sh -c echo; read word");
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        assert!(now.as_millis().abs_diff(u128::from(found.started_unix_ms)) < 5000);
        assert!(
            listed
                .processes
                .iter()
                .all(|process| process.pid != std::process::id())
        );
    }
}
