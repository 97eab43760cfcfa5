//! Real recordings through the server; they need a machine that can record.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use wire::{
    RecordRequest, StopRequest, SweepParameter, SweepRequest, SweepTableRequest, TerminalInput,
    reply, request,
};

use crate::client::{Engine, text};
use crate::held_parts::{child, lives, marked};

/// Under CI a machine that cannot record is a failure.
pub fn can_record() -> bool {
    let doctor = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .arg("doctor")
        .output()
        .unwrap();
    if !doctor.status.success() {
        let report = String::from_utf8_lossy(&doctor.stdout);
        assert!(
            std::env::var_os("CI").is_none(),
            "recording must work in CI:\n{report}"
        );
        eprintln!("SKIPPED: this machine cannot record, so nothing was tested.\n{report}");
    }
    doctor.status.success()
}

fn spinner(folder: &Path) -> String {
    let source = folder.join("spin.c");
    std::fs::write(
        &source,
        "#include <stdio.h>\n\
         int main(int argc, char **argv) {\n\
         \x20   volatile unsigned long sum = 0;\n\
         \x20   char line[64];\n\
         \x20   unsigned long rounds = argc > 1 ? 4000000000ul : 100000000ul;\n\
         \x20   printf(\"name?\\n\");\n\
         \x20   fflush(stdout);\n\
         \x20   if (argc == 1 && fgets(line, sizeof line, stdin)) printf(\"hello %s\", line);\n\
         \x20   for (unsigned long at = 0; at < rounds; at++) sum += at;\n\
         \x20   return 7;\n\
         }\n",
    )
    .unwrap();
    let program = folder.join("spin");
    assert!(
        Command::new("gcc")
            .args(["-O1", "-g"])
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .status()
            .unwrap()
            .success()
    );
    text(&program)
}

pub fn record(folder: &Path, args: &[&str]) -> request::Body {
    request::Body::Record(RecordRequest {
        program: spinner(folder),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: text(folder),
        runs_directory: text(&folder.join(".lineheat/runs")),
        name: "spinning".to_owned(),
        ..RecordRequest::default()
    })
}

#[test]
fn a_program_is_recorded_and_talked_to() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let id = engine.send(record(folder.path(), &[]));
    let mut output = Vec::new();
    let mut started = false;
    let mut asked = None;
    let ended = loop {
        let reply = engine.next().expect("a reply");
        if Some(reply.id) == asked {
            assert!(matches!(reply.body, Some(reply::Body::Done(_))));
            continue;
        }
        assert_eq!(reply.id, id);
        match reply.body.expect("a body") {
            reply::Body::RecordingStarted(of) => {
                assert!(of.pid > 0);
                started = true;
            }
            reply::Body::RecordingProgress(_) => {}
            reply::Body::TargetOutput(of) => {
                output.extend(of.bytes);
                if asked.is_none() && String::from_utf8_lossy(&output).contains("name?") {
                    asked = Some(engine.send(request::Body::TerminalInput(TerminalInput {
                        record_id: id,
                        bytes: b"you\n".to_vec(),
                    })));
                }
            }
            reply::Body::RecordingEnded(ended) => {
                assert!(reply.r#final);
                break ended;
            }
            other => panic!("{other:?}"),
        }
    };
    assert!(started);
    assert!(
        String::from_utf8_lossy(&output).contains("hello you"),
        "{output:?}"
    );
    let run = ended.run.unwrap();
    assert_eq!(
        (run.exited, run.exit_code, run.name.as_str()),
        (true, 7, "spinning")
    );
    assert!(run.samples > 20, "{}", run.samples);
    let opened = engine.open(Path::new(&ended.run_path));
    assert_eq!(opened.total_samples, run.samples);
    assert_eq!(opened.files[0].path, text(&folder.path().join("spin.c")));
}

/// Starts an endless program and waits until more than so many samples of it have been taken.
fn start_endless(engine: &mut Engine, folder: &Path, samples: u64) -> u32 {
    let id = engine.send(record(folder, &["on"]));
    loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingProgress(so_far) if so_far.samples > samples => return id,
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    }
}

fn runs_in(folder: &Path) -> usize {
    std::fs::read_dir(folder.join(".lineheat/runs"))
        .into_iter()
        .flatten()
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .to_str()
                .unwrap()
                .ends_with(".pb.gz")
        })
        .count()
}

#[test]
fn stop_keeps_what_was_recorded_and_discard_does_not() {
    if !can_record() {
        return;
    }
    for discard in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Engine::start();
        let record_id = start_endless(&mut engine, folder.path(), 50);
        let stop = engine.send(request::Body::Stop(StopRequest { record_id, discard }));
        let mut stopped = false;
        let ended = loop {
            let reply = engine.next().expect("a reply");
            match reply.body.expect("a body") {
                reply::Body::Done(_) if reply.id == stop => stopped = true,
                reply::Body::RecordingEnded(ended) => break ended,
                reply::Body::Failure(failure) => panic!("{failure:?}"),
                _ => {}
            }
        };
        assert!(stopped);
        assert_eq!(runs_in(folder.path()), usize::from(!discard));
        if discard {
            assert_eq!(ended, wire::RecordingEnded::default());
        } else {
            assert!(ended.run.unwrap().samples > 50);
        }
    }
}

/// The sampler is stopped, so that it says no last words.
#[test]
fn told_to_stop_twice_a_recording_ends_at_once_and_is_kept() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let record_id = start_endless(&mut engine, folder.path(), 50);
    let sampler = child(engine.pid(), "lineheat-sample");
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(sampler as i32, libc::SIGSTOP) };
    let discard = false;
    engine.send(request::Body::Stop(StopRequest { record_id, discard }));
    std::thread::sleep(Duration::from_millis(200));
    engine.send(request::Body::Stop(StopRequest { record_id, discard }));
    let started = Instant::now();
    let ended = loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingEnded(ended) => break ended,
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    };
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "two are promised"
    );
    assert!(ended.run.unwrap().samples > 50);
    assert!(!lives(sampler));
}

#[test]
fn stop_ends_all_that_the_command_has_started_and_no_daemon() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("LINEHEAT_STOPPED={}", std::process::id());
    let (name, value) = mark.split_once('=').unwrap();
    let mut engine = Engine::start();
    // Of the first the parent has ended, the second ignores SIGINT, the third is in a group of its own.
    let script =
        "(sleep 601 &); sleep 602 & timeout 700 sleep 603 & setsid -f sleep 604; sleep 605; :";
    let record_id = engine.send(request::Body::Record(RecordRequest {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        cwd: text(folder.path()),
        env: [(name.to_owned(), value.to_owned())].into(),
        ..RecordRequest::default()
    }));
    let sleeps = || {
        let all = marked(&mark).into_iter();
        all.filter(|told| told.contains(": sleep")).count()
    };
    let started = Instant::now();
    while sleeps() < 5 {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{:?}",
            marked(&mark)
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let discard = false;
    engine.send(request::Body::Stop(StopRequest { record_id, discard }));
    loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingEnded(_) => break,
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    }
    let left = marked(&mark);
    assert!(
        left.len() == 1 && left[0].contains("sleep\u{0}604"),
        "{left:?}"
    );
    let daemon = left[0].split(':').next().unwrap().trim_matches('"');
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(daemon.parse().unwrap(), libc::SIGKILL) };
}

#[test]
fn a_vanished_editor_loses_no_recording() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    start_endless(&mut engine, folder.path(), 50);
    let (after, status) = engine.ended_by_its_input();
    assert_eq!(status.code(), Some(0));
    assert!(after < Duration::from_secs(5), "{after:?}");
    assert_eq!(runs_in(folder.path()), 1);
}

#[test]
fn repetitions_are_told_while_they_run_and_in_the_summary() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let id = engine.send(request::Body::Record(RecordRequest {
        program: "/bin/sh".to_owned(),
        args: vec![
            "-c".to_owned(),
            "seq 20000 >/dev/null; echo units: 40".to_owned(),
        ],
        cwd: text(folder.path()),
        repeat: 3,
        warm_up: 1,
        work_from: r"units: (\d+)".to_owned(),
        ..RecordRequest::default()
    }));
    let mut output = Vec::new();
    let mut seen = Vec::new();
    let ended = loop {
        let reply = engine.next().expect("a reply");
        assert_eq!(reply.id, id);
        match reply.body.expect("a body") {
            reply::Body::RecordingProgress(of) if of.repetitions > 0 => {
                seen.push((of.repetition, of.repetitions, of.warm_up));
            }
            reply::Body::TargetOutput(of) => output.extend(of.bytes),
            reply::Body::RecordingEnded(ended) => break ended.run.unwrap(),
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    };
    seen.dedup();
    assert!(seen.ends_with(&[(2, 3, false), (3, 3, false)]), "{seen:?}");
    assert_eq!(
        String::from_utf8_lossy(&output)
            .matches("units: 40")
            .count(),
        4
    );
    let told: Vec<(bool, f64)> = ended
        .executions
        .iter()
        .map(|e| (e.warm_up, e.work))
        .collect();
    assert_eq!(
        told,
        [(true, 40.0), (false, 40.0), (false, 40.0), (false, 40.0)]
    );
    assert!(ended.executions.iter().all(|e| e.wall_ns > 0));
    let of_executions: u64 = ended.executions.iter().map(|e| e.samples).sum();
    assert_eq!(of_executions, ended.samples);
}

#[test]
fn a_sweep_gives_a_run_a_cell_and_a_table() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let template = RecordRequest {
        program: "/bin/sh".to_owned(),
        args: vec![
            "-c".to_owned(),
            "seq {n} >/dev/null; echo mode $MODE".to_owned(),
        ],
        env: [("MODE".to_owned(), "<{mode}>".to_owned())].into(),
        cwd: text(folder.path()),
        repeat: 2,
        ..RecordRequest::default()
    };
    let parameter = |name: &str, values: [&str; 2]| SweepParameter {
        name: name.to_owned(),
        values: values.map(str::to_owned).to_vec(),
    };
    let request = SweepRequest {
        record: Some(template),
        parameters: vec![
            parameter("n", ["20000", "90000"]),
            parameter("mode", ["a", "b"]),
        ],
        name: "words".to_owned(),
    };
    let mut unused = request.clone();
    unused.parameters[0].name = "m".to_owned();
    let failure = engine.fails(request::Body::Sweep(unused));
    assert!(
        failure.message.contains("nor --env contain {m}"),
        "{failure:?}"
    );
    let id = engine.send(request::Body::Sweep(request));
    let (mut paths, mut output, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let reply = engine.next().expect("a reply");
        assert_eq!(reply.id, id);
        match reply.body.expect("a body") {
            reply::Body::RecordingProgress(of) => cells.push((of.cell, of.cells)),
            reply::Body::TargetOutput(of) => output.extend(of.bytes),
            reply::Body::RecordingEnded(ended) => {
                let run = ended.run.unwrap();
                let cell = run.sweep.unwrap();
                assert_eq!((cell.cell as usize, cell.cells), (paths.len() + 1, 4));
                assert_eq!(run.executions.len(), 2);
                assert!(run.name.starts_with("words: n="), "{}", run.name);
                paths.push(ended.run_path);
            }
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
        if reply.r#final {
            break;
        }
    }
    assert_eq!(paths.len(), 4);
    assert!(
        cells.contains(&(1, 4)) && cells.contains(&(4, 4)),
        "{cells:?}"
    );
    let output = String::from_utf8_lossy(&output);
    assert_eq!(
        (output.matches("<a>").count(), output.matches("<b>").count()),
        (4, 4)
    );
    let table = SweepTableRequest { paths };
    let table = match engine.ask(request::Body::SweepTable(table)) {
        reply::Body::SweepTable(table) => table,
        other => panic!("{other:?}"),
    };
    assert_eq!(table.parameters, ["n", "mode"]);
    assert_eq!(table.rows[2].values, ["90000", "a"]);
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.runs == 2 && row.mean_wall_ns > 0.0)
    );
    assert_eq!(table.rows.iter().filter(|row| row.best).count(), 1);
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start();
    let request = |program: &str| {
        request::Body::Record(RecordRequest {
            program: program.to_owned(),
            cwd: text(folder.path()),
            ..RecordRequest::default()
        })
    };
    assert_eq!(
        engine.fails(request("")).kind(),
        wire::failure::Kind::Protocol
    );
    assert_eq!(
        engine.fails(request("./none")).kind(),
        wire::failure::Kind::NotFound
    );
    std::fs::write(folder.path().join("text"), "text").unwrap();
    assert_eq!(
        engine.fails(request("./text")).kind(),
        wire::failure::Kind::NotExecutable
    );
    let stop = StopRequest {
        record_id: 4711,
        discard: false,
    };
    assert_eq!(
        engine.fails(request::Body::Stop(stop)).kind(),
        wire::failure::Kind::NotFound
    );
}
