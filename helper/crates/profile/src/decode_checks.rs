//! What is refused in any part of a pprof file: too much of something, and strings that are not there.

use crate::error::{ErrorKind, ProfileError};
use crate::strings::{StringId, Strings};

type Result<T> = std::result::Result<T, ProfileError>;

pub fn too_many(what: &str, limit: usize) -> ProfileError {
    ProfileError {
        kind: ErrorKind::TooLarge,
        message: format!(
            "The profile has more than {limit} {what}; Lineheat reads at most that many."
        ),
    }
}

/// Index into the string table, checked against its length when that is known.
pub fn string_id(raw: u64, of: &str) -> Result<StringId> {
    StringId::try_from(raw).map_err(|_| no_such_string(raw, of))
}

pub fn check_string(strings: &Strings, id: StringId, of: &str) -> Result<()> {
    match (id as usize) < strings.len() {
        true => Ok(()),
        false => Err(no_such_string(u64::from(id), of)),
    }
}

fn no_such_string(raw: u64, of: &str) -> ProfileError {
    ProfileError::damaged(format!(
        "A {of} refers to entry {} of the string table, which does not exist.",
        raw as i64
    ))
}
