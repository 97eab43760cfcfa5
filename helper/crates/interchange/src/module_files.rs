//! The file of a module that a profile names: at its path, or beside the profile, where a user can put it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use symbolize::LoadedFile;

pub struct FoundFile {
    pub path: PathBuf,
    pub loaded: LoadedFile,
    /// That this is the very file that was profiled.
    pub certainty: Certainty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It has the build-id that the profile names.
    SameBuild,
    /// The profile names none.
    Unknown,
    /// The same, and it is at its path, written after the profile.
    IsNewer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    NoFile,
    /// There is one with another build-id.
    OtherBuild,
}

/// `build_id`: lower-case hexadecimal; "": the profile names none.
///
/// # Errors
/// Why there is none.
pub fn find(module: &str, build_id: &str, profile: &Path) -> Result<FoundFile, NotFound> {
    let module = Path::new(module.strip_suffix(" (deleted)").unwrap_or(module));
    let beside = (module.file_name()).map(|name| profile.with_file_name(name));
    let at_path = module.is_absolute().then(|| module.to_owned());
    let mut not_found = NotFound::NoFile;
    for path in beside.into_iter().chain(at_path) {
        let Ok(loaded) = LoadedFile::at_path(&path) else {
            continue;
        };
        // The profile may have the first bytes of it only.
        if !loaded.build_id.starts_with(build_id) {
            not_found = NotFound::OtherBuild;
            continue;
        }
        let certainty = match build_id.is_empty() {
            false => Certainty::SameBuild,
            // A copy is as new as its copying.
            true if path == module && modified(&path) > modified(profile) => Certainty::IsNewer,
            true => Certainty::Unknown,
        };
        return Ok(FoundFile {
            path,
            loaded,
            certainty,
        });
    }
    Err(not_found)
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|of| of.modified()).ok()
}
