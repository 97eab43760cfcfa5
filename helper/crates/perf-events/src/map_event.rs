//! What the kernel reports of mappings, forks, execs and exits.

use std::io;
use std::os::fd::{OwnedFd, RawFd};

use records::bytes::Fields;
use records::{FileId, Mapping};

use crate::ring::{RECORD_COMM, RECORD_EXIT, RECORD_FORK, RECORD_LOST, RECORD_MMAP2, Ring};

/// What happened to an address space. Times are CLOCK_MONOTONIC.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEvent {
    pub time_ns: u64,
    pub pid: u32,
    pub tid: u32,
    pub kind: MapEventKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MapEventKind {
    Mapped {
        mapping: Mapping,
        path: Vec<u8>,
    },
    /// `tid` is new: the first of a child of `parent_pid`, or a thread of it when both processes are the same.
    Forked {
        parent_pid: u32,
        parent_tid: u32,
    },
    ThreadExited,
    Executed,
    /// The ring was full; how many records the kernel dropped. 0: it is to say so yet.
    Lost {
        count: u64,
    },
}

const MISC_COMM_EXEC: u16 = 1 << 13;

/// One CPU's ring of mapping events.
pub struct MapRing(Ring);

/// 256 KiB: some 2,000 mappings between two looks. With the page before it, two rings a CPU are within what any user may
/// lock for perf (`perf_event_mlock_kb`).
pub const DATA_PAGES: usize = 64;

/// A mapping of a file whose path has PATH_MAX bytes.
const RECORD_BYTES_MAX: usize = 4096 + 128;

impl MapRing {
    /// # Errors
    /// As [`Ring::new`].
    pub fn new(fd: OwnedFd, data_pages: usize) -> io::Result<MapRing> {
        Ring::new(fd, data_pages).map(MapRing).map_err(|(_, e)| e)
    }

    pub fn owner(&self) -> &OwnedFd {
        self.0.owner()
    }

    pub fn raw_fd(&self) -> RawFd {
        self.0.raw_fd()
    }

    /// Takes all records that are there. The kernel says that it dropped some with the first one that has room again; of a
    /// ring that is found full it is taken for granted.
    pub fn drain(&mut self, events: &mut Vec<MapEvent>) {
        let free = self
            .0
            .drain(|record| events.extend(parse_map_event(record)));
        if free < RECORD_BYTES_MAX
            && let Some(last) = events.last()
        {
            events.push(MapEvent {
                kind: MapEventKind::Lost { count: 0 },
                time_ns: last.time_ns,
                pid: 0,
                tid: 0,
            });
        }
    }
}

/// None for records that do not concern us. `record` includes its 8-byte header; the last 16 bytes are pid, tid, time.
pub fn parse_map_event(record: &[u8]) -> Option<MapEvent> {
    let mut f = Fields(record);
    let (kind, misc, _size) = (f.u32()?, f.u16()?, f.u16()?);
    let (body, id) = f.0.split_at_checked(f.0.len().checked_sub(16)?)?;
    let time_ns = u64::from_le_bytes(id[8..].try_into().ok()?);
    let mut f = Fields(body);
    let event = |pid, tid, kind| {
        Some(MapEvent {
            time_ns,
            pid,
            tid,
            kind,
        })
    };
    match kind {
        RECORD_MMAP2 => {
            let (pid, tid) = (f.u32()?, f.u32()?);
            let (start, length, file_offset) = (f.u64()?, f.u64()?, f.u64()?);
            let (device_major, device_minor, inode) = (f.u32()?, f.u32()?, f.u64()?);
            let (_generation, _protection, _flags) = (f.u64()?, f.u32()?, f.u32()?);
            let path = f.0.split(|b| *b == 0).next()?.to_vec();
            let file = FileId {
                device_major,
                device_minor,
                inode,
            };
            let mapping = Mapping {
                start,
                length,
                file_offset,
                file,
            };
            let mapping = mapping.called(&path);
            event(pid, tid, MapEventKind::Mapped { mapping, path })
        }
        RECORD_COMM if misc & MISC_COMM_EXEC != 0 => {
            event(f.u32()?, f.u32()?, MapEventKind::Executed)
        }
        RECORD_FORK => {
            let (pid, parent_pid, tid, parent_tid) = (f.u32()?, f.u32()?, f.u32()?, f.u32()?);
            let kind = MapEventKind::Forked {
                parent_pid,
                parent_tid,
            };
            event(pid, tid, kind)
        }
        RECORD_EXIT => {
            let (pid, _parent_pid, tid) = (f.u32()?, f.u32()?, f.u32()?);
            event(pid, tid, MapEventKind::ThreadExited)
        }
        RECORD_LOST => {
            let (_id, count) = (f.u64()?, f.u64()?);
            event(0, 0, MapEventKind::Lost { count })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::bytes::Body;

    fn record(kind: u32, misc: u16, body: Body) -> Vec<u8> {
        let body = body.u32(7).u32(8).u64(123); // pid, tid, time of sample_id_all
        let size = (body.0.len() + 8) as u16;
        let mut out = kind.to_le_bytes().to_vec();
        out.extend(misc.to_le_bytes());
        out.extend(size.to_le_bytes());
        out.extend(body.0);
        out
    }

    fn mapped(path: &[u8]) -> (Mapping, Vec<u8>) {
        let body = Body::default()
            .u32(7)
            .u32(8)
            .u64(0x1000)
            .u64(0x2000)
            .u64(0)
            .u32(254)
            .u32(1)
            .u64(42)
            .u64(0)
            .u32(5)
            .u32(2)
            .bytes(path);
        let event = parse_map_event(&record(RECORD_MMAP2, 0, body)).unwrap();
        assert_eq!((event.time_ns, event.pid), (123, 7));
        let MapEventKind::Mapped { path, mapping } = event.kind else {
            panic!("not a mapping");
        };
        (mapping, path)
    }

    #[test]
    fn a_mapping_record_gives_file_and_path() {
        let (mapping, path) = mapped(b"/lib/a.so\0\0\0\0\0\0\0");
        assert_eq!(
            (path.as_slice(), mapping.file.inode),
            (&b"/lib/a.so"[..], 42)
        );
        assert_eq!((mapping.start, mapping.end()), (0x1000, 0x3000));
    }

    #[test]
    fn the_vdso_has_the_number_that_no_file_has() {
        let (mapping, path) = mapped(b"[vdso]\0\0");
        assert_eq!(
            (path.as_slice(), mapping.file),
            (&b"[vdso]"[..], FileId::VDSO)
        );
    }

    #[test]
    fn a_name_change_without_exec_is_no_event() {
        let body = || Body::default().u32(7).u32(8).bytes(b"worker\0\0");
        assert_eq!(parse_map_event(&record(RECORD_COMM, 0, body())), None);
        let exec = parse_map_event(&record(RECORD_COMM, MISC_COMM_EXEC, body())).unwrap();
        assert_eq!(exec.kind, MapEventKind::Executed);
    }
}
