//! Waits and bounds that hold on a machine with other work: by the CPU time of a process, and without the time that a
//! process waited for a CPU.
#![allow(dead_code)] // Each test program uses a part.

use std::fs;
use std::time::{Duration, Instant};

/// So long somebody else may keep all CPUs; whoever waits for more is stuck.
const PATIENCE: Duration = Duration::from_secs(120);
/// `/proc/PID/stat` counts in ticks of this length, on every architecture (proc(5)).
const TICK: Duration = Duration::from_millis(10);

/// User and system time of a process so far; zero when it is gone.
pub fn cpu_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let field = |at: usize| after_name.split(' ').nth(at)?.parse::<u32>().ok();
    // utime and stime are fields 14 and 15; the third is the first after the name.
    TICK * (field(11).unwrap_or(0) + field(12).unwrap_or(0))
}

/// Waits until the process has used so much more CPU time.
pub fn wait_for_cpu_time(pid: u32, more: Duration) {
    let wanted = cpu_time(pid) + more;
    let started = Instant::now();
    while cpu_time(pid) < wanted {
        assert!(
            std::path::Path::new(&format!("/proc/{pid}")).exists(),
            "process {pid} has ended before it used {wanted:?}"
        );
        assert!(
            started.elapsed() < PATIENCE,
            "process {pid} has used {:?} of {wanted:?}",
            cpu_time(pid)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// For how many seconds to record a process that is always busy so that it uses about so much CPU time, as an argument.
pub fn duration_for(pid: u32, wanted: Duration) -> String {
    let tried = Duration::from_millis(100);
    let started = Instant::now();
    wait_for_cpu_time(pid, tried);
    let slower = started.elapsed().as_secs_f64() / tried.as_secs_f64();
    format!(
        "{:.1}",
        wanted.as_secs_f64() * slower.clamp(1.0, 100.0) + 0.2
    )
}

/// What takes so long on a quiet machine, as seconds on this one: as much longer as a busy thread takes here now.
pub fn slowed(quiet: Duration) -> String {
    let ran = || {
        let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
        let ns = stat.split_whitespace().next().expect("nanoseconds first");
        Duration::from_nanos(ns.parse().expect("a number"))
    };
    let tried = Duration::from_millis(100);
    let (started, before) = (Instant::now(), ran());
    while ran() - before < tried {}
    let slower = started.elapsed().as_secs_f64() / tried.as_secs_f64();
    format!("{:.1}", quiet.as_secs_f64() * slower.clamp(1.0, 100.0))
}

/// The process below `parent`, at any depth, that has this name; waits until it is there.
pub fn descendant_named(parent: u32, name: &str) -> u32 {
    let started = Instant::now();
    loop {
        if let Some(pid) = descendants(parent)
            .into_iter()
            .find(|pid| name_of(*pid) == name)
        {
            return pid;
        }
        assert!(started.elapsed() < PATIENCE, "{parent} starts no {name}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn name_of(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

fn descendants(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task"));
    let children = (tasks.into_iter().flatten().flatten()).flat_map(|task| {
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
        pids.collect::<Vec<u32>>()
    });
    let children: Vec<u32> = children.collect();
    let below = children.iter().flat_map(|pid| descendants(*pid));
    below.chain(children.iter().copied()).collect()
}

/// Time that passes for some processes and for the thread that watches them: what they waited for a CPU is left out.
pub struct OwnTime {
    started: Instant,
    pids: Vec<u32>,
    delay: Duration,
    /// The longest that was seen: a process that is gone tells nothing any more.
    delay_now: std::cell::Cell<Duration>,
}

impl OwnTime {
    pub fn of(pids: &[u32]) -> OwnTime {
        let delay = delay_of(pids);
        OwnTime {
            started: Instant::now(),
            pids: pids.to_vec(),
            delay,
            delay_now: delay.into(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.delay_now
            .set(self.delay_now.get().max(delay_of(&self.pids)));
        let waited = self.delay_now.get().saturating_sub(self.delay);
        self.started.elapsed().saturating_sub(waited)
    }
}

/// Second number of schedstat: nanoseconds on the run queue (Documentation/scheduler/sched-stats.rst of Linux).
fn delay_of(pids: &[u32]) -> Duration {
    let tasks = pids.iter().flat_map(|pid| {
        let tasks = fs::read_dir(format!("/proc/{pid}/task"));
        let tasks = tasks.into_iter().flatten().flatten();
        tasks.map(|task| task.path()).collect::<Vec<_>>()
    });
    let delay = |folder: std::path::PathBuf| {
        let stat = fs::read_to_string(folder.join("schedstat")).unwrap_or_default();
        let waited = stat.split_whitespace().nth(1);
        waited.and_then(|ns| ns.parse().ok()).unwrap_or(0)
    };
    let own = std::iter::once("/proc/thread-self".into());
    Duration::from_nanos(tasks.chain(own).map(delay).sum())
}
