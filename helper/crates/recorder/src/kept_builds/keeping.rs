//! Keeps what was recorded, and removes the oldest builds where there are too many.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use supervision::{Patience, Urgency};
use user_files::{Folder, FolderLock};

use super::copying::{copy, digest_of};
use super::manifest::{KeptFile, Manifest, Stamp, unix_ms};
use super::{BUILDS_MAX, KeptBuilds, NotKept, id_of, is_id, manifest, resolved};
use crate::shown_path;

/// Longer than another recording takes to keep its build, usually.
const LOCKED_WITHIN: Duration = Duration::from_secs(2);
const NEW: &str = ".new-";
/// Debug information beside a file, which names itself by that file.
const COMPANIONS: [&str; 2] = ["debug", "dwp"];

/// A file as it was mapped.
pub struct BuildFile<'a> {
    pub path: &'a Path,
    pub file: &'a File,
}

/// What was recorded.
pub struct RanBuild<'a> {
    pub program: BuildFile<'a>,
    /// Those of the workspace.
    pub libraries: Vec<BuildFile<'a>>,
    pub build_id: &'a str,
    /// It is in the folder of runs.
    pub run: &'a Path,
}

impl KeptBuilds {
    /// Keeps a build, unless it is there already; notes the run that recorded it.
    ///
    /// # Errors
    /// When it is too large, and as the system calls; nothing new is kept then.
    pub(crate) fn keep(
        &self,
        ran: &RanBuild,
        now: SystemTime,
        urgency: &Urgency,
    ) -> Result<(), NotKept> {
        let folder = Folder::make(&self.folder)?;
        let Some(_lock) = lock(&folder, urgency)? else {
            return Err(io::Error::other("another recording has the folder locked").into());
        };
        remove_leftovers(&folder);
        let mut stamped = stamped(ran)?;
        let bytes = stamped
            .iter()
            .fold(0, |sum, (_, _, stamp)| sum + stamp.bytes);
        let bytes_max = self.build_bytes_max();
        if bytes > bytes_max {
            return Err(NotKept::TooLarge { bytes, bytes_max });
        }
        let program = shown_path(ran.program.path);
        stamped.sort_by_cached_key(|(shown, _, _)| (*shown != program, shown.clone()));
        let id = match self.known(&folder, &program, &stamped) {
            Some(id) => id,
            None => self.add(&folder, ran, &stamped, urgency)?,
        };
        let own = Folder::open(&self.folder.join(&id))?;
        let mut manifest = Manifest::read(&own)?;
        manifest.recorded_unix_ms = unix_ms(now);
        manifest.add_run(&run_name(ran.run));
        manifest.write(&own)?;
        self.make_room(&folder, &id);
        Ok(())
    }

    /// Notes a further run of a kept build.
    ///
    /// # Errors
    /// As the system calls.
    pub(crate) fn note_run(&self, id: &str, run: &Path, urgency: &Urgency) -> io::Result<()> {
        let folder = Folder::open(&self.folder)?;
        let Some(_lock) = lock(&folder, urgency)? else {
            return Err(io::Error::other("another recording has the folder locked"));
        };
        let own = Folder::open(&self.folder.join(id))?;
        let mut manifest = Manifest::read(&own)?;
        manifest.add_run(&run_name(run));
        manifest.write(&own)
    }

    /// What can be read of the kept builds, with their ids.
    pub(super) fn manifests(&self, folder: &Folder) -> Vec<(String, Manifest)> {
        let names = folder.names().unwrap_or_default().into_iter();
        let ids = names.filter(|name| is_id(name));
        ids.filter_map(|name| {
            let own = Folder::open(&self.folder.join(&name)).ok()?;
            Some((name.into_string().ok()?, Manifest::read(&own).ok()?))
        })
        .collect()
    }

    /// The same files as last time, by what the file system says: nothing has to be read then.
    fn known(&self, folder: &Folder, program: &str, stamped: &[Stamped]) -> Option<String> {
        let is_same = |manifest: &Manifest| {
            let kept = manifest.files.iter().map(|file| (&file.path, &file.stamp));
            manifest.program == program
                && kept.eq(stamped.iter().map(|(shown, _, stamp)| (shown, stamp)))
        };
        let mut all = self.manifests(folder).into_iter();
        all.find_map(|(id, manifest)| is_same(&manifest).then_some(id))
    }

    /// Copies the files into a folder of their own, named by what they hold. Gives its name.
    fn add(
        &self,
        folder: &Folder,
        ran: &RanBuild,
        stamped: &[Stamped],
        urgency: &Urgency,
    ) -> io::Result<String> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = format!("{NEW}{}-{number}", std::process::id());
        let new = Folder::make(&self.folder.join(&temporary))?;
        let filled = fill(&new, ran, stamped, urgency);
        let added = filled.and_then(|manifest| {
            let room = self.build_bytes_max();
            for (_, file, _) in stamped {
                // Without it, functions have their names still, and fewer lines.
                let _ = copy_companions(&new, file.path, room, urgency);
                let _ = self.copy_split_files(&new, file.file, room, urgency);
            }
            let id = id_of(&manifest);
            let there = Folder::open(&self.folder.join(&id));
            match there.and_then(|own| Ok((Manifest::read(&own)?, own))) {
                // The same bytes, written anew.
                Ok((known, own)) => Manifest {
                    files: manifest.files,
                    ..known
                }
                .write(&own)?,
                Err(_) => {
                    remove_build(folder, OsStr::new(&id));
                    manifest.write(&new)?;
                    new.sync()?;
                    folder.rename(OsStr::new(&temporary), OsStr::new(&id))?;
                }
            }
            Ok(id)
        });
        remove_build(folder, OsStr::new(&temporary));
        added
    }

    /// Split debug information of the workspace (`-gsplit-dwarf`), which the next build overwrites. Whether it belongs to
    /// the program is looked at when names are wanted.
    fn copy_split_files(
        &self,
        new: &Folder,
        program: &File,
        bytes_max: u64,
        urgency: &Urgency,
    ) -> io::Result<()> {
        let mut room = bytes_max.saturating_sub(bytes_in(new));
        for split in symbolize::split_files_of(program) {
            let beside = match self.is_own(&split.path) {
                true => Folder::open(user_files::folder_of(&split.path)),
                false => continue,
            };
            let name = split.path.file_name().unwrap_or_default();
            let Ok(file) = beside.and_then(|folder| folder.read(name)) else {
                continue;
            };
            let metadata = file.metadata()?;
            let copy_name = OsStr::new(&split.copy_name);
            if !metadata.is_file() || metadata.len() > room || new.read(copy_name).is_ok() {
                continue;
            }
            copy(&file, &new.create(copy_name)?, urgency)?;
            room -= metadata.len();
        }
        Ok(())
    }

    /// The newest stay: so many of each program, and so many bytes in all. What has no manifest is of no use.
    fn make_room(&self, folder: &Folder, newest: &str) {
        let mut manifests = self.manifests(folder);
        let names = folder.names().unwrap_or_default().into_iter();
        for name in names.filter(|name| is_id(name)) {
            if !manifests.iter().any(|(id, _)| OsStr::new(id) == name) {
                remove_build(folder, &name);
            }
        }
        manifests.sort_by(|(a_id, a), (b_id, b)| {
            let order = |id: &str, of: &Manifest| (id != newest, u64::MAX - of.recorded_unix_ms);
            order(a_id, a).cmp(&order(b_id, b))
        });
        let mut bytes = 0u64;
        for (at, (id, manifest)) in manifests.iter().enumerate() {
            let own = Folder::open(&self.folder.join(id)).map_or(0, |own| bytes_in(&own));
            bytes = bytes.saturating_add(own);
            let newer = &manifests[..at];
            let of_program = newer.iter().filter(|(_, m)| m.program == manifest.program);
            if bytes > self.bytes_max || of_program.count() >= BUILDS_MAX {
                remove_build(folder, OsStr::new(id));
                bytes -= own;
            }
        }
    }
}

/// A file with its path as it is shown.
type Stamped<'a> = (String, &'a BuildFile<'a>, Stamp);

fn stamped<'a>(ran: &'a RanBuild<'a>) -> io::Result<Vec<Stamped<'a>>> {
    let files = std::iter::once(&ran.program).chain(&ran.libraries);
    files
        .map(|of| Ok((shown_path(resolved(of.path)), of, Stamp::of(of.file)?)))
        .collect()
}

fn fill(
    new: &Folder,
    ran: &RanBuild,
    stamped: &[Stamped],
    urgency: &Urgency,
) -> io::Result<Manifest> {
    let mut files: Vec<KeptFile> = Vec::new();
    for (shown, file, stamp) in stamped {
        let name = match files.is_empty() {
            true => shown_path(file.path.file_name().unwrap_or_default()),
            false => library_name(file),
        };
        // Two libraries of one name: the loader finds the first.
        if name == manifest::NAME || files.iter().any(|other| other.name == name) {
            continue;
        }
        let copied = new.create(OsStr::new(&name))?;
        copy(file.file, &copied, urgency)?;
        drop(copied);
        if Stamp::of(file.file)? != *stamp {
            let why = format!("{shown} was changed while it was copied");
            return Err(io::Error::other(why));
        }
        files.push(KeptFile {
            sha256: digest_of(&new.read(OsStr::new(&name))?, urgency)?,
            name,
            path: shown.clone(),
            stamp: stamp.clone(),
        });
    }
    let program = shown_path(ran.program.path);
    Ok(Manifest::new(program, ran.build_id, files))
}

/// The name by which the loader looks for it.
fn library_name(library: &BuildFile) -> String {
    let soname = symbolize::soname_of(library.file);
    let plain = soname.filter(|name| !name.is_empty() && !name.contains('/'));
    plain.unwrap_or_else(|| shown_path(library.path.file_name().unwrap_or_default()))
}

/// Debug information that stands beside the file. Whether it belongs to it is looked at when names are wanted.
fn copy_companions(new: &Folder, path: &Path, bytes_max: u64, urgency: &Urgency) -> io::Result<()> {
    let beside = Folder::open(user_files::folder_of(path))?;
    for extension in COMPANIONS {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(extension);
        let Ok(file) = beside.read(&name) else {
            continue;
        };
        let room = bytes_max.saturating_sub(bytes_in(new));
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() <= room {
            copy(&file, &new.create(&name)?, urgency)?;
        }
    }
    Ok(())
}

fn bytes_in(folder: &Folder) -> u64 {
    let names = folder.names().unwrap_or_default().into_iter();
    let sizes = names.filter_map(|name| Some(folder.read(&name).ok()?.metadata().ok()?.len()));
    sizes.fold(0, u64::saturating_add)
}

fn lock(folder: &Folder, urgency: &Urgency) -> io::Result<Option<FolderLock>> {
    let mut patience = Patience::new(LOCKED_WITHIN, urgency);
    loop {
        match folder.try_lock()? {
            Some(lock) => return Ok(Some(lock)),
            None if patience.runs_out() => return Ok(None),
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Of recordings that died.
fn remove_leftovers(folder: &Folder) {
    let names = folder.names().unwrap_or_default().into_iter();
    let left = |name: &OsString| name.as_encoded_bytes().starts_with(NEW.as_bytes());
    for name in names.filter(left) {
        remove_build(folder, &name);
    }
}

/// What cannot be removed stays: the next recording tries again.
fn remove_build(folder: &Folder, name: &OsStr) {
    if let Ok(own) = Folder::open(&folder.path().join(name)) {
        for file in own.names().unwrap_or_default() {
            let _ = own.remove(&file);
        }
        let _ = folder.remove_folder(name);
    }
}

fn run_name(run: &Path) -> String {
    shown_path(run.file_name().unwrap_or_default())
}
