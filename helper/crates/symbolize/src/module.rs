//! The file or bytes of a module, opened so that no device, pipe or absurd size can hurt.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::truncation::GuardedMap;

/// The largest file that is read: more than any debug file seen, and addressable beside its neighbours.
const FILE_BYTES_MAX: u64 = 16 << 30;

/// A module whose addresses are asked for.
#[derive(Debug)]
pub struct ModuleFile {
    path: PathBuf,
    pub(crate) content: Content,
    pub(crate) expected_build_id: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Content {
    AtPath,
    Opened(File),
    Bytes(Vec<u8>),
}

impl ModuleFile {
    /// The module is the file at `path`, opened when it is symbolized.
    pub fn at_path(path: impl Into<PathBuf>) -> ModuleFile {
        ModuleFile {
            path: path.into(),
            content: Content::AtPath,
            expected_build_id: None,
        }
    }

    /// The module is an open file (of `/proc/PID/map_files`, say); `path` is its name in the target.
    pub fn opened(path: impl Into<PathBuf>, file: File) -> ModuleFile {
        ModuleFile {
            path: path.into(),
            content: Content::Opened(file),
            expected_build_id: None,
        }
    }

    /// The module is an ELF image in memory, such as the vDSO.
    pub fn from_bytes(name: impl Into<PathBuf>, bytes: Vec<u8>) -> ModuleFile {
        ModuleFile {
            path: name.into(),
            content: Content::Bytes(bytes),
            expected_build_id: None,
        }
    }

    /// Symbols are given only if the file has this build-id (hexadecimal): another file has taken its place otherwise.
    pub fn expecting_build_id(mut self, build_id: impl Into<String>) -> ModuleFile {
        self.expected_build_id = Some(build_id.into().to_ascii_lowercase());
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn image(&self) -> Result<Image<'_>, String> {
        match &self.content {
            Content::AtPath => map_file(&open_regular(&self.path)?, &self.path).map(Image::Mapped),
            Content::Opened(file) => map_file(file, &self.path).map(Image::Mapped),
            Content::Bytes(bytes) => Ok(Image::Borrowed(bytes)),
        }
    }
}

/// The bytes of a module for as long as it is looked at.
pub(crate) enum Image<'a> {
    Mapped(GuardedMap),
    Borrowed(&'a [u8]),
}

impl Image<'_> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Image::Mapped(map) => map,
            Image::Borrowed(bytes) => bytes,
        }
    }

    /// The file became shorter while it was read.
    pub(crate) fn was_cut(&self) -> bool {
        match self {
            Image::Mapped(map) => map.was_cut(),
            Image::Borrowed(_) => false,
        }
    }
}

/// Opens without ever waiting (a FIFO would) and without becoming a controlling terminal.
pub(crate) fn open_regular(path: &Path) -> Result<File, String> {
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC)
        .open(path)
        .map_err(|error| format!("Cannot open {}: {error}.", path.display()))
}

pub(crate) fn map_file(file: &File, path: &Path) -> Result<GuardedMap, String> {
    let metadata = file
        .metadata()
        .map_err(|error| format!("Cannot examine {}: {error}.", path.display()))?;
    if !metadata.is_file() {
        return Err(format!("{} is not a regular file.", path.display()));
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(format!(
            "{} has {} bytes, more than the maximum of {FILE_BYTES_MAX}.",
            path.display(),
            metadata.len()
        ));
    }
    GuardedMap::of(file).map_err(|error| format!("Cannot map {}: {error}.", path.display()))
}
