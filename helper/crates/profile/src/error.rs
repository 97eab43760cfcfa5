//! Why a profile could not be read or written, as a sentence.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// No such file.
    NotFound,
    /// The system refused or failed.
    Io,
    /// Something else than a pprof profile.
    NotAProfile,
    /// A profile that contradicts itself or ends early.
    Damaged,
    /// Larger than [`crate::Limits`] allows.
    TooLarge,
}

/// `message` names the thing, what was wanted and what was got; it is one or more full sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileError {
    pub kind: ErrorKind,
    pub message: String,
}

impl ProfileError {
    pub fn damaged(message: impl Into<String>) -> Self {
        ProfileError {
            kind: ErrorKind::Damaged,
            message: message.into(),
        }
    }

    pub fn too_large(message: impl Into<String>) -> Self {
        ProfileError {
            kind: ErrorKind::TooLarge,
            message: message.into(),
        }
    }

    pub(crate) fn not_a_profile(message: impl Into<String>) -> Self {
        ProfileError {
            kind: ErrorKind::NotAProfile,
            message: message.into(),
        }
    }

    pub(crate) fn io(doing: &str, error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        ProfileError {
            kind,
            message: format!("{doing}: {error}."),
        }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProfileError {}
