//! What this machine allows to record, what is missing, and the exact command that helps: a check each.

mod check;
mod counter_check;
mod kinds;
mod permission_checks;
mod real_recording;

use std::io;

use machine::host::{has_type_information, host};
use machine::kernel_support;
use machine::sampler_file::sampler_path;
use perf_events::stack_copy_event::{StackCopyEvent, open_stack_copy_event};
use recorder::{Choices, Privilege, RecordError};

pub use self::check::{Check, State};
use self::check::{check, command_in};
use self::real_recording::record_nothing;

/// All checks, the decisive ones (recording a program for real, both ways and what costs) last.
pub fn checks() -> Vec<Check> {
    let mut checks = vec![
        kernel(),
        btf(),
        sampler(),
        counters(),
        counter_check::counters(),
    ];
    checks.extend(permission_checks::checks());
    let recording = recording();
    let works = recording.state == State::Ok;
    checks.push(recording);
    if works {
        checks.extend(kinds::kinds());
    }
    checks.push(recording_without_privilege());
    checks
}

/// Whether one of the two ways works.
pub fn can_record(checks: &[Check]) -> bool {
    checks
        .iter()
        .any(|c| c.id.starts_with("recording") && c.state != State::Missing)
}

fn kernel() -> Check {
    let release = kernel_support::release();
    let host = host(&release);
    let (state, detail) = match (kernel_support::why_too_old(&release), host) {
        (None, None) => (State::Ok, format!("Linux {release}")),
        (None, Some(host)) => (State::Ok, format!("Linux {release}, of {}", host.name())),
        (Some(why), None) => (State::Missing, why),
        (Some(why), Some(host)) => (State::Missing, format!("{why}. {}", host.newer_kernel())),
    };
    check("kernel", "Kernel", state, detail)
}

fn btf() -> Check {
    if has_type_information() {
        return check(
            "btf",
            "Kernel type information (BTF)",
            State::Ok,
            "present".to_owned(),
        );
    }
    check(
        "btf",
        "Kernel type information (BTF)",
        State::Missing,
        format!(
            "{}. {}",
            kernel_support::NO_TYPE_INFORMATION,
            kernel_support::with_type_information()
        ),
    )
}

fn sampler() -> Check {
    match sampler_path().map_err(RecordError::from) {
        Ok(path) => check("sampler", "Sampler", State::Ok, path.display().to_string()),
        Err(e) => Check {
            command: "npm run build".to_owned(),
            ..check("sampler", "Sampler", State::Missing, e.message)
        },
    }
}

fn counters() -> Check {
    // Its device has another name on each machine: what counts is whether there is such an event.
    let cycles = StackCopyEvent {
        sample_hz: 1,
        hardware_cycles: true,
        stack_bytes: 8,
        chain: false,
        wakeup_bytes: 1,
    };
    let detail = match open_stack_copy_event(0, -1, cycles) {
        Ok(_) => "present: CPU cycles trigger the samples",
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            "unknown: kernel.perf_event_paranoid does not let this process try. Without them the CPU clock triggers the samples, which is just as accurate for time"
        }
        Err(_) => {
            "none (usual in virtual machines): the CPU clock triggers the samples, which is just as accurate for time"
        }
    };
    check(
        "hardware-counters",
        "Hardware counters",
        State::Ok,
        detail.to_owned(),
    )
}

fn recording() -> Check {
    recorded("recording", "Recording a program", Privilege::Required)
}

/// The last resort, which need not work where the other does.
fn recording_without_privilege() -> Check {
    let title = "Recording without privileges, in user space only";
    recorded("recording-unprivileged", title, Privilege::None)
}

fn recorded(id: &'static str, title: &'static str, privilege: Privilege) -> Check {
    if kernel_support::why_too_old(&kernel_support::release()).is_some() {
        let detail = "not tested: the kernel is too old".to_owned();
        return check(id, title, State::Missing, detail);
    }
    match record_nothing(privilege, Choices::default()) {
        Ok(_) => check(id, title, State::Ok, "works".to_owned()),
        Err(e) => Check {
            command: command_in(&e.advice),
            ..check(id, title, State::Missing, e.message)
        },
    }
}
