//! Files copied whole, and their digests.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};

use sha2::{Digest, Sha256};
use supervision::Urgency;

use super::hexadecimal;

const CHUNK_BYTES: usize = 1 << 20;

/// SHA-256, lower-case hexadecimal.
///
/// # Errors
/// As read(2), and when somebody waits for us to end.
pub fn digest_of(file: &File, urgency: &Urgency) -> io::Result<String> {
    let mut digest = Sha256::new();
    for_each_chunk(file, urgency, |chunk| {
        digest.update(chunk);
        Ok(())
    })?;
    Ok(hexadecimal(&digest.finalize()))
}

/// Makes `to`, a new file, a copy of `from`: for its owner alone, executable, and as old as `from`. Where the file system
/// can, both share their blocks until one is written (FICLONE in ioctl_ficlone(2)).
///
/// # Errors
/// As read(2) and write(2), and when somebody waits for us to end.
pub fn copy(from: &File, to: &File, urgency: &Urgency) -> io::Result<()> {
    if rustix::fs::ioctl_ficlone(to, from).is_err() {
        let mut to = to;
        for_each_chunk(from, urgency, |chunk| to.write_all(chunk))?;
    }
    to.set_permissions(Permissions::from_mode(0o700))?;
    // Sources that are younger than the program are not what it was built from.
    to.set_modified(from.metadata()?.modified()?)
}

/// The position of `file` stays: others read it from the beginning.
fn for_each_chunk(
    file: &File,
    urgency: &Urgency,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut at = 0;
    loop {
        if urgency.is_urgent() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read_at(&mut chunk, at) {
            Ok(0) => return Ok(()),
            Ok(bytes) => {
                take(&chunk[..bytes])?;
                at += bytes as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
