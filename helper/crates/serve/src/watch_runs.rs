//! Tells the editor when runs of a folder change, from a thread of its own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use wire::reply::Body;
use wire::{RunsChanged, WatchRunsRequest, WrittenRun};

use super::failure::{Failure, FailureKind};
use super::replies::Replies;
use super::saved_runs::{modified_unix_us, run_of};

/// As many as the contract has.
const WRITTEN_MAX: usize = 256;
/// How soon the end of a watch is noticed: an engine that has nothing to do should sleep.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 2,
    tv_nsec: 0,
};
/// Several files change at once when a run is saved.
const PAUSE: Duration = Duration::from_millis(50);

/// Watches until the request `id` is ended.
pub fn start(replies: &Replies, id: u32, request: &WatchRunsRequest) {
    let watch = match Watch::of(Path::new(&request.directory)) {
        Ok(watch) => watch,
        Err(error) => {
            let failure = Failure {
                kind: FailureKind::Io,
                message: format!("Cannot watch {}: {error}.", request.directory),
                advice: "Refresh the list of runs by hand.".to_owned(),
            };
            return replies.fail(id, failure);
        }
    };
    replies.pushes.open(id);
    let replies = replies.clone();
    std::thread::spawn(move || {
        let mut watch = watch;
        while replies.pushes.is_open(id) {
            match watch.next(&LOOK_EVERY) {
                Ok(None) => {}
                Ok(Some(written)) => {
                    let body = Body::RunsChanged(changed(written));
                    replies.push(id, body, together);
                }
                Err(error) => {
                    replies.pushes.close(id);
                    let why =
                        format!("The folder of the runs cannot be watched any more: {error}.");
                    return replies.fail(id, Failure::new(FailureKind::Io, why));
                }
            }
        }
    });
}

fn changed(written: BTreeSet<PathBuf>) -> RunsChanged {
    RunsChanged {
        written: (written.into_iter().take(WRITTEN_MAX))
            .map(|path| WrittenRun {
                modified_unix_us: modified_unix_us(&path),
                path: path.to_string_lossy().into_owned(),
            })
            .collect(),
    }
}

fn together(waiting: Body, new: Body) -> Body {
    match (waiting, new) {
        (Body::RunsChanged(waiting), Body::RunsChanged(new)) => {
            let paths = (waiting.written.into_iter().chain(new.written))
                .map(|written| PathBuf::from(written.path));
            Body::RunsChanged(changed(paths.collect()))
        }
        (_, new) => new,
    }
}

struct Watch {
    inotify: OwnedFd,
    directory: PathBuf,
    /// What is watched: the directory, or while that is missing the nearest folder above it.
    watched: Option<(PathBuf, i32)>,
}

impl Watch {
    fn of(directory: &Path) -> Result<Watch, Errno> {
        let mut watch = Watch {
            inotify: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?,
            directory: directory.to_owned(),
            watched: None,
        };
        watch.find()?;
        Ok(watch)
    }

    /// Watches what there is of the path now. True: something else than before.
    fn find(&mut self) -> Result<bool, Errno> {
        for path in self.directory.ancestors() {
            if self
                .watched
                .as_ref()
                .is_some_and(|(watched, _)| watched == path)
            {
                return Ok(false);
            }
            let what = WatchFlags::CREATE
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVE
                | WatchFlags::DELETE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            match inotify::add_watch(&self.inotify, path, what) {
                Ok(number) => {
                    if let Some((_, former)) = self.watched.replace((path.to_owned(), number)) {
                        // One of a folder that is gone has ended by itself.
                        let _ = inotify::remove_watch(&self.inotify, former);
                    }
                    return Ok(true);
                }
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Errno::NOENT)
    }

    /// Runs that were written since the last call; `Some` without any: others are gone or renamed. `None`: nothing has
    /// changed for so long.
    fn next(&mut self, patience: &Timespec) -> Result<Option<BTreeSet<PathBuf>>, Errno> {
        let mut ready = [PollFd::new(&self.inotify, PollFlags::IN)];
        match poll(&mut ready, Some(patience)) {
            Ok(0) | Err(Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        std::thread::sleep(PAUSE);
        let (mut written, mut is_changed, mut is_lost) = (BTreeSet::new(), false, false);
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut events = inotify::Reader::new(&self.inotify, &mut buffer);
        loop {
            match events.next() {
                Ok(event) => {
                    let flags = event.events();
                    // Of a folder further up, from before the present one was there.
                    if (self.watched.as_ref()).is_some_and(|(_, number)| *number != event.wd()) {
                        continue;
                    }
                    is_lost |= flags.intersects(
                        ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED,
                    );
                    // Some are lost: whoever lists finds them.
                    is_changed |= flags.contains(ReadFlags::QUEUE_OVERFLOW);
                    let Some(name) = event.file_name() else {
                        continue;
                    };
                    let file = self.directory.join(OsStr::from_bytes(name.to_bytes()));
                    let Some(run) = run_of(&file) else {
                        continue;
                    };
                    // A journal grows all the time; only that it is there or gone changes the list.
                    let is_run = run == file;
                    is_changed |= is_run || !flags.contains(ReadFlags::CLOSE_WRITE);
                    if is_run && flags.intersects(ReadFlags::CLOSE_WRITE | ReadFlags::MOVED_TO) {
                        written.insert(run);
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        if is_lost {
            self.watched = None;
        }
        let is_elsewhere = self.find()?;
        let is_there = (self.watched.as_ref()).is_some_and(|(path, _)| *path == self.directory);
        Ok((is_elsewhere || is_changed && is_there).then_some(written))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn next(watch: &mut Watch) -> Option<Vec<String>> {
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: 250_000_000,
        };
        let told = watch.next(&patience).expect("watched")?;
        let name = |path: PathBuf| path.file_name().unwrap_or_default().display().to_string();
        Some(told.into_iter().map(name).collect())
    }

    #[test]
    fn runs_that_come_change_and_go_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = folder.path().join(".lineheat/runs");
        let mut watch = Watch::of(&runs).expect("watched");
        assert_eq!(next(&mut watch), None, "nothing is there");
        fs::create_dir_all(&runs).expect("made");
        assert_eq!(next(&mut watch), Some(vec![]), "the folder is there now");
        fs::write(runs.join("notes.txt"), "").expect("written");
        assert_eq!(next(&mut watch), None, "no run");
        fs::write(runs.join("a.pb.gz.tmp"), "").expect("written");
        fs::rename(runs.join("a.pb.gz.tmp"), runs.join("a.pb.gz")).expect("renamed");
        assert_eq!(next(&mut watch), Some(vec!["a.pb.gz".to_owned()]));
        fs::write(runs.join("b.pb.gz.journal"), "x").expect("written");
        assert_eq!(next(&mut watch), Some(vec![]), "a recording has begun");
        fs::remove_file(runs.join("a.pb.gz")).expect("deleted");
        assert_eq!(next(&mut watch), Some(vec![]));
        fs::remove_dir_all(folder.path().join(".lineheat")).expect("deleted");
        assert!(next(&mut watch).is_some());
        fs::create_dir_all(&runs).expect("made");
        assert!(next(&mut watch).is_some());
        fs::write(runs.join("c.pb.gz"), "").expect("written");
        assert_eq!(next(&mut watch), Some(vec!["c.pb.gz".to_owned()]));
    }

    #[test]
    fn what_was_not_seen_adds_up() {
        let of =
            |names: &[&str]| Body::RunsChanged(changed(names.iter().map(PathBuf::from).collect()));
        assert_eq!(
            together(of(&["b", "a"]), of(&["c", "a"])),
            of(&["a", "b", "c"])
        );
    }
}
