//! Files in a folder that can each be made again: written as a whole, under a name that nobody else uses meanwhile, and
//! removed when they take too much room, the longest unused first.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::Folder;

/// One kind of such files.
pub struct KeptFiles {
    pub extension: &'static str,
    /// Of all files together.
    pub bytes_max: u64,
    /// What the smallest file counts: it also bounds how many files there are.
    pub file_bytes_min: u64,
}

impl KeptFiles {
    /// Writes one that consists of these parts, over an earlier one of this name. Several processes may do so at once.
    ///
    /// # Errors
    /// As open(2), write(2) and rename(2); nothing is left of it then.
    pub fn write(&self, folder: &Folder, name: &OsStr, parts: &[&[u8]]) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let temporary = OsString::from(format!(".{process}-{number}.{}", self.extension));
        let written = folder.create(&temporary).and_then(|mut file| {
            for part in parts {
                file.write_all(part)?;
            }
            folder.rename(&temporary, name)
        });
        if written.is_err() {
            let _ = folder.remove(&temporary);
        }
        written
    }

    /// Removes those that were not used for longest, until the rest fits. A file's time of modification is taken for its
    /// last use: who uses one sets it.
    pub fn make_room(&self, folder: &Folder) {
        let is_ours = |name: &OsStr| {
            let extension = Path::new(name).extension();
            extension.is_some_and(|e| e == self.extension)
        };
        let mut files: Vec<(SystemTime, u64, OsString)> = (folder.names().unwrap_or_default())
            .into_iter()
            .filter(|name| is_ours(name))
            .filter_map(|name| {
                let metadata = folder.read(&name).ok()?.metadata().ok()?;
                let file = metadata.is_file().then_some(metadata)?;
                Some((file.modified().ok()?, file.len(), name))
            })
            .collect();
        files.sort_unstable_by(|a, b| b.cmp(a));
        let mut total = 0u64;
        for (_, bytes, name) in files {
            total = total.saturating_add(bytes.max(self.file_bytes_min));
            if total > self.bytes_max {
                let _ = folder.remove(&name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    const FILES: KeptFiles = KeptFiles {
        extension: "kept",
        bytes_max: 4096,
        file_bytes_min: 1024,
    };

    /// Files of these names and sizes, each used a second after the one before it; those that are left.
    fn left_of(files: &[(&str, usize)]) -> Vec<OsString> {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        for (second, (name, bytes)) in files.iter().enumerate() {
            (FILES.write(&folder, name.as_ref(), &[&vec![0; *bytes]])).unwrap();
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(second as u64);
            let file = fs::File::open(place.path().join(name)).unwrap();
            file.set_modified(used).unwrap();
        }
        FILES.make_room(&folder);
        let mut names = folder.names().unwrap();
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let files = [
            ("5.kept", 2000),
            ("4.kept", 2000),
            ("3.kept", 2000),
            ("2.kept", 2000),
        ];
        assert_eq!(left_of(&files), ["2.kept", "3.kept"]);
    }

    #[test]
    fn small_files_count_as_the_smallest_and_others_stay() {
        let names = ["1.kept", "2.kept", "3.kept", "4.kept", "5.kept"];
        let files: Vec<_> = [("mine", 9000)]
            .into_iter()
            .chain(names.map(|name| (name, 1)))
            .collect();
        assert_eq!(
            left_of(&files),
            ["2.kept", "3.kept", "4.kept", "5.kept", "mine"]
        );
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_of_one_that_fails() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let write = |name: &str, parts: &[&[u8]]| FILES.write(&folder, name.as_ref(), parts);
        write("a.kept", &[b"first ", b"version, longer"]).unwrap();
        write("a.kept", &[b"second ", b"version"]).unwrap();
        assert_eq!(
            fs::read(place.path().join("a.kept")).unwrap(),
            b"second version"
        );
        fs::create_dir(place.path().join("b.kept")).unwrap();
        assert!(write("b.kept", &[b"text"]).is_err());
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, ["a.kept", "b.kept"]);
    }
}
