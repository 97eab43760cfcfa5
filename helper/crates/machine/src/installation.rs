//! The sampler that was installed for recording without sudo, by hand or with a package: where it is, and whether it may be
//! trusted and used.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use user_files::accounts::{group_name, is_listed_in};

use crate::container::Obstacle;
use crate::kernel_support;
use crate::rights::{self, Capabilities};
use crate::sampler_file::{PACKAGED, sampler_path};

/// Below it, each version that was installed by hand has a folder.
pub const BASE: &str = "/usr/local/libexec/lineheat";
/// Of engine and sampler, which belong together.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Whose members may run it.
pub const GROUP: &str = "lineheat";
/// In the folder of a version.
pub const FILE: &str = "lineheat-sampler";

/// Where the sampler is, or belongs: one of this version that was installed by hand, before that of a package, which has
/// the same owner, group, mode and capabilities. An engine from a package uses the package's.
pub fn path() -> PathBuf {
    let by_hand = Path::new(BASE).join(VERSION).join(FILE);
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    let packaged = Path::new(PACKAGED);
    match is_from_package() || (!is_there(&by_hand) && is_there(packaged)) {
        true => packaged.to_owned(),
        false => by_hand,
    }
}

/// Whether this engine and its sampler are a distribution's package.
pub fn is_from_package() -> bool {
    sampler_path().is_ok_and(|sampler| sampler == Path::new(PACKAGED))
}

/// Why there is no installed sampler to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    NotInstalled,
    /// Only of these versions.
    OtherVersion(Vec<String>),
    /// Somebody else than root could change it.
    Unsafe(Weakness),
    /// It is not the file that belongs to this engine.
    Different,
    /// The user is in the group from the next login on, or not at all.
    NotInGroup {
        listed: bool,
    },
    /// The file gives fewer capabilities than this kernel asks for.
    Lacks(Capabilities),
    NoNewPrivileges,
    UserNamespace,
    /// Of the file's mount.
    NoSuid,
}

/// The installed sampler, if this user can record with it.
///
/// # Errors
/// The first cause that stands against it. `beside` is the sampler that came with this engine.
pub fn usable(beside: &Path) -> Result<PathBuf, Problem> {
    let path = path();
    if fs::symlink_metadata(&path).is_err() {
        let others = other_versions();
        return Err(match others.is_empty() {
            true => Problem::NotInstalled,
            false => Problem::OtherVersion(others),
        });
    }
    // First: in a user namespace everything of root's looks like nobody's.
    if let Some(problem) = silently_without_rights(&path) {
        return Err(problem);
    }
    only_root_can_change(&path).map_err(Problem::Unsafe)?;
    if !rights::may_run(&path) {
        let user = target::user_name(target::own_uid());
        return Err(Problem::NotInGroup {
            listed: is_listed_in(GROUP, user.as_ref()),
        });
    }
    if path != beside && !are_equal(&path, beside).unwrap_or(false) {
        return Err(Problem::Different);
    }
    let needed = Capabilities::needed(kernel_support::perf_events_for_admin_only().is_some());
    if !Capabilities::of_file(&path).contains(needed) {
        return Err(Problem::Lacks(needed));
    }
    Ok(path)
}

/// Why the capabilities of this file come to nothing, without a word of the kernel.
pub fn silently_without_rights(path: &Path) -> Option<Problem> {
    if rights::may_gain_nothing() {
        Some(Problem::NoNewPrivileges)
    } else if rights::is_in_user_namespace() {
        Some(Problem::UserNamespace)
    } else if rights::is_nosuid(path) {
        Some(Problem::NoSuid)
    } else {
        None
    }
}

fn other_versions() -> Vec<String> {
    let entries = fs::read_dir(BASE).into_iter().flatten().flatten();
    let installed = entries.filter(|e| e.path().join(FILE).exists());
    let mut versions: Vec<String> = installed
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    versions.sort();
    versions
}

/// By what somebody else than root could change the installed sampler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakness {
    /// What is so.
    pub cause: String,
    /// The command that ends it; None: a new installation does.
    pub remedy: Option<String>,
}

impl Weakness {
    /// A new installation ends it.
    pub fn new(cause: impl Into<String>) -> Weakness {
        Weakness {
            cause: cause.into(),
            remedy: None,
        }
    }

    fn remedied_by(self, command: String) -> Weakness {
        Weakness {
            remedy: Some(command),
            ..self
        }
    }
}

/// What stands against installing: the first folder on the way that somebody else than root could change.
pub fn weak_folder() -> Option<Weakness> {
    let path = path();
    let folders = path.ancestors().skip(1).collect::<Vec<_>>();
    let there = folders
        .into_iter()
        .rev()
        .filter(|folder| fs::symlink_metadata(folder).is_ok());
    there.map(only_root_can_change_entry).find_map(Result::err)
}

/// Of the file and of every folder above it; otherwise what could be changed, and how that is ended.
fn only_root_can_change(file: &Path) -> Result<(), Weakness> {
    for part in file.ancestors().collect::<Vec<_>>().into_iter().rev() {
        only_root_can_change_entry(part)?;
    }
    let found = fs::symlink_metadata(file);
    let found = found.map_err(|e| Weakness::new(format!("{}: {e}", file.display())))?;
    let mode = found.mode() & 0o7777;
    if !found.is_file() || mode & 0o007 != 0 {
        return Err(Weakness::new(format!(
            "users outside its group can access {} (mode {mode:04o}, expected 0750)",
            file.display()
        )));
    }
    Ok(())
}

fn only_root_can_change_entry(part: &Path) -> Result<(), Weakness> {
    let name = part.display();
    let found = fs::symlink_metadata(part);
    let found = found.map_err(|e| Weakness::new(format!("{name}: {e}")))?;
    let mode = found.mode() & 0o7777;
    if found.file_type().is_symlink() {
        return Err(Weakness::new(format!("{name} is a symbolic link")));
    }
    if found.uid() != 0 {
        let owner = target::user_name(found.uid());
        let weakness = Weakness::new(format!("{name} belongs to {owner}, not to root"));
        return Err(weakness.remedied_by(format!("sudo chown root {name}")));
    }
    if mode & 0o022 != 0 {
        let who = match (mode & 0o020 != 0, mode & 0o002 != 0) {
            (_, true) => "everybody".to_owned(),
            _ => format!(
                "the group {}",
                group_name(found.gid()).unwrap_or_else(|| found.gid().to_string())
            ),
        };
        let weakness = Weakness::new(format!(
            "users other than root can write to {name}: {who} (mode {mode:04o})"
        ));
        return Err(weakness.remedied_by(format!("sudo chmod go-w {name}")));
    }
    Ok(())
}

fn are_equal(one: &Path, other: &Path) -> io::Result<bool> {
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    Ok(fs::read(one)? == fs::read(other)?)
}

impl Problem {
    /// What is so, in words.
    pub fn text(&self) -> String {
        let path = path();
        let path = path.display();
        match self {
            Problem::NotInstalled => {
                "no sampler is installed with which ordinary users can record".to_owned()
            }
            Problem::OtherVersion(versions) => format!(
                "the installed sampler has version {}, but this is Lineheat {VERSION}",
                versions.join(", ")
            ),
            Problem::Unsafe(weakness) => {
                format!("the installed sampler is not trusted: {}", weakness.cause)
            }
            Problem::Different => {
                format!("the installed sampler does not match this Lineheat: {path} differs from its sampler")
            }
            Problem::NotInGroup { listed: true } => format!(
                "your membership of the group {GROUP} takes effect at your next login; until then you cannot run the installed sampler"
            ),
            Problem::NotInGroup { listed: false } => format!(
                "you are not in the group {GROUP}; only its members can run the installed sampler"
            ),
            Problem::Lacks(needed) => format!(
                "the installed sampler lacks rights that this kernel requires ({}{}): {path}",
                needed.names(),
                match kernel_support::perf_events_for_admin_only() {
                    Some(level) => format!(", perf_event_paranoid is {level}"),
                    None => String::new(),
                }
            ),
            Problem::NoNewPrivileges => "the sampler gets no rights here: this process tree cannot gain any (NoNewPrivs is set, as in a snap or some sandboxes)".to_owned(),
            Problem::UserNamespace => "the sampler gets no rights here: this is a user namespace (a rootless container or a sandbox), and the kernel requires rights outside it".to_owned(),
            Problem::NoSuid => format!(
                "the sampler gets no rights: its file ({path}) is on a file system mounted with nosuid"
            ),
        }
    }

    /// A command on an indented line of its own, or what can be done without one.
    pub fn advice(&self) -> String {
        match self {
            Problem::NotInstalled => format!("Do this once to record without sudo:\n  {}", install()),
            Problem::OtherVersion(_) | Problem::Different => format!("Update it:\n  {}", install()),
            Problem::Unsafe(Weakness {
                remedy: Some(command),
                ..
            }) => format!("Fix that, then reinstall it (lineheat doctor --install):\n  {command}"),
            Problem::Unsafe(_) | Problem::Lacks(_) => format!("Reinstall it:\n  {}", install()),
            Problem::NotInGroup { listed: true } => format!(
                "Log in again (with VS Code over SSH, also stop the server), or run in this terminal:\n  newgrp {GROUP}"
            ),
            Problem::NotInGroup { listed: false } => {
                format!("Join the group:\n  {}", install())
            }
            Problem::NoNewPrivileges => "Start the editor or terminal in another way, from the system's own package instead of a snap.".to_owned(),
            Problem::UserNamespace => Obstacle::UserNamespace.advice(),
            Problem::NoSuid => format!(
                "Mount the file system of {BASE} without nosuid, or let sudo run the installed sampler without a password."
            ),
        }
    }
}

/// The command that installs or updates it.
pub fn install() -> String {
    let own = std::env::current_exe();
    let own = own.map_or("lineheat".to_owned(), |p| p.display().to_string());
    format!("{own} doctor --install")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_under_a_folder_of_everybody_and_a_link_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sampler");
        fs::write(&file, "").unwrap();
        let why = only_root_can_change(&file).unwrap_err();
        assert_eq!(
            why.cause,
            "users other than root can write to /tmp: everybody (mode 1777)"
        );
        assert_eq!(why.remedy.as_deref(), Some("sudo chmod go-w /tmp"));
        assert!(only_root_can_change(Path::new("/usr/bin")).is_err());
        let why = only_root_can_change(Path::new("/proc/self/exe"))
            .unwrap_err()
            .cause;
        assert!(
            why.contains("symbolic link") || why.contains("belongs to"),
            "{why}"
        );
    }

    #[test]
    fn every_problem_says_what_can_be_done() {
        for problem in [
            Problem::NotInstalled,
            Problem::OtherVersion(vec!["0.0.9".to_owned()]),
            Problem::Unsafe(Weakness::new("x")),
            Problem::Different,
            Problem::NotInGroup { listed: true },
            Problem::NotInGroup { listed: false },
            Problem::Lacks(Capabilities::needed(true)),
            Problem::NoNewPrivileges,
            Problem::UserNamespace,
            Problem::NoSuid,
        ] {
            assert!(!problem.advice().is_empty(), "{problem:?}");
            assert!(!format!("{} {}", problem.text(), problem.advice()).contains("sysctl"));
        }
    }
}
