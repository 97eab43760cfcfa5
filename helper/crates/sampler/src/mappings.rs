//! Which executable mappings each process of the target has, as the BPF program wants to look them up.
//! Pure: the caller writes the tables to the maps.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use perf_events::page_bytes;
use records::layout::{FILE_SEGMENTS_MAX, MAPPINGS_MAX, NO_PAGES};
use records::{FileId, Mapping, PAGE_SHIFT, Segment, ThreadId, vaddr_of_offset};

/// What is known of a file whose rows have arrived.
#[derive(Debug, Clone)]
pub struct FileRows {
    pub first_page: u32,
    pub page_count: u32,
    /// vaddr >> 16 of the first page.
    pub base_page: u32,
    pub segments: Vec<Segment>,
}

/// An executable mapping, in the process's addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped {
    pub start: u64,
    pub end: u64,
    pub file_offset: u64,
    pub file: FileId,
    /// When it was mapped, or read in `/proc`; 0: before the process was followed.
    pub since_ns: u64,
}

impl Mapped {
    pub fn of(mapping: &Mapping, since_ns: u64) -> Mapped {
        Mapped {
            start: mapping.start,
            end: mapping.end(),
            file_offset: mapping.file_offset,
            file: mapping.file,
            since_ns,
        }
    }
}

/// `struct mapping` of bpf/records.h.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BpfMapping {
    pub start: u64,
    pub end: u64,
    pub bias: u64,
    pub first_page: u32,
    pub page_count: u32,
}

/// `struct file_rows` of bpf/records.h: where a file's code lies among the rows, by file offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpfFileRows {
    first_page: u32,
    page_count: u32,
    /// first, end, to_rows
    segments: [[u64; 3]; FILE_SEGMENTS_MAX],
}

impl BpfFileRows {
    /// Of a file with more segments of code than the BPF program looks at (none was ever seen), the first ones.
    pub fn of(rows: &FileRows) -> BpfFileRows {
        let mut segments = [[0; 3]; FILE_SEGMENTS_MAX];
        let base_vaddr = u64::from(rows.base_page) << PAGE_SHIFT;
        for (to, from) in segments.iter_mut().zip(&rows.segments) {
            let mapped = from.mapped_part(page_bytes());
            let to_rows = from.vaddr.wrapping_sub(from.file_offset);
            *to = [mapped.start, mapped.end, to_rows.wrapping_sub(base_vaddr)];
        }
        BpfFileRows {
            first_page: rows.first_page,
            page_count: rows.page_count,
            segments,
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 24 * FILE_SEGMENTS_MAX);
        bytes.extend(self.first_page.to_ne_bytes());
        bytes.extend(self.page_count.to_ne_bytes());
        bytes.extend(self.segments.iter().flatten().flat_map(|n| n.to_ne_bytes()));
        bytes
    }
}

#[derive(Default)]
struct Process {
    /// Those that are sampled.
    threads: HashSet<u32>,
    /// They are all that it has: whoever of it forks, is sampled.
    is_whole: bool,
    /// Shared with forked children until one of them maps something.
    space: Rc<Space>,
    /// When the kernel reported its last exec; 0: none since it is followed.
    executed_ns: u64,
}

#[derive(Default, Clone)]
struct Space {
    /// By start; not overlapping.
    mappings: BTreeMap<u64, Mapped>,
    /// Files that were mapped at any time: whose rows may concern the process.
    files: HashSet<FileId>,
}

impl Space {
    /// Takes what lies in the range out; of a mapping that is partly in it, the rest stays.
    fn clear(&mut self, start: u64, end: u64) {
        let before = self.mappings.range(..start).next_back();
        let reaches_in = before.map(|(_, m)| *m).filter(|m| m.end > start);
        let inside: Vec<Mapped> = (self.mappings.range(start..end).map(|(_, m)| *m))
            .chain(reaches_in)
            .collect();
        for old in inside {
            self.mappings.remove(&old.start);
            if old.start < start {
                let below = Mapped { end: start, ..old };
                self.mappings.insert(below.start, below);
            }
            if end < old.end {
                let above = Mapped {
                    start: end,
                    file_offset: old.file_offset.wrapping_add(end - old.start),
                    ..old
                };
                self.mappings.insert(above.start, above);
            }
        }
    }
}

#[derive(Default)]
pub struct Processes {
    processes: HashMap<u32, Process>,
    files: HashMap<FileId, FileRows>,
}

/// What a fork has made, as far as it concerns us.
#[derive(Debug, PartialEq, Eq)]
pub enum Forked {
    /// By a thread that is not sampled.
    Foreign,
    Thread,
    Process,
}

impl Processes {
    pub fn knows(&self, pid: u32) -> bool {
        self.processes.contains_key(&pid)
    }

    pub fn pids(&self) -> impl Iterator<Item = u32> {
        self.processes.keys().copied()
    }

    pub fn is_sampled(&self, thread: ThreadId) -> bool {
        let process = self.processes.get(&thread.pid);
        process.is_some_and(|p| p.is_whole || p.threads.contains(&thread.tid))
    }

    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// All threads of the process are sampled from now on, those to come included.
    pub fn add_process(&mut self, pid: u32, threads: Vec<u32>) {
        let process = self.processes.entry(pid).or_default();
        process.is_whole = true;
        process.threads.extend(threads);
    }

    /// A thread is sampled from now on.
    pub fn add_thread(&mut self, thread: ThreadId) {
        let process = self.processes.entry(thread.pid).or_default();
        process.threads.insert(thread.tid);
    }

    /// Nothing is known of the process any more.
    pub fn remove(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// When its last exec was reported; 0: none was.
    pub fn executed_ns(&self, pid: u32) -> u64 {
        self.processes.get(&pid).map_or(0, |p| p.executed_ns)
    }

    /// A mapping replaces what lay in its range. Returns whether the process's table changed; not if it is unknown.
    pub fn map(&mut self, pid: u32, new: Mapped) -> bool {
        let Some(process) = self.processes.get_mut(&pid) else {
            return false;
        };
        if new.start >= new.end {
            return false;
        }
        let space = Rc::make_mut(&mut process.space);
        space.clear(new.start, new.end);
        space.mappings.insert(new.start, new);
        space.files.insert(new.file);
        true
    }

    /// As [`Processes::map`], for what was read at `new.since_ns`, unless something was mapped there since.
    pub fn map_unless_later(&mut self, pid: u32, new: Mapped) -> bool {
        let Some(process) = self.processes.get(&pid) else {
            return false;
        };
        let below = process.space.mappings.range(..new.end).rev();
        let mut there = below.map(|(_, m)| m).take_while(|m| m.end > new.start);
        let is_known = |m: &Mapped| {
            Mapped {
                since_ns: m.since_ns,
                ..new
            } == *m
        };
        if there.any(|m| m.since_ns > new.since_ns || is_known(m)) {
            return false;
        }
        self.map(pid, new)
    }

    /// The program was replaced: all mappings are gone, one thread is left.
    pub fn execute(&mut self, pid: u32, time_ns: u64) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.threads = HashSet::from([pid]);
            process.space = Rc::default();
            process.executed_ns = time_ns;
        }
    }

    /// What a sampled thread starts is sampled, too: a new child has its parent's mappings, a new thread shares them.
    pub fn fork(&mut self, new: ThreadId, parent: ThreadId) -> Forked {
        if !self.is_sampled(parent) {
            return Forked::Foreign;
        }
        if new.pid == parent.pid {
            self.add_thread(new);
            return Forked::Thread;
        }
        let parent = self.processes.get(&parent.pid);
        let child = Process {
            threads: HashSet::from([new.tid]),
            is_whole: true,
            space: parent.map_or_else(Rc::default, |p| Rc::clone(&p.space)),
            executed_ns: 0,
        };
        self.processes.insert(new.pid, child);
        Forked::Process
    }

    /// Returns whether that was the process's last sampled thread: the process is forgotten.
    pub fn exit_thread(&mut self, thread: ThreadId) -> bool {
        let Some(process) = self.processes.get_mut(&thread.pid) else {
            return false;
        };
        let gone = process.threads.remove(&thread.tid) && process.threads.is_empty();
        if gone {
            self.processes.remove(&thread.pid);
        }
        gone
    }

    /// Rows of a file have arrived. Returns the processes that have it mapped.
    pub fn add_file(&mut self, id: FileId, rows: FileRows) -> Vec<u32> {
        self.files.insert(id, rows);
        let has_it = |p: &Process| p.space.files.contains(&id);
        let users = self.processes.iter().filter(|(_, p)| has_it(p));
        users.map(|(pid, _)| *pid).collect()
    }

    /// The process's mappings for the BPF program; the first [`MAPPINGS_MAX`] when there are more.
    pub fn table(&self, pid: u32) -> Vec<BpfMapping> {
        let process = self.processes.get(&pid);
        let mappings = process.into_iter().flat_map(|p| p.space.mappings.values());
        mappings
            .take(MAPPINGS_MAX)
            .map(|m| self.bpf_mapping(m))
            .collect()
    }

    fn bpf_mapping(&self, m: &Mapped) -> BpfMapping {
        let plain = BpfMapping {
            start: m.start,
            end: m.end,
            ..BpfMapping::default()
        };
        let never = BpfMapping {
            first_page: NO_PAGES,
            ..plain
        };
        let Some(file) = self.files.get(&m.file) else {
            return if m.file.inode == 0 { never } else { plain };
        };
        let Some(vaddr) = vaddr_of_offset(&file.segments, m.file_offset, page_bytes()) else {
            return never;
        };
        // The BPF program indexes pages by vaddr >> 16 from 0: fold the base page into the bias.
        let base_vaddr = u64::from(file.base_page) << PAGE_SHIFT;
        BpfMapping {
            bias: m.start.wrapping_sub(vaddr).wrapping_add(base_vaddr),
            first_page: file.first_page,
            page_count: file.page_count,
            ..plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = FileId {
        device_major: 8,
        device_minor: 1,
        inode: 5,
    };

    fn mapped(start: u64, end: u64, file_offset: u64) -> Mapped {
        Mapped {
            start,
            end,
            file_offset,
            file: FILE,
            since_ns: 0,
        }
    }

    fn ranges(p: &Processes, pid: u32) -> Vec<(u64, u64)> {
        p.table(pid).iter().map(|m| (m.start, m.end)).collect()
    }

    #[test]
    fn a_mapping_over_the_middle_of_another_leaves_both_sides() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        p.map(1, mapped(0x1000, 0x9000, 0));
        p.map(1, mapped(0x3000, 0x4000, 0));
        assert_eq!(
            ranges(&p, 1),
            [(0x1000, 0x3000), (0x3000, 0x4000), (0x4000, 0x9000)]
        );
    }

    fn thread(pid: u32, tid: u32) -> ThreadId {
        ThreadId { pid, tid }
    }

    #[test]
    fn a_child_keeps_its_parents_mappings_until_it_executes() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        p.map(1, mapped(0x1000, 0x2000, 0));
        assert_eq!(p.fork(thread(2, 2), thread(1, 1)), Forked::Process);
        assert_eq!(ranges(&p, 2), [(0x1000, 0x2000)]);
        p.execute(2, 5);
        assert_eq!(ranges(&p, 2), []);
        assert_eq!(ranges(&p, 1), [(0x1000, 0x2000)]);
    }

    #[test]
    fn a_mapping_over_several_others_leaves_what_lies_outside() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        for start in [0x1000, 0x4000, 0x6000] {
            p.map(1, mapped(start, start + 0x2000, 0));
        }
        p.map(1, mapped(0x2000, 0x7000, 0));
        assert_eq!(
            ranges(&p, 1),
            [(0x1000, 0x2000), (0x2000, 0x7000), (0x7000, 0x8000)]
        );
    }

    #[test]
    fn what_was_read_is_added_unless_something_was_mapped_there_later() {
        let at = |start, end, since_ns| Mapped {
            since_ns,
            ..mapped(start, end, 0)
        };
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        p.map(1, at(0x1000, 0x2000, 5));
        p.map(1, at(0x4000, 0x6000, 20));
        assert!(!p.map_unless_later(1, at(0x1000, 0x2000, 10)), "known");
        assert!(
            !p.map_unless_later(1, at(0x5000, 0x7000, 10)),
            "mapped later"
        );
        assert!(p.map_unless_later(1, at(0x1800, 0x3000, 10)));
        assert_eq!(
            ranges(&p, 1),
            [(0x1000, 0x1800), (0x1800, 0x3000), (0x4000, 0x6000)]
        );
        assert!(!p.map_unless_later(2, at(0x1000, 0x2000, 10)));
    }

    #[test]
    fn nothing_is_noted_of_a_process_that_is_not_sampled() {
        let mut p = Processes::default();
        assert!(!p.map(1, mapped(0x1000, 0x2000, 0)));
        assert!(!p.knows(1));
    }

    #[test]
    fn what_a_thread_starts_that_is_not_sampled_is_not_ours() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 5));
        assert_eq!(p.fork(thread(2, 2), thread(1, 1)), Forked::Foreign);
        assert!(!p.knows(2));
        assert_eq!(p.fork(thread(1, 6), thread(1, 5)), Forked::Thread);
        assert!(p.is_sampled(thread(1, 6)));
    }

    #[test]
    fn a_process_is_forgotten_with_its_last_thread() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        p.map(1, mapped(0x1000, 0x2000, 0));
        p.fork(thread(1, 2), thread(1, 1));
        assert!(!p.exit_thread(thread(1, 1)));
        assert!(!p.exit_thread(thread(1, 9)), "a thread that we never saw");
        assert_eq!(ranges(&p, 1).len(), 1);
        assert!(p.exit_thread(thread(1, 2)));
        assert_eq!(ranges(&p, 1), []);
    }

    #[test]
    fn rows_that_arrive_after_the_mapping_are_used_with_the_right_bias() {
        let mut p = Processes::default();
        p.add_thread(thread(1, 1));
        p.map(1, mapped(0x7f00_0001_0000, 0x7f00_0003_0000, 0x1_0000));
        assert_eq!(p.table(1)[0].page_count, 0);
        let segment = Segment {
            file_offset: 0x1_0000,
            size: 0x2_0000,
            vaddr: 0x41_0000,
        };
        let rows = FileRows {
            first_page: 9,
            page_count: 2,
            base_page: 0x410,
            segments: vec![segment],
        };
        assert_eq!(p.add_file(FILE, rows), [1]);
        let m = p.table(1)[0];
        assert_eq!((m.first_page, m.page_count), (9, 2));
        let by_file = BpfFileRows::of(&p.files[&FILE]);
        let [first, end, to_rows] = by_file.segments[0];
        assert_eq!((first, end), (0x1_0000, 0x3_0000));
        assert_eq!(
            m.start.wrapping_sub(0x1_0000_u64.wrapping_add(to_rows)),
            m.bias
        );
        // Address of vaddr 0x41_0000 falls on page 0 of the module's own pages.
        assert_eq!(0x7f00_0001_0000u64.wrapping_sub(m.bias) >> PAGE_SHIFT, 0);
    }
}
