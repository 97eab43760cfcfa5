//! What the kernel's path of a mapped file may mean, and by which paths that file can be opened.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use records::{FileId, Mapping};
use target::MapsEntry;

/// The programs that processes run: each is asked for once, since a process may load thousands of libraries.
#[derive(Default)]
pub struct Programs(HashMap<u32, PathBuf>);

impl Programs {
    /// Empty when it cannot be told.
    fn of(&mut self, pid: u32, link: &Path) -> &Path {
        let ask = || std::fs::read_link(link).unwrap_or_default();
        self.0.entry(pid).or_insert_with(ask)
    }

    /// It runs another program, or has ended.
    pub fn forget(&mut self, pid: u32) {
        self.0.remove(&pid);
    }
}

/// The path to show for a file that process `pid` has mapped so, and the paths to open it by, best first. Several
/// may be other files: only the one that was mapped is to be taken.
pub fn ways_to_open(
    pid: u32,
    mapping: &Mapping,
    path: &Path,
    programs: &mut Programs,
) -> (PathBuf, Vec<PathBuf>) {
    let (start, end) = (mapping.start, mapping.end());
    let mut open_as = vec![PathBuf::from(format!(
        "/proc/{pid}/map_files/{start:x}-{end:x}"
    ))];
    let readings = readings_of(path);
    let mut shown = without_deleted_mark(path);
    // Not for another file: a program on a file system that does not answer must not cost its libraries their names.
    let program = PathBuf::from(format!("/proc/{pid}/exe"));
    let its_path = programs.of(pid, &program);
    if readings.iter().any(|reading| reading == its_path) {
        open_as.push(program);
        shown = without_deleted_mark(its_path);
    }
    for path in &readings {
        let mut in_its_root = OsString::from(format!("/proc/{pid}/root"));
        in_its_root.push(path);
        open_as.extend([PathBuf::from(in_its_root), path.clone()]);
    }
    (shown.to_owned(), open_as)
}

/// The kernel marks files that have no name any more, and escapes line breaks in /proc/PID/maps: a file may really be
/// called as that looks.
fn readings_of(path: &Path) -> Vec<PathBuf> {
    let mut readings = Vec::new();
    for path in [without_deleted_mark(path), path] {
        let other = target::other_reading(path.as_os_str());
        for reading in [Some(path.to_owned()), other].into_iter().flatten() {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    readings
}

fn without_deleted_mark(path: &Path) -> &Path {
    let bytes = path.as_os_str().as_bytes();
    bytes
        .strip_suffix(b" (deleted)")
        .map_or(path, |bytes| Path::new(OsStr::from_bytes(bytes)))
}

/// What a line of `/proc/PID/maps` says, as the kernel's mapping records would.
pub fn mapping_of(entry: &MapsEntry) -> Mapping {
    let mapping = Mapping {
        start: entry.start,
        length: entry.end - entry.start,
        file_offset: entry.file_offset,
        file: FileId {
            device_major: entry.device_major,
            device_minor: entry.device_minor,
            inode: entry.inode,
        },
    };
    mapping.called(entry.path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_in_every_way_that_it_may_be_meant() {
        let check = |path: &str, expected: &[&str]| {
            let readings = readings_of(Path::new(path));
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            assert_eq!(readings, expected);
        };
        check("/a", &["/a"]);
        check("/a (deleted)", &["/a", "/a (deleted)"]);
        check("/a\nb", &["/a\nb", "/a\\012b"]);
    }
}
