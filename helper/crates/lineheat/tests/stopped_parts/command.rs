//! The command that is recorded, at its gate and running, and git.

use std::fs::File;
use std::io::pipe;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::executables::write_script;
use crate::held_parts::{child, engine_with_sampler, lives};
use crate::place::{AT_LAST, AT_ONCE, Place, for_both, why};
use crate::sleeping_files::SleepingFiles;
use crate::support::{can_record, lineheat};

/// While the sampler takes its time the command waits before its first instruction.
const SLOW_SAMPLER: &str = "sleep 1";

#[test]
fn a_command_that_is_held_at_its_gate_ends_with_a_ctrl_c() {
    for_both(|_, holder| {
        let place = Place::new();
        let engine = engine_with_sampler(place.folder.path(), SLOW_SAMPLER);
        let mut recorder = place.record_by(engine, &[], &["600"]);
        let command = child(recorder.pid(), "program");
        std::thread::sleep(Duration::from_millis(100));
        holder.hold(command);
        recorder.is_recording();
        recorder.interrupt();
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_kept(0, &[]);
        place.assert_nothing_runs(&[command]);
    });
}

#[test]
fn a_second_ctrl_c_ends_a_command_that_is_held_at_its_gate() {
    for_both(|_, holder| {
        let place = Place::new();
        let engine = engine_with_sampler(place.folder.path(), SLOW_SAMPLER);
        let mut recorder = place.record_by(engine, &[], &["600"]);
        let command = child(recorder.pid(), "program");
        std::thread::sleep(Duration::from_millis(100));
        holder.hold(command);
        recorder.ends_at_once();
        place.assert_nothing_runs(&[command]);
    });
}

/// It never comes to its first instruction: the process that is to become it waits for the file.
#[test]
fn a_command_whose_file_does_not_answer_is_not_waited_for() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let start = || {
        let files = SleepingFiles::with(&place.path("program"))?;
        files.fall_asleep();
        let mut engine = lineheat(&["record", "--output"]);
        engine.arg(place.run()).arg("--").arg(&files.file).arg("10");
        Some((place.start(&mut engine), files))
    };
    let Some((mut recorder, files)) = start() else {
        return;
    };
    assert_eq!(recorder.ends_within(AT_LAST), 3, "{}", place.told());
    place.assert_told("did not start within 30 s");
    drop(files);
    place.assert_nothing_runs(&[]);

    let (mut recorder, files) = start().expect("it could be mounted before");
    std::thread::sleep(Duration::from_millis(500));
    recorder.ends_at_once();
    place.assert_told("nothing was recorded");
    drop(files);
    place.assert_nothing_runs(&[]);
}

#[test]
fn a_command_that_is_held_in_the_middle_ends_with_a_ctrl_c_and_what_it_did_is_kept() {
    for_both(|_, holder| {
        let place = Place::new();
        let mut recorder = place.record(&["600"]);
        recorder.is_recording();
        let command = child(recorder.pid(), "program");
        holder.hold(command);
        recorder.interrupt();
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_kept(20, &[]);
        assert!(place.has_name("main"), "{}", place.told());
        place.assert_nothing_runs(&[command]);
    });
}

#[test]
fn a_second_ctrl_c_ends_a_command_that_is_held() {
    for_both(|_, holder| {
        let place = Place::new();
        let mut recorder = place.record(&["600"]);
        recorder.is_recording();
        let command = child(recorder.pid(), "program");
        holder.hold(command);
        recorder.ends_at_once();
        place.assert_kept(20, &[]);
        place.assert_nothing_runs(&[command]);
    });
}

/// Also when the engine reads what it prints, and passes it on.
#[test]
fn a_command_that_nobody_reads_ends_with_a_ctrl_c_or_at_once_with_two() {
    if !can_record() {
        return;
    }
    for flags in [&[][..], &["--work-from", r"items: (\d+)"]] {
        for twice in [false, true] {
            let place = Place::new();
            let (_reader, writer) = pipe().expect("a pipe");
            let mut engine = lineheat(&["record"]);
            engine
                .args(flags)
                .arg("--output")
                .arg(place.run())
                .arg("--");
            engine.arg(place.path("program")).args(["600", "print"]);
            let mut recorder = place.start_printing(&mut engine, Stdio::from(writer));
            recorder.is_recording();
            let command = child(recorder.pid(), "program");
            if twice {
                recorder.ends_at_once();
            } else {
                recorder.interrupt();
                assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
            }
            place.assert_kept(5, &[]);
            place.assert_nothing_runs(&[command]);
        }
    }
}

/// What we say ourselves goes to a pipe that is full, too.
#[test]
fn a_recording_whose_own_words_nobody_reads_is_saved_and_ends_at_once_with_two() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let (_reader, writer) = pipe().expect("a pipe");
    let full = File::from(std::os::fd::OwnedFd::from(
        writer.try_clone().expect("a copy"),
    ));
    fill(full);
    let mut engine = lineheat(&["record", "--repeat", "20", "--output"]);
    engine
        .arg(place.run())
        .arg("--")
        .arg(place.path("program"))
        .arg("2");
    let mut recorder = place.start_telling(&mut engine, Stdio::from(writer));
    std::thread::sleep(Duration::from_secs(8));
    place.assert_kept(20, &[]);
    recorder.ends_at_once();
    place.assert_nothing_runs(&[]);
}

/// Until it takes no more.
fn fill(pipe: File) {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    // SAFETY: a plain flag on a descriptor of ours.
    unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    while (&pipe).write(&[b'x'; 4096]).is_ok() {}
    // SAFETY: as above.
    unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, 0) };
}

/// A git that holds itself, before any other.
fn with_git(place: &Place, first: &str, tenths: &str) -> Command {
    let tools = place.path("tools");
    std::fs::create_dir_all(&tools).expect("a folder");
    write_script(&tools.join("git"), first);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut engine = lineheat(&["record", "--output"]);
    engine.env("PATH", format!("{}:{path}", tools.display()));
    engine
        .arg(place.run())
        .arg("--")
        .arg(place.path("program"))
        .arg(tenths);
    engine
}

#[test]
fn a_git_that_is_held_costs_the_commit() {
    for_both(|how, holder| {
        let place = Place::new();
        let mut recorder = place.start(&mut with_git(&place, &holder.holds_itself(), "10"));
        let git = child(recorder.pid(), "git");
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_kept(20, &["git did not respond within 10 s", why(how)]);
        assert!(place.has_name("main"), "{}", place.told());
        place.assert_nothing_runs(&[git]);
    });
}

#[test]
fn a_git_that_never_ends_to_print_costs_the_commit() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let endless = "while :; do echo 0123456789; sleep 0.01; done";
    let mut recorder = place.start(&mut with_git(&place, endless, "10"));
    assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
    place.assert_kept(20, &["git did not respond within 10 s"]);
    place.assert_nothing_runs(&[]);
}

#[test]
fn a_second_ctrl_c_ends_a_recording_whose_git_is_held() {
    for_both(|_, holder| {
        let place = Place::new();
        let mut recorder = place.start(&mut with_git(&place, &holder.holds_itself(), "600"));
        let git = child(recorder.pid(), "git");
        recorder.is_recording();
        assert!(lives(git));
        recorder.ends_at_once();
        place.assert_kept(20, &[]);
        place.assert_nothing_runs(&[git]);
    });
}

/// Of several commands in turns, the one that runs.
#[test]
fn commands_in_turns_of_which_one_is_held_end_with_two_ctrl_c() {
    for_both(|_, holder| {
        let place = Place::new();
        let program = place.path("program");
        let mut engine = lineheat(&["compare-commands", "--repeat", "3", "--output-base"]);
        engine
            .arg(place.run())
            .arg("--output-new")
            .arg(place.path("new.pb.gz"));
        engine
            .arg("--")
            .arg(&program)
            .arg("600")
            .arg(":::")
            .arg(&program)
            .arg("601");
        let mut recorder = place.start(&mut engine);
        recorder.is_recording();
        std::thread::sleep(Duration::from_millis(500));
        holder.hold(child(recorder.pid(), "600"));
        recorder.ends_at_once();
        place.assert_nothing_runs(&[]);
    });
}

#[test]
fn a_warm_up_that_is_held_ends_with_two_ctrl_c() {
    for_both(|_, holder| {
        let place = Place::new();
        let mut recorder = place.record_by(lineheat(&[]), &["--warm-up", "1"], &["600"]);
        let command = child(recorder.pid(), "program");
        std::thread::sleep(Duration::from_millis(300));
        holder.hold(command);
        recorder.interrupt();
        std::thread::sleep(Duration::from_millis(300));
        recorder.interrupt();
        recorder.ends_within(AT_ONCE);
        place.assert_told("Stopped during warm-up execution 1 of 1: nothing was recorded.");
        place.assert_nothing_runs(&[command]);
    });
}
