//! Evil names inside of profiles, as names of files, and on the command line.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use profile::save;

use crate::command_line::{self, Worst, lineheat};
use crate::measured::{PATIENCE, measured};
use crate::names::{EVIL_NAMES, first_unsafe, profile_named};
use crate::served;

#[test]
fn a_profile_with_evil_names_is_shown_with_visible_escapes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("evil.pb.gz");
    let text = path.to_str().expect("UTF-8");
    let mut worst = Worst::default();
    for name in EVIL_NAMES {
        save(&profile_named(name), &path).expect("saved");
        assert_eq!(
            command_line::refusal(&path, name, &mut worst),
            None,
            "{name:?}"
        );
        assert_eq!(served::refusal(&path, name, &mut worst), None, "{name:?}");
        let argument = name.replace('\0', "");
        let wide = ["annotate", text, "--", &argument];
        let ran = lineheat(&wide);
        let shown = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(first_unsafe(&shown), None, "{name:?}: {shown:?}");
        assert_eq!(
            first_unsafe(&ran.stderr),
            None,
            "{name:?}: {:?}",
            ran.stderr
        );
    }
}

#[test]
fn evil_names_of_files_are_shown_with_visible_escapes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in EVIL_NAMES {
        let name = name.replace(['\0', '/'], "");
        let path = folder.path().join(&name);
        let there = path.to_str().expect("UTF-8");
        let missing = folder.path().join(format!("none{name}"));
        let missing = missing.to_str().expect("UTF-8");
        save(&profile_named("plain"), &path).expect("saved");
        for command in [
            vec!["report", there],
            vec!["report", missing],
            vec!["annotate", there, "none"],
            vec!["annotate", missing, "none"],
            vec!["diff", there, "--against", there],
            vec!["diff", there, "--against", missing],
        ] {
            let ran = lineheat(&command);
            assert!(
                matches!(ran.status, Some(0 | 3)),
                "{command:?}: {}",
                ran.stderr
            );
            let text = [&*String::from_utf8_lossy(&ran.stdout), &ran.stderr].concat();
            assert!(text.len() > 40, "{command:?}: {text:?}");
            assert_eq!(first_unsafe(&text), None, "{command:?}: {text:?}");
        }
    }
}

#[test]
fn evil_arguments_are_refused_with_visible_escapes() {
    for name in EVIL_NAMES {
        let name = name.replace('\0', "");
        for command in [
            vec![name.as_str()],
            vec!["report", "x", "--limit", &name],
            vec!["report", "x", "--color", &name],
            vec!["record", "--freq", &name, "--", "true"],
            vec!["record", "--output", "/nonexistent/x.pb.gz", "--", &name],
            vec!["report", "a", "b", &name],
        ] {
            // As on a terminal with colours: the parser of arguments must not pass them on.
            let ran = measured(
                Command::new(env!("CARGO_BIN_EXE_lineheat"))
                    .args(&command)
                    .env("CLICOLOR_FORCE", "1"),
                PATIENCE,
            );
            let is_ours = first_unsafe(&name).is_none() && ran.stderr.contains("\x1b[");
            let bad = first_unsafe(&ran.stderr).filter(|_| !is_ours);
            assert_eq!(bad, None, "{command:?}: {:?}", ran.stderr);
        }
    }
    let ran = measured(
        Command::new(env!("CARGO_BIN_EXE_lineheat"))
            .arg("report")
            .arg(OsStr::from_bytes(b"\x1b[31m\xff\x9b2J")),
        PATIENCE,
    );
    assert_eq!(ran.status, Some(3));
    assert_eq!(first_unsafe(&ran.stderr), None, "{:?}", ran.stderr);
}
