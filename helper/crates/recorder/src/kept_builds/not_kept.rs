//! Why a build that was to be kept is not, in sentences.

use std::io;

/// There is no copy of the build that was recorded.
#[derive(Debug)]
pub enum NotKept {
    /// All its files together.
    TooLarge { bytes: u64, bytes_max: u64 },
    /// Its file is another one than was recorded, or gone.
    Replaced,
    /// What was recorded could not be opened.
    Unreadable,
    /// What the file system said.
    Failed(io::Error),
}

impl From<io::Error> for NotKept {
    fn from(error: io::Error) -> NotKept {
        NotKept::Failed(error)
    }
}

impl NotKept {
    /// For the user, as `advice`.
    pub fn sentence(&self) -> String {
        let why = match self {
            Self::TooLarge { bytes, bytes_max } => format!(
                "its files have {} MiB, and the limit is {} MiB",
                bytes >> 20,
                bytes_max >> 20
            ),
            Self::Replaced => "its file was replaced during the recording".to_owned(),
            Self::Unreadable => "its file could not be read".to_owned(),
            Self::Failed(error) => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "the disk is full".to_owned()
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    format!("the folder .lineheat/builds cannot be written ({error})")
                }
                io::ErrorKind::Interrupted => "the recording was ended immediately".to_owned(),
                _ => error.to_string(),
            },
        };
        format!("The build that was profiled last is not kept: {why}.")
    }

    /// What the user can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => {
                "Copy the earlier build yourself, and compare both with `lineheat compare-commands`."
            }
            Self::Replaced => "Profile it again while nothing is being built.",
            Self::Unreadable => "Make the program readable, and profile it again.",
            Self::Failed(error) => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "Free some space, and profile it again."
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "Change the permissions of the folder, and profile it again."
                }
                io::ErrorKind::Interrupted => "Profile it again, and let the recording be saved.",
                _ => "Check the folder .lineheat/builds, and profile it again.",
            },
        }
    }
}
