//! Why a sampler could not record, in words for the user: the privileged one, and the one without privilege.

use machine::container::Obstacle;
use machine::{host, kernel_support, rights};
use records::{SamplerError, SamplerStep};

use super::bpf_refusals::{Circumstances, detail, of_load};
use super::errors::{RecordError, RecordErrorKind};
use super::missing_rights::{no_perf_events, set_up};
use super::{calls, probe_errors};

impl RecordError {
    pub(crate) fn without_privilege(error: SamplerError) -> RecordError {
        let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        let paranoid = level.ok().and_then(|l| l.trim().parse().ok());
        refused_without_privilege(error, paranoid)
    }

    /// `way`: by which the sampler has its rights.
    pub(crate) fn of_sampler(error: SamplerError, complaints: &str, way: &str) -> RecordError {
        let errno = std::io::Error::from_raw_os_error(error.errno);
        let refused = matches!(error.errno, libc::EPERM | libc::EACCES);
        match error.step {
            // Whatever else is missing: no right would help.
            SamplerStep::LoadBpf if rights::is_confidential(rights::lockdown().as_deref()) => locked_down(),
            SamplerStep::LoadBpf if refused || host::has_type_information() => {
                of_load(error.errno, complaints, &Circumstances::of(way))
            }
            SamplerStep::OpenSampleEvent | SamplerStep::OpenMapEvent | SamplerStep::AttachBpf if refused => {
                no_perf_events(kernel_support::perf_events_for_admin_only())
            }
            SamplerStep::OpenSampleEvent | SamplerStep::OpenMapEvent if error.errno == libc::ESRCH => RecordError {
                kind: RecordErrorKind::NotFound,
                message: "the process exited before it could be sampled".to_owned(),
                advice: String::new(),
            },
            SamplerStep::ProbeFile => probe_errors::of_file(error.errno),
            SamplerStep::AttachProbes | SamplerStep::AttachReportProbes => probe_errors::of_attaching(error.errno),
            SamplerStep::CallFile => calls::of_file(error.errno),
            SamplerStep::AttachCallProbes => calls::of_attaching(error.errno),
            SamplerStep::NotAllowed => RecordError {
                kind: RecordErrorKind::NotAllowed,
                message: target::why_not_allowed(error.pid, target::own_uid()),
                advice: "Choose one of your own processes, or ask its owner or the administrator to record it.".to_owned(),
            },
            SamplerStep::TooManyRecordings => RecordError {
                kind: RecordErrorKind::TooMany,
                message: "two recordings of this user are already running, which is the maximum".to_owned(),
                advice: "Stop one of them, or wait until it is saved.".to_owned(),
            },
            SamplerStep::LoadBpf => RecordError {
                kind: RecordErrorKind::NoBpf,
                message: kernel_support::NO_TYPE_INFORMATION.to_owned(),
                advice: format!("{}.", kernel_support::with_type_information()),
            },
            step => RecordError::internal(format!("the sampler failed ({step:?}): {errno}{}", detail(complaints))),
        }
    }
}

/// Such a kernel loads no program that reads memory, and says no more than EINVAL.
fn locked_down() -> RecordError {
    RecordError {
        kind: RecordErrorKind::NoBpf,
        message: "this kernel is in lockdown mode (lockdown=confidentiality): BPF programs cannot read memory".to_owned(),
        advice: "To record kernel time, boot with lockdown=integrity. You can record user space without privileges.".to_owned(),
    }
}

/// `paranoid`: kernel.perf_event_paranoid, if this kernel has it.
fn refused_without_privilege(error: SamplerError, paranoid: Option<i32>) -> RecordError {
    let errno = std::io::Error::from_raw_os_error(error.errno);
    match (error.step, error.errno, paranoid) {
        (_, libc::ESRCH, _) => RecordError {
            kind: RecordErrorKind::NotFound,
            message: "the process exited before it could be sampled".to_owned(),
            advice: String::new(),
        },
        (SamplerStep::MapRing, ..) => RecordError {
            kind: RecordErrorKind::NoPermission,
            message: format!(
                "cannot allocate memory for samples: {errno}; your locked-memory limit is used up by other recordings"
            ),
            advice: "Stop other recordings.".to_owned(),
        },
        (_, _, None) => RecordError {
            kind: RecordErrorKind::NoPermission,
            message: "this kernel has no perf events (CONFIG_PERF_EVENTS)".to_owned(),
            advice: "Record on a distribution kernel: those of Debian and Ubuntu have them."
                .to_owned(),
        },
        (_, libc::EPERM | libc::EACCES, Some(level @ 3..)) => RecordError {
            kind: RecordErrorKind::NoPermission,
            message: format!(
                "unprivileged users cannot record on this kernel, not even their own programs (perf_event_paranoid is {level}, the default of Debian and Ubuntu)"
            ),
            advice: set_up(),
        },
        (_, libc::EPERM | libc::EACCES, Some(level)) => RecordError {
            kind: RecordErrorKind::NoPermission,
            message: format!(
                "perf_event_open is refused ({errno}) although this kernel allows it (perf_event_paranoid is {level}): a filter of a container or sandbox refuses it"
            ),
            advice: Obstacle::Filter(vec!["perf_event_open"]).advice(),
        },
        (step, ..) => RecordError::internal(format!(
            "cannot record without privileges ({step:?}): {errno}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::missing_rights::no_permission;
    use super::*;

    fn may_not_load() -> RecordError {
        no_permission(
            "this user may not load BPF programs",
            "cap_bpf and cap_perfmon",
        )
    }

    #[test]
    fn a_lockdown_is_named() {
        assert!(locked_down().is_refusal(), "user space is recorded");
        assert!(locked_down().message.contains("lockdown=confidentiality"));
    }

    #[test]
    fn a_kernel_that_refuses_even_user_space_is_named_with_its_level() {
        let refused = |step, errno, paranoid| {
            let error = refused_without_privilege(
                SamplerError {
                    step,
                    errno,
                    pid: 0,
                },
                paranoid,
            );
            assert!(!error.to_string().contains("sysctl"), "{error}");
            error
        };
        let open = SamplerStep::OpenSampleEvent;
        let debian = refused(open, libc::EACCES, Some(3));
        assert_eq!(
            debian.message,
            "unprivileged users cannot record on this kernel, not even their own programs (perf_event_paranoid is 3, the default of Debian and Ubuntu)"
        );
        assert!(
            debian.advice.contains("doctor --install"),
            "{}",
            debian.advice
        );
        let container = refused(open, libc::EPERM, Some(2));
        assert!(container.message.contains("container"), "{container}");
        let without = refused(open, libc::ENOSYS, None);
        assert!(without.message.contains("CONFIG_PERF_EVENTS"), "{without}");
        let ended = refused(open, libc::ESRCH, Some(2));
        assert_eq!(ended.kind, RecordErrorKind::NotFound);
        let locked = refused(SamplerStep::MapRing, libc::EPERM, Some(2));
        assert!(locked.message.contains("memory"), "{locked}");
    }

    #[test]
    fn when_both_ways_are_refused_both_causes_and_one_command_are_told() {
        let first = may_not_load();
        assert!(first.is_refusal());
        let open = SamplerError {
            step: SamplerStep::OpenSampleEvent,
            errno: libc::EACCES,
            pid: 0,
        };
        let both = first.and_without_privilege(refused_without_privilege(open, Some(4)));
        assert!(both.message.contains("may not load BPF programs"), "{both}");
        assert!(both.message.contains("perf_event_paranoid is 4"), "{both}");
        assert_eq!(both.to_string().matches("doctor --install").count(), 1);
    }
}
