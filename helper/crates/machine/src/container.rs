//! Containers: by what one is recognised, what stands against recording in it, and what it has to be started with.
//! docs/containers.md has the same for people.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use crate::kernel_support;
use crate::rights::{self, Capabilities};

/// PROC_PID_INIT_INO of include/linux/proc_ns.h: the PID namespace that the kernel starts with.
const FIRST_PID_NAMESPACE: u64 = 0xEFFF_FFFC;

/// Why nothing in this container records with privilege, whoever it is and whatever is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Rights count for what is inside alone.
    UserNamespace,
    /// Nobody in here can have these (the bounding set).
    Lacks(Capabilities),
    /// A filter refuses these system calls.
    Filter(Vec<&'static str>),
}

/// What stands against it here; None: nothing that comes from a container.
pub fn obstacle() -> Option<Obstacle> {
    if rights::is_in_user_namespace() {
        return Some(Obstacle::UserNamespace);
    }
    let needed = Capabilities::needed(kernel_support::perf_events_for_admin_only().is_some());
    let lacking = needed.missing_in(Capabilities::bounding());
    if lacking != Capabilities(0) {
        return Some(Obstacle::Lacks(lacking));
    }
    let filtered = filtered_calls();
    (!filtered.is_empty()).then_some(Obstacle::Filter(filtered))
}

/// What kind of container this process runs in, as far as it leaves a sign.
pub fn name() -> Option<&'static str> {
    let exists = |path| Path::new(path).exists();
    let groups = fs::read_to_string("/proc/1/cgroup").unwrap_or_default();
    let pid_namespace = fs::metadata("/proc/self/ns/pid").map(|found| found.ino());
    match () {
        () if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() => Some("a Kubernetes pod"),
        () if groups.contains("kubepods") => Some("a Kubernetes pod"),
        () if exists("/run/.containerenv") => Some("a Podman container"),
        () if exists("/.dockerenv") || groups.contains("docker") => Some("a Docker container"),
        () if exists("/run/systemd/container") || groups.contains("lxc") => Some("a container"),
        () if pid_namespace.is_ok_and(|inode| inode != FIRST_PID_NAMESPACE) => {
            Some("a separate PID namespace, as in a container")
        }
        () => None,
    }
}

/// Calls that the kernel itself would refuse with EINVAL: where there is a filter, any other refusal is the filter's.
/// Without one it is the kernel's own: Linux 7 tells who has no rights so before it looks at the arguments.
fn filtered_calls() -> Vec<&'static str> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if !has_filter(&status) {
        return Vec::new();
    }
    let refused = |result: libc::c_long| {
        let error = io::Error::last_os_error().raw_os_error();
        result < 0 && error != Some(libc::EINVAL)
    };
    // SAFETY: there is no such command, and the attributes are none, of length 0.
    let bpf = unsafe { libc::syscall(libc::SYS_bpf, -1, std::ptr::null::<u8>(), 0) };
    let bpf = refused(bpf).then_some("bpf");
    // SAFETY: flags that do not exist are refused before the attributes, which are none, are looked at.
    let perf = unsafe {
        let none = std::ptr::null::<u8>();
        libc::syscall(
            libc::SYS_perf_event_open,
            none,
            0,
            -1,
            -1,
            libc::c_ulong::MAX,
        )
    };
    let perf = refused(perf).then_some("perf_event_open");
    bpf.into_iter().chain(perf).collect()
}

/// By `/proc/PID/status` (proc_pid_status(5)): 2 is a filter of system calls.
fn has_filter(status: &str) -> bool {
    let mode = status.lines().find_map(|l| l.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

impl Obstacle {
    /// What is so, as the part of a sentence.
    pub fn text(&self) -> String {
        match self {
            Obstacle::UserNamespace => "this is a user namespace (rootless Docker or Podman, or a sandbox), and the kernel never loads BPF programs from a user namespace, whatever rights it has inside".to_owned(),
            Obstacle::Lacks(lacking) => format!(
                "this container lacks {}, which recording requires; not even root has it here",
                lacking.names().replace(',', " and ")
            ),
            Obstacle::Filter(calls) => format!(
                "a system call filter (seccomp), as in a container, forbids {}",
                calls.join(" and ")
            ),
        }
    }

    /// What to do, with the command on an indented line of its own.
    pub fn advice(&self) -> String {
        match self {
            Obstacle::UserNamespace => {
                "Record from outside the container: on the host, with the PID that the process has there:\n  lineheat record --pid PID"
                    .to_owned()
            }
            Obstacle::Lacks(lacking) => {
                let names = lacking.names().replace("cap_", "").to_uppercase();
                let names: Vec<&str> = names.split(',').collect();
                let flags: Vec<String> = names.iter().map(|n| format!("--cap-add={n}")).collect();
                format!(
                    "Start the container with the options that add them:\n  docker run {} IMAGE\nIn compose.yaml: cap_add: [{}]. In devcontainer.json: \"capAdd\": [\"{}\"].",
                    flags.join(" "),
                    names.join(", "),
                    names.join("\", \"")
                )
            }
            Obstacle::Filter(_) => "Start the container with a filter that allows them, or without a filter:\n  docker run --security-opt=seccomp=unconfined IMAGE\nIn compose.yaml: security_opt: [\"seccomp:unconfined\"]. In devcontainer.json: \"securityOpt\": [\"seccomp=unconfined\"].".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_filter_can_have_refused_a_call() {
        assert!(has_filter("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n"));
        assert!(!has_filter("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n"));
        assert!(!has_filter(""));
    }

    #[test]
    fn each_obstacle_names_its_cause_and_the_flag() {
        let lacks = Obstacle::Lacks(Capabilities::needed(true));
        assert_eq!(
            lacks.text(),
            "this container lacks cap_bpf and cap_perfmon and cap_sys_admin, which recording requires; not even root has it here"
        );
        let advice = lacks.advice();
        assert!(advice.contains(
            "\n  docker run --cap-add=BPF --cap-add=PERFMON --cap-add=SYS_ADMIN IMAGE\n"
        ));
        assert!(
            advice.contains("cap_add: [BPF, PERFMON, SYS_ADMIN]"),
            "{advice}"
        );
        assert!(
            advice.contains(r#""capAdd": ["BPF", "PERFMON", "SYS_ADMIN"]"#),
            "{advice}"
        );
        let filter = Obstacle::Filter(vec!["bpf", "perf_event_open"]);
        assert!(filter.text().ends_with("forbids bpf and perf_event_open"));
        assert!(filter.advice().contains("seccomp=unconfined"));
        let namespace = Obstacle::UserNamespace.advice();
        assert!(
            namespace.contains("\n  lineheat record --pid PID"),
            "{namespace}"
        );
    }
}
