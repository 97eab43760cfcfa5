//! What is known of a kept build: `build.json` beside its files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use user_files::Folder;

pub const NAME: &str = "build.json";
const TEMPORARY: &str = ".build.json";
const FORMAT: u32 = 1;
const BYTES_MAX: u64 = 1 << 20;
/// The first one and the latest.
const RUNS_MAX: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The program's path, as it is shown.
    pub program: String,
    /// Empty: it has none.
    pub build_id: String,
    /// When it was recorded last.
    pub recorded_unix_ms: u64,
    /// The program first.
    pub files: Vec<KeptFile>,
    /// Names of the runs that recorded it, in `.lineheat/runs`; the earliest first.
    pub runs: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// In the folder of the build.
    pub name: String,
    /// Where it was mapped from, as it is shown.
    pub path: String,
    /// Lower-case hexadecimal.
    pub sha256: String,
    pub stamp: Stamp,
}

/// What a file was when it was recorded. The file system changes it with each write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    inode: u64,
    modified_ns: i128,
    changed_ns: i128,
}

impl Stamp {
    /// # Errors
    /// As fstat(2); also for what is no regular file.
    pub fn of(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let ns = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Ok(Stamp {
            bytes: metadata.len(),
            inode: metadata.ino(),
            modified_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

impl Manifest {
    pub fn new(program: String, build_id: &str, files: Vec<KeptFile>) -> Manifest {
        Manifest {
            format: FORMAT,
            program,
            build_id: build_id.to_owned(),
            recorded_unix_ms: 0,
            files,
            runs: Vec::new(),
        }
    }

    /// # Errors
    /// When there is none that this version understands.
    pub fn read(folder: &Folder) -> io::Result<Manifest> {
        let file = folder.read(OsStr::new(NAME))?;
        let mut bytes = Vec::new();
        if file.metadata()?.is_file() {
            file.take(BYTES_MAX).read_to_end(&mut bytes)?;
        }
        let manifest: Manifest = serde_json::from_slice(&bytes)?;
        let is_plain =
            |name: &str| !name.is_empty() && name != "." && name != ".." && !name.contains('/');
        let names = manifest.files.iter().map(|file| &file.name);
        let is_sound = manifest.format == FORMAT
            && !manifest.files.is_empty()
            && names.chain(&manifest.runs).all(|name| is_plain(name));
        match is_sound {
            true => Ok(manifest),
            false => Err(io::Error::other("not a manifest of this version")),
        }
    }

    /// # Errors
    /// As open(2), write(2) and rename(2).
    pub fn write(&self, folder: &Folder) -> io::Result<()> {
        let _ = folder.remove(OsStr::new(TEMPORARY));
        let mut file = folder.create(OsStr::new(TEMPORARY))?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        folder.rename(OsStr::new(TEMPORARY), OsStr::new(NAME))
    }

    pub fn add_run(&mut self, name: &str) {
        if self.runs.iter().any(|run| run == name) {
            return;
        }
        if self.runs.len() == RUNS_MAX {
            self.runs.remove(1);
        }
        self.runs.push(name.to_owned());
    }
}

pub fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
