//! Finds the separate debug file of a stripped module, and the shared part (`dwz`) of a debug file.
//!
//! A candidate counts only when it is proven to belong: by build-id, or by the CRC of its `.gnu_debuglink`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::Object;

use crate::elf::{Elf, hexadecimal};
use crate::module::{map_file, open_regular};
use crate::truncation::GuardedMap;

pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) map: GuardedMap,
}

/// The debug file that `module` (at `path`) names by build-id or link, below `directories` or beside it.
pub(crate) fn find(module: &Elf, path: &Path, directories: &[PathBuf]) -> Option<Found> {
    by_build_id(&module.build_id, directories).or_else(|| by_link(module, path, directories))
}

fn by_build_id(build_id: &str, directories: &[PathBuf]) -> Option<Found> {
    let (first, rest) = build_id.split_at_checked(2)?;
    if rest.is_empty() {
        return None;
    }
    directories.iter().find_map(|directory| {
        let candidate = directory
            .join(".build-id")
            .join(first)
            .join(format!("{rest}.debug"));
        mapped(candidate).filter(|found| belongs(found, build_id))
    })
}

/// The debug file at `path`, which a debuginfod client has given for `build_id`.
pub(crate) fn fetched(path: PathBuf, build_id: &str) -> Option<Found> {
    mapped(path).filter(|found| belongs(found, build_id))
}

fn by_link(module: &Elf, path: &Path, directories: &[PathBuf]) -> Option<Found> {
    let (name, crc) = module.object.gnu_debuglink().ok()??;
    let name = plain_file_name(name)?;
    let folder = path.parent()?;
    let below_root = folder.strip_prefix("/").unwrap_or(folder);
    let mut candidates = vec![folder.join(name), folder.join(".debug").join(name)];
    candidates.extend(
        directories
            .iter()
            .map(|directory| directory.join(below_root).join(name)),
    );
    candidates
        .into_iter()
        .filter(|candidate| candidate != path)
        .filter_map(mapped)
        // With build-ids on both sides they decide; a CRC means reading the whole file.
        .find(|found| match Elf::parse(&found.map) {
            Ok(elf) if !elf.build_id.is_empty() && !module.build_id.is_empty() => {
                elf.build_id == module.build_id
            }
            Ok(_) => crc32(&found.map) == crc,
            Err(_) => false,
        })
}

/// The file that `dwz` moved common entries to, named by `.gnu_debugaltlink` of the debug file at `path`.
pub(crate) fn find_shared_part(debug: &Elf, path: &Path, directories: &[PathBuf]) -> Option<Found> {
    let (name, build_id) = debug.object.gnu_debugaltlink().ok()??;
    let build_id = hexadecimal(build_id);
    by_build_id(&build_id, directories).or_else(|| {
        mapped(path.parent()?.join(OsStr::from_bytes(name)))
            .filter(|found| belongs(found, &build_id))
    })
}

/// The package of split debug information (`program.dwp`) beside the program or its debug file. Its parts carry ids of
/// their own, so a package of another build gives nothing.
pub(crate) fn find_package(path: &Path, debug_path: &Path) -> Option<Found> {
    [path, debug_path].into_iter().find_map(|path| {
        let mut name = path.file_name()?.to_owned();
        name.push(".dwp");
        mapped(path.with_file_name(name))
    })
}

/// What tells a file from another that takes its place: its path, length and time.
pub(crate) fn identity(found: &Found) -> String {
    let modified = (found.path.metadata())
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    format!("{} {} {modified}", found.path.display(), found.map.len())
}

fn belongs(found: &Found, build_id: &str) -> bool {
    Elf::parse(&found.map).is_ok_and(|elf| elf.build_id == build_id)
}

fn mapped(path: PathBuf) -> Option<Found> {
    let map = map_file(&open_regular(&path).ok()?, &path).ok()?;
    Some(Found { path, map })
}

/// A link names a file, never a path: anything else could point anywhere.
fn plain_file_name(name: &[u8]) -> Option<&OsStr> {
    let plain = !name.is_empty() && !name.contains(&b'/') && name != b"." && name != b"..";
    plain.then(|| OsStr::from_bytes(name))
}

/// CRC-32 as in zlib (polynomial 0xEDB88320), which GNU binutils write into `.gnu_debuglink`.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_crc_is_the_one_of_zlib() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
    }
}
