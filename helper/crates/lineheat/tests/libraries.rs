//! Programs that load many more libraries than the kernel's side has room for in a table.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::libraries::{build, function_of};
use crate::support::{Program, can_record, lineheat, samples, share};
use profile::Profile;

/// More than twice what a table holds (MAPPINGS_MAX).
const LIBRARIES: usize = 600;

fn record(program: &Program, folder: &Path, options: &[&str], how: &[&str]) -> Profile {
    let run = program.run_path();
    let recorded = lineheat(&["record", "--output"])
        .arg(&run)
        .args(options)
        .arg("--")
        .args([program.path.as_path(), folder])
        .args([&LIBRARIES.to_string(), "1000"])
        .args(how)
        .output()
        .expect("lineheat runs");
    let told = String::from_utf8_lossy(&recorded.stderr);
    assert!(recorded.status.success(), "{told}");
    Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"))
}

fn check(profile: &Profile) {
    let info = profile.run.as_ref().expect("a run");
    let of_stacks = |p: &&String| {
        ["do not reach", "lost", "[unknown]"]
            .iter()
            .any(|part| p.contains(part))
    };
    let problems: Vec<&String> = info.problems.iter().filter(of_stacks).collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(info.samples_taken, info.samples_kept);
    let is_whole = |frames: &[(&str, u32)]| {
        let is_called = frames.iter().any(|(name, _)| *name == "main");
        is_called || !frames.iter().any(|(name, _)| name.starts_with("plugin_"))
    };
    let whole = share(profile, is_whole);
    assert!(
        whole >= 0.99,
        "{whole}: work of a library without its caller"
    );
    let samples = samples(profile);
    let frames = samples.iter().flat_map(|(_, frames, _)| frames);
    let named: BTreeSet<&str> = frames.map(|(name, _)| *name).collect();
    let seen = (0..LIBRARIES).filter(|n| named.contains(function_of(*n).as_str()));
    let seen = seen.count();
    assert!(seen > LIBRARIES / 4, "{seen} libraries were seen at work");
}

#[test]
fn a_program_with_very_many_libraries_has_whole_stacks_and_names() {
    if !can_record() {
        return;
    }
    let program = Program::compile("libraries");
    build(program.directory.path(), LIBRARIES);
    let folder = program.directory.path();
    check(&record(&program, folder, &[], &[]));
    check(&record(&program, folder, &[], &["close"]));
}

/// Without privilege all stacks are unwound by the engine.
#[test]
fn without_privilege_as_well() {
    if !can_record() {
        return;
    }
    let program = Program::compile("libraries");
    build(program.directory.path(), LIBRARIES);
    let folder = program.directory.path();
    check(&record(&program, folder, &["--unprivileged"], &[]));
}
