//! Profiles that are open in several places are read once: the heat in the editor and the flame graph beside it ask for the
//! same run, often at the same moment, and a large one takes a second and hundreds of megabytes.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use analysis::{Analyzed, Selection};
use wire::{Demangle, RunSummary};

use super::built_views::ViewCache;
use super::failure::Failure;
use super::locked::locked;

/// What does not depend on where sources are looked for.
pub struct SharedProfile {
    pub analyzed: Arc<Analyzed>,
    pub summary: RunSummary,
    pub views: ViewCache,
    pub selections: SharedSelections,
}

impl SharedProfile {
    pub fn new(analyzed: Analyzed, summary: RunSummary) -> SharedProfile {
        SharedProfile {
            analyzed: Arc::new(analyzed),
            summary,
            views: ViewCache::default(),
            selections: SharedSelections::default(),
        }
    }
}

/// Selections of a profile that are open: the heat in the editor and the page ask for the same one at each step of a drag.
#[derive(Default)]
pub struct SharedSelections(Mutex<Vec<(Selection, Weak<SharedProfile>)>>);

impl SharedSelections {
    /// The one that is open already, else the one that `select` gives. Who asks meanwhile waits for it.
    pub fn get(
        &self,
        wanted: &Selection,
        select: impl FnOnce() -> Result<SharedProfile, Failure>,
    ) -> Result<Arc<SharedProfile>, Failure> {
        let mut open = locked(&self.0);
        open.retain(|(_, shared)| shared.strong_count() > 0);
        let known = open.iter().find(|(selection, _)| selection == wanted);
        if let Some(shared) = known.and_then(|(_, shared)| shared.upgrade()) {
            return Ok(shared);
        }
        let shared = Arc::new(select()?);
        open.push((wanted.clone(), Arc::downgrade(&shared)));
        Ok(shared)
    }
}

/// The file as it is now: one that is written anew, renamed or followed by a journal is another.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    path: PathBuf,
    demangle: Demangle,
    file: FileState,
    journal: Option<FileState>,
}

/// Device, inode, size, and when it was written, in nanoseconds.
#[derive(PartialEq, Eq, Hash)]
struct FileState(u64, u64, u64, i128);

/// Held while the profile is read: who asks for the same one waits for it.
type Slot = Arc<Mutex<Weak<SharedProfile>>>;

#[derive(Default)]
pub struct SharedProfiles {
    slots: Mutex<HashMap<Key, Slot>>,
}

impl SharedProfiles {
    /// The profile that is open already, else the one that `open` gives. It is forgotten with the last run that holds it.
    pub fn get(
        &self,
        path: &Path,
        demangle: Demangle,
        open: impl FnOnce() -> Result<SharedProfile, Failure>,
    ) -> Result<Arc<SharedProfile>, Failure> {
        let Some(key) = Key::of(path, demangle) else {
            return open().map(Arc::new);
        };
        let slot = {
            let mut slots = locked(&self.slots);
            // A slot that nobody else holds is not being filled.
            slots.retain(|_, slot| Arc::strong_count(slot) > 1 || locked(slot).strong_count() > 0);
            Arc::clone(slots.entry(key).or_default())
        };
        let mut held = locked(&slot);
        if let Some(shared) = held.upgrade() {
            return Ok(shared);
        }
        let shared = Arc::new(open()?);
        *held = Arc::downgrade(&shared);
        Ok(shared)
    }
}

impl Key {
    /// `None` where there is no such file: opening it says why.
    fn of(path: &Path, demangle: Demangle) -> Option<Key> {
        let mut journal = path.as_os_str().to_owned();
        journal.push(".journal");
        Some(Key {
            path: path.to_owned(),
            demangle,
            file: FileState::of(path)?,
            journal: FileState::of(Path::new(&journal)),
        })
    }
}

impl FileState {
    fn of(path: &Path) -> Option<FileState> {
        let file = fs::metadata(path).ok()?;
        let written = i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec());
        Some(FileState(file.dev(), file.ino(), file.size(), written))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use profile::Profile;

    use super::*;

    fn shared() -> SharedProfile {
        SharedProfile::new(Analyzed::new(Profile::default()), RunSummary::default())
    }

    #[test]
    fn a_file_is_read_once_while_it_is_open_and_anew_when_it_was_written() {
        let folder = std::env::temp_dir().join(format!("lineheat-shared-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("run.pb.gz");
        fs::write(&path, "one").expect("written");
        let profiles = SharedProfiles::default();
        let opens = AtomicUsize::new(0);
        let get = |demangle| {
            let open = || {
                opens.fetch_add(1, Ordering::Relaxed);
                // Time for the others to come while this one is read.
                std::thread::sleep(std::time::Duration::from_millis(20));
                Ok(shared())
            };
            profiles
                .get(&path, demangle, open)
                .unwrap_or_else(|_| panic!("opened"))
        };
        let opened: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| get(Demangle::AsRecorded)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert_eq!(opens.load(Ordering::Relaxed), 1);
        assert!(opened.iter().all(|one| Arc::ptr_eq(one, &opened[0])));
        drop(get(Demangle::None));
        assert_eq!(
            opens.load(Ordering::Relaxed),
            2,
            "other names are another profile"
        );
        fs::write(&path, "another").expect("written");
        drop(get(Demangle::AsRecorded));
        assert_eq!(opens.load(Ordering::Relaxed), 3);
        drop(opened);
        drop(get(Demangle::AsRecorded));
        assert_eq!(opens.load(Ordering::Relaxed), 4, "nobody held it any more");
        assert_eq!(locked(&profiles.slots).len(), 1);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_selection_is_made_once_while_it_is_open() {
        let selections = SharedSelections::default();
        let made = std::cell::Cell::new(0);
        let get = |executions: Vec<u32>| {
            let wanted = Selection {
                executions,
                ..Selection::default()
            };
            let selected = selections.get(&wanted, || {
                made.set(made.get() + 1);
                Ok(shared())
            });
            selected.unwrap_or_else(|failure| panic!("{}", failure.message))
        };
        let first = get(vec![1]);
        assert!(Arc::ptr_eq(&first, &get(vec![1])));
        let _other = get(vec![2]);
        assert_eq!(made.get(), 2);
        drop(first);
        get(vec![1]);
        assert_eq!(made.get(), 3);
        let refused = selections.get(&Selection::default(), || {
            Err(Failure::not_found("no such thread"))
        });
        assert!(refused.is_err());
    }
}
