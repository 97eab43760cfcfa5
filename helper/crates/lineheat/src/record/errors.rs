//! Why a recording could not be made, and what helps.

use std::fmt;
use std::time::Duration;

use records::{SamplerError, SamplerStep};
use target::{LaunchError, ProcessError};

use super::bpf_refusals::{Circumstances, of_load};
use super::pid_namespace;
use crate::container::{self, Obstacle};
use crate::installation::Problem;
use crate::{kernel_support, rights};

/// What kind of failure it is: what programs tell failures apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordErrorKind {
    NotFound,
    NotExecutable,
    /// The process is not the user's own.
    NotAllowed,
    NoPermission,
    /// More than capabilities would give: there is no use in trying without privilege.
    AdminOnly,
    NoBpf,
    Unsupported,
    /// The sampler is of another build.
    BuildMismatch,
    /// Recordings of this user.
    TooMany,
    TooLarge,
    NotWritable,
    /// An execution of the command.
    Failed,
    /// A process of ours, or the program itself, did not answer in time.
    NoAnswer,
    /// Not a failure: the user has asked to stop before anything was recorded.
    Stopped,
    Internal,
}

impl RecordErrorKind {
    /// The stable word of `Failure` in protocol/wire.proto.
    pub fn word(self) -> &'static str {
        match self {
            RecordErrorKind::NotFound => "not-found",
            RecordErrorKind::NotExecutable => "not-executable",
            RecordErrorKind::NotAllowed => "not-allowed",
            RecordErrorKind::NoPermission => "no-permission",
            RecordErrorKind::AdminOnly => "admin-only",
            RecordErrorKind::NoBpf => "no-bpf",
            RecordErrorKind::Unsupported => "unsupported",
            RecordErrorKind::BuildMismatch => "build-mismatch",
            RecordErrorKind::TooMany => "too-many",
            RecordErrorKind::TooLarge => "too-large",
            RecordErrorKind::NotWritable => "not-writable",
            RecordErrorKind::Failed => "failed",
            RecordErrorKind::NoAnswer => "no-answer",
            RecordErrorKind::Stopped => "stopped",
            RecordErrorKind::Internal => "internal",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    pub kind: RecordErrorKind,
    /// What was wanted and what was got.
    pub message: String,
    /// What can be done; may hold a command on a line of its own. Empty: nothing is known.
    pub advice: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.advice.is_empty() {
            write!(f, "\n{}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

impl From<LaunchError> for RecordError {
    fn from(error: LaunchError) -> RecordError {
        if matches!(error, LaunchError::Unwanted(_)) {
            return RecordError::stopped();
        }
        let (kind, advice) = match &error {
            LaunchError::NotFound(_) => (
                RecordErrorKind::NotFound,
                "Check the path. A program in PATH needs no slash; any other needs its path (./program).",
            ),
            LaunchError::NotExecutable(_) => (
                RecordErrorKind::NotExecutable,
                "If it is a program, make it executable (chmod +x). If it is a source file, build it first.",
            ),
            LaunchError::BadFormat(_) => (
                RecordErrorKind::NotExecutable,
                "Lineheat profiles native programs (ELF) and scripts that start with #!.",
            ),
            LaunchError::BadDirectory(_) => {
                (RecordErrorKind::NotFound, "Check the working directory.")
            }
            LaunchError::Late(..) => (
                RecordErrorKind::NoAnswer,
                "Check that the program's file system responds (ls -l on its folder), and that nothing stops new processes.",
            ),
            LaunchError::Terminal(_) | LaunchError::Unwanted(_) | LaunchError::Other(..) => {
                (RecordErrorKind::Internal, "")
            }
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}

impl From<ProcessError> for RecordError {
    fn from(error: ProcessError) -> RecordError {
        let (kind, advice) = match &error {
            ProcessError::NoSuchProcess(_) if pid_namespace::is_nested() => (
                RecordErrorKind::NotFound,
                "It may have exited, or it runs outside this container (PID namespace): record it from there.",
            ),
            ProcessError::NoSuchProcess(_) => (
                RecordErrorKind::NotFound,
                "It may have exited. Choose a running process.",
            ),
            ProcessError::NotAllowed(_) => (
                RecordErrorKind::NoPermission,
                "Choose one of your own processes.",
            ),
            ProcessError::KernelThread(_) => (
                RecordErrorKind::NotExecutable,
                "Choose a process that runs a program.",
            ),
            ProcessError::Other(..) => (RecordErrorKind::Internal, ""),
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}

impl RecordError {
    pub fn stopped() -> RecordError {
        RecordError {
            kind: RecordErrorKind::Stopped,
            message: "Stopped before the recording started: nothing was recorded.".to_owned(),
            advice: String::new(),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.kind == RecordErrorKind::Stopped
    }

    /// The sampler has said nothing for so long, before it was ready. `how` it was, as the end of a sentence.
    pub fn silent_sampler(waited: Duration, how: &str) -> RecordError {
        RecordError {
            kind: RecordErrorKind::NoAnswer,
            message: format!(
                "the sampler did not respond for {:.0} s: {how}",
                waited.as_secs_f64()
            ),
            advice: "If something stopped it, continue it, or record again.".to_owned(),
        }
    }

    pub fn internal(message: String) -> RecordError {
        RecordError {
            kind: RecordErrorKind::Internal,
            message,
            advice: String::new(),
        }
    }

    pub fn other_sampler(version: u32) -> RecordError {
        RecordError {
            kind: RecordErrorKind::BuildMismatch,
            message: format!(
                "the sampler uses protocol version {version}, but this lineheat uses version {}",
                records::PROTOCOL_VERSION
            ),
            advice: "Install both from the same package, or build both: npm run build".to_owned(),
        }
    }

    /// Of a kernel on which no recording is tried.
    pub fn old_kernel(release: &str) -> Option<RecordError> {
        kernel_support::why_too_old(release).map(|message| RecordError {
            kind: RecordErrorKind::Unsupported,
            message,
            advice: "Record on a machine with a newer kernel, such as that of Debian 12, Ubuntu 24.04 or later.".to_owned(),
        })
    }

    pub fn sampler_gone(why: Option<String>, complaints: &str) -> RecordError {
        let mut message = "the sampler exited before it was ready".to_owned();
        for detail in why
            .iter()
            .map(String::as_str)
            .chain(complaints.lines().last())
        {
            message = format!("{message}: {detail}");
        }
        RecordError::internal(message)
    }

    /// Whether it is our rights or this kernel that the privileged sampler fails for, so that it is worth while to
    /// try without privilege.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.kind,
            RecordErrorKind::NoPermission | RecordErrorKind::NoBpf | RecordErrorKind::NoAnswer
        )
    }

    /// When recording without privilege failed, too.
    pub fn and_without_privilege(self, other: RecordError) -> RecordError {
        if other.kind != RecordErrorKind::NoPermission {
            return other;
        }
        RecordError {
            message: format!(
                "{}. Recording without privileges failed too: {}",
                self.message, other.message
            ),
            ..self
        }
    }

    pub fn without_privilege(error: SamplerError) -> RecordError {
        let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        let paranoid = level.ok().and_then(|l| l.trim().parse().ok());
        refused_without_privilege(error, paranoid)
    }

    /// `way`: by which the sampler has its rights.
    pub fn of_sampler(error: SamplerError, complaints: &str, way: &str) -> RecordError {
        let errno = std::io::Error::from_raw_os_error(error.errno);
        let refused = matches!(error.errno, libc::EPERM | libc::EACCES);
        match error.step {
            // Whatever else is missing: no right would help.
            SamplerStep::LoadBpf if rights::is_confidential(rights::lockdown().as_deref()) => locked_down(),
            SamplerStep::LoadBpf if refused || kernel_support::has_type_information() => {
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

/// The way to rights. It is never to run this engine as root: its file may be the user's own, as in the folder of an
/// extension, and then anything that runs as the user could have replaced it.
fn set_up() -> String {
    match container::obstacle() {
        Some(obstacle) => obstacle.advice(),
        None => Problem::NotInstalled.advice(),
    }
}

pub(super) fn detail(complaints: &str) -> String {
    complaints
        .lines()
        .last()
        .map_or(String::new(), |l| format!(" ({l})"))
}

/// `admin_only`: the setting with which the kernel asks for more than cap_perfmon.
fn no_perf_events(admin_only: Option<i32>) -> RecordError {
    match admin_only {
        None => no_permission("this user may not open perf events", "cap_perfmon"),
        // A kind of its own: there is no use in trying without privilege, where the kernel asks for the same.
        Some(level) => RecordError {
            kind: RecordErrorKind::AdminOnly,
            ..no_permission(
                &format!(
                    "only administrators may open perf events on this kernel (perf_event_paranoid is {level}, the default of Debian and Ubuntu)"
                ),
                "cap_sys_admin",
            )
        },
    }
}

pub(super) fn no_permission(refusal: &str, capabilities: &str) -> RecordError {
    let why = container::obstacle().map_or_else(
        || format!("the kernel requires {capabilities}, and this process has neither that nor root rights"),
        |obstacle| obstacle.text(),
    );
    RecordError {
        kind: RecordErrorKind::NoPermission,
        message: format!("{refusal}: {why}"),
        advice: set_up(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_not_load() -> RecordError {
        no_permission(
            "this user may not load BPF programs",
            "cap_bpf and cap_perfmon",
        )
    }

    #[test]
    fn missing_rights_name_a_command_and_never_a_sysctl() {
        for error in [may_not_load(), no_perf_events(None)] {
            assert_eq!(error.kind, RecordErrorKind::NoPermission);
            assert!(
                error.advice.contains("doctor --install"),
                "{}",
                error.advice
            );
            assert!(!error.advice.contains("sudo "), "{}", error.advice);
            assert!(!error.to_string().contains("sysctl"));
        }
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

    #[test]
    fn a_kernel_that_asks_for_more_than_usual_is_said_to() {
        let error = no_perf_events(Some(3));
        assert_eq!(
            error.message,
            "only administrators may open perf events on this kernel (perf_event_paranoid is 3, the default of Debian and Ubuntu): \
             the kernel requires cap_sys_admin, and this process has neither that nor root rights"
        );
        assert!(!error.to_string().contains("sysctl"));
        assert!(!error.is_refusal(), "not tried without privilege");
        assert!(
            no_perf_events(None)
                .message
                .contains("requires cap_perfmon")
        );
    }

    #[test]
    fn an_old_kernel_is_refused_in_one_sentence() {
        let error = RecordError::old_kernel("5.10.0-46-cloud-amd64").unwrap();
        assert_eq!(error.kind, RecordErrorKind::Unsupported);
        assert!(error.message.contains("needs Linux 6.1 or newer"));
        assert_eq!(RecordError::old_kernel("6.1.0"), None);
    }

    #[test]
    fn every_kind_has_the_word_that_programs_know() {
        let words = [
            RecordErrorKind::NotFound,
            RecordErrorKind::NotExecutable,
            RecordErrorKind::NotAllowed,
            RecordErrorKind::NoPermission,
            RecordErrorKind::AdminOnly,
            RecordErrorKind::NoBpf,
            RecordErrorKind::Unsupported,
            RecordErrorKind::BuildMismatch,
            RecordErrorKind::TooMany,
            RecordErrorKind::TooLarge,
            RecordErrorKind::NotWritable,
            RecordErrorKind::Failed,
            RecordErrorKind::NoAnswer,
            RecordErrorKind::Stopped,
            RecordErrorKind::Internal,
        ]
        .map(RecordErrorKind::word);
        assert_eq!(
            words,
            [
                "not-found",
                "not-executable",
                "not-allowed",
                "no-permission",
                "admin-only",
                "no-bpf",
                "unsupported",
                "build-mismatch",
                "too-many",
                "too-large",
                "not-writable",
                "failed",
                "no-answer",
                "stopped",
                "internal"
            ]
        );
    }
}
