//! Memory of Go programs as ordinary users record it: in their own files for all processes that they start, in files of others for each
//! process alone, and never in programs with other rights.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use profile::Profile;
use records::{
    ALLOCATION_PLACES_MAX, AllocationPlace, FromSampler, Operand, PlaceRole, SamplerStep, Source,
    ThreadId, ToSampler,
};

use crate::allocations::{Group, bytes_of, pid_of, send_file};
use crate::client::Sampler;
use crate::installed::{Installed, OTHER, Running, USER, as_user, told, uid_of};

/// A program of Go, in a file of this user.
fn program_of(installed: &Installed, source: &str, name: &str, owner: u32) -> PathBuf {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/programs/{source}.go"));
    let path = installed.path(name);
    let mut go = Command::new("go");
    go.args(["build", "-o"]).args([&path, &source]);
    go.env("CGO_ENABLED", "0");
    assert!(go.status().unwrap().success());
    chown(&path, Some(owner), None).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn record(installed: &Installed, command: &[&str]) -> (Profile, String) {
    let arguments = [&["--alloc", "--"], command].concat();
    let (profile, output) = installed.record(&arguments);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    (profile, String::from_utf8(output.stdout).unwrap())
}

/// Of the processes that allocated something.
fn pids_of(profile: &Profile) -> Vec<u32> {
    let column = profile.find_sample_type("alloc_space", "bytes").unwrap();
    let samples = (0..profile.samples.len()).filter(|at| profile.value(*at, column) > 0);
    let mut pids: Vec<u32> = samples.map(|at| pid_of(profile, at) as u32).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

/// Within four standard errors of what each of these processes allocates.
fn assert_allocated(profile: &Profile, processes: usize) {
    let total = |name, unit| profile.total(profile.find_sample_type(name, unit).unwrap()) as f64;
    let truth = processes as f64 * (5e5 * 128.0 + 3e5 * 1024.0);
    let off = (total("alloc_space", "bytes") - truth).abs() / truth;
    let spread = profile.run.as_ref().unwrap().allocation_spread;
    let error = 4.0 * (spread / total("alloc_samples", "count")).sqrt();
    // What Go and the wait for the recording allocate by themselves: less than 4 MB.
    let beside = 4e6 / truth;
    assert!(off <= error + beside, "{off} off, at most {error}");
}

fn problems(profile: &Profile) -> String {
    profile.run.as_ref().unwrap().problems.join("\n")
}

#[test]
fn a_user_records_go_in_files_of_his_own_and_of_others() {
    let Some(installed) = Installed::new() else {
        return;
    };
    for owner in [uid_of(USER), 0] {
        let program = program_of(&installed, "started", &format!("go-of-{owner}"), owner);
        let program = program.to_str().unwrap();
        let (profile, printed) = record(&installed, &[program]);
        let pid: u32 = printed.trim().parse().unwrap();
        assert_eq!(pids_of(&profile), [pid], "launched, of user {owner}");
        assert_allocated(&profile, 1);
        let script = format!("{program} & {program} & wait");
        let (profile, printed) = record(&installed, &["sh", "-c", &script]);
        let mut pids: Vec<u32> = printed.lines().map(|pid| pid.parse().unwrap()).collect();
        pids.sort_unstable();
        let seen = pids_of(&profile);
        assert!(
            pids.iter().all(|pid| seen.contains(pid)),
            "{pids:?} {seen:?}"
        );
        assert_allocated(&profile, 2);
    }
}

#[test]
fn nothing_is_seen_of_what_other_processes_allocate_in_the_same_file() {
    let Some(installed) = Installed::new() else {
        return;
    };
    for owner in [uid_of(USER), 0] {
        let program = program_of(&installed, "started", &format!("go-of-{owner}"), owner);
        let start = |user| {
            let mut command = as_user(user, Path::new("/bin/sh"));
            command
                .args(["-c", "ALWAYS=1 \"$0\""])
                .arg(&program)
                .stdout(Stdio::null())
                .process_group(0);
            Group(command.spawn().unwrap())
        };
        let beside = [start(OTHER), start("root"), start(USER)];
        let script = "echo $$; \"$0\" & echo $!; wait";
        let command = ["sh", "-c", script, program.to_str().unwrap()];
        let (profile, printed) = record(&installed, &command);
        drop(beside);
        let mut pids = printed.lines().map(|line| line.parse::<u32>());
        let [shell, pid] = [(); 2].map(|()| pids.next().unwrap().unwrap());
        let seen = pids_of(&profile);
        assert!(seen.contains(&pid), "{}", problems(&profile));
        let of_others = seen.iter().filter(|seen| ![shell, pid].contains(seen));
        assert_eq!(of_others.count(), 0, "{seen:?}, the program is {pid}");
    }
}

#[test]
fn a_program_with_other_rights_is_neither_sampled_nor_changed() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = program_of(&installed, "started", "go-setuid", uid_of(OTHER));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let run = |waits| {
        let script = format!("WAITS={waits} {}; exit 0", program.display());
        record(&installed, &["sh", "-c", &script])
    };
    let (profile, printed) = run(3);
    assert_eq!(printed, "0\n", "Go's distance, as the linker has left it");
    assert!(!problems(&profile).contains("of Go that the command started"));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (profile, printed) = run(60);
    assert_eq!(printed, "524288\n", "without the bit it is");
    let refused = "What go-setuid allocated in Go was not recorded";
    assert!(
        !problems(&profile).contains(refused),
        "{}",
        problems(&profile)
    );
}

#[test]
fn more_processes_than_may_have_probes_of_their_own_are_counted() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = program_of(&installed, "started", "go-of-root", 0);
    let script = format!(
        "for i in $(seq 70); do LIVES=10 {} & done; wait",
        program.display()
    );
    let (profile, printed) = record(&installed, &["sh", "-c", &script]);
    assert_eq!(printed.lines().count(), 70);
    let problems = problems(&profile);
    let number_in = |sentence: &str, before: &str, after: &str| -> u64 {
        let of = problems.lines().find(|line| line.contains(sentence));
        let rest = of.and_then(|line| line.split_once(before));
        let number = rest.and_then(|(_, rest)| rest.split(after).next());
        number.map_or(0, |number| number.trim().parse().unwrap())
    };
    let beyond = number_in("because too many ran", "too many ran:", ".");
    let ended = number_in("ended before", "could be sampled:", ".");
    let sampled = number_in("were sampled from", "", " programs");
    assert!(sampled <= 64 && beyond > 0, "{problems}");
    assert_eq!(sampled + ended + beyond, 70, "{problems}");
}

/// A place that passes on a number of the program's memory.
fn place(offset: u64) -> AllocationPlace {
    AllocationPlace {
        offset,
        semaphore: 0,
        role: PlaceRole::Allocation,
        flags_clear: 0,
        address: Operand::word(Source::Register(4)),
        size: Operand::word(Source::Memory(4, 0)),
        weight: Operand::word(Source::Constant(1)),
    }
}

/// A sampler that records a process of the user, with or without places.
fn recording(installed: &Installed, pid: u32, has_places: bool) -> (Sampler, UnixStream) {
    let (mut sampler, mut socket) = Sampler::start_by_socket(USER, &installed.sampler());
    let mut hello = Sampler::hello();
    if let ToSampler::Hello {
        allocation_places, ..
    } = &mut hello
    {
        *allocation_places = has_places;
    }
    let threads = vec![ThreadId { pid, tid: pid }];
    for message in [hello, ToSampler::Attach { threads }, ToSampler::Start] {
        socket.write_all(&bytes_of(&message)).unwrap();
    }
    assert!(sampler.is_ready());
    (sampler, socket)
}

fn libc_of(pid: u32) -> PathBuf {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let path = maps.split_whitespace().find(|word| word.contains("/libc"));
    PathBuf::from(path.expect("it loads the C library"))
}

#[test]
fn a_client_cannot_put_probes_into_more_than_the_program_that_a_followed_process_runs() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let secrets = installed.program("secrets");
    let target = Running::start(as_user(USER, &secrets).args(["plain", "60"]));
    let of_other = Running::start(as_user(OTHER, &secrets).args(["plain", "60"]));
    let (sampler, socket) = recording(&installed, target.pid(), true);
    let mut answers = 0;
    let mut ask = |file: Option<&Path>, pid, places: Vec<AllocationPlace>| {
        let message = bytes_of(&ToSampler::ProgramPlaces { pid, places });
        match file {
            Some(file) => send_file(&socket, &message, File::open(file).unwrap().as_fd()),
            None => (&socket).write_all(&message).unwrap(),
        }
        answers += 1;
        let errors = |heard: Vec<FromSampler>| -> Vec<i32> {
            let all = heard.into_iter().filter_map(|message| match message {
                FromSampler::ProgramPlaced { errno, .. } => Some(errno),
                _ => None,
            });
            all.collect()
        };
        for _ in 0..1000 {
            if let Some(errno) = errors(sampler.heard()).get(answers - 1) {
                return *errno;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("no answer: {:?}", sampler.heard().last())
    };
    let libc = libc_of(target.pid());
    let libc = libc.as_path();
    let malloc = symbolize::offset_of_export(&File::open(libc).unwrap(), "malloc");
    let malloc = malloc.expect("libc has it");
    let one = || vec![place(malloc)];
    assert_eq!(ask(None, target.pid(), one()), libc::EBADF, "no file");
    assert_eq!(
        ask(Some(Path::new("/dev/null")), target.pid(), one()),
        libc::EBADF
    );
    for foreign in [of_other.pid(), 1, std::process::id()] {
        assert_eq!(ask(Some(libc), foreign, one()), libc::ESRCH, "{foreign}");
    }
    assert_eq!(ask(Some(libc), target.pid(), one()), 0, "his own process");
    let many = vec![place(malloc); ALLOCATION_PLACES_MAX];
    assert_eq!(ask(Some(libc), target.pid(), many), libc::ENOSPC);
    for _ in 1..64 {
        assert_eq!(ask(Some(libc), target.pid(), one()), 0);
    }
    assert_eq!(ask(Some(libc), target.pid(), one()), libc::EMFILE);
}

#[test]
fn places_that_were_not_announced_or_are_none_end_the_sampler() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = Running::start(as_user(USER, &installed.program("secrets")).args(["plain", "60"]));
    let own = installed.path("lineheat");
    for (what, has_places, places) in [
        ("not announced", false, vec![place(0x1000)]),
        ("none", true, vec![]),
    ] {
        let (mut sampler, socket) = recording(&installed, target.pid(), has_places);
        let pid = target.pid();
        let message = bytes_of(&ToSampler::ProgramPlaces { pid, places });
        send_file(&socket, &message, File::open(&own).unwrap().as_fd());
        assert_eq!(sampler.end().1, Some(3), "{what}");
        let protocol = |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.step == SamplerStep::Protocol);
        assert!(sampler.says(protocol), "{what}");
    }
}

#[test]
fn launched_places_are_refused_without_a_file_beyond_the_limit_and_once_recording() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = Running::start(as_user(USER, &installed.program("secrets")).args(["plain", "60"]));
    let own = installed.path("lineheat");
    let many = vec![place(0x1000); ALLOCATION_PLACES_MAX + 1];
    for (file, places, step) in [
        (Some(own.as_path()), many, SamplerStep::Protocol),
        (Some(&own), vec![], SamplerStep::Protocol),
        (
            Some(Path::new("/dev/null")),
            vec![place(0)],
            SamplerStep::ReportFile,
        ),
        (None, vec![place(0)], SamplerStep::ReportFile),
    ] {
        let (mut sampler, mut socket) = Sampler::start_by_socket(USER, &installed.sampler());
        let mut hello = Sampler::hello();
        if let ToSampler::Hello {
            allocation_places, ..
        } = &mut hello
        {
            *allocation_places = true;
        }
        socket.write_all(&bytes_of(&hello)).unwrap();
        let message = bytes_of(&ToSampler::AllocationPlaces { places });
        match file {
            Some(file) => send_file(&socket, &message, File::open(file).unwrap().as_fd()),
            None => socket.write_all(&message).unwrap(),
        }
        assert_eq!(sampler.end().1, Some(3));
        let failed = |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.step == step);
        assert!(sampler.says(failed), "{step:?}");
    }
    let (mut sampler, socket) = recording(&installed, target.pid(), true);
    let places = vec![place(0x1000)];
    let message = bytes_of(&ToSampler::AllocationPlaces { places });
    send_file(&socket, &message, File::open(&own).unwrap().as_fd());
    assert_eq!(sampler.end().1, Some(3), "these come before the recording");
}
