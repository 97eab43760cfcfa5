//! Keeps the process alive when a mapped file is cut short while it is read, as a linker that rebuilds a program does.
//!
//! Touching a page beyond the new end raises SIGBUS, which would end the engine and the recording with it. The handler
//! here puts an empty page in its place: the reader sees zeros and finds the file malformed. Faults elsewhere go to
//! the handler that was there before.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memmap2::Mmap;

/// Files mapped at one time; a symbolization needs three.
const MAPS_MAX: usize = 64;

/// The handler may use nothing but memory that is always there.
static MAPS: [Slot; MAPS_MAX] = [const { Slot::new() }; MAPS_MAX];
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

struct Slot {
    taken: AtomicBool,
    start: AtomicUsize,
    /// 0: nothing is guarded.
    end: AtomicUsize,
    was_cut: AtomicBool,
}

impl Slot {
    const fn new() -> Slot {
        Slot {
            taken: AtomicBool::new(false),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            was_cut: AtomicBool::new(false),
        }
    }
}

/// A read-only map of a whole file that survives the file's shrinking.
pub struct GuardedMap {
    map: Mmap,
    slot: &'static Slot,
}

impl GuardedMap {
    /// # Errors
    /// When the file cannot be mapped, or too many are.
    pub fn of(file: &File) -> io::Result<GuardedMap> {
        install_handler()?;
        let slot = MAPS
            .iter()
            .find(|slot| !slot.taken.swap(true, Ordering::AcqRel))
            .ok_or_else(|| io::Error::other(format!("{MAPS_MAX} files are mapped already")))?;
        // SAFETY: the map is private and read-only. Changed bytes are foreign input like all others; a shorter file
        // is answered by the handler.
        let map = match unsafe { Mmap::map(file) } {
            Ok(map) => map,
            Err(error) => {
                slot.taken.store(false, Ordering::Release);
                return Err(error);
            }
        };
        slot.was_cut.store(false, Ordering::Relaxed);
        slot.start.store(map.as_ptr().addr(), Ordering::Relaxed);
        slot.end
            .store(map.as_ptr().addr() + map.len(), Ordering::Release);
        Ok(GuardedMap { map, slot })
    }

    /// Something was read that the file no longer has.
    pub fn was_cut(&self) -> bool {
        self.slot.was_cut.load(Ordering::Relaxed)
    }
}

impl Deref for GuardedMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for GuardedMap {
    fn drop(&mut self) {
        // The map itself goes after this; nobody reads it any more.
        self.slot.end.store(0, Ordering::Release);
        self.slot.taken.store(false, Ordering::Release);
    }
}

fn install_handler() -> io::Result<()> {
    if PREVIOUS.get().is_some() {
        return Ok(());
    }
    PAGE_BYTES.store(rustix::param::page_size(), Ordering::Relaxed);
    // SAFETY: sigaction is given complete structures; the handler is async-signal-safe (see there). Two threads that
    // both come here install the same handler, and `set` keeps what the first of them found.
    unsafe {
        let mut previous: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut previous) != 0 {
            return Err(io::Error::last_os_error());
        }
        if PREVIOUS.set(previous).is_err() {
            return Ok(());
        }
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = on_bus_error as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        if libc::sigaction(libc::SIGBUS, &ours, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Uses atomics, mmap and sigaction only: all three are plain memory accesses or system calls.
extern "C" fn on_bus_error(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel gives a valid siginfo to a handler installed with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() }.addr();
    for slot in &MAPS {
        let end = slot.end.load(Ordering::Acquire);
        if address >= end || address < slot.start.load(Ordering::Relaxed) {
            continue;
        }
        slot.was_cut.store(true, Ordering::Relaxed);
        let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
        let page = address & !(page_bytes - 1);
        // SAFETY: the page lies in a map that this module owns and that is only read; a private page of zeros takes
        // its place and is unmapped with it.
        let replaced = unsafe {
            libc::mmap(
                page as *mut libc::c_void,
                page_bytes,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if replaced != libc::MAP_FAILED {
            return;
        }
    }
    pass_on(signal, info, context);
}

/// Of the kernel; known before the first signal.
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: an all-zero sigaction is the default action.
    let previous = PREVIOUS
        .get()
        .copied()
        .unwrap_or_else(|| unsafe { std::mem::zeroed() });
    if previous.sa_flags & libc::SA_SIGINFO != 0 && previous.sa_sigaction > 1 {
        type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
        // SAFETY: with SA_SIGINFO the field holds a function of this type.
        let handler: Handler = unsafe { std::mem::transmute(previous.sa_sigaction) };
        handler(signal, info, context);
        return;
    }
    // SAFETY: restores what was there; the fault happens again at once and is handled by that.
    unsafe { libc::sigaction(libc::SIGBUS, &previous, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_cut_short_reads_as_zeros() {
        let page = rustix::param::page_size();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; 5 * page]).unwrap();
        let map = GuardedMap::of(&file).unwrap();
        assert_eq!(map[4 * page], 7);
        assert!(!map.was_cut());
        file.set_len(page as u64).unwrap();
        assert_eq!(map[4 * page + 9], 0);
        assert_eq!(map[0], 7);
        assert!(map.was_cut());
    }
}
