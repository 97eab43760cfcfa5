//! The kernel drops records of what processes map and start where its rings are full: here the sampler is stopped while others
//! fill them.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::cpu_time::{descendant_named, wait_for_cpu_time};
use crate::support::libraries::{build, function_of};
use crate::support::{Program, can_record, lineheat, samples};
use profile::Profile;

/// Records of foreign mappings that fill a ring twice: root's have 4 MiB, and each takes some 120 bytes.
const FLOOD: &str = "80000";
const LIBRARIES: usize = 12;
const EACH_US: &str = "200000";

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

/// Fills the rings of all CPUs while nobody reads them.
fn fill_rings(mapper: &Program) {
    let cpus = std::thread::available_parallelism().expect("known").get();
    let floods: Vec<Child> = (0..cpus)
        .map(|cpu| {
            let mut flood = Command::new("taskset");
            flood.args(["-c", &cpu.to_string()]).arg(&mapper.path);
            flood.args(["map", FLOOD]).arg(&mapper.path);
            flood.spawn().expect("taskset is there")
        })
        .collect();
    for mut flood in floods {
        assert!(flood.wait().expect("it ends").success());
    }
}

/// Records `command`. Rings are full from when its process `first` is at work until `second` has worked on. It stands still
/// while they are filled: how long that takes is the machine's affair.
fn record_with_full_rings(
    mapper: &Program,
    command: &[&str],
    first: &str,
    second: &str,
) -> Profile {
    let run = mapper.run_path();
    let recording = lineheat(&["record", "--output"])
        .arg(&run)
        .arg("--")
        .args(command)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lineheat runs");
    let sampler = descendant_named(recording.id(), "lineheat-sample");
    let target = descendant_named(recording.id(), first);
    wait_for_cpu_time(target, Duration::from_millis(300));
    signal(sampler, "-STOP");
    signal(target, "-STOP");
    fill_rings(mapper);
    signal(target, "-CONT");
    let target = descendant_named(recording.id(), second);
    wait_for_cpu_time(target, Duration::from_millis(700));
    signal(sampler, "-CONT");
    let output = recording.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"))
}

/// Nothing is lost, and nothing unknown but the moment in which a child becomes its program: what it was before can no
/// longer be looked up. Nobody speaks of more than that.
fn check_is_whole(profile: &Profile) {
    let info = profile.run.as_ref().expect("a run");
    assert_eq!(info.samples_taken, info.samples_kept);
    let samples = samples(profile);
    let (starting, unknown): (Vec<_>, Vec<_>) = (samples.iter())
        .filter(|(_, frames, _)| frames.iter().any(|f| f.0 == "[unknown]"))
        .partition(|(_, frames, labels)| {
            let label = |key| labels.iter().find(|l| l.0 == key).map(|l| &l.1);
            label("thread") != label("process") || frames.iter().any(|f| f.0.contains("execve"))
        });
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(starting.len() <= 3, "{starting:?}");
    let of_records = |p: &&String| {
        let of_start = p.contains("[unknown]") && !starting.is_empty();
        ["record", "lost", "[unknown]"]
            .iter()
            .any(|part| p.contains(part) && !of_start)
    };
    let problems: Vec<&String> = info.problems.iter().filter(of_records).collect();
    assert!(problems.is_empty(), "{problems:?}");
}

fn check_knows_libraries(profile: &Profile) {
    let samples = samples(profile);
    let frames = samples.iter().flat_map(|(_, frames, _)| frames);
    let named: BTreeSet<&str> = frames.map(|(name, _)| *name).collect();
    let missing = (0..LIBRARIES).map(function_of);
    let missing: Vec<String> = missing.filter(|f| !named.contains(f.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_static_program_beside_a_busy_machine_loses_nothing_and_says_nothing() {
    if !can_record() {
        return;
    }
    let mapper = Program::compile("mapper");
    let still = mapper.directory.path().join("still");
    let source =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/mapper.c");
    let mut compiled = Command::new("gcc");
    compiled
        .args(["-O2", "-g", "-static", "-o"])
        .args([&still, &source]);
    assert!(compiled.status().expect("gcc is installed").success());
    let command = [still.to_str().unwrap(), "work", "4000"];
    check_is_whole(&record_with_full_rings(&mapper, &command, "still", "still"));
}

#[test]
fn libraries_that_were_loaded_meanwhile_are_known() {
    if !can_record() {
        return;
    }
    let (mapper, program) = (Program::compile("mapper"), Program::compile("libraries"));
    let folder = program.directory.path();
    build(folder, LIBRARIES);
    let [path, folder] = [program.path.as_path(), folder].map(|p| p.to_str().unwrap());
    let command = [path, folder, &LIBRARIES.to_string(), EACH_US];
    let profile = record_with_full_rings(&mapper, &command, "libraries", "libraries");
    check_is_whole(&profile);
    check_knows_libraries(&profile);
}

#[test]
fn so_is_a_program_that_was_started_meanwhile() {
    if !can_record() {
        return;
    }
    let (mapper, program) = (Program::compile("mapper"), Program::compile("libraries"));
    let folder = program.directory.path();
    build(folder, LIBRARIES);
    let script = format!(
        "{} work 1200; {} {} {LIBRARIES} {EACH_US}",
        mapper.path.display(),
        program.path.display(),
        folder.display()
    );
    let command = ["sh", "-c", &script];
    let profile = record_with_full_rings(&mapper, &command, "mapper", "libraries");
    check_is_whole(&profile);
    check_knows_libraries(&profile);
}
