//! What a refused recording tells, at the terminal: the cause that is so, and never to run as root what is not root's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use records::{FromSampler, SamplerError, SamplerStep};

use crate::installed::{Installed, USER, told};

/// The engine, as root, with a sampler that prints `complaints` and gives up loading with `errno`.
fn record_with_sampler_that_fails(installed: &Installed, errno: i32, complaints: &str) -> Output {
    let mut message = Vec::new();
    let failed = SamplerError {
        step: SamplerStep::LoadBpf,
        errno,
        pid: 0,
    };
    FromSampler::Failed(failed).write(&mut message).unwrap();
    fs::write(installed.path("message"), message).unwrap();
    fs::write(installed.path("complaints"), complaints).unwrap();
    let folder = installed.directory.path().display();
    let sampler = installed.path("lineheat-sampler");
    let script = format!("#!/bin/sh\ncat {folder}/complaints >&2\ncat {folder}/message\n");
    let _ = fs::remove_file(&sampler);
    fs::write(&sampler, script).unwrap();
    fs::set_permissions(&sampler, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(installed.path("lineheat"));
    command.args([
        "record",
        "--privileged",
        "--output",
        "run.pb.gz",
        "--",
        "/bin/true",
    ]);
    command
        .current_dir(installed.directory.path())
        .output()
        .unwrap()
}

const VERIFIER: &str = "\
libbpf: prog 'take_sample': BPF program load failed: -EACCES
libbpf: prog 'take_sample': -- BEGIN PROG LOAD LOG --
0: R1=ctx() R10=fp0
; return *(int *)((char *)ctx + 100000); @ sampler.bpf.c:3
0: (07) r1 += 100000                  ; R1=ctx(off=0x186a0)
1: (61) r0 = *(u32 *)(r1 +0)
dereference of modified ctx ptr R1 off=100000 disallowed
processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
-- END PROG LOAD LOG --
libbpf: prog 'take_sample': failed to load: -EACCES
libbpf: failed to load object 'sampler_bpf'
";

#[test]
fn a_program_that_the_verifier_refused_is_no_lack_of_roots_rights() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let output = record_with_sampler_that_fails(&installed, libc::EACCES, VERIFIER);
    let words = told(&output);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.contains("verifier"), "{words}");
    assert!(
        words.contains("dereference of modified ctx ptr R1 off=100000 disallowed"),
        "{words}"
    );
    assert!(!words.contains("root's rights"), "{words}");
    assert!(!words.contains("--install"), "{words}");
    let words = told(&record_with_sampler_that_fails(
        &installed,
        libc::EACCES,
        "",
    ));
    assert!(words.contains("security module"), "{words}");
    assert!(!words.contains("root's rights"), "{words}");
    let words = told(&record_with_sampler_that_fails(
        &installed,
        libc::ENOMEM,
        "",
    ));
    assert!(words.contains("no memory"), "{words}");
}

/// The folder of the engine belongs to nobody whom root should trust, as that of an extension.
#[test]
fn a_user_without_rights_is_told_to_install_and_never_to_run_this_engine_as_root() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    for args in [
        &["record", "--privileged", "--", "/bin/true"][..],
        &["doctor"],
        &["doctor", "--json"],
    ] {
        let output = installed.lineheat(USER, args).output().unwrap();
        let words = told(&output);
        assert!(words.contains("lineheat doctor --install"), "{words}");
        let own = installed.path("lineheat").display().to_string();
        for advice in [format!("sudo {own} record"), "record as root".to_owned()] {
            assert!(!words.contains(&advice), "{words}");
        }
    }
}
