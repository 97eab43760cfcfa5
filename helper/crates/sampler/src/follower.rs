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
    pub lost_records: u64,
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
            MapEventKind::Lost { count } => self.lost_records += count,
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
        let MapEventKind::Mapped {
            start,
            length,
            file_offset,
            file,
            path,
        } = kind
        else {
            return;
        };
        // Only what is no file can claim to lie elsewhere than in the lower half of all numbers.
        let highest = start | length | file_offset;
        if highest >= FIRST_KERNEL_ADDRESS || !self.is_visible(pid, time_ns, looks) {
            return;
        }
        let file = if path == b"[vdso]" {
            FileId::VDSO
        } else {
            file
        };
        self.map(
            pid,
            Mapped {
                start,
                end: start.saturating_add(length),
                file_offset,
                file,
            },
        );
        tell.push(FromSampler::Mapped {
            time_ns,
            pid,
            start,
            length,
            file_offset,
            file,
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
mod tests {
    use super::*;

    /// What the BPF program knows, by process.
    #[derive(Default)]
    struct Known(HashMap<u32, Standing>);

    impl Watch for Known {
        fn look_at(&mut self, pid: u32) -> Option<Standing> {
            self.0.get(&pid).copied()
        }

        fn unfollow(&mut self, pid: u32) {
            self.0.remove(&pid);
        }
    }

    impl Known {
        fn follow(&mut self, pid: u32, since_ns: u64) -> &mut Standing {
            let standing = self.0.entry(pid).or_default();
            standing.since_ns = since_ns;
            standing
        }
    }

    fn event(time_ns: u64, pid: u32, kind: MapEventKind) -> MapEvent {
        MapEvent {
            time_ns,
            pid,
            tid: pid,
            kind,
        }
    }

    fn maps(time_ns: u64, pid: u32, start: u64) -> MapEvent {
        let kind = MapEventKind::Mapped {
            start,
            length: 0x1000,
            file_offset: 0,
            file: FileId::VDSO,
            path: b"/a".to_vec(),
        };
        event(time_ns, pid, kind)
    }

    fn executes(time_ns: u64, pid: u32) -> MapEvent {
        event(time_ns, pid, MapEventKind::Executed)
    }

    fn forks(time_ns: u64, parent_pid: u32, pid: u32) -> MapEvent {
        let parent_tid = parent_pid;
        let kind = MapEventKind::Forked {
            parent_pid,
            parent_tid,
        };
        event(time_ns, pid, kind)
    }

    /// What is passed on, in short: `m` mapped, `x` executed, `f` forked, each with its process.
    fn told(follower: &mut Follower, known: &mut Known, events: Vec<MapEvent>) -> String {
        let mut tell = Vec::new();
        follower.hear(events, known, &mut tell);
        let word = |m: &FromSampler| match m {
            FromSampler::Mapped { pid, .. } => format!("m{pid}"),
            FromSampler::Executed { pid, .. } => format!("x{pid}"),
            FromSampler::Forked { pid, .. } => format!("f{pid}"),
            other => format!("{other:?}"),
        };
        tell.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn following(pid: u32) -> (Follower, Known) {
        let (mut follower, mut known) = (Follower::default(), Known::default());
        known.follow(pid, 0);
        follower.add_thread(ThreadId { pid, tid: pid });
        (follower, known)
    }

    #[test]
    fn nothing_is_passed_on_of_a_process_that_is_not_followed() {
        let (mut follower, mut known) = following(1);
        let events = vec![
            maps(1, 2, 0x1000),
            executes(2, 2),
            forks(3, 2, 3),
            maps(4, 1, 0x1000),
        ];
        assert_eq!(told(&mut follower, &mut known, events), "m1");
    }

    #[test]
    fn an_exec_is_passed_on_with_its_mappings_once_the_program_is_known_to_be_allowed() {
        let (mut follower, mut known) = following(1);
        let events = vec![maps(5, 1, 0x1000), executes(10, 1), maps(11, 1, 0x2000)];
        assert_eq!(told(&mut follower, &mut known, events), "m1");
        known.follow(1, 0).executed_ns = 12;
        let events = vec![maps(13, 1, 0x3000)];
        assert_eq!(told(&mut follower, &mut known, events), "x1 m1 m1");
        assert_eq!(
            follower.processes().table(1).len(),
            2,
            "those of the new program"
        );
    }

    #[test]
    fn a_program_that_may_not_be_looked_into_is_forgotten_with_all_that_it_starts() {
        let (mut follower, mut known) = following(1);
        known.follow(1, 0).refused_ns = 12;
        let events = vec![
            maps(5, 1, 0x1000),
            executes(10, 1),
            maps(11, 1, 0x2000),
            forks(13, 1, 2),
            maps(14, 1, 0x3000),
            executes(15, 1),
        ];
        assert_eq!(told(&mut follower, &mut known, events), "m1");
        assert!(!follower.knows(1) && known.0.is_empty());
    }

    #[test]
    fn of_two_execs_the_one_before_the_refused_is_passed_on() {
        let (mut follower, mut known) = following(1);
        let standing = known.follow(1, 0);
        (standing.executed_ns, standing.refused_ns) = (12, 22);
        let events = vec![
            executes(10, 1),
            maps(11, 1, 0x1000),
            executes(20, 1),
            maps(21, 1, 0x2000),
        ];
        assert_eq!(told(&mut follower, &mut known, events), "x1 m1");
    }

    #[test]
    fn what_a_program_did_before_it_was_seen_hiding_is_taken_for_hidden_and_its_successor_not() {
        let (mut follower, mut known) = following(1);
        known.follow(1, 0).hidden_ns = 8;
        let events = vec![maps(5, 1, 0x1000), maps(9, 1, 0x2000)];
        assert_eq!(told(&mut follower, &mut known, events), "");
        known.follow(1, 0).executed_ns = 22;
        let events = vec![executes(20, 1), maps(21, 1, 0x1000)];
        assert_eq!(told(&mut follower, &mut known, events), "x1 m1");
        known.follow(1, 0).is_hidden = true;
        assert_eq!(
            told(&mut follower, &mut known, vec![maps(30, 1, 0x2000)]),
            ""
        );
    }

    #[test]
    fn a_child_is_followed_if_the_kernel_program_has_seen_its_birth() {
        let (mut follower, mut known) = following(1);
        known.follow(2, 11);
        let events = vec![
            forks(10, 1, 2),
            maps(12, 2, 0x1000),
            forks(13, 1, 3),
            maps(14, 3, 0x1000),
        ];
        assert_eq!(told(&mut follower, &mut known, events), "f2 m2");
        assert_eq!(follower.lost_records, 1);
    }

    #[test]
    fn what_happened_to_an_earlier_process_of_the_number_is_not_passed_on() {
        let (mut follower, mut known) = following(1);
        known.follow(1, 20);
        let events = vec![maps(19, 1, 0x1000), maps(21, 1, 0x1000)];
        assert_eq!(told(&mut follower, &mut known, events), "m1");
    }

    #[test]
    fn the_end_within_an_exec_is_passed_on_unless_the_program_gains_rights() {
        for (gains_rights, exits) in [(false, 1), (true, 0)] {
            let (mut follower, mut known) = following(1);
            known.follow(1, 0).is_hidden = gains_rights;
            let ends = event(12, 1, MapEventKind::ThreadExited);
            assert_eq!(
                told(&mut follower, &mut known, vec![executes(10, 1), ends]),
                ""
            );
            assert!(!follower.knows(1) && follower.execs.is_empty());
            assert_eq!(follower.exits.len(), exits);
        }
    }
}
