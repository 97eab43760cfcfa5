//! Builds of the user's programs that are kept, so that a later build can be compared with them: `.lineheat/builds`, beside
//! `.lineheat/runs`.
//!
//! A build is a folder named by the digest of its files: copies of the program and of the shared libraries of the workspace
//! that it had mapped, under their own file names, because functions are matched by them. A manifest beside them names
//! the program, when it was recorded and by which runs. Copies, never hard links: a linker may write in place. All changes
//! are made under a lock on the folder, and a copy runs only while its digest is right.

mod copying;
mod earlier;
mod keeping;
mod manifest;
mod not_kept;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use earlier::{EarlierBuild, EarlierSources, NoEarlierBuild};
pub use keeping::{BuildFile, RanBuild};
use manifest::Manifest;
pub use not_kept::NotKept;

/// Of one program.
const BUILDS_MAX: usize = 5;
/// Of all programs together.
const BYTES_MAX: u64 = 1 << 30;

/// Of the digest of a build, in its folder's name.
const ID_BYTES: usize = 20;

/// Where the builds of a workspace are kept.
#[derive(Debug, Clone)]
pub struct KeptBuilds {
    folder: PathBuf,
    runs: PathBuf,
    /// Shared libraries below it are kept with the program; None: no folder is open.
    workspace: Option<PathBuf>,
    /// Of all builds together.
    bytes_max: u64,
}

impl KeptBuilds {
    /// For a workspace whose runs are in this folder.
    pub fn beside(runs: &Path) -> Option<KeptBuilds> {
        let runs = std::path::absolute(runs).ok()?;
        let own = runs.parent()?;
        let workspace = own.parent().filter(|_| own.ends_with(".lineheat"));
        Some(KeptBuilds {
            folder: own.join("builds"),
            workspace: workspace.and_then(|folder| folder.canonicalize().ok()),
            runs,
            bytes_max: BYTES_MAX,
        })
    }

    /// Of one build: the earlier and the new one find room together.
    fn build_bytes_max(&self) -> u64 {
        self.bytes_max / 2
    }

    /// Whether a file changes with the workspace. What Lineheat keeps does not.
    pub(crate) fn is_own(&self, path: &Path) -> bool {
        let path = resolved(path);
        self.workspace.as_deref().is_some_and(|folder| {
            path.starts_with(folder) && !path.starts_with(folder.join(".lineheat"))
        })
    }
}

/// The loader names some libraries by a path through `..` (`$ORIGIN/../lib`) or a link.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The name of the folder of a build with these files.
fn id_of(manifest: &Manifest) -> String {
    let mut digest = Sha256::new();
    for file in &manifest.files {
        digest.update((file.name.len() as u64).to_le_bytes());
        digest.update(&file.name);
        digest.update(&file.sha256);
    }
    hexadecimal(&digest.finalize()[..ID_BYTES])
}

fn is_id(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.len() == 2 * ID_BYTES && bytes.iter().all(u8::is_ascii_hexdigit)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}
