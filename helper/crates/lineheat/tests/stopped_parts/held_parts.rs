//! Holds one of the processes that take part in a recording: stopped, frozen or blocked.

#![allow(dead_code)] // Each test program uses a part.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::executables::{copy_executable, write_script};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Stopped,
    /// By the freezer of the second version of control groups.
    Frozen,
}

/// A control group whose processes are frozen.
pub struct Freezer(PathBuf);

impl Freezer {
    /// None where this machine lets us make none; said then.
    pub fn new() -> Option<Freezer> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("lineheat-held-{}-{number}", std::process::id());
        for folder in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
            let group = Path::new(folder).join(&name);
            if fs::create_dir(&group).is_err() {
                continue;
            }
            // Beside the first version it is a folder like any other.
            let switch = group.join("cgroup.freeze");
            if switch.exists() && fs::write(switch, "1").is_ok() {
                return Some(Freezer(group));
            }
            let _ = fs::remove_dir(group);
        }
        eprintln!("SKIPPED: no control group can be frozen here.");
        None
    }

    fn procs(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }

    fn take(&self, pid: u32) {
        // It may have ended by itself.
        let _ = fs::write(self.procs(), pid.to_string());
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        let _ = fs::write(self.0.join("cgroup.freeze"), "0");
        let deadline = Instant::now() + Duration::from_secs(5);
        while fs::remove_dir(&self.0).is_err() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// With what it takes for [`How`].
pub struct Holder(Option<Freezer>);

impl Holder {
    pub fn of(how: How) -> Option<Holder> {
        match how {
            How::Stopped => Some(Holder(None)),
            How::Frozen => Freezer::new().map(|freezer| Holder(Some(freezer))),
        }
    }

    /// To move a process to another group takes a while: it is stopped meanwhile, so that it is held at once.
    pub fn hold(&self, pid: u32) {
        // SAFETY: kill has no memory preconditions.
        unsafe { libc::kill(pid as i32, libc::SIGSTOP) };
        if let Some(freezer) = &self.0 {
            freezer.take(pid);
            // SAFETY: as above.
            unsafe { libc::kill(pid as i32, libc::SIGCONT) };
        }
    }

    /// A line for sh by which a process holds itself.
    pub fn holds_itself(&self) -> String {
        match &self.0 {
            None => "kill -STOP $$".to_owned(),
            Some(freezer) => format!("echo $$ > {}", freezer.procs().display()),
        }
    }
}

/// Children whose command line or name holds this.
pub fn children(parent: u32, kind: &str) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let all: Vec<u32> = lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect();
    let is_kind = |pid: &u32| {
        let of = |file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let text = [of("cmdline"), of("comm")].concat();
        String::from_utf8_lossy(&text).contains(kind)
    };
    all.into_iter().filter(is_kind).collect()
}

/// One child of this kind, as soon as it is there.
pub fn child(parent: u32, kind: &str) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(pid) = children(parent, kind).first() {
            return *pid;
        }
        assert!(Instant::now() < deadline, "no {kind} below {parent}");
        thread::sleep(Duration::from_millis(1));
    }
}

pub fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Processes that were started with this variable in their environment.
pub fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("mounted").flatten();
    let is_marked = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark.as_bytes())
    };
    processes
        .filter(|entry| is_marked(&entry.path()))
        .map(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            format!(
                "{:?}: {}",
                entry.file_name(),
                String::from_utf8_lossy(&line)
            )
        })
        .collect()
}

/// A copy of the engine whose sampler, before it is the real one, does this.
pub fn engine_with_sampler(folder: &Path, first: &str) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_lineheat"));
    let engine = folder.join("lineheat");
    copy_executable(own, &engine);
    let real = own.with_file_name("lineheat-sampler");
    write_script(
        &folder.join("lineheat-sampler"),
        &format!("{first}\nexec {}", real.display()),
    );
    Command::new(engine)
}
