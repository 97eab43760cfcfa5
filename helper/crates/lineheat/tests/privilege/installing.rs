//! What `lineheat doctor --install` brings and `--uninstall` takes away, and what may not be used although it is there.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::executables::write_executable;
use crate::installed::{BASE, Installed, OTHER, USER, as_user, told, uid_of};

#[test]
fn it_is_roots_for_members_of_its_group_alone_and_goes_without_a_trace() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let file = fs::metadata(installed.sampler()).unwrap();
    assert_eq!((file.uid(), file.mode() & 0o7777), (0, 0o750));
    let getcap = Command::new("getcap")
        .arg(installed.sampler())
        .output()
        .unwrap();
    let capabilities = told(&getcap);
    let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap();
    let for_admins = paranoid.trim().parse::<i32>().unwrap() > 2;
    assert_eq!(
        capabilities.contains("cap_sys_admin"),
        for_admins,
        "{capabilities}"
    );
    let entries: Vec<_> = fs::read_dir(Path::new(BASE).join(env!("CARGO_PKG_VERSION")))
        .unwrap()
        .collect();
    assert_eq!(entries.len(), 1);
    // Nobody else may run or read it.
    let mut shell = as_user(OTHER, Path::new("sh"));
    let path = installed.sampler().display().to_string();
    let script = format!("exec {path}");
    let run = shell
        .args(["-c", &script])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(126), "{}", told(&run));
    // Twice is once.
    assert!(installed.install().status.success());
    let uninstall = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(["doctor", "--uninstall", "--yes"])
        .output()
        .unwrap();
    assert!(uninstall.status.success(), "{}", told(&uninstall));
    assert!(!Path::new(BASE).exists());
    let group = Command::new("getent")
        .args(["group", "lineheat"])
        .output()
        .unwrap();
    assert_eq!(told(&group), "");
    let again = Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(["doctor", "--uninstall", "--yes"])
        .output()
        .unwrap();
    assert!(
        again.status.success(),
        "what is not there can be taken away, too"
    );
}

#[test]
fn without_consent_nothing_is_done_and_the_whole_command_is_shown() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let ask = installed
        .lineheat(USER, &["doctor", "--install"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(ask.status.code(), Some(2), "{}", told(&ask));
    let print = installed
        .lineheat(USER, &["doctor", "--install", "--print"])
        .output()
        .unwrap();
    let command = String::from_utf8_lossy(&print.stdout).into_owned();
    assert!(command.starts_with("sudo sh -c '\nset -eu"), "{command}");
    assert!(command.contains(&format!("usermod --append --groups lineheat {USER}")));
    assert!(!Path::new(BASE).exists());
    // The shown command itself, by root: it is the installation.
    let as_root = command.strip_prefix("sudo ").unwrap();
    let ran = Command::new("sh").args(["-c", as_root]).output().unwrap();
    assert!(ran.status.success(), "{}", told(&ran));
    let (run, output) = installed.record(&["--", "/bin/true"]);
    assert!(run.is_some(), "{}", told(&output));
}

#[test]
fn a_sampler_that_is_replaced_after_it_was_shown_is_not_installed() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let print = installed
        .lineheat(USER, &["doctor", "--install", "--print"])
        .output()
        .unwrap();
    let command = String::from_utf8_lossy(&print.stdout).replacen("sudo ", "", 1);
    fs::write(
        installed.path("lineheat-sampler"),
        "#!/bin/sh\nid > /tmp/owned\n",
    )
    .unwrap();
    let ran = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(!ran.status.success());
    assert!(
        told(&ran).contains("its checksum differs"),
        "{}",
        told(&ran)
    );
    let version = Path::new(BASE).join(env!("CARGO_PKG_VERSION"));
    assert_eq!(
        fs::read_dir(version).unwrap().count(),
        0,
        "no part of it is left"
    );
}

#[test]
fn a_folder_that_others_may_write_is_installed_to_by_nobody() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    fs::create_dir_all(BASE).unwrap();
    fs::set_permissions(BASE, fs::Permissions::from_mode(0o777)).unwrap();
    let install = installed.install();
    assert!(!install.status.success());
    assert!(
        told(&install).contains("nothing was installed"),
        "{}",
        told(&install)
    );
}

/// As root, where /usr/local is another folder; `as_found` is a line of shell that has $local.
fn install_where(installed: &Installed, as_found: &str) -> Output {
    let local = installed.path("local");
    let lineheat = installed.path("lineheat");
    let script = format!(
        "set -e; local={}; mkdir -p $local; {as_found}; mount --bind $local /usr/local; exec {} doctor --install --yes",
        local.display(),
        lineheat.display()
    );
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script])
        .output()
        .unwrap()
}

#[test]
fn where_a_group_may_write_above_the_sampler_one_cause_and_one_command_are_told() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    // As Debian had it until 2022.
    let output = install_where(&installed, "chown root:staff $local; chmod 2775 $local");
    let words = told(&output);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.contains("nothing was installed"), "{words}");
    let cause = "users other than root can write to /usr/local: the group staff (mode 2775)";
    assert!(words.contains(cause), "{words}");
    assert!(words.contains("\n  chmod go-w /usr/local\n"), "{words}");
    assert!(
        !words.contains("symbolic link") && !words.contains("belongs to"),
        "{words}"
    );
    let owned = install_where(
        &installed,
        &format!("chown {USER} $local; chmod 0755 $local"),
    );
    let words = told(&owned);
    assert!(
        words.contains(&format!("/usr/local belongs to {USER}, not to root")),
        "{words}"
    );
    assert!(words.contains("\n  chown root /usr/local\n"), "{words}");
    // What it says helps.
    let helped = "chown root:staff $local; chmod 2775 $local; chmod go-w $local";
    let output = install_where(&installed, helped);
    assert!(output.status.success(), "{}", told(&output));
}

/// What the engine says of an installed sampler that something was done to.
fn refusal(installed: &Installed) -> String {
    let (run, output) = installed.record(&["--", "/bin/true"]);
    assert!(
        run.is_none() && output.status.code() == Some(3),
        "{}",
        told(&output)
    );
    told(&output)
}

#[test]
fn what_others_than_root_could_have_changed_is_not_run() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let file = installed.sampler();
    let version = file.parent().unwrap();
    let user = uid_of(USER);
    chown(&file, Some(user), None).unwrap();
    assert!(refusal(&installed).contains(&format!("belongs to {USER}, not to root")));
    chown(&file, Some(0), None).unwrap();
    fs::set_permissions(version, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refusal(&installed).contains(": everybody (mode 0777)"));
    fs::set_permissions(version, fs::Permissions::from_mode(0o755)).unwrap();
    let elsewhere = installed.path("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let told = refusal(&installed);
    assert!(
        told.contains("is a symbolic link") && told.contains("doctor --install"),
        "{told}"
    );
}

#[test]
fn an_older_or_another_sampler_is_refused_with_the_command_that_updates_it() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let own = installed.path("lineheat-sampler");
    let mut changed = fs::read(&own).unwrap();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    fs::remove_file(&own).unwrap();
    write_executable(&own, &changed);
    let told = refusal(&installed);
    assert!(
        told.contains("does not match this Lineheat") && told.contains("doctor --install"),
        "{told}"
    );
    let version = installed.sampler().parent().unwrap().to_owned();
    fs::rename(&version, Path::new(BASE).join("0.0.9")).unwrap();
    let told = refusal(&installed);
    assert!(
        told.contains("has version 0.0.9") && told.contains("doctor --install"),
        "{told}"
    );
    // An update brings the new one and takes the old one away.
    assert!(installed.install().status.success());
    assert!(!Path::new(BASE).join("0.0.9").exists());
}

#[test]
fn whoever_is_not_in_the_group_records_without_privilege_and_is_told_why() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("spin");
    let mut record = installed.lineheat(
        OTHER,
        &[
            "record",
            "--duration",
            "0.5",
            "--output",
            "other.pb.gz",
            "--",
        ],
    );
    let output = record.arg(program).output().unwrap();
    let words = told(&output);
    assert!(
        words.contains("you are not in the group lineheat"),
        "{words}"
    );
    assert!(
        words.contains("samples in user space") || words.contains("perf_event_paranoid"),
        "{words}"
    );
}
