//! What `/proc/PID/stat` says of a process: proc_pid_stat(5).

use std::fs;

/// `start_ticks` counts in ticks of this length, on every architecture.
pub const TICK_NS: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    pub pid: u32,
    /// R, S, D, T, t, Z …
    pub state: char,
    pub parent: u32,
    pub group: u32,
    /// 0: led by a process outside of this container.
    pub session: u32,
    /// A process whose first thread has ended shows Z while others go on.
    pub threads: u32,
    /// Since the machine was started, times of suspension included: with the number, it tells the process from a later one.
    pub start_ticks: u64,
}

impl ProcessStat {
    /// None: there is no such process.
    pub fn of(pid: u32) -> Option<ProcessStat> {
        ProcessStat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Of ourselves, as `/proc` shows it.
    pub fn own_session() -> u32 {
        ProcessStat::of(std::process::id()).map_or(0, |own| own.session)
    }

    /// All that can be seen.
    pub fn all() -> Vec<ProcessStat> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(ProcessStat::of).collect()
    }

    /// `pid (name) state parent group session …`, where the name may hold anything.
    pub fn parse(stat: &str) -> Option<ProcessStat> {
        let (pid, _) = stat.split_once(' ')?;
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        // The first of them is the third of all.
        let number = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
        Some(ProcessStat {
            pid: pid.parse().ok()?,
            state: fields.first()?.chars().next()?,
            parent: number(4)? as u32,
            group: number(5)? as u32,
            session: number(6)? as u32,
            threads: number(20)? as u32,
            start_ticks: number(22)?,
        })
    }

    pub fn has_ended(&self) -> bool {
        match self.state {
            'Z' => self.threads <= 1,
            state => matches!(state, 'X' | 'x'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_stand_behind_whatever_the_name_is() {
        let stat = "12 (a) S b) Z 7 8 9 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 3 0 4242 1 1";
        let found = ProcessStat::parse(stat).unwrap();
        let wanted = ProcessStat {
            pid: 12,
            state: 'Z',
            parent: 7,
            group: 8,
            session: 9,
            threads: 3,
            start_ticks: 4242,
        };
        assert_eq!(found, wanted);
        assert!(!found.has_ended(), "two of its threads go on");
        let last = ProcessStat {
            threads: 1,
            ..wanted
        };
        assert!(last.has_ended());
        assert_eq!(ProcessStat::parse("12 (a"), None);
    }

    #[test]
    fn we_are_among_all() {
        let own = ProcessStat::of(std::process::id()).unwrap();
        assert!(!own.has_ended());
        assert!(
            ProcessStat::all()
                .iter()
                .any(|p| p.pid == own.pid && p.start_ticks == own.start_ticks)
        );
    }
}
