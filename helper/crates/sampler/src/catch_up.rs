//! What the kernel dropped because a ring of mapping records was full. The rings hold the records of all processes of the
//! machine; which of them are followed, and when each last executed a program, the BPF program notes without a ring. So
//! the engine is asked to read what the followed ones have mapped.
//!
//! What was read holds unless a record says something later.

use std::io::{self, Write};

use libbpf_rs::MapCore;
use records::{FromSampler, Mapping, ThreadId};

use crate::bpf::Bpf;
use crate::followed::Standing;
use crate::follower::Follower;
use crate::mappings::Mapped;

/// Reading takes the engine some tenths of a millisecond a process.
const ASK_EVERY_NS: u64 = 20_000_000;
/// Of the time, reading may take one part in so many.
const SHARE: u64 = 10;

/// Of one process: the kernel's own limit is 65,530 (vm.max_map_count), unless somebody has raised it.
const MAPPINGS_READ_MAX: usize = 1 << 17;

#[derive(Default)]
pub struct CatchUp {
    /// When the rings were last found without a gap, and the time before that: a drop shows in the record after it.
    complete_ns: [u64; 2],
    /// Since when records may be missing that nobody was asked about.
    since_ns: Option<u64>,
    asked_ns: u64,
    /// When it may be asked again; None: the engine is reading.
    next_ns: Option<u64>,
    reading: Option<Read>,
}

/// What the engine is telling of a process.
struct Read {
    pid: u32,
    read_ns: u64,
    threads: Vec<u32>,
    mapped: Vec<Mapped>,
}

impl CatchUp {
    pub fn new() -> CatchUp {
        CatchUp {
            next_ns: Some(0),
            ..CatchUp::default()
        }
    }

    /// All that the rings held before `now_ns` was applied; `missed`: they had gaps.
    pub fn heard(&mut self, missed: bool, now_ns: u64) {
        if missed {
            self.since_ns.get_or_insert(self.complete_ns[1]);
        }
        self.complete_ns = [now_ns, self.complete_ns[0]];
    }

    /// Asks the engine about all followed processes, if records of theirs may be missing. `ended`: they will not be asked
    /// about again, so that it learns now of those whose records may be missing for good.
    pub fn ask(
        &mut self,
        bpf: &mut Bpf,
        follower: &mut Follower,
        now_ns: u64,
        is_last: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(since_ns) = self.since_ns else {
            return Ok(());
        };
        for ended in &follower.exits {
            if let FromSampler::Exited { pid, .. } = ended {
                missed(*pid, since_ns, Standing::default(), false).write(out)?;
            }
        }
        if !is_last && self.next_ns.is_none_or(|next_ns| now_ns < next_ns) {
            return Ok(());
        }
        self.since_ns = None;
        self.asked_ns = now_ns;
        self.next_ns = None;
        for pid in bpf.followed() {
            let Some(standing) = bpf.look_at(pid).filter(may_be_read) else {
                continue;
            };
            let is_new = !follower.knows(pid);
            let executed_ns = follower.processes().executed_ns(pid);
            let mut from_ns = since_ns.max(standing.since_ns);
            if standing.executed_ns > since_ns && executed_ns < since_ns {
                from_ns = standing.executed_ns;
                follower.execute_unheard(pid, from_ns);
                let time_ns = from_ns;
                FromSampler::Executed { time_ns, pid }.write(out)?;
            }
            missed(pid, from_ns, standing, is_new).write(out)?;
        }
        FromSampler::MissedAll.write(out)
    }

    /// What follows are the mappings of this process.
    pub fn begin(&mut self, pid: u32, read_ns: u64, threads: Vec<u32>) {
        self.reading = Some(Read {
            pid,
            read_ns,
            threads,
            mapped: Vec::new(),
        });
    }

    /// False: the mapping belongs to no process that is being told of.
    pub fn take(&mut self, pid: u32, mapping: &Mapping) -> bool {
        let reading = self.reading.as_mut().filter(|r| r.pid == pid);
        let Some(reading) = reading else {
            return false;
        };
        let since_ns = reading.read_ns;
        if reading.mapped.len() >= MAPPINGS_READ_MAX {
            return true;
        }
        reading.mapped.push(Mapped::of(mapping, since_ns));
        true
    }

    /// The engine has said all of the process that it told of last. To be called before the next. Returns how much of it is
    /// new.
    pub fn apply(&mut self, bpf: &mut Bpf, follower: &mut Follower) -> usize {
        let Some(read) = self.reading.take() else {
            return 0;
        };
        let (pid, read_ns) = (read.pid, read.read_ns);
        let is_the_same = |s: &Standing| s.since_ns <= read_ns && s.executed_ns <= read_ns;
        let standing = bpf.look_at(pid).filter(may_be_read).filter(is_the_same);
        if standing.is_none() || follower.processes().executed_ns(pid) > read_ns {
            return 0;
        }
        if read.threads.is_empty() {
            follower.end_unheard(pid, read_ns, bpf);
            return 0;
        }
        let mut new = 0;
        if !follower.knows(pid) {
            new += read.threads.len();
            follower.add_process(pid, read.threads);
        } else {
            // Of a process that is sampled as a whole it matters only which one is the last to end.
            for tid in read.threads {
                let thread = ThreadId { pid, tid };
                new += usize::from(!follower.processes().is_sampled(thread));
                follower.add_thread(thread);
            }
        }
        for mapped in read.mapped {
            new += usize::from(follower.map_unless_later(pid, mapped));
        }
        new
    }

    /// The engine has answered for all processes.
    pub fn done(&mut self, now_ns: u64) {
        let took_ns = now_ns.saturating_sub(self.asked_ns);
        self.next_ns = Some(now_ns + ASK_EVERY_NS.max(SHARE * took_ns));
    }
}

fn may_be_read(standing: &Standing) -> bool {
    !standing.is_hidden && standing.refused_ns == 0
}

fn missed(pid: u32, since_ns: u64, standing: Standing, is_new: bool) -> FromSampler {
    FromSampler::Missed {
        pid,
        since_ns,
        forked_ns: standing.since_ns,
        is_new,
    }
}

impl Bpf {
    /// All processes that the BPF program follows.
    fn followed(&self) -> Vec<u32> {
        let keys = self.skeleton.maps.followed_processes.keys();
        let pid = |key: Vec<u8>| Some(u32::from_ne_bytes(key.try_into().ok()?));
        keys.filter_map(pid).collect()
    }
}
