//! Code on a file system that stops answering (FUSE): its recording ends in time, loses no sample, and lacks the names of
//! that file alone.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::cpu_time::{OwnTime, duration_for, wait_for_cpu_time};
use crate::support::halves;
use crate::support::sleeping_files::SleepingFiles;
use crate::support::{can_record, lineheat, share};
use profile::Profile;

/// Recording, two seconds for what does not open, and as long as the reader of modules may take for one (15 s); a machine
/// where every program has a tenth of a CPU records for 6 s.
const OVER_WITHIN: Duration = Duration::from_secs(40);

const MAIN: &str = "
int main(int count, char **arguments) {
    time_t end = time(NULL) + atoi(arguments[1]);
    while (time(NULL) < end) own(300000), work(300000);
    return count == 7;
}
";

/// A program and its library, each of which has half of the time.
struct Built {
    folder: tempfile::TempDir,
}

impl Built {
    fn new() -> Built {
        let built = Built {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        let folder = built.folder.path();
        let library = ["-shared", "-fPIC"];
        halves::compile(folder, "libwork.so", halves::LIBRARY, &library);
        halves::compile(
            folder,
            "program",
            &halves::program(MAIN),
            &["-L.", "-lwork"],
        );
        built
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Ends with the test, however that ends.
struct Running(Child);

impl Running {
    fn start(program: &Path, libraries: &Path) -> Running {
        let child = Command::new(program)
            .arg("600")
            .env("LD_LIBRARY_PATH", libraries)
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("it answers so far");
        // By then all of its code has run, and is in memory.
        wait_for_cpu_time(child.id(), Duration::from_millis(300));
        Running(child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Attaches for 0.6 s of its CPU time; panics when that does not end. No cache: kept names would hide what cannot be read.
fn recorded(built: &Built, running: &Running, flags: &[&str]) -> (Profile, String) {
    let run = built.path("run.pb.gz");
    let duration = duration_for(running.0.id(), Duration::from_millis(600));
    let mut command = lineheat(&["record", "--duration", &duration]);
    command.args(flags).arg("--output").arg(&run);
    command.args(["--pid", &running.0.id().to_string()]);
    let output = ended_in_time(command.env("XDG_CACHE_HOME", built.path("cache")));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"));
    (profile, told)
}

fn ended_in_time(command: &mut Command) -> Output {
    let mut child = (command.stdin(Stdio::null()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lineheat runs");
    let started = OwnTime::of(&[child.id()]);
    while child.try_wait().expect("ours").is_none() {
        if started.elapsed() > OVER_WITHIN {
            let _ = child.kill();
            panic!("the engine did not end within {OVER_WITHIN:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it has ended")
}

fn assert_nothing_lost(profile: &Profile, told: &str) {
    let info = profile.run.as_ref().expect("our own run");
    assert!(info.samples_kept > 200, "{told}");
    let lost: u64 = info.losses.iter().map(|loss| loss.count).sum();
    assert_eq!((info.samples_taken, lost), (info.samples_kept, 0), "{told}");
}

fn problem_of(profile: &Profile, name: &str) -> String {
    let info = profile.run.as_ref().expect("our own run");
    let module = info.modules.iter().find(|m| m.path.ends_with(name));
    module.expect("it ran").problem.clone()
}

fn share_of(profile: &Profile, name: &str) -> f64 {
    share(profile, |frames| {
        frames.first().is_some_and(|f| f.0 == name)
    })
}

/// Our own processes that sleep in a file system: the kernel lets nobody end them.
fn sleepers() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("mounted").flatten();
    let is_ours = |line: &str| line.contains("open-worker") || line.contains("symbolize-worker");
    let sleeper = |folder: PathBuf| {
        let line = std::fs::read_to_string(folder.join("cmdline")).ok()?;
        let stack = std::fs::read_to_string(folder.join("wchan")).unwrap_or_default();
        (is_ours(&line) && stack.contains("request_wait_answer")).then_some(line)
    };
    processes
        .filter_map(|entry| sleeper(entry.path()))
        .collect()
}

fn assert_only_its_names_are_missing(asleep: &str, gone: &str, there: &str, flags: &[&str]) {
    let built = Built::new();
    let Some(files) = SleepingFiles::with(&built.path(asleep)) else {
        return;
    };
    // The other file is where it was; of this one there is no other.
    std::fs::remove_file(built.path(asleep)).expect("ours");
    let (program, libraries) = match asleep {
        "program" => (files.file.clone(), built.folder.path().to_owned()),
        _ => (built.path("program"), files.file.with_file_name("")),
    };
    let running = Running::start(&program, &libraries);
    files.fall_asleep();
    let (profile, told) = recorded(&built, &running, flags);
    assert_nothing_lost(&profile, &told);
    assert_eq!(share_of(&profile, gone), 0.0, "{told}");
    assert!(share_of(&profile, there) > 0.3, "{told}");
    let problem = problem_of(&profile, asleep);
    assert!(
        problem.contains("its file system did not respond within"),
        "{problem}"
    );
    let problems = &profile.run.as_ref().expect("our own run").problems;
    assert!(
        problems.iter().any(|p| p.contains(&problem)),
        "{problems:?}"
    );
    drop(running);
    drop(files);
    let started = Instant::now();
    while !sleepers().is_empty() {
        assert!(started.elapsed() < OVER_WITHIN, "{:?}", sleepers());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_program_whose_file_system_sleeps_has_no_names_and_its_library_keeps_them() {
    if can_record() {
        assert_only_its_names_are_missing("program", "own", "work", &[]);
        assert_only_its_names_are_missing("program", "own", "work", &["--unprivileged"]);
    }
}

#[test]
fn a_library_whose_file_system_sleeps_has_no_names_and_its_program_keeps_them() {
    if can_record() {
        assert_only_its_names_are_missing("libwork.so", "work", "own", &[]);
    }
}

#[test]
fn a_file_system_that_falls_asleep_while_it_is_recorded_costs_its_own_names_at_most() {
    if !can_record() {
        return;
    }
    let built = Built::new();
    let Some(files) = SleepingFiles::with(&built.path("program")) else {
        return;
    };
    let running = Running::start(&files.file, built.folder.path());
    let (profile, told) = std::thread::scope(|scope| {
        scope.spawn(|| {
            // From the start of the recorder on; it attaches somewhere in between.
            wait_for_cpu_time(running.0.id(), Duration::from_millis(500));
            files.fall_asleep();
        });
        recorded(&built, &running, &[])
    });
    assert_nothing_lost(&profile, &told);
    assert!(share_of(&profile, "work") > 0.3, "{told}");
    // It was copied in time; but debug files beside it (`program.dwp`) are looked for where nothing answers.
    let is_named = share_of(&profile, "own") > 0.3;
    let problem = problem_of(&profile, "program");
    assert!(
        is_named || problem.contains("took longer than"),
        "{problem}"
    );
}
