//! Work on behalf of the user behind sudo, with that user's rights: the kernel then refuses what the user may not do.

use std::io;

use rustix::process::{Gid, Uid, getegid, getgroups};
use rustix::thread::{
    CapabilitiesSecureBits, capabilities_secure_bits, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use crate::invoker::{Invoker, invoker};

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
    groups: Vec<Gid>,
    gid: Gid,
}

impl Acting {
    fn begin(user: &Invoker) -> io::Result<Acting> {
        let cannot = |e: io::Error| {
            io::Error::new(
                e.kind(),
                format!("cannot switch to user {} (SUDO_UID): {e}", user.uid),
            )
        };
        let bits = capabilities_secure_bits().map_err(|e| cannot(e.into()))?;
        if bits.contains(CapabilitiesSecureBits::NO_SETUID_FIXUP) {
            let why = "the capabilities of this process do not follow its user (securebits)";
            return Err(cannot(io::Error::other(why)));
        }
        let before = Acting {
            groups: getgroups().map_err(|e| cannot(e.into()))?,
            gid: getegid(),
        };
        // On an error, dropping `before` brings back what was changed already. The user comes last: with it goes the
        // right to change the others, and every capability.
        let gid = Gid::from_raw_unchecked;
        let groups: Vec<Gid> = user.groups().iter().copied().map(gid).collect();
        set_thread_groups(&groups).map_err(|e| cannot(e.into()))?;
        set_effective_gid(gid(user.gid)).map_err(cannot)?;
        set_effective_uid(Uid::from_raw_unchecked(user.uid)).map_err(cannot)?;
        Ok(before)
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let back = set_effective_uid(Uid::ROOT)
            .and_then(|()| set_effective_gid(self.gid))
            .and_then(|()| Ok(set_thread_groups(&self.groups)?));
        if back.is_err() {
            // Neither the user nor root: nothing that follows could be relied on.
            std::process::abort();
        }
    }
}

// The C library's functions change all threads at once; these change the calling thread alone.

fn set_effective_gid(gid: Gid) -> io::Result<()> {
    Ok(set_thread_res_gid(None, gid, None)?)
}

fn set_effective_uid(uid: Uid) -> io::Result<()> {
    Ok(set_thread_res_uid(None, uid, None)?)
}
