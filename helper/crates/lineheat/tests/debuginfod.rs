//! Debug information that is not on this machine, fetched by elfutils' own client from a folder laid out as a server.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{can_record, lineheat};
use profile::Profile;

const BUILD_ID: &str = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e";

fn tool(program: &str, args: &[&str], folder: &Path) {
    let status = Command::new(program)
        .args(args)
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success(), "{program} {args:?}");
}

fn record(folder: &Path, urls: &str, options: &[&str]) -> Output {
    lineheat(&["record", "--output", "run.pb.gz"])
        .args(options)
        .args(["--", "./program"])
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("DEBUGINFOD_CACHE_PATH", folder.join("fetched"))
        .env("DEBUGINFOD_URLS", urls)
        .output()
        .unwrap()
}

/// Whether the hot line is known, and the problems of the run.
fn outcome(folder: &Path) -> (bool, String) {
    let profile = Profile::open(&folder.join("run.pb.gz")).unwrap();
    let files = profile
        .functions
        .iter()
        .map(|f| profile.strings.get(f.filename));
    let has_lines = files.into_iter().any(|file| file.ends_with("hot_line.c"));
    (has_lines, profile.run.unwrap().problems.join("\n"))
}

#[test]
fn debug_information_is_fetched_on_request_only() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/hot_line.c");
    let source = source.to_str().unwrap();
    let build_id = format!("-Wl,--build-id=0x{BUILD_ID}");
    tool(
        "gcc",
        &["-O2", "-g", &build_id, "-o", "program", source],
        folder,
    );
    tool(
        "objcopy",
        &["--only-keep-debug", "program", "debuginfo"],
        folder,
    );
    tool("strip", &["program"], folder);
    let served = folder.join("server/buildid").join(BUILD_ID);
    let empty = folder.join("empty");
    std::fs::create_dir_all(&served).unwrap();
    std::fs::create_dir_all(&empty).unwrap();
    std::fs::rename(folder.join("debuginfo"), served.join("debuginfo")).unwrap();
    let server = format!("file://{}/server", folder.display());

    record(folder, &server, &[]);
    let (has_lines, problems) = outcome(folder);
    assert!(!has_lines && problems.contains("is stripped"), "{problems}");

    record(
        folder,
        &format!("file://{}", empty.display()),
        &["--debuginfod"],
    );
    let (has_lines, problems) = outcome(folder);
    assert!(!has_lines, "{problems}");
    assert!(
        problems.contains("no debuginfod server has its debug information"),
        "{problems}"
    );

    // What could not be had before is not remembered as missing, by the client's cache neither.
    std::fs::remove_dir_all(folder.join("fetched")).unwrap();
    record(folder, &server, &["--debuginfod"]);
    let (has_lines, problems) = outcome(folder);
    assert!(has_lines && problems.is_empty(), "{problems}");

    let refused = record(folder, "", &["--debuginfod"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(told.contains("DEBUGINFOD_URLS"), "{told}");
}
