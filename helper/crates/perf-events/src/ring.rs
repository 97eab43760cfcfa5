//! The memory ring into which the kernel writes an event's records (perf_event_open(2), "MMAP layout").

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::page_bytes;

/// Of every record: `type` (u32), `misc` (u16), `size` (u16).
pub const RECORD_HEADER_BYTES: usize = 8;

/// Values of `type` (`enum perf_event_type`).
pub const RECORD_LOST: u32 = 2;
pub const RECORD_COMM: u32 = 3;
pub const RECORD_EXIT: u32 = 4;
pub const RECORD_FORK: u32 = 7;
pub const RECORD_SAMPLE: u32 = 9;
pub const RECORD_MMAP2: u32 = 10;

const HEAD_OFFSET: usize = 1024; // of data_head in struct perf_event_mmap_page; data_tail follows

/// One CPU's ring.
pub struct Ring {
    fd: OwnedFd,
    base: NonNull<u8>,
    page_bytes: usize,
    data_pages: usize,
    /// A record that wraps round the end of the ring, joined.
    joined: Vec<u8>,
}

// SAFETY: the mapping belongs to this value alone and does not care which thread of the process reads it.
unsafe impl Send for Ring {}

impl Ring {
    /// `data_pages` is a power of two.
    ///
    /// # Errors
    /// As mmap(2), with the event given back; EPERM when the user's locked-memory limit for perf is used up.
    pub fn new(fd: OwnedFd, data_pages: usize) -> Result<Ring, (OwnedFd, io::Error)> {
        let page_bytes = page_bytes() as usize;
        // SAFETY: a fresh mapping of the event's own ring; the address is the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                (1 + data_pages) * page_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err((fd, io::Error::last_os_error()));
        }
        let base = NonNull::new(base.cast()).expect("mmap does not give null");
        Ok(Ring {
            fd,
            base,
            page_bytes,
            data_pages,
            joined: Vec::new(),
        })
    }

    pub fn owner(&self) -> &OwnedFd {
        &self.fd
    }

    pub fn raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Gives the records that are there, headers included, and frees the room of each as soon as `take` has seen it. Returns
    /// how many bytes of the ring were still free.
    pub fn drain(&mut self, mut take: impl FnMut(&[u8])) -> usize {
        // SAFETY: the mapping's first page holds struct perf_event_mmap_page; data_head and data_tail are aligned u64
        // that the kernel and we access atomically.
        let (head, tail) = unsafe {
            let head = self.base.add(HEAD_OFFSET).cast::<AtomicU64>();
            (head.as_ref(), head.add(1).as_ref())
        };
        // SAFETY: the data pages follow the first page and live as long as self; between tail and head the kernel does
        // not write.
        let data = unsafe {
            std::slice::from_raw_parts(
                self.base.add(self.page_bytes).as_ptr(),
                self.data_pages * self.page_bytes,
            )
        };
        let end = head.load(Ordering::Acquire);
        let mut position = tail.load(Ordering::Relaxed);
        let free = data.len().saturating_sub((end - position) as usize);
        while position < end {
            let header = record_at(data, position, RECORD_HEADER_BYTES, &mut self.joined);
            let size = u16::from_le_bytes([header[6], header[7]]);
            if usize::from(size) < RECORD_HEADER_BYTES || u64::from(size) > end - position {
                break; // never seen; the rest could not be trusted
            }
            take(record_at(data, position, size.into(), &mut self.joined));
            position += u64::from(size);
            tail.store(position, Ordering::Release);
        }
        tail.store(end, Ordering::Release);
        free
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: base and length are those of the mapping made in `new`; no reference into it outlives self.
        unsafe {
            libc::munmap(
                self.base.as_ptr().cast(),
                (1 + self.data_pages) * self.page_bytes,
            )
        };
    }
}

/// The `length` bytes at `position`, in place or, where they wrap round the end, joined in `joined`.
fn record_at<'a>(
    data: &'a [u8],
    position: u64,
    length: usize,
    joined: &'a mut Vec<u8>,
) -> &'a [u8] {
    let start = (position % data.len() as u64) as usize;
    if let Some(whole) = data.get(start..start + length) {
        return whole;
    }
    joined.clear();
    joined.extend_from_slice(&data[start..]);
    joined.extend_from_slice(&data[..length - (data.len() - start)]);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_wraps_round_the_ring_is_joined() {
        let data = [3, 4, 1, 2];
        assert_eq!(record_at(&data, 6, 4, &mut Vec::new()), [1, 2, 3, 4]);
        assert_eq!(record_at(&data, 4, 2, &mut Vec::new()), [3, 4]);
    }
}
