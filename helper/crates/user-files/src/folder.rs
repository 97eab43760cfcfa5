//! A folder that is held open: what happens to its path afterwards does not lead what is written elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, fsync, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;

use crate::acting::as_invoker;
use crate::walk::{is_trusted, open_folder, own_uid};

const OWN_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Names are those of files in the folder. Everything is done as the user behind sudo, if there is one
/// ([`as_invoker`]), and no link is followed.
#[derive(Debug)]
pub struct Folder {
    folder: OwnedFd,
    path: PathBuf,
}

/// The kernel lets go of it with the descriptor (flock(2)).
#[derive(Debug)]
pub struct FolderLock {
    _folder: OwnedFd,
}

impl Folder {
    /// # Errors
    /// When it is not there, may not be used, or a link that is not followed (see `walk`) lies on the way.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Folder::at(path, false)
    }

    /// The same; folders that are missing on the way are made, mode 0700.
    pub fn make(path: &Path) -> io::Result<Folder> {
        Folder::at(path, true)
    }

    fn at(path: &Path, make: bool) -> io::Result<Folder> {
        Ok(Folder {
            folder: acting(|| open_folder(path, make))?,
            path: path.to_owned(),
        })
    }

    /// As it was named when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new file to write, mode 0600.
    ///
    /// # Errors
    /// Also when something of that name is there.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.file(name, flags)
    }

    /// A file to read. Never waits: whoever reads looks first whether it is a regular one.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        self.file(name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)
    }

    fn file(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        acting(|| Ok(File::from(openat(&self.folder, name, flags, OWN_FILE)?)))
    }

    /// What has this name; None: nothing.
    pub fn kind(&self, name: &OsStr) -> io::Result<Option<FileType>> {
        acting(
            || match statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
                Err(Errno::NOENT) => Ok(None),
                Err(e) => Err(e.into()),
            },
        )
    }

    /// Whether `file` is what has this name.
    pub fn holds(&self, name: &OsStr, file: &File) -> bool {
        let both = acting(|| {
            let there = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok((there, fstat(file)?))
        });
        both.is_ok_and(|(a, b)| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino))
    }

    /// Replaces what has the name `to`, a link included.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        acting(|| Ok(renameat(&self.folder, from, &self.folder, to)?))
    }

    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        acting(|| Ok(unlinkat(&self.folder, name, AtFlags::empty())?))
    }

    /// Removes a folder that is empty.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        acting(|| Ok(unlinkat(&self.folder, name, AtFlags::REMOVEDIR)?))
    }

    /// Makes names last beyond a loss of power. A folder that may be written and not read is left to the system.
    pub fn sync(&self) -> io::Result<()> {
        match acting(|| Ok(self.readable()?)) {
            Ok(folder) => Ok(fsync(folder)?),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// The names of what is in it.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = Dir::new(acting(|| Ok(self.readable()?))?)?;
        let name = |entry: rustix::io::Result<rustix::fs::DirEntry>| {
            let name = entry?.file_name().to_bytes().to_vec();
            Ok(OsString::from_vec(name))
        };
        let names = entries.map(name);
        names
            .filter(|n| !matches!(n, Ok(n) if n == "." || n == ".."))
            .collect()
    }

    /// Keeps others that ask for it out of the folder until the lock is dropped or its process ends; None: another has
    /// it. Never waits.
    pub fn try_lock(&self) -> io::Result<Option<FolderLock>> {
        let folder = acting(|| Ok(self.readable()?))?;
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(FolderLock { _folder: folder })),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn readable(&self) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.folder, ".", flags, Mode::empty())
    }
}

/// The folder of a file's path.
pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes to a place that the user named, which may be a device or a link of theirs (`/dev/stdout`). A link that somebody
/// else could have planted is not followed.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
    let file = acting(|| {
        let folder = open_folder(folder_of(path), false)?;
        if !may_follow(&folder, name) {
            flags |= OFlags::NOFOLLOW;
        }
        let mode = OWN_FILE | Mode::RGRP | Mode::ROTH;
        Ok(File::from(openat(&folder, name, flags, mode)?))
    });
    file?.write_all(bytes)
}

/// Root does so only where nobody else could put another link in place meanwhile.
fn may_follow(folder: &OwnedFd, name: &OsStr) -> bool {
    let link = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let (Ok(link), Ok(folder)) = (link, fstat(folder.as_fd())) else {
        return false;
    };
    let is_of_root = folder.st_uid == 0 && folder.st_mode & 0o022 == 0;
    is_trusted(&link, &folder, own_uid()) && (own_uid() != 0 || is_of_root)
}

fn acting<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    as_invoker(work).and_then(|done| done)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn missing_folders_are_made_for_their_owner_alone_and_runs_are_kept_out_of_commits() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("a/.lineheat/runs");
        assert!(Folder::open(&runs).is_err());
        let folder = Folder::make(&runs).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&runs), mode(&place.path().join("a"))), (0o700, 0o700));
        let ignored = place.path().join("a/.lineheat/.gitignore");
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
        // What the user has put there stays.
        fs::write(&ignored, "mine\n").unwrap();
        Folder::make(&runs).unwrap();
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "mine\n");
        folder.create(name("x")).unwrap().write_all(b"1").unwrap();
        assert_eq!(mode(&runs.join("x")), 0o600);
        assert!(folder.create(name("x")).is_err());
        folder.rename(name("x"), name("y")).unwrap();
        assert_eq!(folder.names().unwrap(), ["y"]);
        folder.sync().unwrap();
        folder.remove(name("y")).unwrap();
        assert_eq!(folder.kind(name("y")).unwrap(), None);
    }

    #[test]
    fn no_link_is_followed_in_the_folder_of_a_workspace_and_the_users_own_are_elsewhere() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        fs::create_dir_all(at("elsewhere/runs")).unwrap();
        fs::create_dir_all(at("b/.lineheat")).unwrap();
        fs::create_dir(at("a")).unwrap();
        symlink("../elsewhere", at("a/.lineheat")).unwrap();
        symlink(at("elsewhere/runs"), at("b/.lineheat/runs")).unwrap();
        for path in ["a/.lineheat/runs", "a/.lineheat", "b/.lineheat/runs"] {
            let why = Folder::make(&at(path)).unwrap_err().to_string();
            let is_told =
                why.contains("is a symbolic link, and Lineheat follows no links in .lineheat");
            assert!(
                is_told && why.starts_with(&*at("").to_string_lossy()),
                "{why}"
            );
        }
        symlink("elsewhere/../b", at("own")).unwrap();
        symlink("own", at("chain")).unwrap();
        Folder::make(&at("chain/new/../c")).unwrap();
        assert!(at("b/c").is_dir() && at("b/new").is_dir());
        symlink("loop", at("loop")).unwrap();
        assert!(Folder::open(&at("loop")).is_err());
        fs::write(at("file"), "").unwrap();
        assert!(Folder::make(&at("file/below")).is_err());
    }

    #[test]
    fn a_held_folder_stays_the_one_that_was_opened() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        let folder = Folder::make(&at("runs")).unwrap();
        fs::rename(at("runs"), at("moved")).unwrap();
        fs::create_dir(at("planted")).unwrap();
        symlink("planted", at("runs")).unwrap();
        symlink("planted", at("moved/link")).unwrap();
        folder.create(name("x")).unwrap();
        assert!(at("moved/x").is_file());
        assert!(folder.create(name("link")).is_err());
        assert!(folder.read(name("link")).is_err());
        assert_eq!(folder.kind(name("link")).unwrap(), Some(FileType::Symlink));
        folder.rename(name("x"), name("link")).unwrap();
        assert_eq!(fs::read_dir(at("planted")).unwrap().count(), 0);
        assert!(folder.holds(name("link"), &File::open(at("moved/link")).unwrap()));
    }

    #[test]
    fn a_folder_is_locked_by_one_at_a_time() {
        let place = tempfile::tempdir().unwrap();
        let open = || Folder::open(place.path()).unwrap();
        let held = open().try_lock().unwrap();
        assert!(held.is_some());
        assert!(open().try_lock().unwrap().is_none());
        drop(held);
        assert!(open().try_lock().unwrap().is_some());
    }

    #[test]
    fn root_follows_links_of_root_alone() {
        if own_uid() != 0 {
            eprintln!("SKIPPED: only root can make files of others.");
            return;
        }
        const OTHER: u32 = 4711;
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("real/kept"), "old").unwrap();
        symlink("real", at("link")).unwrap();
        symlink("real/kept", at("file")).unwrap();
        Folder::open(&at("link")).unwrap();
        write_file(&at("file"), b"new").unwrap();
        assert_eq!(fs::read(at("real/kept")).unwrap(), b"new");
        // Anybody may put another link there.
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(write_file(&at("file"), b"evil").is_err());
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
        for link in ["link", "file"] {
            std::os::unix::fs::lchown(at(link), Some(OTHER), None).unwrap();
        }
        let why = Folder::open(&at("link")).unwrap_err().to_string();
        assert!(why.contains("symbolic link of user 4711"), "{why}");
        assert!(write_file(&at("file"), b"evil").is_err());
        assert_eq!(fs::read(at("real/kept")).unwrap(), b"new");
        chown(place.path(), Some(OTHER), None).unwrap();
        assert!(Folder::open(&at("link")).is_err());
    }
}
