//! Unwind rows kept from one recording to the next, in the user's cache folder: those of a large library take tenths of a
//! second to make, in which programs that others start go without, and some milliseconds to read.
//!
//! They are never needed: a file that is missing, damaged, of another version or not the user's own costs making the rows
//! again. What is read passes the same bounds as what is made. Files are written by a thread of their own, and replaced
//! as a whole, so that several recordings may do so at once.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use flate2::Crc;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};
use supervision::{Patience, Urgency, receive};
use unwind::{FileRows, ROWS_MADE_BY, build_id_of_elf, rows_of_elf};
use user_files::{Folder, KeptFiles};

/// Of these files themselves; what the rows in them mean is [`ROWS_MADE_BY`].
const FORMAT: u32 = 1;
const MAGIC: &[u8; 8] = b"LHROWS\0\0";

/// Of one file: some 12 million rows.
const FILE_BYTES_MAX: u64 = 48 << 20;
const FILES: KeptFiles = KeptFiles {
    extension: "rows",
    bytes_max: 256 << 20,
    file_bytes_min: 128 << 10,
};
/// Fewer are made as quickly as they are read.
const ROWS_MIN: usize = 512;

/// Files that wait to be written; beyond it rows are made again next time.
const WAITING_MAX: usize = 256;
/// A folder that takes longer is left to itself when the recording ends.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);
/// At both ends of a file, for the key: the headers of segments and the table of sections.
const END_BYTES: usize = 4096;

#[derive(Default)]
pub struct RowCache {
    /// None: nothing is kept.
    folder: Option<PathBuf>,
    urgency: Urgency,
    writer: Option<Writer>,
    #[cfg(test)]
    built: usize,
}

impl RowCache {
    /// `lineheat/rows` beside the kept names.
    pub fn of_user(urgency: &Urgency) -> RowCache {
        RowCache {
            folder: symbolize::user_cache_folder().map(|names| names.with_file_name("rows")),
            urgency: urgency.clone(),
            ..RowCache::default()
        }
    }

    /// The rows of a file whose bytes these are: kept ones, else made and kept. None: there is nothing to unwind by.
    /// Without a `file` nothing is kept.
    pub fn rows_of(&mut self, file: Option<&File>, bytes: &[u8]) -> Option<FileRows> {
        let kept_by = self.folder.as_ref().and_then(|_| Key::of(file?, bytes));
        let found = (kept_by.as_ref()).and_then(|key| load(self.folder.as_ref()?, key));
        if found.is_some() {
            return found;
        }
        #[cfg(test)]
        (self.built += 1);
        let rows = rows_of_elf(bytes).ok()?;
        let is_worth_it = rows.len() >= ROWS_MIN;
        let rows = FileRows::new(&rows);
        if let Some(key) = kept_by.filter(|_| is_worth_it) {
            self.keep(key, &rows);
        }
        Some(rows)
    }

    fn keep(&mut self, key: Key, rows: &FileRows) {
        let Some(folder) = &self.folder else { return };
        if self.writer.is_none() {
            self.writer = Writer::start(folder.clone(), &self.urgency);
        }
        let rows = rows.to_bytes();
        if let Some(files) = self
            .writer
            .as_ref()
            .and_then(|writer| writer.files.as_ref())
            && rows.len() as u64 <= FILE_BYTES_MAX - HEAD_BYTES as u64
        {
            let _ = files.try_send(Kept { key, rows });
        }
    }
}

/// What must be the same for kept rows to hold, as a digest.
#[derive(Clone, PartialEq, Eq)]
struct Key([u8; 32]);

impl Key {
    /// None: the file is the same only as long as it is open.
    fn of(file: &File, bytes: &[u8]) -> Option<Key> {
        Key::of_rows_made_by(ROWS_MADE_BY, file, bytes)
    }

    fn of_rows_made_by(made_by: &str, file: &File, bytes: &[u8]) -> Option<Key> {
        let mut sum = Sha256::new();
        sum.update(FORMAT.to_le_bytes());
        sum.update(made_by);
        sum.update(env!("CARGO_PKG_VERSION"));
        sum.update(std::env::consts::ARCH);
        sum.update((bytes.len() as u64).to_le_bytes());
        sum.update(&bytes[..bytes.len().min(END_BYTES)]);
        sum.update(&bytes[bytes.len().saturating_sub(END_BYTES)..]);
        match build_id_of_elf(bytes).filter(|id| id.len() >= 8) {
            Some(build_id) => sum.update([&b"build-id"[..], build_id].concat()),
            None => {
                let file = file.metadata().ok()?;
                if file.nlink() == 0 {
                    return None;
                }
                sum.update(b"inode");
                let times = [
                    file.mtime(),
                    file.mtime_nsec(),
                    file.ctime(),
                    file.ctime_nsec(),
                ];
                let numbers = [file.dev(), file.ino()];
                for number in numbers.into_iter().chain(times.map(|time| time as u64)) {
                    sum.update(number.to_le_bytes());
                }
            }
        }
        Some(Key(sum.finalize().into()))
    }

    fn file_name(&self) -> OsString {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}.{}", FILES.extension).into()
    }
}

/// Magic, checksum of what follows, key.
const HEAD_BYTES: usize = 8 + 4 + 32;

fn checksum(key: &Key, rows: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(&key.0);
    crc.update(rows);
    crc.sum()
}

fn load(folder: &Path, key: &Key) -> Option<FileRows> {
    let name = key.file_name();
    let file = Folder::open(folder).ok()?.read(&name).ok()?;
    let metadata = file.metadata().ok()?;
    if !is_own(&metadata) || metadata.len() > FILE_BYTES_MAX {
        return None;
    }
    // In one go: it is replaced as a whole, and never grows.
    let mut bytes = vec![0; metadata.len() as usize];
    (&file).read_exact(&mut bytes).ok()?;
    let (head, rows) = bytes.split_at_checked(HEAD_BYTES)?;
    let (sum, of) = head.strip_prefix(MAGIC)?.split_at(4);
    if of != key.0 || sum != checksum(key, rows).to_le_bytes() {
        return None;
    }
    let rows = FileRows::from_bytes(rows)?;
    // Used now: it goes last when room is needed.
    let _ = file.set_modified(SystemTime::now());
    Some(rows)
}

/// A regular file that the user alone can have written.
fn is_own(file: &Metadata) -> bool {
    let own = user_files::invoker().map_or_else(|| geteuid().as_raw(), |user| user.uid);
    file.is_file() && file.uid() == own && file.mode() & 0o022 == 0
}

struct Kept {
    key: Key,
    rows: Vec<u8>,
}

/// The thread that writes.
struct Writer {
    /// None: nothing more comes.
    files: Option<SyncSender<Kept>>,
    /// Closed when all is written.
    ended: Receiver<()>,
    urgency: Urgency,
}

/// What was not written when the user is in a hurry is not kept.
impl Drop for Writer {
    fn drop(&mut self) {
        self.files = None;
        let mut patience = Patience::new(WRITTEN_WITHIN, &self.urgency);
        let _ = receive(&self.ended, &mut patience);
    }
}

impl Writer {
    fn start(folder: PathBuf, urgency: &Urgency) -> Option<Writer> {
        let (files, waiting) = sync_channel(WAITING_MAX);
        let (ending, ended) = sync_channel(0);
        let write = move || {
            write_all(&folder, &waiting);
            drop(ending);
        };
        let thread = thread::Builder::new().name("row cache".to_owned());
        thread.spawn(write).ok()?;
        Some(Writer {
            files: Some(files),
            ended,
            urgency: urgency.clone(),
        })
    }
}

fn write_all(folder: &Path, waiting: &Receiver<Kept>) {
    let Ok(folder) = Folder::make(folder) else {
        return;
    };
    for kept in waiting {
        if write(&folder, &kept).is_err() {
            return; // nor will the next one find room
        }
    }
    FILES.make_room(&folder);
}

fn write(folder: &Folder, kept: &Kept) -> io::Result<()> {
    let sum = checksum(&kept.key, &kept.rows).to_le_bytes();
    let parts = [&MAGIC[..], &sum, &kept.key.0, &kept.rows];
    FILES.write(folder, &kept.key.file_name(), &parts)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::process::Command;

    use unwind::{PackedPages, RuleSet};

    use super::*;

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Place {
            Place {
                folder: tempfile::tempdir().unwrap(),
            }
        }

        fn cache(&self) -> PathBuf {
            self.folder.path().join("cache/rows")
        }

        /// The rows of a file by a recording of its own, and how many files it had to make rows of.
        fn rows_of(&self, program: &Path) -> (PackedPages, usize) {
            let mut cache = RowCache {
                folder: Some(self.cache()),
                ..RowCache::default()
            };
            let (file, bytes) = (File::open(program).unwrap(), fs::read(program).unwrap());
            let rows = cache.rows_of(Some(&file), &bytes).unwrap();
            (rows.numbered_in(&mut RuleSet::default()), cache.built)
        }

        fn kept(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(self.cache()).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect()
        }
    }

    fn own() -> PathBuf {
        std::env::current_exe().unwrap()
    }

    fn made(program: &Path) -> PackedPages {
        let rows = rows_of_elf(&fs::read(program).unwrap()).unwrap();
        PackedPages::new(&rows, &mut RuleSet::default())
    }

    #[test]
    fn the_second_recording_makes_nothing_and_has_the_same_rows() {
        let place = Place::new();
        assert_eq!(place.rows_of(&own()), (made(&own()), 1));
        assert_eq!(place.rows_of(&own()), (made(&own()), 0));
        let kept = place.kept();
        assert_eq!(kept.len(), 1);
        assert_eq!(fs::metadata(&kept[0]).unwrap().mode() & 0o777, 0o600);
        // A copy has the same build-id.
        let copy = place.folder.path().join("copy");
        fs::copy(own(), &copy).unwrap();
        assert_eq!(place.rows_of(&copy).1, 0);
    }

    #[test]
    fn a_damaged_foreign_or_replaced_file_costs_only_itself() {
        let place = Place::new();
        place.rows_of(&own());
        let kept = place.kept().remove(0);
        let good = fs::read(&kept).unwrap();
        let fails = |what: &str| {
            assert_eq!(place.rows_of(&own()), (made(&own()), 1), "{what}");
            assert_eq!(fs::read(&kept).unwrap(), good, "{what}: written again");
            assert_eq!(place.rows_of(&own()).1, 0, "{what}");
        };
        for length in [0, 7, HEAD_BYTES, good.len() / 2, good.len() - 1] {
            fs::write(&kept, &good[..length]).unwrap();
            fails(&format!("cut at {length}"));
        }
        for at in [0, 9, 20, HEAD_BYTES, good.len() / 2, good.len() - 1] {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            fs::write(&kept, bytes).unwrap();
            fails(&format!("changed at {at}"));
        }
        fs::rename(&kept, place.cache().join("elsewhere")).unwrap();
        symlink("elsewhere", &kept).unwrap();
        fails("a link");
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o666)).unwrap();
        fails("others may write it");
        fs::remove_file(&kept).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&kept)
                .status()
                .unwrap()
                .success()
        );
        fails("a FIFO");
        if geteuid().is_root() {
            chown(&kept, Some(4711), None).unwrap();
            fails("of another user");
        }
    }

    #[test]
    fn rows_with_a_right_checksum_that_break_a_bound_are_made_again() {
        let place = Place::new();
        place.rows_of(&own());
        let kept = place.kept().remove(0);
        let good = fs::read(&kept).unwrap();
        let key = Key(good[12..HEAD_BYTES].try_into().unwrap());
        for at in (HEAD_BYTES..HEAD_BYTES + 64)
            .step_by(4)
            .chain([good.len() - 4])
        {
            let mut hostile = good.clone();
            hostile[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            let sum = checksum(&key, &hostile[HEAD_BYTES..]);
            hostile[8..12].copy_from_slice(&sum.to_le_bytes());
            fs::write(&kept, &hostile).unwrap();
            assert_eq!(place.rows_of(&own()), (made(&own()), 1), "at {at}");
        }
    }

    #[test]
    fn rows_of_another_version_of_the_code_are_not_taken() {
        let place = Place::new();
        place.rows_of(&own());
        let kept = place.kept().remove(0);
        let (file, bytes) = (File::open(own()).unwrap(), fs::read(own()).unwrap());
        let key = Key::of(&file, &bytes).unwrap();
        assert_eq!(kept.file_name().unwrap(), key.file_name());
        assert!(load(&place.cache(), &key).is_some());
        let later = Key::of_rows_made_by("later code", &file, &bytes).unwrap();
        assert!(load(&place.cache(), &later).is_none());
        // Nor under the later one's name.
        fs::rename(kept, place.cache().join(later.file_name())).unwrap();
        assert!(load(&place.cache(), &later).is_none());
    }

    #[test]
    fn a_file_that_takes_the_place_of_another_has_its_own_rows() {
        let place = Place::new();
        let program = place.folder.path().join("program");
        let build = |options: &[&str], body: &str| {
            let source = place.folder.path().join("source.c");
            let mut text = String::new();
            for number in 0..400 {
                text += &format!("int f{number}(int a, int (*g)(int)) {{ {body} }}\n");
            }
            fs::write(&source, text + "int main(void) { return 0; }\n").unwrap();
            let mut gcc = Command::new("gcc");
            gcc.args(["-O2", "-o"])
                .arg(&program)
                .arg(&source)
                .args(options);
            assert!(gcc.status().unwrap().success());
            made(&program)
        };
        let few = "return g(a) + 1;";
        let many = "int b[90]; b[0] = g(a); return g(b[0]) + g(a + b[0]) + 1;";
        for options in [&["-Wl,--build-id=none"][..], &["-Wl,--build-id"]] {
            let first = build(options, few);
            assert_eq!(place.rows_of(&program), (first.clone(), 1), "{options:?}");
            assert_eq!(place.rows_of(&program), (first.clone(), 0));
            let second = build(options, many);
            assert_ne!(first, second);
            assert_eq!(place.rows_of(&program), (second, 1), "{options:?}");
        }
    }

    #[test]
    fn recordings_at_once_keep_whole_files() {
        let place = Place::new();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(place.rows_of(&own()).0, made(&own())));
            }
        });
        assert_eq!(place.rows_of(&own()).1, 0);
        assert_eq!(place.kept().len(), 1, "no temporary file stays");
    }

    #[test]
    fn without_a_folder_that_can_be_written_rows_are_made() {
        let place = Place::new();
        fs::write(place.folder.path().join("cache"), "a file, not a folder").unwrap();
        for _ in 0..2 {
            assert_eq!(place.rows_of(&own()), (made(&own()), 1));
        }
        fs::remove_file(place.folder.path().join("cache")).unwrap();
        fs::create_dir(place.folder.path().join("elsewhere")).unwrap();
        assert_eq!(place.rows_of(&own()).1, 1);
        assert_eq!(place.rows_of(&own()).1, 0);
    }
}
