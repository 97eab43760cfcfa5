//! Recordings without privilege, under the real kernel: as an ordinary user where the tests run as root.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::support::cpu_time::{descendant_named, duration_for, wait_for_cpu_time};
use crate::support::executables::copy_executable;
use crate::support::{Program, can_record, lineheat, samples, share};
use profile::Profile;

/// A user without any right, who needs no entry anywhere.
const USER: u32 = 54321;

fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

/// A folder of the ordinary user with Lineheat and a program in it; the test's own user, when that is not root.
struct Home {
    directory: tempfile::TempDir,
    program: Program,
}

impl Home {
    fn with(program: &str) -> Home {
        Home::of(Program::compile(program))
    }

    fn of(program: Program) -> Home {
        let directory = tempfile::tempdir().unwrap();
        let own = Path::new(env!("CARGO_BIN_EXE_lineheat"));
        for file in [own, &own.with_file_name("lineheat-sampler"), &program.path] {
            copy_executable(file, &directory.path().join(file.file_name().unwrap()));
        }
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
        if is_root() {
            chown(directory.path(), Some(USER), Some(USER)).unwrap();
        }
        Home { directory, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.path(self.program.path.file_name().unwrap().to_str().unwrap())
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.directory.path());
        if is_root() {
            command.uid(USER).gid(USER);
        }
        command
    }

    fn lineheat(&self, args: &[&str]) -> Command {
        let mut command = self.command(&self.path("lineheat"));
        command.args(args);
        command
    }

    /// Records the program with these options; the run, and what was printed.
    fn record(&self, options: &[&str]) -> (Profile, Output) {
        let mut command = self.lineheat(&["record", "--output", "run.pb.gz"]);
        let output = command.args(options).arg("--").arg(self.program()).output();
        self.opened(output.unwrap())
    }

    fn opened(&self, output: Output) -> (Profile, Output) {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let profile = Profile::open(&self.path("run.pb.gz"));
        (profile.unwrap_or_else(|e| panic!("{e}\n{told}")), output)
    }

    /// Says so when this kernel refuses; under CI that is a failure.
    fn can_record(&self) -> bool {
        let output = self.lineheat(&["doctor", "--json"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["id"] == "recording-unprivileged");
        if check.unwrap()["state"] == "ok" {
            return true;
        }
        assert!(std::env::var_os("CI").is_none(), "{report:#}");
        eprintln!("SKIPPED: this kernel lets no ordinary user sample.\n{report:#}");
        false
    }
}

fn whole_stacks(profile: &Profile) -> f64 {
    let run = profile.run.as_ref().unwrap();
    let whole = run.stack_ends.iter().filter(|e| e.cause == "root");
    whole.map(|e| e.count).sum::<u64>() as f64 / run.samples_kept as f64
}

fn lost(profile: &Profile) -> u64 {
    let losses = &profile.run.as_ref().unwrap().losses;
    losses.iter().map(|l| l.count).sum()
}

#[test]
fn the_hot_line_is_found_and_what_is_missing_is_told() {
    let home = Home::with("hot_line");
    if !home.can_record() {
        return;
    }
    let (profile, output) = home.record(&["--unprivileged"]);
    let work = home.program.line_of("the work");
    let work = [work, work - 1]; // the loop's own line shares it
    assert!(share(&profile, |f| f[0].0 == "spend" && work.contains(&f[0].1)) > 0.95);
    let hot = home.program.line_of("hot call");
    let below_hot = share(&profile, |f| f.contains(&("hot", hot)));
    assert!((0.85..0.95).contains(&below_hot), "{below_hot}");
    assert!(whole_stacks(&profile) > 0.98, "{}", whole_stacks(&profile));
    let run = profile.run.as_ref().unwrap();
    assert!(run.event.ends_with(":u"), "{}", run.event);
    assert!(!run.kernel_stacks);
    assert_eq!(run.samples_taken, run.samples_kept + lost(&profile));
    let told = |p: &String| p.contains("in user space only");
    assert!(run.problems.iter().any(told), "{:?}", run.problems);
    let summary = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(summary.contains("samples in user space"), "{summary}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done 1\n");
}

#[test]
fn an_ordinary_user_falls_back_with_one_note_and_the_command_for_more() {
    let home = Home::with("threads");
    if !is_root() || !home.can_record() {
        eprintln!("SKIPPED: whether this user may have the privileged sampler is not known.");
        return;
    }
    let (profile, output) = home.record(&[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        told.matches("recording without privilege").count(),
        1,
        "{told}"
    );
    assert!(
        told.contains("Kernel time and waiting time will be missing"),
        "{told}"
    );
    assert_eq!(told.matches("doctor --install").count(), 1, "{told}");
    let of_thread = |name: &str| -> u64 {
        let with_name = samples(&profile)
            .into_iter()
            .filter(|(_, _, labels)| labels.contains(&("thread", name.to_owned())));
        with_name.map(|(n, ..)| n).sum()
    };
    let (left, right) = (of_thread("left"), of_thread("right"));
    assert!(left > 100 && right > 100, "{left} {right}");
    assert!(whole_stacks(&profile) > 0.98, "{}", whole_stacks(&profile));

    let output = home
        .lineheat(&["record", "--privileged", "--", "/bin/mkdir", "it-ran"])
        .output();
    let output = output.unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("may not load BPF programs"), "{told}");
    assert!(!home.path("it-ran").exists(), "unseen it must not run");

    let output = home.lineheat(&["doctor"]).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{report}");
    assert!(
        report.contains("can record on this machine without privilege"),
        "{report}"
    );
}

#[test]
fn recursion_is_unwound_to_the_threads_start() {
    let home = Home::with("recursion");
    if !home.can_record() {
        return;
    }
    let (profile, _) = home.record(&["--unprivileged"]);
    assert!(whole_stacks(&profile) > 0.98, "{}", whole_stacks(&profile));
    let deep = share(&profile, |f| {
        f.iter().filter(|(name, _)| *name == "descend").count() == 41
    });
    assert!(deep > 0.95, "{deep}");
}

#[test]
fn stacks_are_whole_while_gos_runtime_works_on_a_stack_of_its_own() {
    let home = Home::of(Program::compile_go("collecting"));
    if !home.can_record() {
        return;
    }
    let (profile, _) = home.record(&["--unprivileged"]);
    assert!(whole_stacks(&profile) > 0.99, "{}", whole_stacks(&profile));
    let has = |frames: &[(&str, u32)], wanted| frames.iter().any(|(name, _)| *name == wanted);
    let switched = |f: &[(&str, u32)]| has(f, "runtime.systemstack") || has(f, "runtime.mcall");
    assert!(
        share(&profile, switched) > 0.05,
        "{}",
        share(&profile, switched)
    );
    let from_program =
        |f: &[(&str, u32)]| switched(f) && has(f, "main.build") && has(f, "main.main");
    assert!(share(&profile, from_program) > 0.0);
}

#[test]
fn a_page_that_was_never_written_does_not_end_a_stack() {
    let home = Home::with("skipped_page");
    if !home.can_record() {
        return;
    }
    let (profile, _) = home.record(&["--unprivileged"]);
    assert!(whole_stacks(&profile) > 0.98, "{}", whole_stacks(&profile));
    assert!(
        share(&profile, |f| f
            .iter()
            .any(|(name, _)| *name == "over_the_gap"))
            > 0.9
    );
}

#[test]
fn a_stack_deeper_than_its_copy_keeps_the_leaf_side_and_is_said_to_be_cut() {
    let home = Home::with("wide_frames");
    if !home.can_record() {
        return;
    }
    let (profile, _) = home.record(&["--unprivileged"]);
    let run = profile.run.as_ref().unwrap();
    assert!(whole_stacks(&profile) < 0.02, "{:?}", run.stack_ends);
    let cut = run.stack_ends.iter().find(|e| e.cause == "cut").unwrap();
    assert!(cut.count as f64 > 0.9 * run.samples_kept as f64);
    // 2 KiB a frame and some bytes: 15 of them are in 32 KiB.
    let frames = |f: &[(&str, u32)]| f.iter().filter(|(name, _)| *name == "descend").count();
    assert!(share(&profile, |f| (14..=17).contains(&frames(f))) > 0.9);
    let told = |p: &String| p.contains("deeper than the 32 KiB of stack");
    assert!(run.problems.iter().any(told), "{:?}", run.problems);
}

#[test]
fn children_that_fork_and_execute_are_sampled_with_whole_stacks() {
    let home = Home::with("fork");
    if !home.can_record() {
        return;
    }
    let program = home.program();
    let script = format!("{0}; {0} & {0} & wait", program.display());
    let mut command = home.lineheat(&["record", "--unprivileged", "--output", "run.pb.gz"]);
    let output = command.args(["--", "/bin/sh", "-c", &script]).output();
    let (profile, _) = home.opened(output.unwrap());
    let work = share(&profile, |f| {
        f[0].0 == "child_work" && f.iter().any(|(name, _)| *name == "main")
    });
    assert!(work > 0.9, "{work}");
    let pids: std::collections::HashSet<_> = samples(&profile)
        .into_iter()
        .filter(|(_, f, _)| f[0].0 == "child_work")
        .flat_map(|(_, _, labels)| labels)
        .filter(|(key, _)| *key == "pid")
        .collect();
    assert_eq!(pids.len(), 3);
    assert!(whole_stacks(&profile) > 0.98, "{}", whole_stacks(&profile));
}

#[test]
fn repetitions_of_a_short_program_are_in_one_run_without_the_launcher() {
    let home = Home::with("short");
    if !home.can_record() {
        return;
    }
    let (profile, output) = home.record(&["--unprivileged", "--repeat", "40"]);
    assert!(output.status.success());
    let run = profile.run.as_ref().unwrap();
    assert_eq!(run.repetitions.len(), 40);
    let part = |name: &str| share(&profile, |f| f.iter().any(|(n, _)| *n == name));
    let parts = [part("first_part"), part("second_part"), part("third_part")];
    assert!(parts.iter().all(|p| (0.2..0.45).contains(p)), "{parts:?}");
    let of_program = |(_, _, labels): &(_, _, Vec<(&str, String)>)| {
        labels.contains(&("process", "short".to_owned()))
    };
    assert!(samples(&profile).iter().all(of_program));
    assert_eq!(run.samples_taken, run.samples_kept + lost(&profile));
}

#[test]
fn ones_own_process_is_attached_to_and_left_running() {
    let home = Home::with("spin");
    if !home.can_record() {
        return;
    }
    let mut target = Ended(
        home.command(&home.program())
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let pid = target.0.id().to_string();
    let duration = duration_for(target.0.id(), Duration::from_millis(300));
    let attach = [
        "record",
        "--duration",
        &duration,
        "--pid",
        &pid,
        "--output",
        "run.pb.gz",
    ];
    let output = home.lineheat(&attach).output().unwrap();
    let (profile, output) = home.opened(output);
    assert!(output.status.success());
    assert!(
        target.0.try_wait().unwrap().is_none(),
        "the process goes on"
    );
    assert!(share(&profile, |f| f[0].0 == "main") > 0.9);
}

#[test]
fn a_process_of_another_user_is_refused_in_a_sentence() {
    if !is_root() {
        eprintln!("SKIPPED: only root can start processes of two users.");
        return;
    }
    let home = Home::with("spin");
    let target = Ended(Command::new("/bin/sleep").arg("100").spawn().unwrap());
    let pid = target.0.id().to_string();
    let output = home.lineheat(&["record", "--pid", &pid]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("only your own programs"), "{told}");
}

#[test]
fn samples_without_room_are_counted_and_told() {
    let home = Home::with("spin");
    if !home.can_record() {
        return;
    }
    let mut command = home.lineheat(&["record", "--unprivileged", "--freq", "4999"]);
    command.args(["--duration", "2.5", "--output", "run.pb.gz", "--"]);
    let recording = command
        .arg(home.program())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let recording = recording.spawn().unwrap();
    let target = descendant_named(recording.id(), "spin");
    wait_for_cpu_time(target, Duration::from_millis(200));
    // SAFETY: kill has no memory preconditions; the child was not waited for yet.
    unsafe { libc::kill(recording.id() as i32, libc::SIGSTOP) };
    // At 4999 Hz this is more than the largest ring holds.
    wait_for_cpu_time(target, Duration::from_millis(1300));
    // SAFETY: as above.
    unsafe { libc::kill(recording.id() as i32, libc::SIGCONT) };
    let (profile, output) = home.opened(recording.wait_with_output().unwrap());
    assert!(output.status.success());
    let run = profile.run.as_ref().unwrap();
    assert!(lost(&profile) > 100, "{}", lost(&profile));
    assert_eq!(run.samples_taken, run.samples_kept + lost(&profile));
    assert_eq!(run.losses[0].cause, "ring-full");
    let told = |p: &String| p.contains("samples were lost");
    assert!(run.problems.iter().any(told), "{:?}", run.problems);
}

#[test]
fn time_in_the_kernel_is_said_to_be_missing() {
    let home = Home::with("syscalls");
    if !home.can_record() {
        return;
    }
    let (profile, _) = home.record(&["--unprivileged"]);
    let problem = profile.run.unwrap().problems.remove(0);
    let (_, percent) = problem.split_once(" s of kernel CPU time (").unwrap();
    let percent: u32 = percent.split_once(" %").unwrap().0.parse().unwrap();
    assert!(percent > 50, "{problem}");
}

#[test]
fn lines_are_as_hot_as_with_privilege() {
    let home = Home::with("weighted_lines");
    if !can_record() || !home.can_record() {
        return;
    }
    let (without, _) = home.record(&["--unprivileged"]);
    let (with, _) = home.program.record(&["--privileged"]);
    assert!(with.run.as_ref().unwrap().kernel_stacks);
    let (a, b) = (leaf_shares(&without), leaf_shares(&with));
    let of = |shares: &HashMap<(String, u32), f64>, line| shares.get(line).copied().unwrap_or(0.0);
    let lines: std::collections::HashSet<_> = a.keys().chain(b.keys()).collect();
    let distance = lines.into_iter().map(|l| (of(&a, l) - of(&b, l)).abs());
    let distance = distance.sum::<f64>() / 2.0; // total variation
    assert!(distance < 0.1, "{distance}: {a:?} {b:?}");
}

/// Shares of the samples in user space by the line that was executing.
fn leaf_shares(profile: &Profile) -> HashMap<(String, u32), f64> {
    let mut counts = HashMap::new();
    let mut total = 0;
    for (count, frames, _) in samples(profile) {
        if let Some((name, line)) = frames.first().filter(|(_, line)| *line > 0) {
            *counts.entry(((*name).to_owned(), *line)).or_insert(0) += count;
            total += count;
        }
    }
    let share = |n: u64| n as f64 / total as f64;
    counts.into_iter().map(|(l, n)| (l, share(n))).collect()
}

/// A child that does not outlive the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn both_ways_at_once_are_no_way() {
    let output = lineheat(&[
        "record",
        "--privileged",
        "--unprivileged",
        "--",
        "/bin/true",
    ]);
    assert_eq!({ output }.output().unwrap().status.code(), Some(2));
}
