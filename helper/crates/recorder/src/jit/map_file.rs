//! Finds and opens the map that a process writes of its code. Whoever can write into `/tmp` can put something in its place,
//! so it must be a plain file of the process's own user, of this process's time and of a bounded size.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

const BYTES_MAX: u64 = 256 << 20;
/// The kernel counts the start of a process in hundredths of a second, and the time of files as coarsely.
const CLOCK_GRAIN: Duration = Duration::from_millis(20);

/// Where a process's map would be, noted while it ran.
pub struct MapSource {
    /// The process's own root folder, which may be a container's.
    root: File,
    /// As the process itself knows its number.
    pid_inside: u32,
    owner: u32,
    started: SystemTime,
    /// None: it runs.
    pub ended: Option<SystemTime>,
}

impl MapSource {
    pub fn of(pid: u32) -> io::Result<MapSource> {
        let process = format!("/proc/{pid}");
        let root = File::options()
            .read(true)
            .custom_flags(libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC)
            .open(format!("{process}/root"))?;
        let status = fs::read_to_string(format!("{process}/status"))?;
        let pid_inside = (status.lines())
            .find_map(|line| {
                line.strip_prefix("NSpid:")?
                    .split_whitespace()
                    .last()?
                    .parse()
                    .ok()
            })
            .unwrap_or(pid);
        Ok(MapSource {
            root,
            pid_inside,
            owner: fs::metadata(&process)?.uid(),
            started: started(&fs::read_to_string(format!("{process}/stat"))?)?,
            ended: None,
        })
    }

    /// As the process sees it.
    pub fn path(&self) -> String {
        format!("/tmp/perf-{}.map", self.pid_inside)
    }

    /// None: there is none.
    ///
    /// # Errors
    /// Why what is there is not to be read, to follow its path.
    pub fn open(&self) -> Result<Option<File>, String> {
        let file = match open_below(&self.root, &self.path()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err("is a symbolic link".to_owned()),
            Err(e) => {
                let why = io::Error::from(e);
                return Err(format!("could not be opened: {why}"));
            }
        };
        let metadata = file.metadata().map_err(|e| e.to_string())?;
        if !metadata.is_file() {
            return Err("is not a regular file".to_owned());
        }
        if metadata.uid() != self.owner {
            let (found, wanted) = (metadata.uid(), self.owner);
            let name = target::user_name;
            return Err(format!(
                "belongs to {}, but the process belongs to {}",
                name(found),
                name(wanted)
            ));
        }
        if metadata.len() > BYTES_MAX {
            return Err(format!("is larger than {} MiB", BYTES_MAX >> 20));
        }
        let written = metadata.modified().map_err(|e| e.to_string())?;
        if written + CLOCK_GRAIN < self.started {
            return Err("was written before the process started".to_owned());
        }
        if self.ended.is_some_and(|ended| ended < written) {
            return Err("was written after the process exited".to_owned());
        }
        Ok(Some(file))
    }
}

/// Opens what is no link itself; links on the way lead nowhere outside of `root`. A FIFO does not make us wait.
fn open_below(root: &File, path: &str) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let within = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    openat2(root, path, flags, Mode::empty(), within).map(File::from)
}

/// When a process began, from its `/proc/PID/stat` (proc(5), field 22: ticks since the machine was started).
fn started(stat: &str) -> io::Result<SystemTime> {
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = (after_name.split_whitespace().nth(19))
        .and_then(|field| field.parse().ok())
        .ok_or(io::ErrorKind::InvalidData)?;
    let since_start = ticks as f64 / clock_ticks_per_second().max(1) as f64;
    let now = clock_gettime(ClockId::Boottime);
    let running = Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
        .saturating_sub(Duration::from_secs_f64(since_start));
    Ok(SystemTime::now() - running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, mkfifoat};
    use std::os::unix::fs::symlink;

    /// A root folder with a `tmp`, for process 77 of our own user, which began a minute ago.
    fn source() -> (tempfile::TempDir, MapSource, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let map = folder.path().join("tmp/perf-77.map");
        let source = MapSource {
            root: File::open(folder.path()).unwrap(),
            pid_inside: 77,
            owner: target::own_uid(),
            started: SystemTime::now() - Duration::from_secs(60),
            ended: None,
        };
        (folder, source, map)
    }

    #[test]
    fn a_map_of_the_process_is_opened_and_a_missing_one_is_none() {
        let (_folder, source, map) = source();
        assert!(source.open().unwrap().is_none());
        fs::write(&map, "1 2 x\n").unwrap();
        assert!(source.open().unwrap().is_some());
    }

    #[test]
    fn what_is_no_plain_file_is_not_read() {
        let (folder, source, map) = source();
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "1 2 x\n").unwrap();
        symlink(&elsewhere, &map).unwrap();
        assert_eq!(source.open().unwrap_err(), "is a symbolic link");
        fs::remove_file(&map).unwrap();
        fs::create_dir(&map).unwrap();
        assert_eq!(source.open().unwrap_err(), "is not a regular file");
        fs::remove_dir(&map).unwrap();
        mkfifoat(CWD, &map, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(source.open().unwrap_err(), "is not a regular file");
    }

    #[test]
    fn a_linked_folder_does_not_lead_out_of_the_root() {
        let (folder, source, _) = source();
        // Not in /tmp, which the link itself is, seen from inside.
        let outside = tempfile::tempdir_in("/var/tmp").unwrap();
        fs::write(outside.path().join("perf-77.map"), "1 2 x\n").unwrap();
        fs::remove_dir(folder.path().join("tmp")).unwrap();
        symlink(outside.path(), folder.path().join("tmp")).unwrap();
        assert!(source.open().unwrap().is_none());
    }

    #[test]
    fn another_users_another_times_and_a_huge_map_are_not_read() {
        let (_folder, mut source, map) = source();
        let file = File::create(&map).unwrap();
        source.owner += 1;
        let why = source.open().unwrap_err();
        assert!(why.starts_with("belongs to "), "{why}");
        source.owner -= 1;
        file.set_modified(SystemTime::now() - Duration::from_secs(61))
            .unwrap();
        assert_eq!(
            source.open().unwrap_err(),
            "was written before the process started"
        );
        file.set_modified(SystemTime::now()).unwrap();
        source.ended = Some(SystemTime::now() - Duration::from_secs(9));
        assert_eq!(
            source.open().unwrap_err(),
            "was written after the process exited"
        );
        source.ended = None;
        file.set_len(BYTES_MAX + 1).unwrap();
        assert_eq!(source.open().unwrap_err(), "is larger than 256 MiB");
        file.set_len(BYTES_MAX).unwrap();
        assert!(source.open().unwrap().is_some());
    }

    #[test]
    fn we_ourselves_began_a_moment_ago() {
        let source = MapSource::of(std::process::id()).unwrap();
        let age = source.started.elapsed().unwrap();
        assert!(age < Duration::from_secs(3600), "{age:?}");
        assert!(
            source
                .path()
                .ends_with(&format!("-{}.map", std::process::id()))
        );
    }
}
