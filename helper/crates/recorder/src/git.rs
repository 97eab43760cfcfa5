//! The commit and branch that are checked out. Nothing that the repository's configuration names is executed: it may come
//! with a folder that somebody else has made.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use supervision::{NoOutput, Patience, Urgency, output_within};

pub struct GitState {
    pub commit: String,
    /// Empty: detached.
    pub branch: String,
    pub dirty: bool,
}

/// None: no repository, no git, or no commit yet.
///
/// # Errors
/// A sentence, when git does not answer.
pub fn git_state(directory: &Path, urgency: &Urgency) -> Result<Option<GitState>, String> {
    let mut git = Git {
        directory,
        patience: Patience::new(ANSWERS_WITHIN, urgency),
        late: None,
    };
    let state = git.state();
    match git.late {
        Some(late) => Err(format!(
            "git {late}: the run does not state the checked-out commit."
        )),
        None => Ok(state),
    }
}

/// In a large tree on a slow disk it takes a while.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

struct Git<'a> {
    directory: &'a Path,
    /// For all that it is asked.
    patience: Patience,
    /// It was not waited for any longer; nothing more is asked.
    late: Option<NoOutput>,
}

impl Git<'_> {
    fn state(&mut self) -> Option<GitState> {
        let commit = self.word(&["rev-parse", "HEAD"])?;
        let filters = off(&self.filters_of_repository()?);
        let status = [
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--ignore-submodules=all", // these have configurations of their own
        ];
        let dirty = (self.answer(&filters, &status)).is_some_and(|changed| !changed.is_empty());
        Some(GitState {
            commit,
            branch: (self.word(&["symbolic-ref", "--short", "-q", "HEAD"])).unwrap_or_default(),
            dirty,
        })
    }

    fn word(&mut self, args: &[&str]) -> Option<String> {
        let text = String::from_utf8(self.answer(&[], args)?).ok()?;
        Some(text.trim().to_owned())
    }

    /// Names of settings, as `filter.NAME.clean`, by which `git status` would execute a program of the repository's choice. Those
    /// of the user's own configuration are the user's. None: they cannot be listed.
    fn filters_of_repository(&mut self) -> Option<Vec<String>> {
        let list = [
            "config",
            "--null",
            "--show-scope",
            "--includes",
            "--list",
            "--name-only",
        ];
        let listed = self.answer(&[], &list)?;
        let fields: Vec<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let mut filters = Vec::new();
        for pair in fields.chunks_exact(2) {
            let (scope, name) = (pair[0], std::str::from_utf8(pair[1]).ok()?);
            let own = matches!(scope, b"local" | b"worktree");
            let executes = name.ends_with(".clean") || name.ends_with(".process");
            if own && name.starts_with("filter.") && executes {
                filters.push(name.to_owned());
            }
        }
        Some(filters)
    }

    /// What git prints; None: it failed.
    fn answer(&mut self, settings: &[(String, String)], args: &[&str]) -> Option<Vec<u8>> {
        let always = [
            ("core.fsmonitor", "false"),
            ("core.hooksPath", "/dev/null"),
            ("core.sshCommand", "false"),
            ("protocol.allow", "never"),
            ("safe.bareRepository", "explicit"),
        ];
        let always = always.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings: Vec<&(String, String)> = always.iter().chain(settings).collect();
        // By the environment, since a name may hold any sign.
        let numbered = settings
            .iter()
            .enumerate()
            .flat_map(|(number, (name, value))| {
                [
                    (OsString::from(format!("GIT_CONFIG_KEY_{number}")), name),
                    (OsString::from(format!("GIT_CONFIG_VALUE_{number}")), value),
                ]
            });
        if self.late.is_some() {
            return None;
        }
        let mut git = Command::new("git");
        git.args(args)
            .current_dir(self.directory)
            .envs(numbered)
            .env("GIT_CONFIG_COUNT", settings.len().to_string())
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if let Some(user) = target::invoker() {
            // The repository is no more root's than the program is.
            user.own(&mut git);
        }
        let output = match output_within(&mut git, &mut self.patience) {
            Ok(output) => output,
            Err(late @ NoOutput::Late(..)) => {
                self.late = Some(late);
                return None;
            }
            Err(NoOutput::NotStarted(_)) => return None,
        };
        output.status.success().then_some(output.stdout)
    }
}

/// Settings that turn these off.
fn off(filters: &[String]) -> Vec<(String, String)> {
    let off = |name: &String| (name.clone(), String::new());
    filters.iter().map(off).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn git_state(directory: &Path) -> Option<GitState> {
        super::git_state(directory, &Urgency::default()).unwrap()
    }

    fn run(directory: &Path, args: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(args)
            .current_dir(directory)
            .output();
        assert!(output.unwrap().status.success(), "{args:?}");
    }

    fn repository(directory: &Path) {
        run(directory, &["init", "-q", "-b", "topic/fast"]);
        std::fs::write(directory.join("file.txt"), "one\n").unwrap();
        std::fs::write(directory.join(".gitattributes"), "*.txt filter=evil=x\n").unwrap();
        run(directory, &["add", "."]);
        run(directory, &["commit", "-q", "-m", "first"]);
    }

    #[test]
    fn commit_branch_and_changes_are_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(git_state(folder.path()).is_none());
        repository(folder.path());
        let clean = git_state(folder.path()).unwrap();
        assert_eq!(
            (clean.commit.len(), clean.branch.as_str(), clean.dirty),
            (40, "topic/fast", false)
        );
        std::fs::write(folder.path().join("file.txt"), "another\n").unwrap();
        assert!(git_state(folder.path()).unwrap().dirty);
        run(folder.path(), &["checkout", "-q", "--detach"]);
        assert_eq!(git_state(folder.path()).unwrap().branch, "");
    }

    #[test]
    fn what_a_repository_configures_is_not_executed() {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let mark = folder.path().join("executed");
        let script = folder.path().join("evil.sh");
        std::fs::write(
            &script,
            format!("#!/bin/sh\necho $0 >> {}\ncat\n", mark.display()),
        )
        .unwrap();
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
        let evil = script.to_str().unwrap();
        for name in [
            "core.fsmonitor",
            "filter.evil=x.clean",
            "filter.evil=x.process",
        ] {
            run(folder.path(), &["config", name, evil]);
        }
        let hook = folder.path().join(".git/hooks/post-index-change");
        let _ = std::fs::create_dir_all(hook.parent().unwrap());
        std::fs::copy(&script, hook).unwrap();
        // The same length, so that git has to read it; and it does execute the filter when it is not kept from it.
        std::fs::write(folder.path().join("file.txt"), "two\n").unwrap();
        assert!(git_state(folder.path()).unwrap().dirty);
        assert!(!mark.exists(), "{:?}", std::fs::read_to_string(mark));
        run(
            folder.path(),
            &["config", "--unset", "filter.evil=x.process"],
        );
        run(folder.path(), &["status", "--porcelain"]);
        assert!(mark.exists(), "the trap works");
    }
}
