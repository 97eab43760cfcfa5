//! Who really asked: under sudo the target still runs as the user who typed the command, and files are that user's.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::accounts::{account, groups_of};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoker {
    pub uid: u32,
    pub gid: u32,
    groups: Vec<u32>,
    /// HOME, USER and LOGNAME, which sudo may have changed.
    pub env: Vec<(OsString, OsString)>,
}

/// The user behind sudo; None when we are not root, or were not started through sudo by somebody else.
pub fn invoker() -> Option<Invoker> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    // Asked for with every file that is written, and looked up once: nothing here changes SUDO_UID.
    static BEHIND_SUDO: OnceLock<Option<Invoker>> = OnceLock::new();
    BEHIND_SUDO
        .get_or_init(|| {
            // The greatest number is nobody's: to the kernel it means "leave it as it is", which is root.
            let number = |name| env::var(name).ok()?.parse().ok().filter(|n| *n != u32::MAX);
            let (uid, gid) = (number("SUDO_UID")?, number("SUDO_GID")?);
            (uid != 0).then(|| look_up(uid, gid))
        })
        .clone()
}

fn look_up(uid: u32, gid: u32) -> Invoker {
    let mut invoker = Invoker {
        uid,
        gid,
        groups: vec![gid],
        env: Vec::new(),
    };
    let Some(account) = account(uid) else {
        return invoker;
    };
    invoker.groups = groups_of(&account.name, gid);
    invoker.env = vec![
        ("HOME".into(), account.home),
        ("USER".into(), account.name.clone()),
        ("LOGNAME".into(), account.name),
    ];
    invoker
}

impl Invoker {
    pub(crate) fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// The home folder that the user's password record names.
    pub fn home(&self) -> Option<PathBuf> {
        let (_, home) = self.env.iter().find(|(name, _)| name == "HOME")?;
        Some(PathBuf::from(home))
    }

    /// Makes `command` run as this user, whose home its environment names.
    pub fn own(&self, command: &mut Command) {
        let user = self.clone();
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        // SAFETY: become_user is async-signal-safe, and what it reads was allocated before the fork.
        unsafe { command.pre_exec(move || user.become_user()) };
    }

    /// Becomes this user, for good. Async-signal-safe: for use between fork and exec.
    pub fn become_user(&self) -> io::Result<()> {
        // SAFETY: plain system calls; groups is a live array of its own length.
        let done = unsafe {
            libc::setgroups(self.groups.len(), self.groups.as_ptr()) == 0
                && libc::setgid(self.gid) == 0
                && libc::setuid(self.uid) == 0
        };
        if done {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}
