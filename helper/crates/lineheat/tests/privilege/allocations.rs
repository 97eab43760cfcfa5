//! Probes of an ordinary user: only in the user's own library or the sampler's, and only of the user's own processes.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};

use profile::Profile;
use records::{FromSampler, SamplerError, SamplerStep, ToSampler};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::client::Sampler;
use crate::installed::{Installed, LIBRARY, OTHER, USER, as_user, told};

pub fn send_file(socket: &UnixStream, bytes: &[u8], file: BorrowedFd) {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let files = [file];
    assert!(beside.push(SendAncillaryMessage::ScmRights(&files)));
    let bytes = [std::io::IoSlice::new(bytes)];
    sendmsg(socket, &bytes, &mut beside, SendFlags::empty()).unwrap();
}

pub fn bytes_of(message: &ToSampler) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.write(&mut bytes).unwrap();
    bytes
}

/// What the sampler answers when it is to put probes there.
fn answer(sampler: &Path, file: &Path, offset: u64) -> Option<SamplerError> {
    let (mut sampler, mut socket) = Sampler::start_by_socket(USER, sampler);
    let mut hello = Sampler::hello();
    if let ToSampler::Hello { allocations, .. } = &mut hello {
        *allocations = true;
    }
    socket.write_all(&bytes_of(&hello)).unwrap();
    let probes = ToSampler::Allocations {
        allocated: offset,
        freed: offset,
    };
    let file = File::open(file).unwrap();
    send_file(&socket, &bytes_of(&probes), file.as_fd());
    // It is answered after what came before.
    socket.write_all(&bytes_of(&ToSampler::Sync)).unwrap();
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
fn a_probe_is_refused_in_every_file_but_the_users_own_and_the_samplers() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let sampler = installed.sampler();
    let own = installed.path(LIBRARY);
    let offset = symbolize::offset_of_export(&File::open(&own).unwrap(), "lineheat_allocated");
    let offset = offset.expect("the library has it");
    let refused = |file: &Path| {
        let error = answer(&sampler, file, offset).unwrap_or_else(|| panic!("{file:?} is taken"));
        assert_eq!(error.step, SamplerStep::ProbeFile, "{file:?}");
        error.errno
    };
    assert_eq!(answer(&sampler, &own, offset), None, "the user's own");
    assert_eq!(refused(Path::new("/bin/sh")), libc::EPERM, "root's");
    assert_eq!(
        refused(Path::new("/dev/null")),
        libc::EBADF,
        "no regular file"
    );
    let roots = installed.path("roots.so");
    fs::copy(&own, &roots).unwrap();
    assert_eq!(refused(&roots), libc::EPERM, "a copy of root's elsewhere");
    // Where a package has it.
    let beside = sampler.with_file_name(LIBRARY);
    fs::copy(&own, &beside).unwrap();
    let taken = answer(&sampler, &beside, offset);
    fs::remove_file(&beside).unwrap();
    assert_eq!(taken, None, "root's beside the sampler");
}

/// A shell and what it runs, ended with it.
pub struct Group(pub Child);

impl Drop for Group {
    fn drop(&mut self) {
        // SAFETY: kill has no memory preconditions; the shell was not waited for yet.
        unsafe { libc::kill(-(self.0.id() as i32), libc::SIGKILL) };
        let _ = self.0.wait();
    }
}

/// Processes that load the same library and allocate all the time.
fn others(installed: &Installed, program: &Path) -> Vec<Group> {
    let library = installed.path(LIBRARY);
    let start = |user| {
        let mut command = as_user(user, Path::new("/usr/bin/env"));
        command
            .arg(format!("LD_PRELOAD={}", library.display()))
            .args(["sh", "-c", "while :; do \"$0\"; done"])
            .arg(program)
            .stdout(Stdio::null())
            .process_group(0);
        Group(command.spawn().unwrap())
    };
    vec![start(OTHER), start("root"), start(USER)]
}

#[test]
fn only_the_users_own_command_is_seen_among_others_with_the_same_library() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("leak");
    let beside = others(&installed, &program);
    let command = program.to_str().unwrap();
    let (profile, output) = installed.record(&["--alloc", "--", command]);
    drop(beside);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let column = profile.find_sample_type("alloc_space", "bytes").unwrap();
    let pids: Vec<i64> = (0..profile.samples.len())
        .filter(|sample| profile.value(*sample, column) > 0)
        .map(|sample| pid_of(&profile, sample))
        .collect();
    assert!(!pids.is_empty(), "{}", told(&output));
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    let truth = 64e6 * 4.0 + 200e6 * 8.0;
    let off = (profile.total(column) as f64 - truth).abs() / truth;
    let points = profile.find_sample_type("alloc_samples", "count").unwrap();
    let spread = profile.run.as_ref().unwrap().allocation_spread;
    let error = 4.0 * (spread / profile.total(points) as f64).sqrt();
    assert!(off < error, "{off} off, at most {error}");
    assert_eq!(profile.run.unwrap().problems, [""; 0]);
}

pub fn pid_of(profile: &Profile, sample: usize) -> i64 {
    let mut labels = profile.samples.labels_of(sample).iter();
    let pid = labels.find(|label| profile.text(label.key) == "pid");
    pid.expect("a process").number
}

#[test]
fn nothing_is_recorded_of_what_a_program_allocates_once_it_hides() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let source = "#include <stdlib.h>\n#include <sys/prctl.h>\nstatic void *volatile sink;\nint main(void) {\n\
        for (int i = 0; i < 100000; i++) sink = malloc(1000);\n\
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);\n\
        for (int i = 0; i < 900000; i++) sink = malloc(1000);\nreturn 0; }";
    let file = installed.path("hides.c");
    fs::write(&file, source).unwrap();
    let program = installed.path("hides");
    let gcc = std::process::Command::new("gcc")
        .args(["-O1", "-g", "-o"])
        .args([&program, &file])
        .status();
    assert!(gcc.unwrap().success());
    let (profile, output) = installed.record(&["--alloc", "--", program.to_str().unwrap()]);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let column = profile.find_sample_type("alloc_space", "bytes").unwrap();
    let seen = profile.total(column) as f64;
    assert!(
        (5e7..1.5e8).contains(&seen),
        "{seen} of 100,000,000 B before"
    );
    let problems = profile.run.unwrap().problems.join("\n");
    assert!(
        problems.contains("samples of allocations belong to programs that you may not inspect"),
        "{problems}"
    );
}
