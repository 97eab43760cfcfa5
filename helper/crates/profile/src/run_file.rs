//! Run files on disk: replaced only as a whole.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use user_files::{Folder, folder_of};

use crate::columns::Profile;
use crate::encode::bytes;
use crate::error::ProfileError;
use crate::inflate::is_gzip;
use crate::limits::Limits;
use crate::regular_file::read_regular;

type Result<T> = std::result::Result<T, ProfileError>;

/// Where a run is written: a name in a folder that is held open, so that nothing is written elsewhere if somebody changes
/// the path meanwhile. Written with the rights of the user behind sudo, if there is one.
#[derive(Debug)]
pub struct RunFile {
    folder: Folder,
    name: OsString,
    path: PathBuf,
}

impl RunFile {
    /// For a run at `path`; folders that are missing are made, mode 0700.
    ///
    /// # Errors
    /// When the folder cannot be had, or something else than a regular file has the name.
    pub fn new(path: &Path) -> io::Result<RunFile> {
        RunFile::in_folder(path, Folder::make)
    }

    /// The same in a folder that is there.
    pub fn existing(path: &Path) -> io::Result<RunFile> {
        RunFile::in_folder(path, Folder::open)
    }

    fn in_folder(path: &Path, open: fn(&Path) -> io::Result<Folder>) -> io::Result<RunFile> {
        let name = path.file_name();
        let name = name.ok_or_else(|| io::Error::other("the path names no file"))?;
        let run = RunFile {
            folder: open(folder_of(path))?,
            name: name.to_owned(),
            path: path.to_owned(),
        };
        match run.folder.kind(name)? {
            None => Ok(run),
            Some(kind) if kind.is_file() => Ok(run),
            Some(kind) if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Some(kind) if kind.is_symlink() => Err(io::Error::other(
                "it is a symbolic link, and Lineheat never writes a run through one",
            )),
            Some(_) => Err(io::Error::other("it is not a regular file")),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    /// Whether files can be made where the run will be.
    pub fn try_folder(&self) -> io::Result<()> {
        let temporary = self.temporary_name();
        self.folder.create(&temporary)?;
        self.folder.remove(&temporary)
    }

    /// Writes `profile`, mode 0600, by way of a temporary file beside it: there is the old file or the whole new one,
    /// whatever happens.
    ///
    /// # Errors
    /// When it cannot be written; the message starts with the path.
    pub fn save(&self, profile: &Profile) -> Result<()> {
        let write = |folder: &Folder| {
            self.replace_in(folder, &Permissions::from_mode(0o600), |file| {
                let mut buffered = BufWriter::new(file);
                profile.write(&mut buffered)?;
                buffered.flush()
            })
        };
        let written = match write(&self.folder) {
            // Somebody has removed the folder since.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Folder::make(self.folder.path()).and_then(|again| write(&again))
            }
            written => written,
        };
        written.map_err(|error| self.not_saved(&error))
    }

    fn not_saved(&self, error: &io::Error) -> ProfileError {
        let path = self.path.display();
        ProfileError::io(&format!("{path}: cannot save the run"), error)
    }

    fn replace_in(
        &self,
        folder: &Folder,
        permissions: &Permissions,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let temporary = self.temporary_name();
        let mut file = folder.create(&temporary)?;
        let replaced = write(&mut file)
            .and_then(|()| file.set_permissions(permissions.clone()))
            .and_then(|()| file.sync_all())
            .and_then(|()| folder.rename(&temporary, &self.name));
        if let Err(error) = replaced {
            let _ = folder.remove(&temporary);
            return Err(error);
        }
        folder.sync()
    }

    fn temporary_name(&self) -> OsString {
        format!(".{}.{}", self.name.to_string_lossy(), unique_suffix()).into()
    }
}

/// Writes `profile` to `path`, as [`RunFile::save`] does. A missing folder is made, mode 0700.
pub fn save(profile: &Profile, path: &Path) -> Result<()> {
    let doing = || format!("{}: cannot save the run", path.display());
    RunFile::new(path)
        .map_err(|e| ProfileError::io(&doing(), &e))?
        .save(profile)
}

/// Gives a run another name by appending it; everything else in the file stays as it is, byte for byte.
pub fn rename_run(path: &Path, name: &str) -> Result<()> {
    let failed = |error: &io::Error| {
        ProfileError::io(&format!("{}: cannot rename the run", path.display()), error)
    };
    let limits = Limits::default();
    if name.len() > limits.string_bytes {
        return Err(ProfileError::too_large(format!(
            "A name of {} bytes is too long for a run.",
            name.len()
        )));
    }
    let run_file = RunFile::existing(path).map_err(|e| failed(&e))?;
    let file = (run_file.folder.read(&run_file.name)).map_err(|e| failed(&e))?;
    let permissions = file.metadata().map_err(|e| failed(&e))?.permissions();
    let mut old = read_regular(file, limits.inflated_bytes)?;
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
    let replaced = run_file.replace_in(&run_file.folder, &permissions, |file| file.write_all(&old));
    replaced.map_err(|e| run_file.not_saved(&e))
}

fn unique_suffix() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    format!(
        "{}-{}.tmp",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    )
}
