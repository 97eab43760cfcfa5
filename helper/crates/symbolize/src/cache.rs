//! Names and lines kept from one run to the next: a file for each build-id and choice of names, in the user's cache
//! folder. It is never needed: a file that is missing, damaged or of another version costs the time of reading the
//! debug information again, nothing else.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustc_hash::FxHasher;

use crate::cache_format::{FORMAT, decode, encode};
use crate::demangle::DemangleMode;
use crate::known::Known;
use crate::module::open_regular;

/// Of one file: some 300,000 addresses.
const FILE_BYTES_MAX: u64 = 48 << 20;
/// Of all files together; the longest unused go first.
const FOLDER_BYTES_MAX: u64 = 256 << 20;
const EXTENSION: &str = "symbols";

/// What must be the same for kept names to hold.
pub(crate) struct CacheKey<'a> {
    /// Empty: the module has none, and nothing is kept.
    pub(crate) build_id: &'a str,
    pub(crate) mode: DemangleMode,
    pub(crate) module_bytes: usize,
    /// Debug file, shared part, package.
    pub(crate) others: [Option<String>; 3],
}

impl CacheKey<'_> {
    fn file_name(&self) -> Option<String> {
        let is_plain = self.build_id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.build_id.len() < 8 || self.build_id.len() > 128 || !is_plain {
            return None;
        }
        let mut hasher = FxHasher::default();
        (FORMAT, env!("CARGO_PKG_VERSION"), self.mode as u8).hash(&mut hasher);
        (self.module_bytes, &self.others).hash(&mut hasher);
        Some(format!(
            "{}-{:016x}.{EXTENSION}",
            self.build_id,
            hasher.finish()
        ))
    }
}

pub(crate) struct Cache<'a> {
    folder: &'a Path,
}

impl<'a> Cache<'a> {
    pub(crate) fn in_folder(folder: &'a Path) -> Cache<'a> {
        Cache { folder }
    }

    /// What was kept for `key`; `None`: nothing, or nothing that can be read.
    pub(crate) fn load(&self, key: &CacheKey) -> Option<Known> {
        let path = self.folder.join(key.file_name()?);
        let file = open_regular(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return None;
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        (&file).take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        let known = decode(&bytes)?;
        // Used now: it goes last when room is needed. Nothing is lost if that cannot be written.
        let _ = File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(known)
    }

    /// Keeps what is known. A folder that cannot be written keeps nothing.
    pub(crate) fn save(&self, key: &CacheKey, known: &Known) {
        let Some(name) = key.file_name() else { return };
        let bytes = encode(known);
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return;
        }
        if self.write(&name, &bytes).is_ok() {
            self.make_room();
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(self.folder)?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = self
            .folder
            .join(format!(".{}-{number}.{EXTENSION}", std::process::id()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&temporary, self.folder.join(name)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the files that were not used for longest, until the rest fits.
    fn make_room(&self) {
        let Ok(entries) = self.folder.read_dir() else {
            return;
        };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                if path.extension()? != EXTENSION {
                    return None;
                }
                let metadata = path.symlink_metadata().ok().filter(|file| file.is_file())?;
                Some((metadata.modified().ok()?, metadata.len(), path))
            })
            .collect();
        files.sort_unstable_by(|a, b| b.cmp(a));
        let mut total = 0u64;
        for (_, bytes, path) in files {
            total = total.saturating_add(bytes);
            if total > FOLDER_BYTES_MAX {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// `lineheat/symbols` below `XDG_CACHE_HOME` or `~/.cache`; `None`: the user has no home.
pub fn user_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("lineheat/symbols"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(build_id: &str) -> CacheKey<'_> {
        CacheKey {
            build_id,
            mode: DemangleMode::Templates,
            module_bytes: 1000,
            others: [None, None, None],
        }
    }

    #[test]
    fn what_was_kept_comes_back_under_its_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let known = Known {
            has_lines: true,
            ..Known::default()
        };
        cache.save(&key("0123456789abcdef"), &known);
        assert_eq!(cache.load(&key("0123456789abcdef")), Some(known));
        assert_eq!(cache.load(&key("0123456789abcdee")), None);
        let other_mode = CacheKey {
            mode: DemangleMode::Full,
            ..key("0123456789abcdef")
        };
        assert_eq!(cache.load(&other_mode), None);
        // Nothing is kept without a build-id, nor under one that is none.
        for build_id in ["", "0123", "../../../../etc"] {
            assert_eq!(key(build_id).file_name(), None);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let below = file.join("below");
        let cache = Cache::in_folder(&below);
        cache.save(&key("0123456789abcdef"), &Known::default());
        assert_eq!(cache.load(&key("0123456789abcdef")), None);
    }
}
