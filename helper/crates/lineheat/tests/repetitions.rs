//! A command that is run several times into one run that knows each. Under real BPF, and without privilege.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::cpu_time::OwnTime;
use crate::support::{Program, can_record, lineheat};
use profile::run::Repetition;
use profile::{Profile, sample_repetitions};

/// Samples by repetition.
fn counts(profile: &Profile) -> BTreeMap<u32, u64> {
    let samples = profile.find_sample_type("samples", "count").unwrap();
    let mut counts = BTreeMap::new();
    for (sample, number) in sample_repetitions(profile).into_iter().enumerate() {
        *counts.entry(number).or_default() += profile.value(sample, samples);
    }
    counts
}

fn repetitions(profile: &Profile) -> &[Repetition] {
    &profile.run.as_ref().unwrap().repetitions
}

/// A shell with the program as `$0` and a folder of its own as `$1`.
fn in_shell(program: &Program, options: &[&str], script: &str) -> Command {
    let mut command = lineheat(&["record", "--output"]);
    command.arg(program.run_path()).args(options);
    command.args(["--", "sh", "-c", script]).arg(&program.path);
    command.arg(program.directory.path());
    command
}

fn recorded(program: &Program, options: &[&str], script: &str) -> (Profile, Output) {
    let output = in_shell(program, options, script).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let profile = Profile::open(&program.run_path()).unwrap_or_else(|e| panic!("{e}\n{told}"));
    (profile, output)
}

#[test]
fn each_repetition_has_its_samples_and_times_and_those_before_have_none() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let script = r#"echo run >> "$1/runs"; "$0"; "$0"; "$0""#;
    for mode in ["--privileged", "--unprivileged"] {
        let options = [mode, "--repeat", "4", "--warm-up", "2", "--freq", "4999"];
        let (profile, output) = recorded(&program, &options, script);
        let counts = counts(&profile);
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
        let run = profile.run.as_ref().unwrap();
        assert_eq!(counts.values().sum::<u64>(), run.samples_kept, "{counts:?}");
        let done = repetitions(&profile);
        let warm: Vec<bool> = done.iter().map(|r| r.warm_up).collect();
        assert_eq!(warm, [true, true, false, false, false, false]);
        assert!(
            done.iter()
                .all(|r| r.wall_ns > 0 && r.user_ns + r.system_ns > 0 && !r.cut)
        );
        for (repetition, samples) in done[2..].iter().zip(counts.values()) {
            let expected = (repetition.user_ns + repetition.system_ns) as f64 * 4999e-9;
            let part = *samples as f64 / expected;
            assert!(
                (0.3..1.5).contains(&part),
                "{samples} samples of {expected}"
            );
        }
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("4 of 4 executions done"), "{told}");
        assert!(told.contains("\n4 executions "), "{told}");
    }
    let runs = std::fs::read_to_string(program.directory.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count(), 12);
}

#[test]
fn work_is_read_from_what_each_repetition_prints_and_that_passes_on_untouched() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let script =
        r#"echo x >> "$1/n"; n=$(wc -l < "$1/n"); "$0"; echo "items: ${n}00"; echo done >&2"#;
    let options = ["--repeat", "3", "--work-from", r"items: (\d+)"];
    let (profile, output) = recorded(&program, &options, script);
    let work: Vec<f64> = repetitions(&profile).iter().map(|r| r.work).collect();
    assert_eq!(work, [100.0, 200.0, 300.0]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed, "items: 100\nitems: 200\nitems: 300\n");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told.lines().filter(|line| *line == "done").count(), 3);
    assert!(told.contains("CPU time per unit"), "{told}");
    let report = lineheat(&["report"])
        .arg(program.run_path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&report.stdout).contains("wall time per unit"));

    let (profile, _) = recorded(&program, &["--work-from", "things: (.+)"], script);
    let problems = &profile.run.as_ref().unwrap().problems;
    let sentence = "The work of the execution is unknown: no line of the command's output matches 'things: (.+)'.";
    assert!(problems.iter().any(|p| p == sentence), "{problems:?}");
    let (profile, _) = recorded(&program, &["--work", "250"], script);
    assert_eq!(repetitions(&profile)[0].work, 250.0);
}

#[test]
fn a_command_whose_output_is_read_still_has_the_terminal() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let script =
        r#""$0"; test -t 1 && test -t 2 && test -t 0 && echo terminal "$(stty size <&2)" items: 5"#;
    let mut args: Vec<std::ffi::OsString> = vec!["record".into(), "--output".into()];
    args.push(program.run_path().into());
    for word in ["--work-from", r"items: (\d+)", "--", "sh", "-c", script] {
        args.push(word.into());
    }
    args.push(program.path.clone().into());
    let stopped = target::launch_stopped(&target::LaunchOptions {
        program: env!("CARGO_BIN_EXE_lineheat").into(),
        called_as: None,
        args,
        cwd: None,
        env: vec![],
        terminal: Some(target::TerminalSize {
            columns: 91,
            rows: 17,
        }),
        output: target::Output::Shared,
    });
    let launched = stopped.unwrap().release().unwrap();
    target::wait(launched.pid()).unwrap();
    let mut screen = Vec::new();
    let mut stream = launched.terminal.as_ref().unwrap().stream().unwrap();
    let _ = std::io::Read::read_to_end(&mut stream, &mut screen); // ends with EIO
    let screen = String::from_utf8_lossy(&screen);
    assert!(screen.contains("terminal 17 91 items: 5\r\n"), "{screen}");
    let profile = Profile::open(&program.run_path()).unwrap();
    assert_eq!(repetitions(&profile)[0].work, 5.0);
}

/// Three quick repetitions, of which the third waits for ever.
const WAITS_IN_THE_THIRD: &str =
    r#"echo x >> "$1/n"; "$0"; test "$(wc -l < "$1/n")" -lt 3 || { touch "$1/third"; sleep 60; }"#;

fn start_and_await_third(program: &Program) -> Child {
    let mut command = in_shell(program, &["--repeat", "5"], WAITS_IN_THE_THIRD);
    let child = command
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    await_file(&program.directory.path().join("third"));
    child
}

fn await_file(path: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !path.exists() {
        assert!(Instant::now() < deadline, "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn stopped_in_the_third_of_five_the_first_two_are_kept() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let child = start_and_await_third(&program);
    // SAFETY: the group is our child's own; it has not been waited for.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let profile = Profile::open(&program.run_path()).unwrap();
    let cut: Vec<bool> = repetitions(&profile).iter().map(|r| r.cut).collect();
    assert_eq!(cut, [false, false, true], "{told}");
    assert!(told.contains("\n2 executions "), "{told}");
    let summary = profile::summarize(&profile);
    let executions: Vec<u32> = summary.executions.iter().map(|e| e.repetition).collect();
    assert_eq!(executions, [1, 2]);
    assert!(summary.executions.iter().all(|e| e.samples > 0));
}

#[test]
fn a_recorder_that_dies_leaves_the_repetitions_that_were_done() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let mut child = start_and_await_third(&program);
    let steps = OwnTime::of(&[child.id()]);
    while steps.elapsed() < Duration::from_secs(2) {
        // The journal is written twice a second, unless the recorder waits for a CPU.
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // SAFETY: as above; what is left of the group is the command.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
    let profile = Profile::open(&program.run_path()).unwrap();
    assert_eq!(repetitions(&profile).len(), 2);
    let counts = counts(&profile);
    assert!(counts[&1] > 0 && counts[&2] > 0, "{counts:?}");
    assert_eq!(
        counts.values().sum::<u64>(),
        profile.run.as_ref().unwrap().samples_kept
    );
}

#[test]
fn a_warm_up_that_fails_says_so_and_nothing_is_recorded() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let output = in_shell(&program, &["--warm-up", "2"], "exit 3")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        told.contains("warm-up execution 1 of 2 exited with 3: nothing was recorded"),
        "{told}"
    );
    assert!(!program.run_path().exists());
}

#[test]
fn flags_that_cannot_be_meant_are_refused() {
    for (flags, sentence) in [
        (["--work-from", "items"], "the expression has no group"),
        (["--work", "0"], "expected a number above 0"),
        (["--warm-up", "-1"], "-1"),
    ] {
        let output = lineheat(&["record"])
            .args(flags)
            .args(["--", "true"])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(sentence), "{told}");
    }
}
