//! Keys of the hash by which addresses of blocks leave the kernel (bpf/reported_allocations.h).

use std::io;

/// Nobody else knows them: what is made of an address by them does not say which it was.
///
/// # Errors
/// As getrandom(2).
pub fn draw_keys() -> io::Result<[u64; 2]> {
    let mut keys = [0u64; 2];
    // SAFETY: keys is live and of the length that is passed.
    let n = unsafe { libc::getrandom(keys.as_mut_ptr().cast(), size_of_val(&keys), 0) };
    match n == size_of_val(&keys) as isize {
        true => Ok(keys),
        false => Err(io::Error::last_os_error()),
    }
}
