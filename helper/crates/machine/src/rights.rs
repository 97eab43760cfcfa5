//! What this process may gain and what it has: the causes for which a file's capabilities silently come to nothing.

use std::path::Path;
use std::{fs, io};

use rustix::fs::{Access, StatVfsMountFlags, access, getxattr, statvfs};
use rustix::process::geteuid;

// include/uapi/linux/capability.h
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// A set of capabilities, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities(pub u64);

impl Capabilities {
    /// What recording takes; `for_admins`: where the kernel keeps perf events for administrators.
    pub fn needed(for_admins: bool) -> Capabilities {
        let admin = if for_admins { 1 << CAP_SYS_ADMIN } else { 0 };
        Capabilities(1 << CAP_BPF | 1 << CAP_PERFMON | admin)
    }

    /// Whether all of `other` are among these.
    pub fn contains(self, other: Capabilities) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of these that are missing where a process has `held`. cap_sys_admin stands for the two others
    /// (bpf_capable and perfmon_capable in include/linux/capability.h).
    pub fn missing_in(self, held: Capabilities) -> Capabilities {
        match held.0 & 1 << CAP_SYS_ADMIN {
            0 => Capabilities(self.0 & !held.0),
            _ => Capabilities(0),
        }
    }

    /// As setcap writes them: "cap_bpf,cap_perfmon".
    pub fn names(self) -> String {
        let known = [
            (CAP_BPF, "cap_bpf"),
            (CAP_PERFMON, "cap_perfmon"),
            (CAP_SYS_ADMIN, "cap_sys_admin"),
        ];
        let has = known.iter().filter(|(bit, _)| self.0 & 1 << bit != 0);
        has.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
    }

    /// Those of this process.
    pub fn own() -> Capabilities {
        Capabilities::of_status("CapEff:")
    }

    /// Those that this process and all that it starts can ever have.
    pub(crate) fn bounding() -> Capabilities {
        Capabilities::of_status("CapBnd:")
    }

    fn of_status(field: &str) -> Capabilities {
        let set = status_field(field).unwrap_or_default();
        Capabilities(u64::from_str_radix(&set, 16).unwrap_or(0))
    }

    /// Those that a program file gives to whoever runs it (struct vfs_cap_data, include/uapi/linux/capability.h).
    pub fn of_file(path: &Path) -> Capabilities {
        let mut data = [0_u8; 64];
        let length = getxattr(path, c"security.capability", &mut data).unwrap_or(0);
        let word = |n: usize| u32::from_le_bytes(data[4 * n..4 * n + 4].try_into().expect("four"));
        const EFFECTIVE: u32 = 1;
        match length {
            20.. if word(0) & EFFECTIVE != 0 => {
                Capabilities(u64::from(word(1)) | u64::from(word(3)) << 32)
            }
            _ => Capabilities(0),
        }
    }
}

/// Whether nothing that this process starts can gain rights, by sudo or by file capabilities.
pub fn may_gain_nothing() -> bool {
    status_field("NoNewPrivs:").is_some_and(|n| n == "1")
}

/// Whether this process runs in a user namespace, where capabilities count for what is inside alone.
pub fn is_in_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map");
    map.is_ok_and(|m| !m.split_whitespace().eq(["0", "0", "4294967295"]))
}

/// Whether files there give no rights to whoever runs them.
pub fn is_nosuid(path: &Path) -> bool {
    statvfs(path).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::NOSUID))
}

/// "integrity" or "confidentiality" where the kernel protects itself from root.
pub fn lockdown() -> Option<String> {
    let modes = fs::read_to_string("/sys/kernel/security/lockdown").ok()?;
    let (_, chosen) = modes.split_once('[')?;
    let (mode, _) = chosen.split_once(']')?;
    (mode != "none").then(|| mode.to_owned())
}

/// Whether [`lockdown`] can tell: its file lies on securityfs, which minimal systems and containers do not mount.
pub fn lockdown_is_told() -> bool {
    Path::new("/sys/kernel/security/lsm").exists()
}

/// Of the two modes the one in which no BPF program may read memory.
pub fn is_confidential(mode: Option<&str>) -> bool {
    mode == Some("confidentiality")
}

/// Whether the file may be read and run by this process.
pub(crate) fn may_run(path: &Path) -> bool {
    access(path, Access::READ_OK | Access::EXEC_OK).is_ok()
}

/// Whether this process acts as root.
pub fn is_root() -> bool {
    geteuid().is_root()
}

fn status_field(name: &str) -> Option<String> {
    let status: io::Result<String> = fs::read_to_string("/proc/self/status");
    let status = status.ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(name))?;
    Some(line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_have_the_names_that_setcap_takes() {
        assert_eq!(Capabilities::needed(false).names(), "cap_bpf,cap_perfmon");
        let for_admins = Capabilities::needed(true);
        assert_eq!(for_admins.names(), "cap_bpf,cap_perfmon,cap_sys_admin");
        assert!(for_admins.contains(Capabilities::needed(false)));
        assert!(!Capabilities::needed(false).contains(for_admins));
        let none = Capabilities(0);
        assert_eq!(for_admins.missing_in(none), for_admins);
        assert_eq!(
            for_admins.missing_in(Capabilities::needed(false)).names(),
            "cap_sys_admin"
        );
        let admin = Capabilities(1 << CAP_SYS_ADMIN);
        assert_eq!(for_admins.missing_in(admin), none);
        assert_eq!(
            Capabilities::of_file(Path::new("/bin/true")),
            Capabilities(0)
        );
    }
}
