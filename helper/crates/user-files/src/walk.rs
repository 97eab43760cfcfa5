//! From a path to a folder that is held open, step by step: at each link it is decided whether it is followed.
//!
//! No link is followed in or below a folder named `.lineheat`: a workspace that somebody else made may hold one. Elsewhere
//! root follows links of root's alone, and others what the kernel lets them follow (`fs.protected_symlinks` in proc_sys_fs(5),
//! whatever that is set to): the user who names a path through a link of their own means it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;

/// The folder of a project in which Lineheat keeps what it writes.
const OWN_FOLDER: &str = ".lineheat";
/// As the kernel has it (path_resolution(7)).
const LINKS_MAX: usize = 40;

const STEP: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Opens the folder at `path`; with `make`, folders that are missing on the way are made, mode 0700.
pub fn open_folder(path: &Path, make: bool) -> io::Result<OwnedFd> {
    let mut walk = Walk::from(path)?;
    while let Some(part) = walk.parts.pop() {
        walk.step(&part, make)?;
    }
    Ok(walk.at)
}

struct Walk {
    at: OwnedFd,
    /// Of `at`, for messages.
    path: PathBuf,
    /// The next one last.
    parts: Vec<OsString>,
    is_below_own: bool,
    links: usize,
}

impl Walk {
    fn from(path: &Path) -> io::Result<Walk> {
        let (start, shown) = match path.is_absolute() {
            true => ("/", "/"),
            false => (".", ""),
        };
        Ok(Walk {
            at: openat(CWD, start, STEP, Mode::empty())?,
            path: shown.into(),
            parts: parts_of(path),
            is_below_own: false,
            links: 0,
        })
    }

    fn step(&mut self, part: &OsStr, make: bool) -> io::Result<()> {
        if part == "/" {
            self.at = openat(CWD, "/", STEP, Mode::empty())?;
            self.path = PathBuf::from("/");
            return Ok(());
        }
        self.is_below_own |= part == OWN_FOLDER;
        let opened = match openat(&self.at, part, STEP, Mode::empty()) {
            Err(Errno::NOENT) if make => self.make(part),
            // No folder: it may be a link to one.
            Err(Errno::NOTDIR | Errno::LOOP) => return self.follow(part),
            opened => opened.map_err(io::Error::from),
        };
        self.at = opened?;
        self.path.push(part);
        Ok(())
    }

    fn make(&mut self, part: &OsStr) -> io::Result<OwnedFd> {
        match mkdirat(&self.at, part, Mode::RWXU) {
            Ok(()) => {}
            // By another recording just now.
            Err(Errno::EXIST) => return Ok(openat(&self.at, part, STEP, Mode::empty())?),
            Err(e) => return Err(e.into()),
        }
        let made = openat(&self.at, part, STEP, Mode::empty())?;
        if part == OWN_FOLDER {
            // Runs are the user's own notes: keep them out of commits.
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
            if let Ok(file) = openat(&made, ".gitignore", flags | OFlags::CLOEXEC, mode) {
                let _ = rustix::io::write(&file, b"*\n");
            }
        }
        Ok(made)
    }

    fn follow(&mut self, part: &OsStr) -> io::Result<()> {
        let path = self.path.join(part);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = openat(&self.at, part, flags, Mode::empty())?;
        let found = fstat(&link)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::Symlink {
            return Err(Errno::NOTDIR.into());
        }
        let refused = |why: &str| {
            let path = path.display();
            Err(io::Error::other(format!("{path} is a symbolic link{why}")))
        };
        if self.is_below_own {
            return refused(&format!(
                ", and Lineheat follows no links in {OWN_FOLDER}; remove the link"
            ));
        }
        if !is_trusted(&found, &fstat(&self.at)?, own_uid()) {
            let why = format!(
                " of user {}, which could change at any time; use a path without it",
                found.st_uid
            );
            return refused(&why);
        }
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(Errno::LOOP.into());
        }
        // The link that was looked at, not what is there now.
        let to = readlinkat(link.as_fd(), "", Vec::new())?;
        let to = PathBuf::from(OsString::from_vec(to.into_bytes()));
        if to.is_absolute() {
            self.parts.extend(parts_of(&to));
            self.parts.push("/".into());
        } else {
            self.parts.extend(parts_of(&to));
        }
        Ok(())
    }
}

/// Whether a user may follow a link in a folder.
pub fn is_trusted(link: &Stat, folder: &Stat, user: u32) -> bool {
    const STICKY_FOR_ALL: u32 = 0o1002;
    if link.st_uid == user || link.st_uid == 0 {
        return true;
    }
    let is_open_to_all = folder.st_mode & STICKY_FOR_ALL == STICKY_FOR_ALL;
    user != 0 && (!is_open_to_all || link.st_uid == folder.st_uid)
}

pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The parts of a path, the first one last; those that lead nowhere are left out.
fn parts_of(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect()
}
