//! Unwind rows that one recording keeps for the next, seen from outside. Under real BPF.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::SystemTime;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// The stacks are those of a program that a shell starts.
fn start(program: &Program, run: &str, cache: &Path) -> (PathBuf, Child) {
    let run = program.directory.path().join(run);
    let child = lineheat(&["record", "--freq", "999", "--output"])
        .arg(&run)
        .args(["--", "sh", "-c", "\"$0\"; true"])
        .arg(&program.path)
        .env("XDG_CACHE_HOME", cache)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (run, child)
}

fn recorded((run, mut child): (PathBuf, Child)) -> Profile {
    assert!(child.wait().unwrap().success());
    Profile::open(&run).unwrap()
}

/// Share of the stacks that are whole.
fn whole(profile: &Profile) -> f64 {
    let ends = &profile.run.as_ref().unwrap().stack_ends;
    let count = |cause: &str| -> u64 {
        let of = ends
            .iter()
            .filter(|end| cause.is_empty() || end.cause == cause);
        of.map(|end| end.count).sum()
    };
    count("root") as f64 / count("") as f64
}

/// Name, inode and time of writing or of the last use.
fn kept(cache: &Path) -> Vec<(String, u64, SystemTime)> {
    let entries = fs::read_dir(cache.join("lineheat/rows"))
        .into_iter()
        .flatten();
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, metadata.ino(), metadata.modified().unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_second_recording_reads_what_the_first_has_kept_and_writes_nothing() {
    if !can_record() {
        return;
    }
    let program = Program::compile("recursion");
    let cache = program.directory.path().join("cache");
    let first = recorded(start(&program, "first.pb.gz", &cache));
    let written = kept(&cache);
    assert!(written.len() >= 3, "shell, libc and loader: {written:?}");
    let second = recorded(start(&program, "second.pb.gz", &cache));
    let used = kept(&cache);
    let same = |files: &[(String, u64, SystemTime)]| -> Vec<(String, u64)> {
        files
            .iter()
            .map(|(name, inode, _)| (name.clone(), *inode))
            .collect()
    };
    assert_eq!(same(&used), same(&written), "nothing was made again");
    for ((name, _, before), (.., after)) in written.iter().zip(&used) {
        assert!(after > before, "{name} was not used");
    }
    assert!(whole(&first) > 0.95 && whole(&second) > 0.99);
}

#[test]
fn recordings_at_once_and_without_a_cache_folder_have_whole_stacks() {
    if !can_record() {
        return;
    }
    let program = Program::compile("recursion");
    let cache = program.directory.path().join("cache");
    let both = ["a.pb.gz", "b.pb.gz"].map(|run| start(&program, run, &cache));
    for run in both {
        assert!(whole(&recorded(run)) > 0.95);
    }
    assert!(kept(&cache).iter().all(|(name, ..)| !name.starts_with('.')));
    let nowhere = program.directory.path().join("file");
    fs::write(&nowhere, "no folder").unwrap();
    assert!(whole(&recorded(start(&program, "c.pb.gz", &nowhere))) > 0.95);
}
