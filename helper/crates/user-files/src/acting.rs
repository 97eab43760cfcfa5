//! Work on behalf of the user behind sudo, with that user's rights: the kernel then refuses what the user may not do.

use std::io;

use crate::invoker::{Invoker, invoker};

/// include/uapi/linux/securebits.h: the capabilities of this process do not follow its user.
const SECBIT_NO_SETUID_FIXUP: i32 = 1 << 2;

/// Runs `work` as the user behind sudo; when there is none, with the rights that this process has. Only the calling
/// thread changes, and it has its own rights back afterwards, a panic included.
///
/// # Errors
/// When the rights of that user cannot be taken; `work` has not run then.
pub fn as_invoker<T>(work: impl FnOnce() -> T) -> io::Result<T> {
    let _acting = match invoker() {
        Some(user) => Some(Acting::begin(&user)?),
        None => None,
    };
    Ok(work())
}

struct Acting {
    /// Those of root.
    groups: Vec<libc::gid_t>,
    gid: libc::gid_t,
}

impl Acting {
    fn begin(user: &Invoker) -> io::Result<Acting> {
        let cannot = |e: io::Error| {
            io::Error::new(
                e.kind(),
                format!(
                    "the rights of user {} (SUDO_UID) cannot be taken: {e}",
                    user.uid
                ),
            )
        };
        // SAFETY: prctl with these arguments only reads.
        if unsafe { libc::prctl(libc::PR_GET_SECUREBITS) } & SECBIT_NO_SETUID_FIXUP != 0 {
            let why = "the capabilities of this process do not follow its user (securebits)";
            return Err(cannot(io::Error::other(why)));
        }
        let before = Acting {
            groups: own_groups().map_err(cannot)?,
            // SAFETY: getegid has no preconditions.
            gid: unsafe { libc::getegid() },
        };
        // On an error, dropping `before` brings back what was changed already. The user comes last: with it goes the
        // right to change the others, and every capability.
        set_groups(user.groups()).map_err(cannot)?;
        set_effective_gid(user.gid).map_err(cannot)?;
        set_effective_uid(user.uid).map_err(cannot)?;
        Ok(before)
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let back = set_effective_uid(0)
            .and_then(|()| set_effective_gid(self.gid))
            .and_then(|()| set_groups(&self.groups));
        if back.is_err() {
            // Neither the user nor root: nothing that follows could be relied on.
            std::process::abort();
        }
    }
}

// The C library's functions change all threads at once. The system calls change the calling thread alone.

fn own_groups() -> io::Result<Vec<libc::gid_t>> {
    let mut groups = vec![0; 65_536]; // NGROUPS_MAX
    // SAFETY: groups has room for as many numbers as are passed.
    let count = unsafe { libc::getgroups(groups.len() as libc::c_int, groups.as_mut_ptr()) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    groups.truncate(count as usize);
    Ok(groups)
}

fn set_groups(groups: &[libc::gid_t]) -> io::Result<()> {
    // SAFETY: groups is a live array of its own length.
    checked(unsafe { libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr()) })
}

/// -1 leaves a number as it is.
const SAME: libc::uid_t = libc::uid_t::MAX;

fn set_effective_gid(gid: libc::gid_t) -> io::Result<()> {
    // SAFETY: plain numbers.
    checked(unsafe { libc::syscall(libc::SYS_setresgid, SAME, gid, SAME) })
}

fn set_effective_uid(uid: libc::uid_t) -> io::Result<()> {
    // SAFETY: plain numbers.
    checked(unsafe { libc::syscall(libc::SYS_setresuid, SAME, uid, SAME) })
}

fn checked(result: libc::c_long) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
