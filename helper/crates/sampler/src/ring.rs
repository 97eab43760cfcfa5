//! The memory ring through which the kernel reports mappings, forks, execs and exits (perf_event_open(2), "MMAP layout").

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use records::FileId;
use records::bytes::Fields;

/// What happened to an address space. Times are CLOCK_MONOTONIC.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEvent {
    pub time_ns: u64,
    pub pid: u32,
    pub kind: MapEventKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MapEventKind {
    Mapped {
        start: u64,
        length: u64,
        file_offset: u64,
        file: FileId,
        path: Vec<u8>,
    },
    /// `pid` is new: a child of `parent_pid`, or a thread of it when both are the same.
    Forked {
        parent_pid: u32,
    },
    ThreadExited,
    Executed,
    /// The ring was full; how many records the kernel dropped.
    Lost {
        count: u64,
    },
}

const RECORD_LOST: u32 = 2;
const RECORD_COMM: u32 = 3;
const RECORD_EXIT: u32 = 4;
const RECORD_FORK: u32 = 7;
const RECORD_MMAP2: u32 = 10;
const MISC_COMM_EXEC: u16 = 1 << 13;

const DATA_PAGES: usize = 64; // 256 KiB: some 2,000 mappings between two looks
const HEAD_OFFSET: usize = 1024; // of data_head in struct perf_event_mmap_page; data_tail follows

/// One CPU's ring.
pub struct MapRing {
    fd: OwnedFd,
    base: NonNull<u8>,
    page_bytes: usize,
}

impl MapRing {
    /// # Errors
    /// As mmap(2); EPERM when the user's locked-memory limit for perf is used up.
    pub fn new(fd: OwnedFd) -> io::Result<MapRing> {
        // SAFETY: sysconf has no preconditions.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: a fresh mapping of the event's own ring; the address is the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                (1 + DATA_PAGES) * page_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).expect("mmap does not give null");
        Ok(MapRing {
            fd,
            base,
            page_bytes,
        })
    }

    pub fn owner(&self) -> &OwnedFd {
        &self.fd
    }

    pub fn raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Takes all records that are there.
    pub fn drain(&mut self, events: &mut Vec<MapEvent>) {
        let data_bytes = DATA_PAGES * self.page_bytes;
        // SAFETY: the mapping's first page holds struct perf_event_mmap_page; data_head and data_tail are aligned u64
        // that the kernel and we access atomically.
        let (head, tail) = unsafe {
            let head = self.base.add(HEAD_OFFSET).cast::<AtomicU64>();
            (head.as_ref(), head.add(1).as_ref())
        };
        // SAFETY: the data pages follow the first page and live as long as self; between tail and head the kernel does
        // not write.
        let data = unsafe {
            std::slice::from_raw_parts(self.base.add(self.page_bytes).as_ptr(), data_bytes)
        };
        let end = head.load(Ordering::Acquire);
        let mut position = tail.load(Ordering::Relaxed);
        let mut record = Vec::new();
        while position < end {
            copy_wrapped(data, position, 8, &mut record);
            let size = u16::from_le_bytes([record[6], record[7]]) as usize;
            if size < 8 || position + size as u64 > end {
                break; // never seen; the rest could not be trusted
            }
            copy_wrapped(data, position, size, &mut record);
            if let Some(event) = parse_record(&record) {
                events.push(event);
            }
            position += size as u64;
        }
        tail.store(end, Ordering::Release);
    }
}

impl Drop for MapRing {
    fn drop(&mut self) {
        // SAFETY: base and length are those of the mapping made in `new`; no reference into it outlives self.
        unsafe {
            libc::munmap(
                self.base.as_ptr().cast(),
                (1 + DATA_PAGES) * self.page_bytes,
            )
        };
    }
}

fn copy_wrapped(data: &[u8], position: u64, length: usize, out: &mut Vec<u8>) {
    let start = (position % data.len() as u64) as usize;
    let first = length.min(data.len() - start);
    out.clear();
    out.extend_from_slice(&data[start..start + first]);
    out.extend_from_slice(&data[..length - first]);
}

/// None for records that do not concern us. `record` includes its 8-byte header; the last 16 bytes are pid, tid, time.
fn parse_record(record: &[u8]) -> Option<MapEvent> {
    let mut f = Fields(record);
    let (kind, misc, _size) = (f.u32()?, f.u16()?, f.u16()?);
    let (body, id) = f.0.split_at_checked(f.0.len().checked_sub(16)?)?;
    let time_ns = u64::from_le_bytes(id[8..].try_into().ok()?);
    let mut f = Fields(body);
    let event = |pid, kind| Some(MapEvent { time_ns, pid, kind });
    match kind {
        RECORD_MMAP2 => {
            let (pid, _tid) = (f.u32()?, f.u32()?);
            let (start, length, file_offset) = (f.u64()?, f.u64()?, f.u64()?);
            let (device_major, device_minor, inode) = (f.u32()?, f.u32()?, f.u64()?);
            let (_generation, _protection, _flags) = (f.u64()?, f.u32()?, f.u32()?);
            let path = f.0.split(|b| *b == 0).next()?.to_vec();
            let file = FileId {
                device_major,
                device_minor,
                inode,
            };
            event(
                pid,
                MapEventKind::Mapped {
                    start,
                    length,
                    file_offset,
                    file,
                    path,
                },
            )
        }
        RECORD_COMM if misc & MISC_COMM_EXEC != 0 => event(f.u32()?, MapEventKind::Executed),
        RECORD_FORK => {
            let (pid, parent_pid) = (f.u32()?, f.u32()?);
            event(pid, MapEventKind::Forked { parent_pid })
        }
        RECORD_EXIT => event(f.u32()?, MapEventKind::ThreadExited),
        RECORD_LOST => {
            let (_id, count) = (f.u64()?, f.u64()?);
            event(0, MapEventKind::Lost { count })
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

    #[test]
    fn a_mapping_record_gives_file_and_path() {
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
            .bytes(b"/lib/a.so\0\0\0\0\0\0\0");
        let event = parse_record(&record(RECORD_MMAP2, 0, body)).unwrap();
        assert_eq!((event.time_ns, event.pid), (123, 7));
        let MapEventKind::Mapped { path, file, .. } = event.kind else {
            panic!("not a mapping");
        };
        assert_eq!((path.as_slice(), file.inode), (&b"/lib/a.so"[..], 42));
    }

    #[test]
    fn a_name_change_without_exec_is_no_event() {
        let body = || Body::default().u32(7).u32(8).bytes(b"worker\0\0");
        assert_eq!(parse_record(&record(RECORD_COMM, 0, body())), None);
        let exec = parse_record(&record(RECORD_COMM, MISC_COMM_EXEC, body())).unwrap();
        assert_eq!(exec.kind, MapEventKind::Executed);
    }

    #[test]
    fn a_record_that_wraps_round_the_ring_is_joined() {
        let mut out = Vec::new();
        copy_wrapped(&[3, 4, 1, 2], 6, 4, &mut out);
        assert_eq!(out, [1, 2, 3, 4]);
    }
}
