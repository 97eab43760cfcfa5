//! Programs of Go that the command starts: sampled from a moment after their beginning on, each by its process.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::memory::{assert_estimated, problems_of};
use crate::support::{Program, can_record, lineheat};
use profile::Profile;

const GO: &str = "go";
/// Debian's, of another version.
const OTHER_GO: &str = "/usr/lib/go/bin/go";

/// A run, and what the programs printed.
struct Recorded {
    profile: Profile,
    printed: String,
}

fn record(folder: &Path, env: &[(&str, &str)], command: &[&str]) -> Recorded {
    let run = folder.join("run.pb.gz");
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(&run)
        .arg("--")
        .args(command)
        .current_dir(folder)
        .envs(env.iter().copied())
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("exited with 0"), "{said}");
    Recorded {
        profile: Profile::open(&run).expect("a run"),
        printed: String::from_utf8_lossy(&output.stdout).into_owned(),
    }
}

/// Bytes allocated with this line on the stack, and the samples that they rest on, by process.
fn by_process(profile: &Profile, line: u32) -> BTreeMap<u32, (u64, u64)> {
    let column = |name, unit| profile.find_sample_type(name, unit).expect(name);
    let (bytes, points) = (
        column("alloc_space", "bytes"),
        column("alloc_samples", "count"),
    );
    let file = |function: u32| profile.text(profile.functions[function as usize].filename);
    let mut sums = BTreeMap::<u32, (u64, u64)>::new();
    for sample in 0..profile.samples.len() {
        let mut lines = (profile.samples.stack(sample).iter())
            .flat_map(|location| profile.locations.lines_of(*location));
        let is_there =
            lines.any(|at| at.line == line && file(at.function).ends_with("/started.go"));
        let mut labels = profile.samples.labels_of(sample).iter();
        let pid = labels.find(|label| profile.text(label.key) == "pid");
        if let Some(pid) = pid.filter(|_| is_there) {
            let sum = sums.entry(pid.number as u32).or_default();
            sum.0 += profile.value(sample, bytes);
            sum.1 += profile.value(sample, points);
        }
    }
    sums.retain(|_, (bytes, _)| *bytes > 0);
    sums
}

/// Each process that printed its number has allocated what `started.go` does.
fn assert_each_is_sampled(recorded: &Recorded, program: &Program, processes: usize) {
    let mut pids: Vec<u32> = (recorded.printed.lines())
        .map(|line| line.parse().expect("a number"))
        .collect();
    pids.sort_unstable();
    assert_eq!(pids.len(), processes, "{}", recorded.printed);
    for (marker, truth) in [
        ("// the leak", 128.0 * 5e5),
        ("// the brief one", 1024.0 * 3e5),
    ] {
        let sums = by_process(&recorded.profile, program.line_of(marker));
        assert_eq!(sums.keys().copied().collect::<Vec<_>>(), pids, "{marker}");
        for (pid, (bytes, points)) in sums {
            let what = format!("{marker} of {pid}");
            assert_estimated(&recorded.profile, &what, bytes, points, truth);
        }
    }
    let problems = problems_of(&recorded.profile);
    assert!(
        problems.contains("of Go that the command started"),
        "{problems}"
    );
    assert!(!problems.contains("did not load the library"), "{problems}");
}

#[test]
fn programs_of_go_that_a_script_starts_at_once_are_sampled_each_by_its_process() {
    if !can_record() {
        return;
    }
    let plain = Program::compile_go_by(Path::new(GO), "started", &[]);
    let position_independent =
        Program::compile_go_by(Path::new(GO), "started", &["-buildmode=pie"]);
    let mut files = vec![&plain, &position_independent];
    let other = Path::new(OTHER_GO)
        .exists()
        .then(|| Program::compile_go_by(Path::new(OTHER_GO), "started", &[]));
    files.extend(&other);
    let starts = files.iter().map(|of| format!("{} &", of.path.display()));
    let script = starts.collect::<Vec<_>>().join("\n") + "\nwait\n";
    let folder = plain.directory.path();
    std::fs::write(folder.join("run.sh"), script).expect("written");
    let recorded = record(folder, &[], &["sh", "run.sh"]);
    assert_each_is_sampled(&recorded, &plain, files.len());
}

#[test]
fn a_program_of_go_that_make_or_env_starts_is_sampled() {
    if !can_record() {
        return;
    }
    let program = Program::compile_go_by(Path::new(GO), "started", &[]);
    let folder = program.directory.path();
    std::fs::write(folder.join("Makefile"), "test:\n\t@./started\n").expect("written");
    for command in [&["make", "test"][..], &["env", "X=1", "./started"]] {
        let recorded = record(folder, &[], command);
        assert_each_is_sampled(&recorded, &program, 1);
    }
}

#[test]
fn a_program_of_go_that_go_starts_is_sampled() {
    if !can_record() {
        return;
    }
    let program = Program::compile_go_by(Path::new(GO), "started", &[]);
    let folder = program.directory.path();
    let recorded = record(folder, &[("STARTS", "3")], &["./started"]);
    assert_each_is_sampled(&recorded, &program, 3);
}

#[test]
fn a_started_program_of_a_version_that_is_not_known_is_named() {
    if !can_record() {
        return;
    }
    let program = Program::compile_go_by(Path::new(GO), "collecting", &[]);
    let mut bytes = std::fs::read(&program.path).expect("readable");
    let version = b"go1.";
    let head = b"\xff Go buildinf:";
    let at = bytes.windows(head.len()).position(|part| part == head);
    let rest = &mut bytes[at.expect("it says its version")..];
    let at = rest.windows(version.len()).position(|part| part == version);
    let at = at.expect("a release") + version.len();
    rest[at..at + 2].copy_from_slice(b"99");
    std::fs::write(&program.path, bytes).expect("written");
    let folder = program.directory.path();
    let recorded = record(folder, &[], &["sh", "-c", "./collecting > out; exit 0"]);
    let problems = problems_of(&recorded.profile);
    let sentence = "What collecting allocated in Go was not recorded: it was built with go1.99";
    assert!(problems.contains(sentence), "{problems}");
}
