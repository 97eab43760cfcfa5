//! A command with all that it has started, to be ended together, as Ctrl+C in a terminal ends the foreground job.
//!
//! To it belong its descendants in the session that it was started in, and all of a session of its own. Whoever has left
//! for another session (`setsid`, daemons) is left alone, as a terminal leaves it alone. A process group would not do: ours is
//! shared with the rest of a script or pipeline, and a command in another one would lose the terminal's Ctrl+C and
//! input, and survive whoever kills our group.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use rustix::time::{ClockId, clock_gettime};

use crate::process_stat::{ProcessStat, TICK_NS};

/// A child is heard of a moment after its birth, which the kernel tells in ticks.
const BIRTH_WITHIN_NS: u64 = 3 * TICK_NS;
/// Looking at all processes takes its time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Empty until a command is launched: of processes that were attached to, none is ever signalled.
#[derive(Debug, Default)]
pub struct Job {
    own_session: u32,
    /// The launched commands: by number, when they were born. They may lead sessions.
    commands: HashMap<u32, u64>,
    /// All that were heard of or seen, the commands among them. In nanoseconds since the machine was started.
    born_ns: HashMap<u32, u64>,
    /// Of so many, those that have ended are forgotten.
    known_max: usize,
    /// When the job was asked to end.
    asked_ns: Option<u64>,
    asked: HashSet<Process>,
    refused: HashSet<Process>,
    is_left: bool,
    looked: Option<Instant>,
}

/// Births that are kept without looking who has ended.
const KNOWN_MAX: usize = 4096;

/// Number and birth.
type Process = (u32, u64);

impl Job {
    /// The process is the command's, which waits before its first instruction.
    pub fn launched(&mut self, pid: u32) {
        self.own_session = ProcessStat::own_session();
        if let Some(command) = ProcessStat::of(pid) {
            self.commands.insert(pid, born_ns(&command));
            self.born_ns.insert(pid, born_ns(&command));
        }
    }

    /// A descendant of a command was born at this time of CLOCK_MONOTONIC: it is known when its parent has ended, too.
    pub fn heard_of(&mut self, pid: u32, monotonic_ns: u64) {
        if self.commands.is_empty() {
            return;
        }
        let suspended_ns = now_ns(ClockId::Boottime).saturating_sub(now_ns(ClockId::Monotonic));
        self.born_ns.insert(pid, monotonic_ns + suspended_ns);
        if self.born_ns.len() >= self.known_max.max(KNOWN_MAX) {
            self.forget_ended(&ProcessStat::all());
        }
    }

    /// What is reported as an end may be that of its sampling, as when a program gains rights: so it is looked at.
    fn forget_ended(&mut self, all: &[ProcessStat]) {
        let mut known = std::mem::take(&mut self.born_ns);
        let of = |process: &ProcessStat| known.remove_entry(&process.pid);
        self.born_ns = all.iter().filter_map(of).collect();
        self.known_max = 2 * self.born_ns.len();
    }

    pub fn is_asked(&self) -> bool {
        self.asked_ns.is_some()
    }

    /// Sends SIGTERM to each process of the job, once. Call it until all have ended: it reaches only those that are known by then.
    ///
    /// Processes that begin after the first call get none: they may be the clean-up of those that got it.
    pub fn ask(&mut self) {
        let asked_ns = *(self.asked_ns).get_or_insert_with(|| now_ns(ClockId::Boottime));
        if !self.may_look() {
            return;
        }
        for process in self.living() {
            let is_later = born_ns(&process) > asked_ns + TICK_NS;
            if is_later || !self.asked.insert(identity(&process)) {
                continue;
            }
            self.signal(&process, Signal::TERM);
            if process.state == 'T' {
                self.signal(&process, Signal::CONT);
            }
        }
    }

    /// Sends SIGKILL to each process of the job. Call it until all have ended: new ones may begin meanwhile. False: nothing was
    /// sent, because the last call was a moment ago.
    pub fn kill(&mut self) -> bool {
        if !self.may_look() {
            return false;
        }
        for process in self.living() {
            self.signal(&process, Signal::KILL);
        }
        true
    }

    /// Whether there is somebody to be waited for: one that may be signalled.
    pub fn lives(&mut self) -> bool {
        !self.is_left && !self.not_ended().is_empty()
    }

    /// Nothing is waited for any more. Gives those that go on, except for the refused ones.
    pub fn leave(&mut self) -> Vec<u32> {
        self.is_left = true;
        self.not_ended()
    }

    /// Those that go on because we may not signal them, as under sudo.
    pub fn refused(&mut self) -> Vec<u32> {
        if self.refused.is_empty() {
            return Vec::new();
        }
        let mut living = self.living();
        living.retain(|process| self.refused.contains(&identity(process)));
        living.iter().map(|process| process.pid).collect()
    }

    fn not_ended(&mut self) -> Vec<u32> {
        let mut living = self.living();
        living.retain(|process| !self.refused.contains(&identity(process)));
        living.iter().map(|process| process.pid).collect()
    }

    fn may_look(&mut self) -> bool {
        let may = self.looked.is_none_or(|at| at.elapsed() >= LOOK_EVERY);
        if may {
            self.looked = Some(Instant::now());
        }
        may
    }

    /// By number.
    fn living(&mut self) -> Vec<ProcessStat> {
        if self.commands.is_empty() {
            return Vec::new();
        }
        let mut found = self.members(&ProcessStat::all());
        for process in &found {
            self.born_ns.insert(process.pid, born_ns(process));
        }
        found.retain(|process| !process.has_ended());
        found.sort_unstable_by_key(|process| process.pid);
        found
    }

    fn members(&mut self, all: &[ProcessStat]) -> Vec<ProcessStat> {
        let mut children: HashMap<u32, Vec<&ProcessStat>> = HashMap::new();
        for process in all {
            children.entry(process.parent).or_default().push(process);
            // Whoever has the number of a command that has ended leads a session of its own.
            if (self.commands.get(&process.pid)).is_some_and(|born| !is_born(process, *born)) {
                self.commands.remove(&process.pid);
            }
        }
        let leads = |process: &ProcessStat| self.commands.contains_key(&process.session);
        let stays = |process: &ProcessStat| process.session == self.own_session || leads(process);
        let is_known = |process: &ProcessStat| {
            let born = self.born_ns.get(&process.pid);
            born.is_some_and(|born| is_born(process, *born))
        };
        let is_member = |p: &&ProcessStat| leads(p) || stays(p) && is_known(p);
        let mut found: Vec<ProcessStat> = all.iter().filter(is_member).copied().collect();
        let mut numbers: HashSet<u32> = found.iter().map(|process| process.pid).collect();
        let mut looked_at = 0;
        while let Some(parent) = found.get(looked_at).map(|parent| parent.pid) {
            looked_at += 1;
            let born = children.get(&parent).into_iter().flatten();
            found.extend(born.filter(|p| stays(p) && numbers.insert(p.pid)).copied());
        }
        found
    }

    fn signal(&mut self, process: &ProcessStat, signal: Signal) {
        if send(process, signal) == Err(Errno::PERM) {
            self.refused.insert(identity(process));
        }
    }
}

/// Of a process that has ended meanwhile, nothing is told, nor of another with its number.
pub(crate) fn send(process: &ProcessStat, signal: Signal) -> Result<(), Errno> {
    let Some(pid) = Pid::from_raw(process.pid as i32) else {
        return Ok(());
    };
    let found = pidfd_open(pid, PidfdFlags::empty());
    // From here on the number may be another's, the descriptor not.
    let now = ProcessStat::of(process.pid);
    if now.is_none_or(|now| now.start_ticks != process.start_ticks) {
        return Ok(());
    }
    match found {
        Ok(found) => pidfd_send_signal(found, signal),
        Err(Errno::SRCH) => Ok(()),
        // No descriptor is left, or a filter of system calls knows none of a process.
        Err(_) => kill_process(pid, signal),
    }
}

fn identity(process: &ProcessStat) -> Process {
    (process.pid, process.start_ticks)
}

fn born_ns(process: &ProcessStat) -> u64 {
    process.start_ticks * TICK_NS
}

fn is_born(process: &ProcessStat, heard_ns: u64) -> bool {
    born_ns(process).abs_diff(heard_ns) <= BIRTH_WITHIN_NS
}

fn now_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_TICKS: u64 = 100;

    fn process(pid: u32, parent: u32, session: u32, start_ticks: u64) -> ProcessStat {
        ProcessStat {
            pid,
            state: 'S',
            parent,
            group: session,
            session,
            threads: 1,
            start_ticks,
        }
    }

    /// We are 5, in the session 2; the command is 10.
    fn job() -> Job {
        let born = HashMap::from([(10, 1000 * TICK_NS)]);
        Job {
            own_session: 2,
            commands: born.clone(),
            born_ns: born,
            ..Job::default()
        }
    }

    fn members(job: &mut Job, all: &[ProcessStat]) -> Vec<u32> {
        let mut found: Vec<u32> = job.members(all).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn descendants_of_the_session_belong_to_it_and_neither_daemons_nor_others() {
        let all = [
            process(2, 1, 2, 1),
            process(5, 2, 2, 900),
            process(6, 2, 2, 901),
            process(7, 5, 2, 902),
            process(10, 5, 2, 1000),
            process(11, 10, 2, 1001),
            process(12, 11, 2, 1002),
            process(13, 10, 13, 1003),
            process(14, 13, 13, 1004),
        ];
        assert_eq!(members(&mut job(), &all), [10, 11, 12]);
    }

    #[test]
    fn whose_parent_has_ended_belongs_to_it_if_it_was_heard_of_and_is_the_one() {
        let mut job = job();
        job.born_ns.insert(20, 1100 * TICK_NS + 1);
        job.born_ns.insert(22, 1100 * TICK_NS);
        job.born_ns.insert(24, 1100 * TICK_NS);
        let all = [
            process(20, 1, 2, 1100),
            process(21, 20, 2, 1101),
            process(22, 1, 2, 1100 + SECOND_TICKS),
            process(23, 1, 2, 1100),
            process(24, 1, 24, 1100),
        ];
        assert_eq!(members(&mut job, &all), [20, 21]);
    }

    #[test]
    fn of_many_that_were_heard_of_those_that_have_ended_are_forgotten() {
        let mut job = job();
        job.born_ns
            .extend((20..1000).map(|pid| (pid, 1100 * TICK_NS)));
        let all = [process(10, 5, 2, 1000), process(20, 1, 2, 1100)];
        job.forget_ended(&all);
        assert_eq!(job.born_ns.len(), 2);
        assert_eq!(members(&mut job, &all), [10, 20]);
    }

    #[test]
    fn all_of_the_commands_own_session_belong_to_it_unless_its_number_is_anothers() {
        let mut all = vec![process(30, 1, 10, 1005), process(31, 1, 31, 1006)];
        assert_eq!(members(&mut job(), &all), [30]);
        all.push(process(10, 1, 10, 1000 + SECOND_TICKS));
        assert!(members(&mut job(), &all).is_empty());
    }

    #[test]
    fn without_a_command_nobody_belongs_to_it() {
        let mut job = Job::default();
        job.heard_of(std::process::id(), now_ns(ClockId::Monotonic));
        assert!(!job.lives());
    }

    #[test]
    fn a_process_of_another_birth_gets_no_signal() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let right = ProcessStat::of(child.id()).unwrap();
        let start_ticks = right.start_ticks + 1;
        let other = ProcessStat {
            start_ticks,
            ..right
        };
        send(&other, Signal::KILL).unwrap();
        assert!(child.try_wait().unwrap().is_none());
        send(&right, Signal::KILL).unwrap();
        assert!(!child.wait().unwrap().success());
    }
}
