use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use wire::{FindExecutablesRequest, ListProcessesRequest, reply, request};

use crate::client::{Engine, text};

fn compile(source: &str, output: &Path, flags: &[&str]) {
    std::fs::create_dir_all(output.parent().unwrap()).unwrap();
    let input = output.with_extension("c");
    std::fs::write(&input, source).unwrap();
    let compiled = Command::new("gcc")
        .args(flags)
        .arg(&input)
        .arg("-o")
        .arg(output)
        .status()
        .unwrap();
    assert!(compiled.success());
}

fn find(engine: &mut Engine, request: FindExecutablesRequest) -> wire::ExecutableList {
    match engine.ask(request::Body::FindExecutables(request)) {
        reply::Body::Executables(list) => list,
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_of_a_workspace_are_found() {
    const MAIN: &str = "int main(void) { return 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    compile(MAIN, &at("build/with-lines"), &["-g"]);
    compile(MAIN, &at("build/no-pie"), &["-g", "-no-pie", "-static"]);
    compile(MAIN, &at("build/stripped"), &["-s"]);
    compile(
        "int f(void) { return 0; }\n",
        &at("build/library.so"),
        &["-shared", "-fPIC"],
    );
    compile(MAIN, &at("build/CMakeFiles/probe"), &[]);
    compile(MAIN, &at("build/meson-private/sanitycheckc.exe"), &[]);
    compile(MAIN, &at("node_modules/tool"), &[]);
    compile(MAIN, &at("target/release/cargo-made"), &["-g"]);
    compile(MAIN, &at("target/release/deps/cargo-made-0123"), &["-g"]);
    std::fs::write(at("target/CACHEDIR.TAG"), "").unwrap();
    std::fs::write(at("build/script"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(at("build/script"), std::fs::Permissions::from_mode(0o755)).unwrap();
    compile(MAIN, &at("build/not-executable"), &[]);
    std::fs::set_permissions(
        at("build/not-executable"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();

    let mut engine = Engine::start();
    let request = FindExecutablesRequest {
        directories: vec![text(folder.path())],
        ..FindExecutablesRequest::default()
    };
    let list = find(&mut engine, request.clone());
    assert!(!list.cut);
    let mut found: Vec<_> = list
        .executables
        .iter()
        .map(|of| {
            (
                of.path.rsplit('/').next().unwrap(),
                of.has_debug_lines,
                of.stripped,
            )
        })
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("cargo-made", true, false),
            ("no-pie", true, false),
            ("stripped", false, true),
            ("with-lines", true, false),
        ]
    );
    assert_eq!(
        list.executables[0].path,
        text(&at("target/release/cargo-made")),
        "newest first"
    );
    assert!(list.executables.iter().all(|of| of.build_id.len() == 40));

    let limited = find(
        &mut engine,
        FindExecutablesRequest {
            limit: 2,
            ..request
        },
    );
    assert_eq!((limited.executables.len(), limited.cut), (2, true));

    let inspected = FindExecutablesRequest {
        files: vec![
            text(&at("build/stripped")),
            text(&at("build/script")),
            "/dev/zero".to_owned(),
        ],
        ..FindExecutablesRequest::default()
    };
    assert_eq!(find(&mut engine, inspected).executables.len(), 1);
}

#[test]
fn processes_are_listed() {
    let mut child = Command::new("sh")
        .args(["-c", "echo; read word"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Its command line is in place when it runs, a moment after it was started.
    let mut word = [0];
    child.stdout.take().unwrap().read_exact(&mut word).unwrap();
    let mut engine = Engine::start();
    let listed = engine.ask(request::Body::ListProcesses(ListProcessesRequest {}));
    child.kill().unwrap();
    child.wait().unwrap();
    let reply::Body::Processes(list) = listed else {
        panic!("{listed:?}");
    };
    let found = list
        .processes
        .iter()
        .find(|process| process.pid == child.id())
        .unwrap();
    assert_eq!(
        (found.name.as_str(), found.command_line.as_str()),
        ("sh", "sh -c echo; read word")
    );
    assert!(!found.user.is_empty());
}

#[test]
fn the_doctor_reports() {
    let mut engine = Engine::start();
    match engine.ask(request::Body::Doctor(wire::DoctorRequest {})) {
        reply::Body::Doctor(report) => {
            assert!(report.checks.iter().any(|check| check.id == "kernel"));
            assert!(
                report
                    .checks
                    .iter()
                    .all(|check| !check.title.is_empty() && !check.detail.is_empty())
            );
        }
        other => panic!("{other:?}"),
    }
}
