//! Programs of a workspace that could be profiled.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use symbolize::inspect_executable;
use wire::{Executable, ExecutableList, FindExecutablesRequest};

use super::source_paths::{FolderWalk, SKIPPED_FOLDERS};

const LIMIT_DEFAULT: usize = 200;
/// Below a build folder of Cargo: hashed copies and build scripts.
const CARGO_INTERNALS: [&str; 4] = ["deps", "build", "incremental", ".fingerprint"];
/// Where CMake and Meson keep the programs that only check the compiler.
const PROBES: [&str; 2] = ["CMakeFiles", "meson-private"];

/// Executable ELF programs below the asked directories (or only the asked files), newest first.
pub fn find(request: &FindExecutablesRequest) -> ExecutableList {
    let paths: BTreeSet<PathBuf> = if request.files.is_empty() {
        request
            .directories
            .iter()
            .flat_map(|folder| candidates(Path::new(folder)))
            .collect()
    } else {
        request.files.iter().map(PathBuf::from).collect()
    };
    let limit = match request.limit {
        0 => LIMIT_DEFAULT,
        limit => limit as usize,
    };
    let mut executables: Vec<Executable> = paths.iter().filter_map(|path| inspect(path)).collect();
    executables.sort_by_key(|executable| std::cmp::Reverse(executable.modified_unix_ms));
    let cut = executables.len() > limit;
    executables.truncate(limit);
    ExecutableList { executables, cut }
}

fn candidates(folder: &Path) -> Vec<PathBuf> {
    let enter = |folder: &Path, name: &str| {
        let is_cargo = || {
            folder
                .ancestors()
                .take(3)
                .any(|above| above.join("CACHEDIR.TAG").exists())
        };
        match name {
            name if PROBES.contains(&name) => false,
            name if SKIPPED_FOLDERS.contains(&name) => name == "target",
            name if CARGO_INTERNALS.contains(&name) => !is_cargo(),
            _ => true,
        }
    };
    FolderWalk::new(folder, enter)
        .filter(|path| {
            fs::metadata(path).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        })
        .collect()
}

fn inspect(path: &Path) -> Option<Executable> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.permissions().mode() & 0o111 == 0 {
        return None;
    }
    let found = inspect_executable(path)?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Executable {
        path: path.to_string_lossy().into_owned(),
        has_debug_lines: found.has_debug_lines,
        stripped: found.is_stripped,
        build_id: found.build_id,
        modified_unix_ms: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
    })
}
