//! Why a request could not be answered, as told to the editor.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use profile::{ErrorKind, ProfileError};
use recorder::{RecordError, RecordErrorKind};
pub use wire::failure::Kind as FailureKind;
use wire::reply::Body;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    pub advice: String,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            advice: String::new(),
        }
    }

    pub fn protocol(message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Protocol, message)
    }

    /// The editor names a run, view or row that the engine does not (or no longer) have.
    pub fn not_found(message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::NotFound, message)
    }
}

impl From<Failure> for Body {
    fn from(failure: Failure) -> Body {
        Body::Failure(wire::Failure {
            kind: failure.kind.into(),
            message: failure.message,
            advice: failure.advice,
        })
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Failure {
        let (kind, advice) = match error.kind {
            ErrorKind::NotFound => (
                FailureKind::NotFound,
                "It may have been moved or deleted; refresh the list of runs.",
            ),
            ErrorKind::Io => (
                FailureKind::Io,
                "Check the file's permissions and the disk.",
            ),
            ErrorKind::NotAProfile => (
                FailureKind::BadProfile,
                "Lineheat opens pprof files, such as its own runs and those of other profilers, and files of other tools (docs/formats.md lists them).",
            ),
            ErrorKind::Damaged => (
                FailureKind::BadProfile,
                "Record it again, or export it again from the program that wrote it.",
            ),
            ErrorKind::TooLarge => (
                FailureKind::TooLarge,
                "Record for a shorter time or at a lower rate.",
            ),
        };
        Failure {
            kind,
            message: error.message,
            advice: advice.to_owned(),
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        Failure {
            kind: kind_of(error.kind),
            message: error.message,
            advice: error.advice,
        }
    }
}

fn kind_of(kind: RecordErrorKind) -> FailureKind {
    match kind {
        RecordErrorKind::NotFound => FailureKind::NotFound,
        RecordErrorKind::NotExecutable => FailureKind::NotExecutable,
        RecordErrorKind::NotAllowed => FailureKind::NotAllowed,
        RecordErrorKind::NoPermission => FailureKind::NoPermission,
        RecordErrorKind::AdminOnly => FailureKind::AdminOnly,
        RecordErrorKind::NoBpf => FailureKind::NoBpf,
        RecordErrorKind::Unsupported => FailureKind::Unsupported,
        RecordErrorKind::BuildMismatch => FailureKind::BuildMismatch,
        RecordErrorKind::TooMany => FailureKind::TooMany,
        RecordErrorKind::TooLarge => FailureKind::TooLarge,
        RecordErrorKind::NotWritable => FailureKind::NotWritable,
        RecordErrorKind::Failed => FailureKind::Failed,
        RecordErrorKind::NoAnswer => FailureKind::NoAnswer,
        RecordErrorKind::Stopped => FailureKind::Stopped,
        RecordErrorKind::Internal => FailureKind::Internal,
    }
}

/// Runs `answer`; a fault of our own (a panic) fails only this request.
pub fn caught<T>(answer: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| {
        Err(Failure {
            kind: FailureKind::Internal,
            message: format!("Internal error in the engine: {}.", panic_text(&*panic)),
            advice: "Please report it, with the open file if you can share it.".to_owned(),
        })
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no details are known")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_with_its_words() {
        let failed = caught::<()>(|| panic!("row {} is missing", 7)).unwrap_err();
        assert_eq!(failed.kind, FailureKind::Internal);
        assert!(failed.message.contains("row 7 is missing"));
    }
}
