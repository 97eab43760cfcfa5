//! The commits that one run has and another has not, by their subject lines.
//!
//! Nothing that a repository's configuration names may be executed. `rev-list` is plumbing: it reads no signature and runs
//! no pager, hook, filter or diff program; what is left (fetching missing objects of a partial clone, the monitor of the
//! file system) is turned off. Only folders that the user works in are looked into, never one that a run file names.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use supervision::{Patience, Urgency, output_within};

const ANSWERS_WITHIN: Duration = Duration::from_secs(10);
const COMMITS_MAX: usize = 100;
const SUBJECT_MAX: usize = 200;

/// "abbreviated-id subject", newest first; empty when there are none, no folder is of a repository that has both, or git
/// does not answer.
pub fn commits_between<'a>(
    folders: impl IntoIterator<Item = &'a Path>,
    base: &str,
    new: &str,
) -> Vec<String> {
    if base == new || !is_commit_id(base) || !is_commit_id(new) {
        return Vec::new();
    }
    (folders.into_iter())
        .find_map(|folder| in_folder(folder, base, new))
        .unwrap_or_default()
}

/// Of SHA-1 or SHA-256, in full: never an option or another name of a revision.
fn is_commit_id(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn in_folder(folder: &Path, base: &str, new: &str) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.args([
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
    ])
    .args(["-c", "core.sshCommand=false", "-c", "protocol.allow=never"])
    .args(["-c", "safe.bareRepository=explicit"])
    .args(["rev-list", "--no-commit-header", "--format=%h %s"])
    .arg(format!("--max-count={COMMITS_MAX}"))
    .arg(format!("{base}..{new}"))
    .arg("--")
    .current_dir(folder)
    .env("GIT_NO_LAZY_FETCH", "1")
    .env("GIT_OPTIONAL_LOCKS", "0")
    .env("GIT_TERMINAL_PROMPT", "0")
    .stdin(Stdio::null())
    .stderr(Stdio::null());
    let mut patience = Patience::new(ANSWERS_WITHIN, &Urgency::default());
    let output = output_within(&mut git, &mut patience).ok()?;
    output.status.success().then(|| {
        (String::from_utf8_lossy(&output.stdout).lines())
            .map(|line| line.chars().take(SUBJECT_MAX).collect())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) -> String {
        let output = (Command::new("git").current_dir(folder))
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout)
            .expect("UTF-8")
            .trim()
            .to_owned()
    }

    #[test]
    fn subjects_newest_first_and_nothing_of_the_configuration_runs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        git(at, &["init", "-q"]);
        let mut ids = Vec::new();
        for subject in ["first", "second: faster", "third"] {
            git(at, &["commit", "-q", "--allow-empty", "-m", subject]);
            ids.push(git(at, &["rev-parse", "HEAD"]));
        }
        let marker = at.join("was-executed");
        let script = at.join("evil.sh");
        std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", marker.display()))
            .expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("executable");
        let script = script.to_str().expect("UTF-8");
        for name in [
            "core.fsmonitor",
            "core.pager",
            "gpg.program",
            "core.sshCommand",
            "diff.external",
        ] {
            git(at, &["config", name, script]);
        }
        git(at, &["config", "log.showSignature", "true"]);

        let found = commits_between([at], &ids[0], &ids[2]);
        let subjects: Vec<&str> = (found.iter())
            .filter_map(|line| Some(line.split_once(' ')?.1))
            .collect();
        assert_eq!(subjects, ["third", "second: faster"]);
        assert!(!marker.exists());
        assert!(commits_between([at], &ids[2], &ids[0]).is_empty());
        assert!(commits_between([at], &ids[0], "--output=x").is_empty());
        let unknown = "0123456789012345678901234567890123456789";
        assert!(commits_between([at], &ids[0], unknown).is_empty());
    }
}
