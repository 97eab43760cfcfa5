//! Recordings that fail for want of rights, and the way to them.

use machine::container;
use machine::installation::Problem;

use super::errors::{RecordError, RecordErrorKind};

pub fn no_permission(refusal: &str, capabilities: &str) -> RecordError {
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

/// `admin_only`: the setting with which the kernel asks for more than cap_perfmon.
pub fn no_perf_events(admin_only: Option<i32>) -> RecordError {
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

/// The way to rights. It is never to run this engine as root: its file may be the user's own, as in the folder of an
/// extension, and then anything that runs as the user could have replaced it.
pub fn set_up() -> String {
    match container::obstacle() {
        Some(obstacle) => obstacle.advice(),
        None => Problem::NotInstalled.advice(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_rights_name_a_command_and_never_a_sysctl() {
        for error in [
            no_permission(
                "this user may not load BPF programs",
                "cap_bpf and cap_perfmon",
            ),
            no_perf_events(None),
        ] {
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
}
