//! Events of the kernel's perf subsystem: opened, and their rings read. Linked by the privileged sampler and by the
//! engine, which records with it where there is no privilege. Parses what the kernel wrote and nothing else; opens no
//! file.

pub mod counter_event;
pub mod event;
pub mod map_event;
#[cfg_attr(target_arch = "x86_64", path = "registers_x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "registers_aarch64.rs")]
pub mod registers;
pub mod ring;
pub mod stack_copy_event;

/// The kernel counts rings, and offsets of mappings, in its pages.
pub fn page_bytes() -> u64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}
