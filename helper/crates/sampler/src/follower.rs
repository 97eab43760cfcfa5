//! What the kernel reports of processes, of all that run on this machine: applied to those that are followed, and passed
//! on of them alone, as far as the invoker was allowed to look into them when it happened. Pure: the caller asks the BPF
//! program.

use std::collections::{BTreeSet, HashMap};

use perf_events::map_event::{MapEvent, MapEventKind};
use records::{FileId, FromSampler, ThreadId};

use crate::followed::Standing;
use crate::looks::{Looks, Watch};
use crate::mappings::{FileRows, Forked, Mapped, Processes};
use crate::samples::FIRST_KERNEL_ADDRESS;

/// A process is in an exec, or was a moment ago: the kernel tells of the new program's mappings before it can be seen
/// whether that program may be looked into.
struct Exec {
    time_ns: u64,
    mapped: Vec<MapEvent>,
}

/// A program has some dozens of mappings when its exec is over.
const MAPPED_IN_EXEC_MAX: usize = 4096;

#[derive(Default)]
pub struct Follower {
    processes: Processes,
    execs: HashMap<u32, Exec>,
    /// Processes whose mappings are not those that the BPF program has.
    changed: BTreeSet<u32>,
    /// Of events that were heard and could not be applied.
    pub lost_records: u64,
    /// The kernel may have dropped records.
    has_missed: bool,
    /// Told to the engine after the samples that were taken before.
    pub exits: Vec<FromSampler>,
}

impl Follower {
    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    pub fn knows(&self, pid: u32) -> bool {
        self.processes.knows(pid)
    }

    pub fn add_thread(&mut self, thread: ThreadId) {
        self.processes.add_thread(thread);
    }

    pub fn add_process(&mut self, pid: u32, threads: Vec<u32>) {
        self.processes.add_process(pid, threads);
    }

    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Of a process that is followed; of any other it is ignored.
    pub fn map(&mut self, pid: u32, mapped: Mapped) {
        if self.processes.map(pid, mapped) {
            self.changed.insert(pid);
        }
    }

    pub fn add_file(&mut self, id: FileId, rows: FileRows) {
        self.changed.extend(self.processes.add_file(id, rows));
    }

    /// The processes whose tables are to be published, or forgotten if they are not known any more.
    pub fn take_changed(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.changed)
    }

    /// Whether the kernel may have dropped records since the last call.
    pub fn take_missed(&mut self) -> bool {
        std::mem::take(&mut self.has_missed)
    }

    /// As [`Follower::map`], for what was read in `/proc`, unless a record says something later.
    pub fn map_unless_later(&mut self, pid: u32, mapped: Mapped) -> bool {
        let is_new = self.processes.map_unless_later(pid, mapped);
        if is_new {
            self.changed.insert(pid);
        }
        is_new
    }

    /// The process has executed a program, of which the record was dropped.
    pub fn execute_unheard(&mut self, pid: u32, time_ns: u64) {
        self.execs.remove(&pid);
        self.processes.execute(pid, time_ns);
        self.changed.insert(pid);
    }

    /// The process has ended, of which the record was dropped.
    pub fn end_unheard(&mut self, pid: u32, time_ns: u64, watch: &mut impl Watch) {
        if self.knows(pid) {
            self.processes.remove(pid);
            self.exits.push(FromSampler::Exited { time_ns, pid });
        }
        self.end(pid, time_ns, &mut Looks::new(watch));
    }

    /// It was taken, and is to be published another time.
    pub fn leave_changed(&mut self, pid: u32) {
        self.changed.insert(pid);
    }

    /// Applies events in the order of time. `tell` gets what the engine must know.
    pub fn hear(
        &mut self,
        events: impl IntoIterator<Item = MapEvent>,
        watch: &mut impl Watch,
        tell: &mut Vec<FromSampler>,
    ) {
        let mut looks = Looks::new(watch);
        for event in events {
            self.apply(event, &mut looks, tell);
        }
        let in_exec: Vec<u32> = self.execs.keys().copied().collect();
        for pid in in_exec {
            self.settle(pid, &mut looks, tell);
        }
    }

    fn apply<W: Watch>(
        &mut self,
        event: MapEvent,
        looks: &mut Looks<W>,
        tell: &mut Vec<FromSampler>,
    ) {
        let (pid, time_ns) = (event.pid, event.time_ns);
        let thread = ThreadId {
            pid,
            tid: event.tid,
        };
        match event.kind {
            MapEventKind::Lost { .. } => self.has_missed = true,
            MapEventKind::Mapped { .. } if !self.knows(pid) => {}
            MapEventKind::Mapped { .. } => {
                self.settle(pid, looks, tell);
                match self.execs.get_mut(&pid) {
                    Some(exec) if exec.mapped.len() < MAPPED_IN_EXEC_MAX => exec.mapped.push(event),
                    Some(_) => self.lost_records += 1,
                    None => self.add_mapping(event, looks, tell),
                }
            }
            MapEventKind::Forked {
                parent_pid,
                parent_tid,
            } => {
                self.settle(parent_pid, looks, tell);
                let parent = ThreadId {
                    pid: parent_pid,
                    tid: parent_tid,
                };
                self.fork(thread, parent, time_ns, looks, tell);
            }
            MapEventKind::Executed if !self.knows(pid) => {}
            MapEventKind::Executed => {
                self.settle(pid, looks, tell);
                let mapped = Vec::new();
                if self.knows(pid) {
                    self.execs.insert(pid, Exec { time_ns, mapped });
                    self.settle(pid, looks, tell);
                }
            }
            MapEventKind::ThreadExited => {
                self.settle(pid, looks, tell);
                if self.processes.exit_thread(thread) {
                    // So the kernel, within an exec, also reports the end of its sampling: the program gains rights.
                    let is_in_exec = self.execs.contains_key(&pid);
                    if !is_in_exec || looks.at(pid).is_some_and(|s| !s.is_hidden) {
                        self.exits.push(FromSampler::Exited { time_ns, pid });
                    }
                    self.end(pid, time_ns, looks);
                }
            }
        }
    }

    fn add_mapping<W: Watch>(
        &mut self,
        event: MapEvent,
        looks: &mut Looks<W>,
        tell: &mut Vec<FromSampler>,
    ) {
        let MapEvent {
            time_ns, pid, kind, ..
        } = event;
        let MapEventKind::Mapped { mapping, path } = kind else {
            return;
        };
        // Only what is no file can claim to lie elsewhere than in the lower half of all numbers.
        let highest = mapping.start | mapping.length | mapping.file_offset;
        if highest >= FIRST_KERNEL_ADDRESS || !self.is_visible(pid, time_ns, looks) {
            return;
        }
        self.map(pid, Mapped::of(&mapping, time_ns));
        tell.push(FromSampler::Mapped {
            time_ns,
            pid,
            mapping,
            path,
        });
    }

    /// Whether the process may be looked into, and may have been at `time_ns`. When exactly it began or ceased to hide is
    /// not known, so all that its program did since the last look is taken for hidden.
    fn is_visible<W: Watch>(&self, pid: u32, time_ns: u64, looks: &mut Looks<W>) -> bool {
        let executed_ns = self.processes.executed_ns(pid);
        looks.at(pid).is_some_and(|s| {
            let was_hidden = s.hidden_ns != 0 && s.hidden_ns >= executed_ns;
            s.since_ns <= time_ns && !s.is_hidden && !was_hidden
        })
    }

    fn fork<W: Watch>(
        &mut self,
        new: ThreadId,
        parent: ThreadId,
        time_ns: u64,
        looks: &mut Looks<W>,
        tell: &mut Vec<FromSampler>,
    ) {
        if !self.processes.is_sampled(parent) {
            // By a thread of a followed process that began before the process was attached to.
            if self.knows(parent.pid) && new.pid != parent.pid {
                looks.unfollow(new.pid);
            }
            return;
        }
        if new.pid != parent.pid {
            // The BPF program notes the child a moment after the kernel has reported it.
            let child = looks.at(new.pid);
            if !child.is_some_and(|s| s.since_ns >= time_ns && s.refused_ns != s.since_ns) {
                self.lost_records += u64::from(child.is_none());
                return;
            }
        }
        if self.processes.fork(new, parent) == Forked::Process {
            self.changed.insert(new.pid);
            tell.push(FromSampler::Forked {
                time_ns,
                pid: new.pid,
                parent_pid: parent.pid,
            });
        }
    }

    /// Passes an exec on once it is known that the new program may be looked into; of one that may not, nothing, and the
    /// process is forgotten: the kernel ends its sampling, too.
    fn settle<W: Watch>(&mut self, pid: u32, looks: &mut Looks<W>, tell: &mut Vec<FromSampler>) {
        let Some(exec) = self.execs.get(&pid) else {
            return;
        };
        let asked = allows(looks.at(pid), exec.time_ns);
        let Some(allowed) = asked.or_else(|| allows(looks.again(pid), exec.time_ns)) else {
            return;
        };
        let exec = self.execs.remove(&pid).expect("found above");
        if !allowed {
            self.processes.remove(pid);
            return self.end(pid, exec.time_ns, looks);
        }
        self.processes.execute(pid, exec.time_ns);
        self.changed.insert(pid);
        tell.push(FromSampler::Executed {
            time_ns: exec.time_ns,
            pid,
        });
        for event in exec.mapped {
            self.add_mapping(event, looks, tell);
        }
    }

    /// Nothing is known any more of the process that had this number.
    fn end<W: Watch>(&mut self, pid: u32, time_ns: u64, looks: &mut Looks<W>) {
        self.execs.remove(&pid);
        self.changed.insert(pid);
        if looks.again(pid).is_some_and(|s| s.since_ns <= time_ns) {
            looks.unfollow(pid);
        }
    }
}

/// Whether the program that the process executed at `time_ns` may be looked into; None: the exec goes on.
fn allows(standing: Option<Standing>, time_ns: u64) -> Option<bool> {
    let Some(standing) = standing else {
        return Some(false);
    };
    let Standing {
        executed_ns,
        refused_ns,
        ..
    } = standing;
    match (executed_ns > time_ns, refused_ns > time_ns) {
        (false, false) => None,
        (true, true) => Some(executed_ns < refused_ns),
        (executed, _) => Some(executed),
    }
}

#[cfg(test)]
mod tests;
