//! Why a recording could not be made, and what helps.

use std::fmt;
use std::time::Duration;

use machine::kernel_support;
use machine::sampler_file::NoSampler;
use target::LaunchError;

/// What kind of failure it is: what programs tell failures apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordErrorKind {
    NotFound,
    NotExecutable,
    /// The process is not the user's own.
    NotAllowed,
    NoPermission,
    /// More than capabilities would give: there is no use in trying without privilege.
    AdminOnly,
    NoBpf,
    Unsupported,
    /// The sampler is of another build.
    BuildMismatch,
    /// Recordings of this user.
    TooMany,
    TooLarge,
    NotWritable,
    /// An execution of the command.
    Failed,
    /// A process of ours, or the program itself, did not answer in time.
    NoAnswer,
    /// Not a failure: the user has asked to stop before anything was recorded.
    Stopped,
    Internal,
}

/// Why nothing is recorded, or what was recorded could not be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    pub kind: RecordErrorKind,
    /// What was wanted and what was got.
    pub message: String,
    /// What can be done; may hold a command on a line of its own. Empty: nothing is known.
    pub advice: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.advice.is_empty() {
            write!(f, "\n{}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

impl From<LaunchError> for RecordError {
    fn from(error: LaunchError) -> RecordError {
        if matches!(error, LaunchError::Unwanted(_)) {
            return RecordError::stopped();
        }
        let (kind, advice) = match &error {
            LaunchError::NotFound(_) => (
                RecordErrorKind::NotFound,
                "Check the path. A program in PATH needs no slash; any other needs its path (./program).",
            ),
            LaunchError::NotExecutable(_) => (
                RecordErrorKind::NotExecutable,
                "If it is a program, make it executable (chmod +x). If it is a source file, build it first.",
            ),
            LaunchError::BadFormat(_) => (
                RecordErrorKind::NotExecutable,
                "Lineheat profiles native programs (ELF) and scripts that start with #!.",
            ),
            LaunchError::BadDirectory(_) => {
                (RecordErrorKind::NotFound, "Check the working directory.")
            }
            LaunchError::Late(..) => (
                RecordErrorKind::NoAnswer,
                "Check that the program's file system responds (ls -l on its folder), and that nothing stops new processes.",
            ),
            LaunchError::Terminal(_) | LaunchError::Unwanted(_) | LaunchError::Other(..) => {
                (RecordErrorKind::Internal, "")
            }
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}

impl From<NoSampler> for RecordError {
    fn from(error: NoSampler) -> RecordError {
        match error {
            NoSampler::NoEngine(cause) => {
                RecordError::internal(format!("cannot find the lineheat executable: {cause}"))
            }
            NoSampler::Missing(path) => RecordError {
                kind: RecordErrorKind::NotFound,
                message: format!("the sampler is missing: {} does not exist", path.display()),
                advice: "Reinstall Lineheat, or build it: npm run build".to_owned(),
            },
        }
    }
}

impl RecordError {
    pub(crate) fn stopped() -> RecordError {
        RecordError {
            kind: RecordErrorKind::Stopped,
            message: "Stopped before the recording started: nothing was recorded.".to_owned(),
            advice: String::new(),
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.kind == RecordErrorKind::Stopped
    }

    /// The sampler has said nothing for so long, before it was ready. `how` it was, as the end of a sentence.
    pub(crate) fn silent_sampler(waited: Duration, how: &str) -> RecordError {
        RecordError {
            kind: RecordErrorKind::NoAnswer,
            message: format!(
                "the sampler did not respond for {:.0} s: {how}",
                waited.as_secs_f64()
            ),
            advice: "If something stopped it, continue it, or record again.".to_owned(),
        }
    }

    pub(crate) fn internal(message: String) -> RecordError {
        RecordError {
            kind: RecordErrorKind::Internal,
            message,
            advice: String::new(),
        }
    }

    pub(crate) fn other_sampler(version: u32) -> RecordError {
        RecordError {
            kind: RecordErrorKind::BuildMismatch,
            message: format!(
                "the sampler uses protocol version {version}, but this lineheat uses version {}",
                records::PROTOCOL_VERSION
            ),
            advice: "Install both from the same package, or build both: npm run build".to_owned(),
        }
    }

    /// Of a kernel on which no recording is tried.
    pub(crate) fn old_kernel(release: &str) -> Option<RecordError> {
        kernel_support::why_too_old(release).map(|message| RecordError {
            kind: RecordErrorKind::Unsupported,
            message,
            advice: "Record on a machine with a newer kernel, such as that of Debian 12, Ubuntu 24.04 or later.".to_owned(),
        })
    }

    pub(crate) fn sampler_gone(why: Option<String>, complaints: &str) -> RecordError {
        let mut message = "the sampler exited before it was ready".to_owned();
        for detail in why
            .iter()
            .map(String::as_str)
            .chain(complaints.lines().last())
        {
            message = format!("{message}: {detail}");
        }
        RecordError::internal(message)
    }

    /// Whether it is our rights or this kernel that the privileged sampler fails for, so that it is worth while to
    /// try without privilege.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self.kind,
            RecordErrorKind::NoPermission | RecordErrorKind::NoBpf | RecordErrorKind::NoAnswer
        )
    }

    /// When recording without privilege failed, too.
    pub(crate) fn and_without_privilege(self, other: RecordError) -> RecordError {
        if other.kind != RecordErrorKind::NoPermission {
            return other;
        }
        RecordError {
            message: format!(
                "{}. Recording without privileges failed too: {}",
                self.message, other.message
            ),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_kernel_is_refused_in_one_sentence() {
        let error = RecordError::old_kernel("5.10.0-46-cloud-amd64").unwrap();
        assert_eq!(error.kind, RecordErrorKind::Unsupported);
        assert!(error.message.contains("needs Linux 6.1 or newer"));
        assert_eq!(RecordError::old_kernel("6.1.0"), None);
    }
}
