//! A recording that is ended ends all that its command has started, as Ctrl+C in a terminal does, and nobody else.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::held_parts::{lives, marked};
use crate::support::{can_record, executables, lineheat};
use profile::Profile;
use profile::run::EndReason;

/// A wait that takes longer is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// Recordings whose processes are found by a variable of their environment.
struct Place {
    folder: tempfile::TempDir,
    mark: String,
}

impl Place {
    fn new() -> Place {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Place {
            folder: tempfile::tempdir().unwrap(),
            mark: format!("LINEHEAT_JOB={}-{number}", std::process::id()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `lineheat record` without a terminal, in a process group of its own.
    fn record(&self, flags: &[&str], command: &[&str]) -> Recorder {
        self.start(
            lineheat(&["record", "--output", "run.pb.gz"]),
            flags,
            command,
        )
    }

    fn start(&self, mut engine: Command, flags: &[&str], command: &[&str]) -> Recorder {
        let (name, value) = self.mark.split_once('=').unwrap();
        let told = fs::File::create(self.path("told")).unwrap();
        engine.args(flags).arg("--").args(command);
        (engine.env(name, value).current_dir(self.folder.path()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(told)
            .process_group(0);
        Recorder(engine.spawn().unwrap())
    }

    fn told(&self) -> String {
        fs::read_to_string(self.path("told")).unwrap_or_default()
    }

    fn end_reason(&self) -> EndReason {
        let profile = Profile::open(&self.path("run.pb.gz"));
        let profile = profile.unwrap_or_else(|e| panic!("{e}\n{}", self.told()));
        profile.run.as_ref().unwrap().end_reason()
    }

    /// The command line of each process that runs, without the zero bytes, after its number.
    fn running(&self, program: &str) -> Vec<(u32, String)> {
        let processes = marked(&self.mark).into_iter().filter_map(|told| {
            let (number, line) = told.split_once(": ")?;
            let line = line.replace('\0', " ").trim_end().to_owned();
            Some((number.trim_matches('"').parse().ok()?, line))
        });
        processes
            .filter(|(_, line)| line.starts_with(program))
            .collect()
    }

    fn await_running(&self, program: &str, count: usize) -> Vec<u32> {
        let started = Instant::now();
        loop {
            let running = self.running(program);
            if running.len() == count {
                return running.into_iter().map(|(pid, _)| pid).collect();
            }
            let waited = started.elapsed();
            assert!(waited < PATIENCE, "{running:?}\n{}", self.told());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Signalled processes need a moment to be gone.
    fn assert_runs(&self, wanted: &[&str]) {
        let started = Instant::now();
        loop {
            let lines = self.running("").into_iter().map(|(_, line)| line);
            let mut running: Vec<String> = lines.collect();
            running.sort();
            if running == wanted {
                return;
            }
            let waited = started.elapsed();
            assert!(
                waited < Duration::from_secs(5),
                "{running:?} instead of {wanted:?}\n{}",
                self.told()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// What a test that failed has left behind.
impl Drop for Place {
    fn drop(&mut self) {
        for (pid, _) in self.running("") {
            kill(pid as i32, libc::SIGKILL);
        }
    }
}

struct Recorder(Child);

impl Recorder {
    fn ends(&mut self) {
        let started = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return assert!(status.success(), "{status}");
            }
            assert!(started.elapsed() < PATIENCE, "it goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn interrupt(&self) {
        kill(self.0.id() as i32, libc::SIGINT);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn kill(pid: i32, signal: i32) {
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(pid, signal) };
}

/// Long enough for a shell to start two programs.
const SOON: [&str; 2] = ["--duration", "3"];

#[test]
fn the_duration_ends_what_a_shell_has_started_at_any_depth() {
    if !can_record() {
        return;
    }
    for (script, count) in [
        ("sleep 600 & sleep 601", 2),
        ("sh -c 'sleep 600 & sleep 601; :' & sleep 602; :", 3),
        // Its parent has ended long before.
        ("(sleep 600 &); sleep 601; :", 2),
        ("timeout 700 sleep 600 & sleep 601", 2),
    ] {
        for flags in [&SOON[..], &["--unprivileged", "--duration", "3"]] {
            let place = Place::new();
            let mut recorder = place.record(flags, &["sh", "-c", script]);
            place.await_running("sleep", count);
            recorder.ends();
            place.assert_runs(&[]);
            assert_eq!(place.end_reason(), EndReason::Duration, "{script}");
        }
    }
}

#[test]
fn an_interrupt_ends_a_background_job_that_ignores_it() {
    if !can_record() {
        return;
    }
    for whole_group in [false, true] {
        let place = Place::new();
        let mut recorder = place.record(&[], &["sh", "-c", "sleep 600 & sleep 601"]);
        let sleeps = place.await_running("sleep", 2);
        let ignores = |pid: &u32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            let ignored = status.lines().find_map(|l| l.strip_prefix("SigIgn:\t"));
            u64::from_str_radix(ignored.unwrap(), 16).unwrap() & (1 << (libc::SIGINT - 1)) != 0
        };
        assert!(sleeps.iter().any(ignores), "sh starts `sleep 600 &` so");
        let pid = recorder.0.id() as i32;
        kill(if whole_group { -pid } else { pid }, libc::SIGINT);
        recorder.ends();
        place.assert_runs(&[]);
        assert_eq!(place.end_reason(), EndReason::Stopped);
    }
}

#[test]
fn what_ignores_the_polite_signal_is_killed_and_what_is_stopped_hears_it() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let script = "sh -c 'trap : TERM; while :; do sleep 0.1; done' & sleep 601; :";
    let mut recorder = place.record(&SOON, &["sh", "-c", script]);
    place.await_running("sleep 601", 1);
    recorder.ends();
    place.assert_runs(&[]);
    assert_eq!(place.end_reason(), EndReason::Duration);

    // How it ends takes a process of its own, which is not asked to end.
    let place = Place::new();
    let script = "sh -c 'trap \"sleep 0.5; echo cleaned > cleaned; exit\" TERM; kill -STOP $$' & sleep 601; :";
    let mut recorder = place.record(&SOON, &["sh", "-c", script]);
    place.await_running("sleep 601", 1);
    recorder.ends();
    place.assert_runs(&[]);
    let cleaned = fs::read_to_string(place.path("cleaned"));
    assert_eq!(cleaned.unwrap_or_default(), "cleaned\n", "{}", place.told());
}

#[test]
fn daemons_and_processes_beside_the_command_are_left_alone() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut beside = Command::new("sleep");
    let (name, value) = place.mark.split_once('=').unwrap();
    let mut recorder = place.record(
        &SOON,
        &["sh", "-c", "setsid -f sleep 700; sleep 600 & sleep 601"],
    );
    // In the group of the recording, as the rest of a pipeline is.
    beside
        .arg("800")
        .env(name, value)
        .process_group(recorder.0.id() as i32);
    let mut beside = beside.spawn().unwrap();
    place.await_running("sleep", 4);
    recorder.ends();
    place.assert_runs(&["sleep 700", "sleep 800"]);
    beside.kill().unwrap();
    beside.wait().unwrap();
}

#[test]
fn what_a_command_that_has_ended_by_itself_left_behind_goes_on() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut recorder = place.record(&["--duration", "600"], &["sh", "-c", "sleep 600 & :"]);
    recorder.ends();
    assert_eq!(place.end_reason(), EndReason::Exited);
    place.assert_runs(&["sleep 600"]);
}

#[test]
fn processes_that_were_attached_to_get_no_signal() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let (name, value) = place.mark.split_once('=').unwrap();
    let mut foreign = Command::new("sh");
    foreign
        .args(["-c", "sleep 600 & sleep 601; :"])
        .env(name, value);
    let mut foreign = foreign.spawn().unwrap();
    place.await_running("sleep", 2);
    let tree = foreign.id().to_string();
    let mut engine = lineheat(&["record", "--output"]);
    engine
        .arg(place.path("run.pb.gz"))
        .args(["--duration", "0.5", "--tree", &tree]);
    let status = engine.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.unwrap().success());
    assert!(foreign.try_wait().unwrap().is_none());
    assert_eq!(place.running("sleep").len(), 2);
    foreign.kill().unwrap();
    foreign.wait().unwrap();
}

#[test]
fn a_warm_up_that_is_interrupted_ends_what_it_has_started() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut recorder = place.record(&["--warm-up", "1"], &["sh", "-c", "sleep 600 & sleep 601"]);
    place.await_running("sleep", 2);
    recorder.interrupt();
    recorder.0.wait().unwrap();
    place.assert_runs(&[]);
    assert!(
        place.told().contains("nothing was recorded"),
        "{}",
        place.told()
    );
}

/// As a container that was entered from outside: the session is led by a process that has no number in it.
#[test]
fn in_a_pid_namespace_the_job_is_ended_as_well() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut engine = Command::new("unshare");
    engine.args(["-pm", "--fork", "--mount-proc", "sh", "-c"]);
    engine.args(["\"$@\"; touch ended; exec sleep 700", "sh"]);
    engine.args([
        env!("CARGO_BIN_EXE_lineheat"),
        "record",
        "--output",
        "run.pb.gz",
    ]);
    let script = "(sleep 600 &); sleep 601 & sleep 602; :";
    let _recorder = place.start(engine, &SOON, &["sh", "-c", script]);
    place.await_running("sleep", 3);
    let started = Instant::now();
    while !place.path("ended").exists() {
        assert!(started.elapsed() < PATIENCE, "{}", place.told());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.end_reason(), EndReason::Duration);
    place.await_running("sleep", 1);
    place.await_running("sleep 700", 1);
}

/// On a terminal of its own, where the engine and the command are in the foreground.
fn on_a_terminal(place: &Place, flags: &[&str], script: &str) -> target::Launched {
    let mut args: Vec<std::ffi::OsString> = vec!["record".into(), "--output".into()];
    args.push(place.path("run.pb.gz").into());
    let command = ["--", "sh", "-c", script];
    args.extend(flags.iter().chain(&command).map(Into::into));
    let (name, value) = place.mark.split_once('=').unwrap();
    let stopped = target::launch_stopped(&target::LaunchOptions {
        program: env!("CARGO_BIN_EXE_lineheat").into(),
        called_as: None,
        args,
        cwd: None,
        env: vec![(name.into(), value.into())],
        terminal: Some(target::TerminalSize {
            columns: 120,
            rows: 17,
        }),
        output: target::Output::Shared,
    });
    stopped.unwrap().release().unwrap()
}

/// Waits until it ends; gives what was on the screen.
fn screen_at_the_end(launched: &target::Launched) -> String {
    let mut stream = launched.terminal.as_ref().unwrap().stream().unwrap();
    assert_eq!(target::wait(launched.pid()).unwrap().code, 0);
    let mut screen = Vec::new();
    let _ = stream.read_to_end(&mut screen); // ends with EIO
    String::from_utf8_lossy(&screen).into_owned()
}

#[test]
fn on_a_terminal_the_command_reads_its_input_and_the_duration_ends_all() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let script = "read line; echo \"read: $line\"; sleep 600 & sleep 601; :";
    let launched = on_a_terminal(&place, &["--duration", "4"], script);
    place.await_running("sh -c", 1);
    launched.terminal.as_ref().unwrap().type_in(b"hello\n");
    place.await_running("sleep", 2);
    let screen = screen_at_the_end(&launched);
    assert!(screen.contains("read: hello"), "{screen}");
    place.assert_runs(&[]);
    assert_eq!(place.end_reason(), EndReason::Duration);
}

#[test]
fn on_a_terminal_ctrl_c_reaches_the_command_and_ends_all() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let script = "trap 'echo interrupted; exit 0' INT; sleep 600 & sleep 601; :";
    let launched = on_a_terminal(&place, &[], script);
    place.await_running("sleep", 2);
    launched.terminal.as_ref().unwrap().type_in(b"\x03");
    let screen = screen_at_the_end(&launched);
    assert!(screen.contains("interrupted"), "{screen}");
    place.assert_runs(&[]);
}

/// A user without any right.
const USER: u32 = 54321;

/// As sudo would start it.
const OF_ROOT: &str = "#include <unistd.h>\nint main(void) { return setuid(0) || execl(\"/bin/sleep\", \"sleep\", \"600\", (char *)0); }\n";

#[test]
fn what_the_user_may_not_end_is_named() {
    // SAFETY: geteuid has no preconditions.
    if !can_record() || unsafe { libc::geteuid() } != 0 {
        eprintln!("SKIPPED: only root can make a program that runs as root.");
        return;
    }
    let place = Place::new();
    let own = Path::new(env!("CARGO_BIN_EXE_lineheat"));
    for file in [own, &own.with_file_name("lineheat-sampler")] {
        executables::copy_executable(
            file,
            &place.path(file.file_name().unwrap().to_str().unwrap()),
        );
    }
    fs::write(place.path("of_root.c"), OF_ROOT).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.arg(place.path("of_root.c"))
        .arg("-o")
        .arg(place.path("of_root"));
    assert!(gcc.status().unwrap().success());
    for (path, mode) in [
        (place.folder.path(), 0o755),
        (&place.path("of_root"), 0o4755),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    chown(place.folder.path(), Some(USER), Some(USER)).unwrap();
    // At last the command itself, which is waited for as one that cannot be killed.
    for (script, count) in [("./of_root & sleep 601; :", 2), ("exec ./of_root", 1)] {
        let mut engine = Command::new(place.path("lineheat"));
        engine.args(["record", "--unprivileged", "--output", "run.pb.gz"]);
        engine.uid(USER).gid(USER);
        let mut recorder = place.start(engine, &SOON, &["sh", "-c", script]);
        let sleeps = place.await_running("sleep", count);
        recorder.ends();
        let left: Vec<u32> = sleeps.into_iter().filter(|pid| lives(*pid)).collect();
        assert_eq!(left.len(), 1, "{}", place.told());
        let sentence = format!(
            "Left running: process {} (sleep), which you are not permitted to end.",
            left[0]
        );
        assert!(place.told().contains(&sentence), "{}", place.told());
        assert!(!place.told().contains("killed"), "{}", place.told());
        place.assert_runs(&["sleep 600"]);
        kill(left[0] as i32, libc::SIGKILL);
        place.assert_runs(&[]);
    }
}
