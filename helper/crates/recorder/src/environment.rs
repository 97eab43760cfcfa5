//! What a run says of the machine and of the source tree that it was recorded in.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use machine::kernel_support;
use rustix::time::{ClockId, clock_gettime};
use supervision::Urgency;

use super::git::{GitState, git_state};

/// CLOCK_MONOTONIC, the clock of samples.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

pub fn unix_ns(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as i64)
}

/// Gathered while the target runs: git may take its time in a large tree.
#[derive(Default)]
pub struct Environment {
    pub kernel: String,
    pub cpu: Cpu,
    pub git: Option<GitState>,
    /// What could not be found out, as a sentence.
    pub problem: Option<String>,
}

impl Environment {
    pub fn of(directory: &Path, urgency: &Urgency) -> Environment {
        let (git, problem) = match git_state(directory, urgency) {
            Ok(git) => (git, None),
            Err(why) => (None, Some(why)),
        };
        Environment {
            kernel: kernel_support::release(),
            cpu: cpu(),
            git,
            problem,
        }
    }
}

#[derive(Default)]
pub struct Cpu {
    pub model: String,
    pub count: u32,
}

fn cpu() -> Cpu {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    Cpu {
        model: model.map_or(String::new(), |(_, name)| name.to_owned()),
        count: text.lines().filter(|l| l.starts_with("processor")).count() as u32,
    }
}
