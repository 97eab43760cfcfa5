//! Names and lines kept from one run to the next: a file for each build-id and choice of names, in the user's cache
//! folder. It is never needed: a file that is missing, damaged or of another version costs the time of reading the
//! debug information again, nothing else.

use std::ffi::{OsStr, OsString};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustc_hash::FxHasher;
use user_files::Folder;

use crate::cache_format::{FORMAT, decode, encode};
use crate::demangle::DemangleMode;
use crate::known::Known;

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
        let name = OsString::from(key.file_name()?);
        let file = Folder::open(self.folder).ok()?.read(&name).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return None;
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        (&file).take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        let known = decode(&bytes)?;
        // Used now: it goes last when room is needed. Its owner may set the time of a file that is open for reading only.
        let _ = file.set_modified(SystemTime::now());
        Some(known)
    }

    /// Keeps what is known. A folder that cannot be written keeps nothing.
    pub(crate) fn save(&self, key: &CacheKey, known: &Known) {
        let Some(name) = key.file_name() else { return };
        let bytes = encode(known);
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return;
        }
        let Ok(folder) = Folder::make(self.folder) else {
            return;
        };
        if write(&folder, name.as_ref(), &bytes).is_ok() {
            make_room(&folder);
        }
    }
}

fn write(folder: &Folder, name: &OsStr, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = OsString::from(format!(".{}-{number}.{EXTENSION}", std::process::id()));
    let written = folder
        .create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| folder.rename(&temporary, name));
    if written.is_err() {
        let _ = folder.remove(&temporary);
    }
    written
}

/// Removes the files that were not used for longest, until the rest fits.
fn make_room(folder: &Folder) {
    let mut files: Vec<(SystemTime, u64, OsString)> = (folder.names().unwrap_or_default())
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == EXTENSION))
        .filter_map(|name| {
            let metadata = folder.read(&name).ok()?.metadata().ok()?;
            let file = metadata.is_file().then_some(metadata)?;
            Some((file.modified().ok()?, file.len(), name))
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let mut total = 0u64;
    for (_, bytes, name) in files {
        total = total.saturating_add(bytes);
        if total > FOLDER_BYTES_MAX {
            let _ = folder.remove(&name);
        }
    }
}

/// `lineheat/symbols` below `XDG_CACHE_HOME` or `~/.cache`, under sudo that of the user who called it; `None`: the user has
/// no home.
pub fn user_folder() -> Option<PathBuf> {
    if let Some(user) = user_files::invoker() {
        // The environment may still name root's.
        return Some(user.home()?.join(".cache/lineheat/symbols"));
    }
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("lineheat/symbols"))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
