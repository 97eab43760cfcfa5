//! Processes of which the kernel may have dropped records: what they have mapped is read from `/proc`, as it is where a
//! process is attached to. Those that had ended by then stay as they are.

use std::{fs, io};

use records::ToSampler;
use rustix::time::{ClockId, clock_gettime};

use super::environment::monotonic_ns;
use super::mapped_paths::mapping_of;
use super::recording::Recording;

/// What the sampler says of a process ([`records::FromSampler::Missed`]).
#[derive(Debug, Clone, Copy)]
pub struct Missed {
    pub pid: u32,
    pub since_ns: u64,
    pub forked_ns: u64,
    pub is_new: bool,
}

/// Enough for a sentence that names some of them.
const UNREAD_MAX: usize = 100_000;

/// `/proc/PID/stat` counts in ticks of this length, on every architecture (proc(5)); the BPF program notes a child a moment
/// after its birth.
const TICK_NS: u64 = 10_000_000;
const BIRTH_WITHIN_NS: u64 = 3 * TICK_NS;

impl Recording<'_> {
    /// Reads the process and tells the sampler.
    pub(super) fn catch_up_with(&mut self, missed: Missed) {
        let pid = missed.pid;
        if pid == std::process::id() {
            return; // one thread of ours is sampled, for what it launches
        }
        let read_ns = monotonic_ns();
        if let Err(gone) = self.read_process(missed, read_ns) {
            if self.seen.unread.len() < UNREAD_MAX {
                self.seen.unread.insert(pid);
            }
            // It may live, but not as what it was: the sampler hears of that by its own ways.
            if gone == Gone::Ended {
                let threads = Vec::new();
                self.sampler.say(&ToSampler::Read {
                    pid,
                    read_ns,
                    threads,
                });
            }
        }
    }

    fn read_process(&mut self, missed: Missed, read_ns: u64) -> Result<(), Gone> {
        let Missed { pid, since_ns, .. } = missed;
        let before = Birth::of(pid)?;
        if !before.is_of(&missed, self.seen.started_monotonic_ns) {
            return Err(Gone::Ended);
        }
        let maps = target::executable_mappings(pid).map_err(|_| Gone::Unreadable)?;
        let threads = target::threads_of(pid).map_err(|_| Gone::Unreadable)?;
        if Birth::of(pid)?.start_ticks != before.start_ticks || maps.is_empty() {
            return Err(Gone::Unreadable);
        }
        if missed.is_new {
            self.take_unheard_child(pid, since_ns, before.parent_pid);
        }
        let mut mappings = Vec::new();
        for entry in &maps {
            let mapping = mapping_of(entry);
            if mapping.file.inode == 0 {
                continue; // code that was made at run time: the process's own map names it
            }
            let module = self.module_of(pid, since_ns, &mapping, &entry.path);
            let range = (mapping.start, mapping.end());
            let offset = mapping.file_offset;
            (self.seen.spaces).map_missed(pid, (since_ns, read_ns), range, offset, module);
            mappings.push(mapping);
        }
        self.tell_of_modules();
        self.sampler.say(&ToSampler::Read {
            pid,
            read_ns,
            threads,
        });
        for mapping in mappings {
            self.sampler.say(&ToSampler::Mapping { pid, mapping });
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gone {
    /// It is no more, or another process has its number.
    Ended,
    /// It may not be read, or is changing.
    Unreadable,
}

impl From<io::Error> for Gone {
    fn from(_: io::Error) -> Gone {
        Gone::Ended
    }
}

/// Which process has a number.
struct Birth {
    parent_pid: u32,
    /// Since the machine was started, times of suspension included.
    start_ticks: u64,
}

impl Birth {
    fn of(pid: u32) -> Result<Birth, Gone> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        Birth::parse(&stat).ok_or(Gone::Ended)
    }

    /// None for a process that has ended and was not waited for.
    fn parse(stat: &str) -> Option<Birth> {
        // The name may hold anything; state is the third field, the parent the fourth, the start the 22nd.
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let is_over = ["Z", "X", "x"].contains(&fields.next()?);
        let parent_pid = fields.next()?.parse().ok()?;
        let start_ticks = fields.nth(17)?.parse().ok()?;
        (!is_over).then_some(Birth {
            parent_pid,
            start_ticks,
        })
    }

    /// Whether this is the process that the sampler means: it began when that was forked or, if it was attached to, before
    /// the recording.
    fn is_of(&self, missed: &Missed, recorded_since_ns: u64) -> bool {
        let boot = clock_gettime(ClockId::Boottime);
        let boot_ns = boot.tv_sec as u64 * 1_000_000_000 + boot.tv_nsec as u64;
        let suspended_ns = boot_ns.saturating_sub(monotonic_ns());
        let born_ns = (self.start_ticks * TICK_NS).saturating_sub(suspended_ns);
        match missed.forked_ns {
            0 => born_ns <= recorded_since_ns + BIRTH_WITHIN_NS,
            forked_ns => born_ns.abs_diff(forked_ns) <= BIRTH_WITHIN_NS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_a_later_one_of_its_number() {
        let own = Birth::of(std::process::id()).unwrap();
        let missed = |forked_ns| Missed {
            pid: std::process::id(),
            since_ns: 0,
            forked_ns,
            is_new: false,
        };
        let now_ns = monotonic_ns();
        assert!(own.is_of(&missed(0), now_ns), "it began before");
        assert!(!own.is_of(&missed(0), 0), "it began later");
        assert!(!own.is_of(&missed(now_ns + (1 << 40)), now_ns));
        let stat = "12 (a) b) S 7 12 12 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 4242 1 1";
        let birth = Birth::parse(stat).unwrap();
        assert_eq!((birth.parent_pid, birth.start_ticks), (7, 4242));
        assert!(Birth::parse(&stat.replace(" S ", " Z ")).is_none());
    }
}
