//! Where root writes for a user: with the user's rights, never through a link that was planted, and nothing else than runs
//! is replaced.
//!
//! `LINEHEAT_RACES` says how often the race is tried, as in `races`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use profile::Profile;

use crate::installed::{Installed, Running, USER, as_user, told, uid_of};
use crate::races::tries;

/// A workspace of [`USER`], and a folder with a file, both of root, that everybody may write and nobody is to.
struct Workspace<'a> {
    installed: &'a Installed,
    folder: PathBuf,
    outside: PathBuf,
    /// Of the user who called sudo; None: root is alone.
    behind_sudo: Option<u32>,
}

impl Workspace<'_> {
    fn new(installed: &Installed, behind_sudo: bool) -> Workspace<'_> {
        let user = uid_of(USER);
        let folder = installed.path("workspace");
        fs::create_dir(&folder).unwrap();
        chown(&folder, Some(user), Some(user)).unwrap();
        let outside = installed.path("outside");
        fs::create_dir_all(outside.join("folder")).unwrap();
        fs::write(outside.join("file"), "of root").unwrap();
        for path in ["", "folder", "file"] {
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(outside.join(path), mode).unwrap();
        }
        Workspace {
            installed,
            folder,
            outside,
            behind_sudo: behind_sudo.then_some(user),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// As root, in the workspace.
    fn lineheat(&self, args: &[&str]) -> Output {
        let mut command = Command::new(self.installed.path("lineheat"));
        command.args(args).current_dir(&self.folder);
        command.env("HOME", self.installed.path("home"));
        command.env_remove("XDG_CACHE_HOME");
        if let Some(user) = self.behind_sudo {
            command.env("SUDO_UID", user.to_string());
            command.env("SUDO_GID", user.to_string());
        }
        command.output().unwrap()
    }

    /// All that somebody could have changed there.
    fn outside(&self) -> Vec<String> {
        let mut seen = Vec::new();
        for path in ["", "folder", "file"] {
            let path = self.outside.join(path);
            let found = fs::symlink_metadata(&path).unwrap();
            let (modified, changed) = (found.mtime_nsec(), found.ctime_nsec());
            let owner = (found.uid(), found.gid(), found.mode(), modified, changed);
            seen.push(format!("{path:?} {owner:?}"));
            if let Ok(entries) = fs::read_dir(&path) {
                seen.extend(entries.map(|entry| format!("{:?}", entry.unwrap().path())));
            } else {
                seen.push(fs::read_to_string(&path).unwrap());
            }
        }
        seen
    }
}

/// Owners of all that lies below a folder.
fn owners(folder: &Path) -> Vec<(PathBuf, u32)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let owners = entries.flat_map(|entry| {
        let found = fs::symlink_metadata(entry.path());
        let own = found.map(|found| (entry.path(), found.uid()));
        let below = match entry.file_type() {
            Ok(kind) if kind.is_dir() => owners(&entry.path()),
            _ => Vec::new(),
        };
        own.into_iter().chain(below)
    });
    owners.collect()
}

/// What a recorder leaves that was killed: `dead.pb.gz.journal`.
fn leave_a_journal(workspace: &Workspace) -> Vec<u8> {
    let spin = workspace.installed.program("spin");
    let mut record = Command::new(workspace.installed.path("lineheat"));
    // What is recorded goes on without its recorder.
    record.args(["record", "--output", "before.pb.gz", "--", "timeout", "10"]);
    let mut recorder = record
        .arg(spin)
        .current_dir(workspace.installed.directory.path())
        .spawn()
        .unwrap();
    let journal = workspace.installed.path("before.pb.gz.journal");
    while fs::metadata(&journal).map_or(0, |found| found.len()) < 500 {
        assert!(recorder.try_wait().unwrap().is_none(), "it was to record");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    fs::read(journal).unwrap()
}

fn nothing_is_written_elsewhere_while_links_are_planted(behind_sudo: bool) {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let tries = tries(6);
    let workspace = Workspace::new(&installed, behind_sudo);
    let user = uid_of(USER);
    let journal = leave_a_journal(&workspace);
    let spin = installed.program("spin").display().to_string();
    let counts = installed.path("planted");
    let before = workspace.outside();
    let mut swap = as_user(USER, &installed.program("swap_runs"));
    swap.args([&workspace.folder, &workspace.outside, &counts]);
    let swapper = Running::start(&mut swap);
    let (mut recordings, mut saved, mut refused, mut recovered) = (0, 0, 0, 0);
    for _ in 0..tries {
        let places = [
            &[][..],
            &["--output", "run.pb.gz"],
            &["--output", "below/new/run.pb.gz"],
        ];
        // Through a link of one's own to a folder of one's own choice one writes with one's own rights.
        for output in &places[..if behind_sudo { 2 } else { 3 }] {
            let record = ["record", "--duration", "0.3"];
            let args = [&record[..], output, &["--", &spin]].concat();
            let output = workspace.lineheat(&args);
            recordings += 1;
            match output.status.code() {
                Some(0) => saved += 1,
                Some(3) => refused += 1,
                _ => panic!("{}", told(&output)),
            }
            assert_eq!(workspace.outside(), before, "{}", told(&output));
        }
        let dead = workspace.path("dead.pb.gz.journal");
        let _ = fs::remove_file(workspace.path("dead.pb.gz"));
        let _ = fs::remove_file(&dead);
        let written = installed.path("journal");
        fs::write(&written, &journal).unwrap();
        chown(&written, Some(user), Some(user)).unwrap();
        fs::rename(&written, dead).unwrap();
        let report = workspace.lineheat(&["report", "dead.pb.gz"]);
        recovered += u32::from(report.status.success());
        assert_eq!(workspace.outside(), before, "{}", told(&report));
    }
    drop(swapper);
    let planted = u64::from_ne_bytes(fs::read(&counts).unwrap().try_into().unwrap());
    println!(
        "{{\"recordings\":{recordings},\"saved\":{saved},\"refused\":{refused},\"recovered\":{recovered},\"planted\":{planted}}}"
    );
    assert!(planted >= 10 * u64::from(tries), "{planted} links: no race");
    // How many are refused is chance: a link has to be there in the moment in which the folder is opened.
    assert!(saved > 0, "{refused} refused");
    if behind_sudo {
        let others = owners(&workspace.folder)
            .into_iter()
            .filter(|(_, uid)| *uid != user);
        assert_eq!(others.collect::<Vec<_>>(), []);
        assert!(!installed.path("home").exists(), "root's cache was written");
    }
}

#[test]
fn root_for_a_user_writes_nothing_elsewhere_while_links_are_planted() {
    nothing_is_written_elsewhere_while_links_are_planted(true);
}

#[test]
fn root_alone_writes_nothing_elsewhere_while_links_are_planted() {
    nothing_is_written_elsewhere_while_links_are_planted(false);
}

#[test]
fn a_link_in_the_folder_of_a_workspace_is_refused_by_name() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    for behind_sudo in [true, false] {
        let workspace = Workspace::new(&installed, behind_sudo);
        let before = workspace.outside();
        symlink(
            workspace.outside.join("folder"),
            workspace.path(".lineheat"),
        )
        .unwrap();
        let output = workspace.lineheat(&["record", "--", "/bin/true"]);
        assert_eq!(output.status.code(), Some(3), "{}", told(&output));
        assert!(
            told(&output).contains(".lineheat is a symbolic link"),
            "{}",
            told(&output)
        );
        fs::remove_file(workspace.path(".lineheat")).unwrap();
        fs::create_dir(workspace.path(".lineheat")).unwrap();
        chown(workspace.path(".lineheat"), workspace.behind_sudo, None).unwrap();
        let runs = workspace.path(".lineheat/runs");
        symlink(workspace.outside.join("folder"), runs).unwrap();
        let output = workspace.lineheat(&["record", "--", "/bin/true"]);
        assert!(
            told(&output).contains(".lineheat/runs is a symbolic link"),
            "{}",
            told(&output)
        );
        assert_eq!(workspace.outside(), before);
        fs::remove_dir_all(&workspace.folder).unwrap();
        fs::remove_dir_all(&workspace.outside).unwrap();
    }
}

#[test]
fn for_a_user_root_writes_what_the_user_may_write_and_no_more() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let workspace = Workspace::new(&installed, true);
    let output = workspace.lineheat(&["record", "--", "/bin/true"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let user = uid_of(USER);
    let all = owners(&workspace.folder);
    assert!(all.len() >= 4, "{all:?}");
    assert!(all.iter().all(|(_, owner)| *owner == user), "{all:?}");
    let of_root = installed.path("of-root");
    fs::create_dir(&of_root).unwrap();
    fs::set_permissions(&of_root, fs::Permissions::from_mode(0o755)).unwrap();
    for place in ["run.pb.gz", "new/run.pb.gz"] {
        let place = of_root.join(place).display().to_string();
        let output = workspace.lineheat(&["record", "--output", &place, "--", "/bin/true"]);
        let words = told(&output);
        assert_eq!(output.status.code(), Some(3), "{words}");
        let who = format!("as user {USER} (who called sudo): Permission denied");
        assert!(words.contains(&who), "{words}");
    }
    assert_eq!(fs::read_dir(&of_root).unwrap().count(), 0);
}

#[test]
fn a_run_replaces_runs_alone() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let workspace = Workspace::new(&installed, false);
    let device = workspace.path("null");
    let made = Command::new("mknod")
        .arg(&device)
        .args(["c", "1", "3"])
        .status();
    assert!(made.unwrap().success());
    symlink("null", workspace.path("link")).unwrap();
    for (place, why) in [("null", "not a regular file"), ("link", "symbolic link")] {
        let output = workspace.lineheat(&["record", "--output", place, "--", "/bin/true"]);
        assert_eq!(output.status.code(), Some(3), "{}", told(&output));
        assert!(told(&output).contains(why), "{}", told(&output));
        assert!(Profile::open(&workspace.path(place)).is_err());
    }
}
