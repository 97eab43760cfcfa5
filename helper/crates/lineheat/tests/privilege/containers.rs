//! The doctor in namespaces as containers have them: one cause, and the flag that ends it.

use std::process::Command;

use crate::doctor::{check, found, report};
use crate::installed::{Installed, told};

/// What a Docker container has when nothing is asked for.
const USUAL: &str = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap";

/// The report of root in PID, mount, IPC and UTS namespaces of its own, with these capabilities at most.
fn in_container(installed: &Installed, capabilities: &str, before: &[&str]) -> serde_json::Value {
    let mut command = Command::new("unshare");
    command.args([
        "--pid",
        "--fork",
        "--mount",
        "--mount-proc",
        "--ipc",
        "--uts",
        "--",
    ]);
    command.args(before);
    command.args(["setpriv", "--bounding-set", capabilities, "--"]);
    command.arg(installed.path("lineheat"));
    report(&command.args(["doctor", "--json"]).output().unwrap())
}

/// Those that are not well, the recordings apart.
fn causes(report: &serde_json::Value) -> Vec<&str> {
    let checks = report["checks"].as_array().unwrap().iter();
    let bad = checks
        .filter(|c| c["state"] != "ok")
        .map(|c| c["id"].as_str().unwrap());
    bad.filter(|id| !id.starts_with("recording")).collect()
}

fn paranoid_for_admins() -> bool {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap();
    level.trim().parse::<i32>().unwrap() > 2
}

#[test]
fn a_container_without_the_capabilities_is_told_the_flags() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let report = in_container(&installed, USUAL, &[]);
    let (state, detail) = found(&report, "container");
    assert_eq!(state, "missing");
    assert!(detail.contains("lacks cap_bpf and cap_perfmon"), "{detail}");
    assert!(
        detail.contains(r#""capAdd": ["BPF", "PERFMON""#),
        "{detail}"
    );
    assert!(detail.contains("cap_add: [BPF, PERFMON"), "{detail}");
    let command = check(&report, "container")["command"].as_str().unwrap();
    let flags = "docker run --cap-add=BPF --cap-add=PERFMON";
    assert!(command.starts_with(flags), "{command}");
    // No other cause, and no advice that would not help: installing a sampler.
    let mut expected = vec!["container"];
    if paranoid_for_admins() {
        expected.insert(0, "perf-event-paranoid");
    }
    let mut causes = causes(&report);
    causes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(causes, expected, "{report:#}");
    let recording = check(&report, "recording");
    assert_eq!(recording["state"], "missing");
    assert_eq!(recording["command"], command, "{recording:#}");
    assert!(!format!("{report}").contains("--install"), "{report:#}");
}

#[test]
fn a_container_with_one_of_the_capabilities_is_told_the_other() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let report = in_container(&installed, &format!("{USUAL},+bpf"), &[]);
    let (state, detail) = found(&report, "container");
    assert_eq!(state, "missing");
    assert!(detail.contains("lacks cap_perfmon"), "{detail}");
    let command = check(&report, "container")["command"].as_str().unwrap();
    assert!(
        command.starts_with("docker run --cap-add=PERFMON"),
        "{command}"
    );
}

#[test]
fn a_container_with_the_capabilities_records() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let admin = if paranoid_for_admins() {
        ",+sys_admin"
    } else {
        ""
    };
    let capabilities = format!("{USUAL},+bpf,+perfmon{admin}");
    let report = in_container(&installed, &capabilities, &[]);
    let (state, detail) = found(&report, "container");
    assert_eq!(state, "ok", "{report:#}");
    assert!(detail.contains("allows recording"), "{detail}");
    assert_eq!(
        found(&report, "recording"),
        ("ok".to_owned(), "works".to_owned())
    );
    // The library beside the engine belongs to the user who installed it for this test.
    let (_, detail) = found(&report, "allocations");
    assert!(detail.contains("expected you or root"), "{detail}");
    assert_eq!(causes(&report), ["allocations"], "{report:#}");
}

#[test]
fn a_filter_of_system_calls_is_named_with_the_calls_and_the_flag() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let filtered = installed.program("filtered").display().to_string();
    let report = in_container(&installed, "+all", &[&filtered]);
    let (state, detail) = found(&report, "container");
    assert_eq!(state, "missing");
    assert!(
        detail.contains("forbids bpf and perf_event_open"),
        "{detail}"
    );
    assert!(
        detail.contains(r#""securityOpt": ["seccomp=unconfined"]"#),
        "{detail}"
    );
    let command = check(&report, "container")["command"].as_str().unwrap();
    assert!(
        command.contains("--security-opt=seccomp=unconfined"),
        "{command}"
    );
    assert_eq!(causes(&report), ["container"], "{report:#}");
    assert_eq!(
        check(&report, "recording")["command"],
        command,
        "{report:#}"
    );
}

#[test]
fn in_a_user_namespace_it_is_said_to_record_from_outside() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--pid",
        "--fork",
        "--mount-proc",
        "--",
    ]);
    let output = command
        .arg(installed.path("lineheat"))
        .args(["doctor", "--json"])
        .output()
        .unwrap();
    let report = report(&output);
    let (state, detail) = found(&report, "container");
    assert_eq!(state, "warning", "{}", told(&output));
    assert!(detail.contains("user namespace"), "{detail}");
    assert!(detail.contains("Record from outside"), "{detail}");
    assert_eq!(
        check(&report, "container")["command"],
        "lineheat record --pid PID"
    );
    assert_eq!(
        check(&report, "recording")["state"],
        "missing",
        "{report:#}"
    );
}
