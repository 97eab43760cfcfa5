//! What `go tool pprof` says of a file.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::measured::measured;

/// It hangs on some files; that is no refusal.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where Go's own installer puts it, when PATH does not have it.
const GO_PLACES: [&str; 2] = ["go", "/usr/local/go/bin/go"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    Accepted,
    Refused,
    /// Ended by our patience or by a signal.
    Hung,
}

pub struct Pprof {
    go: &'static str,
}

impl Pprof {
    /// `None`, said aloud: Go is not installed here.
    pub fn installed() -> Option<Pprof> {
        let starts = |go: &&str| Command::new(go).arg("version").output().is_ok();
        let Some(go) = GO_PLACES.into_iter().find(starts) else {
            assert!(
                std::env::var_os("CI").is_none(),
                "Go must be installed in CI"
            );
            eprintln!(
                "NOT TESTED: Go is not installed, so what `go tool pprof` refuses is not known"
            );
            return None;
        };
        Some(Pprof { go })
    }

    /// Of `-raw`, which reads and checks, and of `-top`, which adds up.
    pub fn answers(&self, file: &Path) -> (Answer, u64) {
        let (mut answer, mut peak) = (Answer::Accepted, 0);
        for what in ["-raw", "-top"] {
            let ran = measured(
                Command::new(self.go)
                    .args(["tool", "pprof", "-symbolize=none", what])
                    .arg(file),
                PATIENCE,
            );
            peak = peak.max(ran.peak_bytes);
            answer = answer.max(match ran.status {
                Some(0) => Answer::Accepted,
                Some(_) => Answer::Refused,
                None => Answer::Hung,
            });
        }
        (answer, peak)
    }
}
