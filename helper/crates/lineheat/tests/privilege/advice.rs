//! What a refused recording tells, at the terminal: the cause that is so, and never to run as root what is not root's.

use std::fs;
use std::process::{Command, Output};

use records::{FromSampler, SamplerError, SamplerStep};

use crate::executables::write_script;
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
    let script = format!("cat {folder}/complaints >&2\ncat {folder}/message");
    let _ = fs::remove_file(&sampler);
    write_script(&sampler, &script);
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

const VERIFIER: &str = include_str!("../../../../tests/data/verifier_refusal.txt");

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
    assert!(!words.contains("root rights"), "{words}");
    assert!(!words.contains("--install"), "{words}");
    let words = told(&record_with_sampler_that_fails(
        &installed,
        libc::EACCES,
        "",
    ));
    assert!(words.contains("security module"), "{words}");
    assert!(!words.contains("root rights"), "{words}");
    let words = told(&record_with_sampler_that_fails(
        &installed,
        libc::ENOMEM,
        "",
    ));
    assert!(words.contains("not enough memory"), "{words}");
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
