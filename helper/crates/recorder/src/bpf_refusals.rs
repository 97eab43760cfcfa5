//! Why the kernel did not load the BPF programs: the errno of bpf(2), what libbpf printed, and what is known of this process.

use machine::container;
use machine::rights::{self, Capabilities};

use super::errors::{RecordError, RecordErrorKind};
use super::missing_rights::no_permission;
use super::ways;

/// What decides between causes of the same errno.
pub struct Circumstances {
    /// The sampler has the capabilities that would do.
    pub has_rights: bool,
    pub in_container: bool,
    /// Whether it can be seen if this kernel is locked down.
    pub lockdown_is_told: bool,
}

impl Circumstances {
    /// Of a sampler that has its rights by `way`.
    pub fn of(way: &str) -> Circumstances {
        Circumstances {
            has_rights: match way {
                ways::NO_RIGHTS => false,
                ways::ROOT => {
                    let least = Capabilities::needed(false);
                    least.missing_in(Capabilities::own()) == Capabilities(0)
                }
                _ => true,
            },
            in_container: container::obstacle().is_some(),
            lockdown_is_told: rights::lockdown_is_told(),
        }
    }
}

/// `complaints`: what libbpf printed.
pub fn of_load(errno: i32, complaints: &str, at: &Circumstances) -> RecordError {
    let error = std::io::Error::from_raw_os_error(errno);
    // The verifier has its say after all questions of rights.
    if let Some(line) = verifier_line(complaints) {
        return no_bpf(
            format!(
                "the verifier of this kernel rejected the BPF sampler ({error}): {line}{}",
                lockdown_hint(errno, at.lockdown_is_told)
            ),
            "Lineheat was not tested on this kernel, or the kernel was modified. Record on another kernel, and report this message with the version that uname -r prints.",
        );
    }
    match errno {
        libc::EPERM if at.in_container || !at.has_rights => no_permission(
            "this user may not load BPF programs",
            "cap_bpf and cap_perfmon",
        ),
        libc::EPERM | libc::EACCES => no_bpf(
            format!(
                "the sampler has the rights to load a BPF program, but the kernel refused ({error}){}: the cause is a security module (SELinux, AppArmor) or a system call filter",
                detail(complaints)
            ),
            "The system log names the rule:\n  journalctl --dmesg --grep=denied",
        ),
        libc::ENOSYS => no_bpf(
            "this kernel has no BPF (CONFIG_BPF_SYSCALL), or a system call filter hides it"
                .to_owned(),
            "Record on a distribution kernel, outside sandboxes.",
        ),
        libc::ENOMEM => no_bpf(
            format!("not enough memory for the tables of the BPF sampler ({error})"),
            "Raise the memory limit of this container, service or session, or end other programs in it.",
        ),
        _ => no_bpf(
            format!(
                "the kernel rejected the BPF sampler: {error}{}{}",
                detail(complaints),
                lockdown_hint(errno, at.lockdown_is_told)
            ),
            "This command shows what is missing:\n  lineheat doctor",
        ),
    }
}

fn no_bpf(message: String, advice: &str) -> RecordError {
    RecordError {
        kind: RecordErrorKind::NoBpf,
        message,
        advice: advice.to_owned(),
    }
}

/// The last line of what libbpf printed, for the end of a sentence.
pub fn detail(complaints: &str) -> String {
    complaints
        .lines()
        .last()
        .map_or(String::new(), |l| format!(" ({l})"))
}

/// The reason at the end of the verifier's log, which libbpf prints between two marks; None: there is no log.
fn verifier_line(complaints: &str) -> Option<&str> {
    let (_, log) = complaints.split_once("-- BEGIN PROG LOAD LOG --")?;
    let log = log.split("-- END PROG LOAD LOG --").next()?;
    // Figures follow the reason (print_verification_stats in kernel/bpf/verifier.c).
    const FIGURES: [&str; 3] = ["processed ", "verification time ", "stack depth "];
    let mut lines = log.lines().map(str::trim).filter(|line| {
        !line.is_empty()
            && !line.starts_with("libbpf: ")
            && !FIGURES.iter().any(|start| line.starts_with(start))
    });
    lines.next_back().map(|line| line.trim_end_matches('.'))
}

fn lockdown_hint(errno: i32, is_told: bool) -> &'static str {
    match errno == libc::EINVAL && !is_told {
        true => {
            "; the kernel may also be in lockdown mode (confidentiality): mount securityfs on /sys/kernel/security to check"
        }
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHTS: Circumstances = Circumstances {
        has_rights: true,
        in_container: false,
        lockdown_is_told: true,
    };

    /// As libbpf 1.7 printed it on Linux 6.18.
    const REFUSED: &str = include_str!("../../../tests/data/verifier_refusal.txt");

    #[test]
    fn a_refusal_of_the_verifier_is_no_lack_of_rights() {
        for errno in [libc::EACCES, libc::EINVAL, libc::E2BIG] {
            let error = of_load(errno, REFUSED, &RIGHTS);
            assert_eq!(error.kind, RecordErrorKind::NoBpf);
            let reason = ": dereference of modified ctx ptr R1 off=100000 disallowed";
            assert!(error.message.ends_with(reason), "{error}");
            assert!(error.message.contains("verifier"), "{error}");
        }
        // In lockdown mode a helper is missing, which the verifier says without a word of the mode.
        let hidden = Circumstances {
            lockdown_is_told: false,
            ..RIGHTS
        };
        let error = of_load(libc::EINVAL, REFUSED, &hidden);
        assert!(error.message.contains("mount securityfs"), "{error}");
        // Also where a process has its rights by other ways than ours to see, as the installed sampler has.
        let rights = Circumstances {
            has_rights: false,
            ..RIGHTS
        };
        assert_eq!(
            of_load(libc::EACCES, REFUSED, &rights).kind,
            RecordErrorKind::NoBpf
        );
    }

    #[test]
    fn each_errno_has_its_own_cause() {
        let told = |errno, at: &Circumstances| of_load(errno, "libbpf: map 'x': failed\n", at);
        let without = Circumstances {
            has_rights: false,
            ..RIGHTS
        };
        assert_eq!(
            told(libc::EPERM, &without).kind,
            RecordErrorKind::NoPermission
        );
        for errno in [libc::EPERM, libc::EACCES] {
            let error = told(errno, &RIGHTS);
            assert!(error.message.contains("security module"), "{error}");
            assert!(error.message.contains("map 'x': failed"), "{error}");
        }
        assert!(
            told(libc::ENOSYS, &RIGHTS)
                .message
                .contains("CONFIG_BPF_SYSCALL")
        );
        assert!(
            told(libc::ENOMEM, &RIGHTS)
                .message
                .contains("not enough memory")
        );
        let hidden = Circumstances {
            lockdown_is_told: false,
            ..RIGHTS
        };
        assert!(told(libc::EINVAL, &hidden).message.contains("securityfs"));
        assert!(!told(libc::EINVAL, &RIGHTS).message.contains("securityfs"));
        assert!(!told(libc::E2BIG, &hidden).message.contains("securityfs"));
    }
}
