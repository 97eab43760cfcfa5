//! Names and lines kept from one run to the next: a file for each build-id and choice of names, in the user's cache
//! folder. It is never needed: a file that is missing, damaged or of another version costs the time of reading the
//! debug information again, nothing else.

use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustc_hash::FxHasher;
use user_files::{Folder, KeptFiles};

use crate::cache_format::{FORMAT, decode, encode};
use crate::demangle::DemangleMode;
use crate::known::Known;

/// Of one file: some 300,000 addresses.
const FILE_BYTES_MAX: u64 = 48 << 20;
const FILES: KeptFiles = KeptFiles {
    extension: "symbols",
    bytes_max: 256 << 20,
    file_bytes_min: 16 << 10,
};
/// Room is made each time that so much was saved: looking at the whole folder for each module of thousands takes longer
/// than reading them.
const TIDY_EVERY_BYTES: u64 = 16 << 20;
/// A module without other files that is no larger is read as fast as what would be kept of it.
const MODULE_BYTES_MIN: usize = 32 << 10;

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
        let has_others = self.others.iter().any(Option::is_some);
        if self.module_bytes < MODULE_BYTES_MIN && !has_others {
            return None;
        }
        let is_plain = self.build_id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.build_id.len() < 8 || self.build_id.len() > 128 || !is_plain {
            return None;
        }
        let mut hasher = FxHasher::default();
        (FORMAT, env!("CARGO_PKG_VERSION"), self.mode as u8).hash(&mut hasher);
        (self.module_bytes, &self.others).hash(&mut hasher);
        Some(format!(
            "{}-{:016x}.{}",
            self.build_id,
            hasher.finish(),
            FILES.extension
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
        if FILES.write(&folder, name.as_ref(), &[&bytes]).is_ok() {
            let saved = (bytes.len() as u64).max(FILES.file_bytes_min);
            let untidied = UNTIDIED_BYTES.fetch_add(saved, Ordering::Relaxed) + saved;
            if untidied >= TIDY_EVERY_BYTES {
                UNTIDIED_BYTES.store(0, Ordering::Relaxed);
                FILES.make_room(&folder);
            }
        }
    }
}

/// Saved by this process since it made room. A process may be ended once it has said what it found, so it makes room for
/// the next ones with its first file.
static UNTIDIED_BYTES: AtomicU64 = AtomicU64::new(TIDY_EVERY_BYTES);

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
            module_bytes: 1 << 20,
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
    fn of_a_small_module_nothing_is_kept_unless_it_has_other_files() {
        let small = CacheKey {
            module_bytes: 20_000,
            ..key("0123456789abcdef")
        };
        assert_eq!(small.file_name(), None);
        let with_debug_file = CacheKey {
            others: [Some("debug file".to_owned()), None, None],
            ..small
        };
        assert!(with_debug_file.file_name().is_some());
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
