//! System calls of a program that knows how many it makes, under real BPF.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use crate::support::{Program, can_record, lineheat};
use profile::Profile;

struct Calls {
    name: String,
    pid: u32,
    lines: Vec<u32>,
    calls: u64,
    ns: u64,
    errors: u64,
    walks: u64,
}

fn calls_of(profile: &Profile) -> Vec<Calls> {
    let find = |name, unit| profile.find_sample_type(name, unit).expect("a measure");
    let (calls, errors) = (find("syscalls", "count"), find("syscall_errors", "count"));
    let (ns, walks) = (
        find("syscall", "nanoseconds"),
        find("syscall_samples", "count"),
    );
    let each = |sample: usize| {
        let labels = profile.samples.labels_of(sample);
        let label = |key: &str| labels.iter().find(|of| profile.text(of.key) == key);
        let stack = profile.samples.stack(sample).iter();
        let lines = stack.flat_map(|at| profile.locations.lines_of(*at));
        Calls {
            name: label("syscall")
                .map_or("", |of| profile.text(of.text))
                .to_owned(),
            pid: label("pid").map_or(0, |of| of.number as u32),
            lines: lines.map(|of| of.line).collect(),
            calls: profile.value(sample, calls),
            ns: profile.value(sample, ns),
            errors: profile.value(sample, errors),
            walks: profile.value(sample, walks),
        }
    };
    let all = (0..profile.samples.len()).map(each);
    all.filter(|of| !of.name.is_empty()).collect()
}

fn sum<'a>(calls: &'a [Calls], name: &str, of: fn(&Calls) -> u64) -> u64 {
    calls.iter().filter(|c| c.name == name).map(of).sum()
}

fn problems_of(profile: &Profile) -> String {
    profile.run.as_ref().expect("a run").problems.join("\n")
}

#[test]
fn each_call_and_each_error_is_counted_and_time_is_at_its_line() {
    if !can_record() {
        return;
    }
    // It makes calls of its own all the time.
    let other = Command::new("sh")
        .args(["-c", "while :; do cd /; done"])
        .stdout(Stdio::null())
        .spawn();
    let mut other = other.expect("sh runs");
    let program = Program::compile("system_calls");
    let (profile, output) = program.record(&["--syscalls"]);
    other.kill().expect("it runs");
    other.wait().expect("it ends");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let pids: BTreeSet<u32> = (printed.split_whitespace())
        .map(|word| word.parse().expect("a pid"))
        .collect();
    let calls = calls_of(&profile);
    assert_eq!(sum(&calls, "getppid", |c| c.calls), 1_000_000);
    assert_eq!(sum(&calls, "getppid", |c| c.errors), 0);
    assert_eq!(sum(&calls, "chdir", |c| c.calls), 1_000);
    assert_eq!(sum(&calls, "chdir", |c| c.errors), 1_000);
    let naps = |of| sum(&calls, "nanosleep", of) + sum(&calls, "clock_nanosleep", of);
    assert_eq!(naps(|c| c.calls), 200 * 101);
    assert_eq!(naps(|c| c.errors), 200 * 100);
    assert_eq!(sum(&calls, "exit_group", |c| c.calls), 2, "of both");
    assert_eq!(
        sum(&calls, "execve", |c| c.calls),
        1,
        "of the child: the recording begins after the other"
    );
    let found: BTreeSet<u32> = calls.iter().map(|c| c.pid).collect();
    assert_eq!(found, pids, "nobody else's");
    // The sleeps are one in 101 of the calls, and nearly all of their time.
    let at = |marker: &str, of: fn(&Calls) -> u64| -> u64 {
        let line = program.line_of(marker);
        let there = calls
            .iter()
            .filter(|c| c.lines.contains(&line) && c.lines.len() > 1);
        let there = there.filter(|c| c.name.ends_with("nanosleep") == marker.contains("sleep"));
        there.map(of).sum()
    };
    let all_ns = naps(|c| c.ns);
    assert!(all_ns > 400_000_000, "{all_ns}");
    let slept = at("// sleep", |c| c.ns);
    assert!(slept > all_ns / 100 * 97, "{slept} of {all_ns}");
    let not_slept = at("// sleep not", |c| c.calls);
    // The 200 sleeps are among few walks, which may all meet the others.
    assert!((18_000..=20_200).contains(&not_slept), "{not_slept}");
    // The last ones have no stack: at most two distances, of which one may be four times as long as those before it.
    let (asked, walks) = (at("// ask", |c| c.calls), at("// ask", |c| c.walks));
    assert!(walks > 50, "{walks} walks");
    assert!(
        asked >= 1_000_000 - 8 * asked / walks,
        "{asked}, {walks} walks"
    );
    let problems = problems_of(&profile);
    assert!(!problems.contains("lost"), "{problems}");
}

#[test]
fn a_process_that_is_attached_to_has_its_calls() {
    if !can_record() {
        return;
    }
    let script = "import os\nwhile True: os.getppid()";
    let child = Command::new("python3").args(["-c", script]).spawn();
    let mut child = child.expect("python3 runs");
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run.pb.gz");
    let mut command = lineheat(&["record", "--syscalls", "--duration", "1", "--pid"]);
    command
        .arg(child.id().to_string())
        .arg("--output")
        .arg(&run);
    let output = command.output().expect("it runs");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    let calls = calls_of(&Profile::open(&run).unwrap_or_else(|e| panic!("{e}: {told}")));
    assert!(sum(&calls, "getppid", |c| c.calls) > 1_000, "{told}");
    assert!(calls.iter().all(|c| c.pid == child.id()));
}

#[test]
fn a_call_that_a_filter_kills_is_no_call() {
    if !can_record() {
        return;
    }
    // Mode 1 of seccomp(2) allows read, write, exit and sigreturn.
    let script = "import ctypes, os\nc = ctypes.CDLL(None)\nos.sched_yield()\nos.write(1, str(os.getpid()).encode())\nc.prctl(22, 1, 0, 0, 0)\nc.sched_yield()";
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run.pb.gz");
    let mut command = lineheat(&["record", "--syscalls", "--output"]);
    command.arg(&run).args(["--", "python3", "-c", script]);
    let output = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}: {told}"));
    let killed = String::from_utf8_lossy(&output.stdout).parse::<u32>();
    let killed = killed.expect("a pid");
    let mut calls = calls_of(&profile);
    calls.retain(|c| c.pid == killed); // a script that starts Python makes calls, too
    assert_eq!(sum(&calls, "sched_yield", |c| c.calls), 1, "{told}");
    assert!(!problems_of(&profile).contains("lost"), "{told}");
}
