//! Which kernels Lineheat can record on, and in which words it refuses the others. Proved by `npm run kernel-matrix`.

use std::fs;

use crate::host::{Host, host};

/// The oldest kernel that Lineheat is tested on. It has all that the sampler needs: bpf_loop (5.17), bpf_task_pt_regs
/// (5.15), maps that can be used after all capabilities are dropped (5.19).
const OLDEST: (u32, u32) = (6, 1);
const WITH_BPF_LOOP: (u32, u32) = (5, 17);

/// From here on `perf_event_open` asks for cap_sys_admin (a patch of Debian and Ubuntu; upstream ends at 2).
const PARANOID_FOR_ADMIN_ONLY: i32 = 3;

/// As `uname -r`.
pub fn release() -> String {
    read("/proc/sys/kernel/osrelease")
}

/// What to say of a kernel of this release when it is too old; None: it is new enough.
pub fn why_too_old(release: &str) -> Option<String> {
    let version = version_of(release);
    let (major, minor) = OLDEST;
    let why = if version >= OLDEST {
        return None;
    } else if version < WITH_BPF_LOOP {
        "it lacks bpf_loop, which Lineheat uses to walk stacks"
    } else {
        "older kernels were not tested"
    };
    Some(format!(
        "this kernel is Linux {release}, but Lineheat needs Linux {major}.{minor} or newer: {why}"
    ))
}

/// The value of kernel.perf_event_paranoid where it keeps `perf_event_open` from all but administrators.
pub fn perf_events_for_admin_only() -> Option<i32> {
    let value = read("/proc/sys/kernel/perf_event_paranoid").parse().ok()?;
    (value >= PARANOID_FOR_ADMIN_ONLY).then_some(value)
}

/// The part of a sentence.
pub const NO_TYPE_INFORMATION: &str = "this kernel was built without type information (BTF, CONFIG_DEBUG_INFO_BTF), which the BPF sampler needs";

/// What to do about it, as a sentence without its full stop.
pub fn with_type_information() -> &'static str {
    host(&release()).map_or(
        "Record on a distribution's kernel: those of Debian, Ubuntu, Fedora and Arch have it",
        Host::newer_kernel,
    )
}

/// "6.12.117+deb12-cloud-amd64" → (6, 12).
fn version_of(release: &str) -> (u32, u32) {
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn read(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_too_old_is_told_its_version_what_it_lacks_and_what_is_needed() {
        let told = why_too_old("5.10.0-46-cloud-amd64").unwrap();
        assert_eq!(
            told,
            "this kernel is Linux 5.10.0-46-cloud-amd64, but Lineheat needs Linux 6.1 or newer: it lacks bpf_loop, which Lineheat uses to walk stacks"
        );
        assert!(
            why_too_old("5.19.17")
                .unwrap()
                .ends_with("older kernels were not tested")
        );
    }

    #[test]
    fn from_6_1_on_kernels_are_new_enough() {
        for release in [
            "6.1.0-56-cloud-amd64",
            "6.12.117+deb12-cloud-amd64",
            "7.3.4",
            "10.0",
        ] {
            assert_eq!(why_too_old(release), None, "{release}");
        }
    }
}
