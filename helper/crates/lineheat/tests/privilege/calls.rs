//! Counts of calls by an ordinary user: only of the user's own processes, and at no cost to others.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use profile::Profile;
use records::{CallPlace, FromSampler, PlaceKind, SamplerError, SamplerStep, ToSampler};

use crate::allocations::{Group, bytes_of, send_file};
use crate::client::Sampler;
use crate::installed::{Installed, OTHER, Running, USER, as_user, told, uid_of};

/// One that belongs to [`USER`].
fn own_program(installed: &Installed, name: &str) -> PathBuf {
    let program = installed.program(name);
    chown(&program, Some(uid_of(USER)), None).unwrap();
    program
}

/// What the sampler answers when it is to count there.
fn answer(
    sampler: &Path,
    [wanted, timed]: [bool; 2],
    file: &Path,
    places: &[CallPlace],
) -> Option<SamplerError> {
    let (mut sampler, mut socket) = Sampler::start_by_socket(USER, sampler);
    let mut hello = Sampler::hello();
    if let ToSampler::Hello { calls, latency, .. } = &mut hello {
        (*calls, *latency) = (wanted, timed);
    }
    socket.write_all(&bytes_of(&hello)).unwrap();
    let file = File::open(file).unwrap();
    let mut messages: Vec<Vec<CallPlace>> = (places.chunks(CallPlace::PER_MESSAGE))
        .map(<[CallPlace]>::to_vec)
        .collect();
    if places.is_empty() {
        messages.push(Vec::new());
    }
    for places in messages {
        send_file(
            &socket,
            &bytes_of(&ToSampler::Calls { places }),
            file.as_fd(),
        );
    }
    let _ = socket.write_all(&bytes_of(&ToSampler::Sync));
    sampler.says(|m| matches!(m, FromSampler::Failed(_) | FromSampler::Synced));
    let failed = sampler.heard().into_iter().find_map(|m| match m {
        FromSampler::Failed(error) => Some(error),
        _ => None,
    });
    drop(socket);
    sampler.end();
    failed
}

#[test]
fn places_are_taken_within_their_bounds_only() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let sampler = installed.sampler();
    let program = own_program(&installed, "leak");
    let place = |function| CallPlace {
        offset: 0x1000,
        function,
        kind: PlaceKind::Counted,
    };
    let step = |wanted, file: &Path, places: Vec<CallPlace>| {
        answer(&sampler, [wanted, false], file, &places).map(|error| (error.step, error.errno))
    };
    let protocol = Some((SamplerStep::Protocol, 0));
    assert_eq!(step(true, &program, vec![place(0)]), None, "the user's own");
    assert_eq!(
        step(true, Path::new("/bin/sh"), vec![place(0)]),
        None,
        "in no process: none is attached"
    );
    assert_eq!(
        step(false, &program, vec![place(0)]),
        protocol,
        "not asked for"
    );
    assert_eq!(step(true, &program, vec![]), protocol);
    assert_eq!(step(true, &program, vec![place(4096)]), protocol);
    assert_eq!(step(true, &program, vec![place(1); 4097]), protocol);
    let timed = |function, wanted, kind| {
        let place = CallPlace {
            kind,
            ..place(function)
        };
        answer(&sampler, [true, wanted], &program, &[place]).map(|error| (error.step, error.errno))
    };
    for kind in [PlaceKind::Timed { depth: 8 }, PlaceKind::Left] {
        assert_eq!(timed(0, true, kind), None);
        assert_eq!(timed(0, false, kind), protocol, "not asked for");
        assert_eq!(timed(1024, true, kind), protocol);
    }
    let device = step(true, Path::new("/dev/null"), vec![place(0)]);
    assert_eq!(device, Some((SamplerStep::CallFile, libc::EBADF)));
}

/// Processes of everybody that run the program again and again.
fn others(program: &Path) -> Vec<Group> {
    let start = |user| {
        let mut command = as_user(user, Path::new("/usr/bin/env"));
        command
            .args(["sh", "-c", "while :; do \"$0\"; done"])
            .arg(program)
            .stdout(Stdio::null())
            .process_group(0);
        Group(command.spawn().unwrap())
    };
    vec![start(OTHER), start("root"), start(USER)]
}

fn calls_of(profile: &Profile, name: &str) -> u64 {
    let counts = profile.run.as_ref().unwrap().calls.as_ref().unwrap();
    let of = counts.functions.iter().filter(|of| of.name == name);
    of.map(|of| of.calls).sum()
}

#[test]
fn only_the_users_own_command_and_its_children_are_counted_among_others_that_run_the_program() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = own_program(&installed, "calls");
    let beside = others(&program);
    let (profile, output) =
        installed.record(&["--calls", "add_odd", "--", program.to_str().unwrap()]);
    drop(beside);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    assert_eq!(calls_of(&profile, "add_odd"), 1_002_004);
}

#[test]
fn in_a_library_of_root_only_the_recorded_process_is_counted() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let source = "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\nstatic void *volatile sink;\n\
        static void often(void) { for (int i = 0; i < 5000; i++) sink = malloc(24); }\n\
        int main(void) { often(); if (fork() == 0) { often(); _exit(0); } wait(0); return 0; }";
    let file = installed.path("mallocs.c");
    fs::write(&file, source).unwrap();
    let program = installed.path("mallocs");
    let gcc = std::process::Command::new("gcc")
        .args(["-O1", "-g", "-o"])
        .args([&program, &file])
        .status();
    assert!(gcc.unwrap().success());
    let beside = others(&program);
    let (profile, output) =
        installed.record(&["--calls", "malloc", "--", program.to_str().unwrap()]);
    drop(beside);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let calls = calls_of(&profile, "malloc");
    assert!(
        (5000..5100).contains(&calls),
        "{calls}: a few more of the loader"
    );
    let problems = profile.run.unwrap().problems.join("\n");
    assert!(
        problems.contains("were counted in the recorded process only"),
        "{problems}"
    );
}

/// Allocates often, and says how long an allocation took it, in ns of its own CPU time, the shortest of several tries.
const BYSTANDER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void *volatile sink;
static long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}
int main(void)
{
	long best = 1000000;
	for (int try = 0; try < 10; try++) {
		long began = now_ns();
		for (int i = 0; i < 100000; i++) {
			sink = malloc(24);
			free(sink);
		}
		long each = (now_ns() - began) / 100000;
		best = each < best ? each : best;
	}
	printf("%ld", best);
}
"#;

/// Calls what is counted, and is there until it is ended.
const COUNTED: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *volatile sink;
int main(void)
{
	for (int i = 0; i < 5000; i++)
		sink = malloc(24);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
"#;

#[test]
fn counting_in_a_library_of_root_costs_root_nothing() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let built = |name: &str, text: &str| {
        let (source, program) = (installed.path(&format!("{name}.c")), installed.path(name));
        fs::write(&source, text).unwrap();
        let mut gcc = std::process::Command::new("gcc");
        gcc.args(["-O1", "-g", "-o"]).args([&program, &source]);
        assert!(gcc.status().unwrap().success());
        program
    };
    let (bystander, counted) = (built("bystander", BYSTANDER), built("counted", COUNTED));
    let ns_of_root = || {
        let output = std::process::Command::new(&bystander).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        printed.parse::<u64>().expect("ns")
    };
    let alone = ns_of_root();
    let mut record = installed.lineheat(USER, &["record", "--privileged", "--calls", "malloc"]);
    record.args(["--output", "run.pb.gz", "--"]).arg(&counted);
    let mut recording = Running::start(&mut record);
    let beside = ns_of_root();
    // SAFETY: kill has no memory preconditions; the recording was not waited for yet.
    unsafe { libc::kill(recording.pid() as i32, libc::SIGINT) };
    recording.0.wait().unwrap();
    let profile = Profile::open(&installed.path("run.pb.gz")).expect("a run");
    let calls = calls_of(&profile, "malloc");
    assert!((5000..5100).contains(&calls), "{calls}");
    // Passing a probe takes at least 300 ns.
    assert!(beside < alone + 100, "{beside} ns, alone {alone} ns");
}
