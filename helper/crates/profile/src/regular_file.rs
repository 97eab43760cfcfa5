//! Files are read only when they are regular, and up to a limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::error::ProfileError;

type Result<T> = std::result::Result<T, ProfileError>;

/// As the kernel has it on x86-64 and arm64: a FIFO must not make us wait before we see that it is one.
const O_NONBLOCK: i32 = 0o4000;

pub fn read_regular_file(path: &Path, limit: usize) -> Result<Vec<u8>> {
    read_regular(open_file(path)?, limit)
}

pub fn open_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_NONBLOCK);
    (options.open(path)).map_err(|error| ProfileError::io("The file cannot be read", &error))
}

/// What is in a file that was opened without waiting.
pub fn read_regular(file: File, limit: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_to_end(file, limit, &mut bytes)?;
    Ok(bytes)
}

pub fn read_to_end(file: File, limit: usize, bytes: &mut Vec<u8>) -> Result<()> {
    let cannot = |error: &io::Error| ProfileError::io("The file cannot be read", error);
    let metadata = file.metadata().map_err(|e| cannot(&e))?;
    if !metadata.is_file() {
        return Err(ProfileError::not_a_profile(
            "It is not a regular file, so it cannot be a pprof profile.",
        ));
    }
    if metadata.len() > limit as u64 {
        return Err(ProfileError::too_large(format!(
            "The file is larger than {} MiB, the maximum that Lineheat reads.",
            limit >> 20
        )));
    }
    bytes.reserve(metadata.len() as usize);
    file.take(limit as u64)
        .read_to_end(bytes)
        .map_err(|e| cannot(&e))?;
    Ok(())
}
