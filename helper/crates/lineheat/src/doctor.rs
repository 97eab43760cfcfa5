//! `lineheat doctor`: what this machine allows, what is missing, and the exact command that helps.

use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{fs, path::Path};

use crate::record::{self, RecordOptions, Target};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ok,
    /// It works, with the loss that the detail names.
    Warning,
    Missing,
}

/// One line of the report.
#[derive(Debug, Clone)]
pub struct Check {
    /// A stable word for scripts.
    pub id: &'static str,
    pub title: &'static str,
    pub state: State,
    pub detail: String,
    /// The command that helps; empty: none is needed or known.
    pub command: String,
}

/// The oldest kernel that has all that the sampler needs (bpf_loop, bpf_task_pt_regs, maps usable after the drop).
const KERNEL_MIN: (u32, u32) = (6, 1);

/// All checks, the decisive one (recording a program for real) last.
pub fn checks() -> Vec<Check> {
    vec![
        kernel(),
        btf(),
        no_new_privileges(),
        sampler(),
        counters(),
        kernel_names(),
        recording(),
    ]
}

pub fn can_record(checks: &[Check]) -> bool {
    checks
        .iter()
        .any(|c| c.id == "recording" && c.state != State::Missing)
}

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> ExitCode {
    let checks = checks();
    if args.json {
        println!("{}", to_json(&checks));
    } else {
        for check in &checks {
            let mark = match check.state {
                State::Ok => "ok     ",
                State::Warning => "warning",
                State::Missing => "MISSING",
            };
            println!("{mark}  {}: {}", check.title, check.detail);
            if !check.command.is_empty() {
                println!("         try: {}", check.command);
            }
        }
        let verdict = if can_record(&checks) { "can" } else { "cannot" };
        println!("\nThis user {verdict} record with Lineheat on this machine.");
    }
    ExitCode::from(if can_record(&checks) { 0 } else { 3 })
}

fn to_json(checks: &[Check]) -> String {
    let rows: Vec<_> = checks
        .iter()
        .map(|c| {
            let state = match c.state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Missing => "missing",
            };
            serde_json::json!({ "id": c.id, "title": c.title, "state": state, "detail": c.detail, "command": c.command })
        })
        .collect();
    serde_json::json!({ "schema": 1, "canRecord": can_record(checks), "checks": rows }).to_string()
}

fn check(id: &'static str, title: &'static str, state: State, detail: String) -> Check {
    Check {
        id,
        title,
        state,
        detail,
        command: String::new(),
    }
}

fn kernel() -> Check {
    let release = read("/proc/sys/kernel/osrelease");
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let (state, detail) = if version >= KERNEL_MIN {
        (State::Ok, format!("Linux {release}"))
    } else {
        let (major, minor) = KERNEL_MIN;
        (
            State::Missing,
            format!("Linux {release}; Lineheat needs {major}.{minor} or newer"),
        )
    };
    check("kernel", "Kernel", state, detail)
}

fn btf() -> Check {
    let path = "/sys/kernel/btf/vmlinux";
    if Path::new(path).exists() {
        return check(
            "btf",
            "Kernel type information (BTF)",
            State::Ok,
            "present".to_owned(),
        );
    }
    let detail = format!(
        "{path} does not exist: the kernel was built without CONFIG_DEBUG_INFO_BTF; Debian's and Ubuntu's own kernels have it"
    );
    check(
        "btf",
        "Kernel type information (BTF)",
        State::Missing,
        detail,
    )
}

fn no_new_privileges() -> Check {
    let status = read("/proc/self/status");
    let set = status
        .lines()
        .any(|l| l.split_whitespace().eq(["NoNewPrivs:", "1"]));
    let title = "Gaining rights";
    if set {
        let detail = "this process tree may gain no rights (NoNewPrivs is set, as in a snap or after some sandboxes), so sudo and file capabilities have no effect here; start the editor another way";
        return check("no-new-privs", title, State::Warning, detail.to_owned());
    }
    check(
        "no-new-privs",
        title,
        State::Ok,
        "sudo and file capabilities can work here".to_owned(),
    )
}

fn sampler() -> Check {
    match record::sampler_path() {
        Ok(path) => check("sampler", "Sampler", State::Ok, path.display().to_string()),
        Err(e) => Check {
            command: "npm run build".to_owned(),
            ..check("sampler", "Sampler", State::Missing, e.message)
        },
    }
}

fn counters() -> Check {
    let present = Path::new("/sys/bus/event_source/devices/cpu").exists()
        || Path::new("/sys/bus/event_source/devices/cpu_core").exists();
    let detail = if present {
        "present: samples are triggered by CPU cycles"
    } else {
        "none (usual in virtual machines): samples are triggered by the CPU clock, which is as good for time"
    };
    check(
        "hardware-counters",
        "Hardware counters",
        State::Ok,
        detail.to_owned(),
    )
}

fn kernel_names() -> Check {
    let text = read("/proc/kallsyms");
    let shown = text.lines().any(|l| !l.starts_with("0000000000000000"));
    let (state, detail) = if shown {
        (State::Ok, "shown: kernel functions are named")
    } else {
        (
            State::Warning,
            "hidden from this user: kernel time is shown without function names",
        )
    };
    check("kernel-names", "Kernel symbols", state, detail.to_owned())
}

/// Records /bin/true for real: the one check that cannot be wrong.
fn recording() -> Check {
    let options = RecordOptions {
        target: Target::Launch {
            program: "/bin/true".into(),
            args: vec![],
            cwd: None,
            env: vec![],
            terminal: None,
        },
        sample_hz: record::SAMPLE_HZ_DEFAULT,
        duration: Some(Duration::from_secs(5)),
        output: None,
        name: String::new(),
    };
    let (_control, receiver) = channel();
    let title = "Recording a program";
    match record::record(&options, receiver, |_| {}) {
        Ok(_) => check("recording", title, State::Ok, "works".to_owned()),
        Err(e) => Check {
            command: e.advice.lines().last().unwrap_or("").trim().to_owned(),
            ..check("recording", title, State::Missing, e.message)
        },
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_owned()
}
