//! Run files on disk: opened only when regular, replaced only as a whole.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::columns::Profile;
use crate::encode::bytes;
use crate::error::{ErrorKind, ProfileError};
use crate::inflate::is_gzip;
use crate::journal::{is_journal, run_of_journal};
use crate::limits::Limits;
use crate::recovery::recovered;

type Result<T> = std::result::Result<T, ProfileError>;

/// As the kernel has it on x86-64 and arm64: a FIFO must not make us wait before we see that it is one.
const O_NONBLOCK: i32 = 0o4000;

impl Profile {
    /// Opens a pprof file within the usual limits. What a recording left that did not end properly is recovered.
    ///
    /// # Errors
    /// As [`Profile::read`]; also `NotFound` and `Io`. The message starts with the path.
    pub fn open(path: &Path) -> Result<Profile> {
        let limits = Limits::default();
        recovered(path, &limits)
            .and_then(|profile| match profile {
                Some(profile) => Ok(profile),
                None => read_regular_file(path, limits.inflated_bytes)
                    .and_then(|bytes| refuse_journal(path, bytes))
                    .and_then(|bytes| Profile::read(&bytes, &limits)),
            })
            .map_err(|error| ProfileError {
                message: format!("{}: {}", path.display(), error.message),
                ..error
            })
    }
}

/// A journal is opened by the name of its run.
fn refuse_journal(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if !is_journal(&bytes) {
        return Ok(bytes);
    }
    let what = "The file is the journal of a recording that was not saved, not a run";
    Err(ProfileError::not_a_profile(match run_of_journal(path) {
        Some(run) => format!(
            "{what}. Open {} instead: the run is recovered from the journal.",
            run.display()
        ),
        None => format!(
            "{what}. Rename it to {0}.journal and open {0}: the run is recovered from the journal.",
            path.display()
        ),
    }))
}

pub fn read_regular_file(path: &Path, limit: usize) -> Result<Vec<u8>> {
    let cannot = |error: &io::Error| ProfileError::io("The file cannot be read", error);
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_NONBLOCK);
    let file = options.open(path).map_err(|e| cannot(&e))?;
    let metadata = file.metadata().map_err(|e| cannot(&e))?;
    if !metadata.is_file() {
        return Err(ProfileError::not_a_profile(
            "It is not a regular file; a pprof profile was wanted.",
        ));
    }
    if metadata.len() > limit as u64 {
        return Err(ProfileError::too_large(format!(
            "The file is larger than {} MiB; Lineheat reads at most that.",
            limit >> 20
        )));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(limit as u64)
        .read_to_end(&mut bytes)
        .map_err(|e| cannot(&e))?;
    Ok(bytes)
}

/// Writes `profile` to `path`, mode 0600, by way of a temporary file beside it: `path` holds the old file or the
/// whole new one, whatever happens. A missing folder is made, mode 0700.
pub fn save(profile: &Profile, path: &Path) -> Result<()> {
    replace(path, Permissions::from_mode(0o600), |file| {
        let mut buffered = BufWriter::new(file);
        profile.write(&mut buffered)?;
        buffered.flush()
    })
}

/// Gives a run another name by appending it; everything else in the file stays as it is, byte for byte.
pub fn rename_run(path: &Path, name: &str) -> Result<()> {
    let failed = |error: &io::Error| {
        ProfileError::io(
            &format!("{}: the run cannot be renamed", path.display()),
            error,
        )
    };
    let limits = Limits::default();
    if name.len() > limits.string_bytes {
        return Err(ProfileError::too_large(format!(
            "A name of {} bytes is too long for a run.",
            name.len()
        )));
    }
    let mut old = read_regular_file(path, limits.inflated_bytes)?;
    let permissions = fs::metadata(path).map_err(|e| failed(&e))?.permissions();
    let (mut run, mut field) = (Vec::new(), Vec::new());
    bytes(&mut run, 2, name.as_bytes());
    bytes(&mut field, 7001, &run);
    if is_gzip(&old) {
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        field = member
            .write_all(&field)
            .and_then(|()| member.finish())
            .map_err(|e| failed(&e))?;
    }
    old.extend_from_slice(&field);
    Profile::read(&old, &limits)?;
    replace(path, permissions, |file| file.write_all(&old))
}

fn replace(
    path: &Path,
    permissions: Permissions,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<()> {
    let doing = format!("{}: the run cannot be saved", path.display());
    let Some(name) = path.file_name() else {
        return Err(ProfileError {
            kind: ErrorKind::Io,
            message: format!("{doing}: the path names no file."),
        });
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary = folder.join(format!(".{}.{}", name.to_string_lossy(), unique_suffix()));
    write_and_rename(folder, &temporary, path, permissions, write).map_err(|error| {
        // The rename did not happen, or there is nothing left to remove.
        let _ = fs::remove_file(&temporary);
        ProfileError::io(&doing, &error)
    })
}

fn write_and_rename(
    folder: &Path,
    temporary: &PathBuf,
    path: &Path,
    permissions: Permissions,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(temporary)?;
    write(&mut file)?;
    file.set_permissions(permissions)?;
    file.sync_all()?;
    fs::rename(temporary, path)?;
    File::open(folder)?.sync_all()
}

fn unique_suffix() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    format!(
        "{}-{}.tmp",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    )
}
