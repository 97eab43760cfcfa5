//! What is passed on of processes beside their samples: mappings, forks and execs. Of others there is to be none, however
//! often the sampler's client says that they concern it.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use records::{FileId, FromSampler, Mapping, ThreadId, ToSampler};

use crate::client::Sampler;
use crate::executables::copy_executable;
use crate::installed::{Installed, OTHER, Running, USER, as_user};

/// A process that waits to be told to go on.
struct Waiting(Running);

impl Waiting {
    fn start(command: &mut Command) -> Waiting {
        Waiting(Running::start(command.stdin(Stdio::piped())))
    }

    fn pid(&self) -> u32 {
        self.0.pid()
    }

    /// Returns when it says once more that it is ready.
    fn go_on(&mut self) {
        let Running(child) = &mut self.0;
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut ready = [0; 6];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut ready)
            .unwrap();
    }
}

/// Which process an event is about, and which other one.
fn pids_of(message: &FromSampler) -> Option<(u32, Option<u32>)> {
    match message {
        FromSampler::Mapped { pid, .. }
        | FromSampler::Executed { pid, .. }
        | FromSampler::Exited { pid, .. } => Some((*pid, None)),
        FromSampler::Forked {
            pid, parent_pid, ..
        } => Some((*pid, Some(*parent_pid))),
        FromSampler::Sample(sample) => Some((sample.pid, None)),
        _ => None,
    }
}

fn mapped(heard: &[FromSampler], file: &Path) -> usize {
    let name = file.file_name().unwrap().as_encoded_bytes();
    let is_of_file =
        |m: &&FromSampler| matches!(m, FromSampler::Mapped { path, .. } if path.ends_with(name));
    heard.iter().filter(is_of_file).count()
}

/// All that the sampler has to say of what has happened up to now; once.
fn all_heard(sampler: &mut Sampler) -> Vec<FromSampler> {
    sampler.say(&ToSampler::Sync);
    assert!(sampler.says(|m| *m == FromSampler::Synced));
    sampler.heard()
}

fn copy_of(installed: &Installed, program: &Path, name: &str, mode: u32) -> PathBuf {
    let copy = installed.path(name);
    copy_executable(program, &copy);
    fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).unwrap();
    copy
}

fn claims_a_mapping_of(pid: u32, number: u64) -> ToSampler {
    let mapping = Mapping {
        start: 0x1000 * (1 + number),
        length: 0x1000,
        file_offset: 0,
        file: FileId {
            device_major: 8,
            device_minor: 1,
            inode: number,
        },
    };
    ToSampler::Mapping { pid, mapping }
}

#[test]
fn of_foreign_processes_nothing_is_passed_on_whatever_the_client_claims() {
    const CLAIMS: u64 = 10_000;
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    let setuid = installed.setuid_program("mapper");
    let of_root = copy_of(&installed, &program, "program-of-root", 0o700);
    let of_other = copy_of(&installed, &program, "program-of-other", 0o755);
    let activity = |command: &mut Command, file: &Path| {
        command.args(["ready", "await", "fork", "20", "map", "3400"]);
        command.arg(file).arg("exec").arg(file).args(["map", "10"]);
        Waiting::start(command.arg(file).args(["ready", "pause", "60000"]))
    };
    let mut foreign = [
        activity(&mut Command::new(&of_root), &of_root),
        activity(&mut as_user(USER, &setuid), &setuid),
        activity(&mut as_user(OTHER, &of_other), &of_other),
    ];
    let mut own = as_user(USER, &program);
    own.args(["ready", "await", "map", "1000"]).arg(&program);
    let mut own = Waiting::start(own.args(["ready", "work", "60000"]));
    let pids: Vec<u32> = foreign.iter().map(Waiting::pid).collect();
    let claim = |sampler: &mut Sampler, numbers: std::ops::Range<u64>| {
        for number in numbers {
            let pid = pids[number as usize % pids.len()];
            sampler.say(&claims_a_mapping_of(pid, number));
        }
    };

    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.say(&Sampler::hello());
    claim(&mut sampler, 0..CLAIMS / 4);
    let threads = vec![ThreadId {
        pid: own.pid(),
        tid: own.pid(),
    }];
    sampler.say(&ToSampler::Attach { threads });
    claim(&mut sampler, CLAIMS / 4..CLAIMS / 2);
    sampler.say(&ToSampler::Start);
    assert!(sampler.is_ready(), "{:?}", sampler.heard());
    claim(&mut sampler, CLAIMS / 2..CLAIMS);
    for process in &mut foreign {
        process.go_on();
    }
    own.go_on();

    let heard = all_heard(&mut sampler);
    let foreign = heard
        .iter()
        .filter(|m| pids_of(m).is_some_and(|(pid, _)| pid != own.pid()));
    assert_eq!(foreign.count(), 0, "{heard:?}");
    for file in [&of_root, &setuid, &of_other] {
        assert_eq!(mapped(&heard, file), 0);
    }
    // Of one's own all are there, but for what a ring that was full, on a busy machine, has lost and counted.
    let own_mapped = mapped(&heard, &program);
    let counts_lost = |m: &FromSampler| matches!(m, FromSampler::Counts { lost_mapping_records, .. } if *lost_mapping_records > 0);
    assert!(
        own_mapped == 1000 || own_mapped > 0 && sampler.says(counts_lost),
        "{own_mapped}"
    );
    println!("{{\"claims\":{CLAIMS},\"events\":0}}");
}

/// A shell runs a program a hundred times, which maps a file so many times. Gives what is passed on of its children.
fn heard_of_children(installed: &Installed, program: &Path, times: usize) -> Vec<FromSampler> {
    let script = "echo ready; read go; i=0; while [ $i -lt 100 ]; do \"$0\" map $1 \"$0\"; i=$((i+1)); done; echo ready; read go";
    let mut shell = as_user(USER, Path::new("/bin/sh"));
    let mut shell = Waiting::start(
        shell
            .args(["-c", script])
            .arg(program)
            .arg(times.to_string()),
    );
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(shell.pid());
    assert!(sampler.is_ready(), "{:?}", sampler.heard());
    shell.go_on();
    let mut heard = all_heard(&mut sampler);
    heard.retain(|m| pids_of(m).is_some_and(|(pid, _)| pid != shell.pid()));
    heard
}

#[test]
fn a_program_that_gains_rights_is_forgotten_at_its_exec_and_an_ordinary_one_is_not() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    let setuid = installed.setuid_program("mapper");
    let executed = |heard: &[FromSampler]| {
        let execs = heard
            .iter()
            .filter(|m| matches!(m, FromSampler::Executed { .. }));
        execs.count()
    };
    for times in [1, 100] {
        // The short ones have ended, and were waited for, when the sampler reads what they did.
        let heard = heard_of_children(&installed, &program, times);
        assert_eq!(executed(&heard), 100);
        // The program itself is mapped, too.
        assert_eq!(mapped(&heard, &program), 100 * (1 + times));
    }
    let heard = heard_of_children(&installed, &setuid, 100);
    let mut after_fork = heard.clone();
    after_fork.retain(|m| !matches!(m, FromSampler::Forked { .. } | FromSampler::Sample(_)));
    assert_eq!(after_fork, []);
    let mut of_setuid = heard;
    of_setuid.retain(|m| matches!(m, FromSampler::Sample(s) if s.comm.starts_with(b"mapper")));
    // In the kernel's exec, the process has the new program's name a moment before it has that program's rights.
    of_setuid.retain(
        |m| !matches!(m, FromSampler::Sample(s) if s.user.is_empty() && !s.kernel.is_empty()),
    );
    assert_eq!(of_setuid, []);
}

#[test]
fn what_a_program_maps_while_it_hides_is_not_passed_on() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    let shown = copy_of(&installed, &program, "shown", 0o755);
    let hidden = copy_of(&installed, &program, "hidden", 0o755);
    let mut target = as_user(USER, &program);
    target.args(["ready", "await", "map", "1000"]).arg(&shown);
    target
        .args(["pause", "500", "hide", "map", "10000"])
        .arg(&hidden);
    let mut target = Waiting::start(target.args(["ready", "pause", "60000"]));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(target.pid());
    assert!(sampler.is_ready(), "{:?}", sampler.heard());
    target.go_on();
    let heard = all_heard(&mut sampler);
    assert_eq!((mapped(&heard, &shown), mapped(&heard, &hidden)), (1000, 0));
}
