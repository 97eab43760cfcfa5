//! Source texts that the runs of a workspace share: `.lineheat/sources`, beside `.lineheat/runs`.
//!
//! A text is a file named by the digest of its content, so that it is kept once however many runs name it. Beside the texts,
//! a list for each run names those that it needs; a text goes when the last list that names it goes, and a list goes when
//! its run is gone. All changes are made under a lock on the folder. What is read is believed only when its digest is
//! right: a damaged, foreign or missing text is one that is not there.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use user_files::{Folder, FolderLock, folder_of};

use crate::columns::Profile;
use crate::journal::journal_name;

/// Of one text.
pub const TEXT_BYTES_MAX: u64 = 1 << 20;
const LIST_BYTES_MAX: u64 = 1 << 20;
const TEXT: &str = ".text.gz";
const LIST: &str = ".list";
/// Runs of which nothing is known, as after they were moved here, that are read at once to see what they need.
const UNKNOWN_RUNS_MAX: usize = 32;

pub type Sha256Sum = [u8; 32];

pub fn sum_of(text: &str) -> Sha256Sum {
    Sha256::digest(text.as_bytes()).into()
}

/// Texts to read.
pub struct TextReader {
    folder: Folder,
}

impl TextReader {
    /// None: the run lies in no workspace, or nothing is kept there.
    pub fn beside(run: &Path) -> Option<TextReader> {
        let folder = Folder::open(&folder_beside(run)?).ok()?;
        Some(TextReader { folder })
    }

    pub fn text(&self, sum: &Sha256Sum) -> Option<String> {
        read_text(&self.folder, sum)
    }
}

/// The folder, locked for a run that is about to be saved.
pub struct SourceStore {
    folder: Folder,
    runs: Folder,
    run_name: OsString,
    replaces_a_list: bool,
    _lock: FolderLock,
}

impl SourceStore {
    /// Whether a run at this path can share its texts: it lies in a workspace's folder of runs.
    pub fn is_beside(run: &Path) -> bool {
        folder_beside(run).is_some()
    }

    /// `Ok(None)`: another recording has it locked.
    ///
    /// # Errors
    /// When the folder cannot be made or locked, or the run lies in no folder of runs.
    pub fn lock(run: &Path) -> io::Result<Option<SourceStore>> {
        let (Some(path), Some(name)) = (folder_beside(run), run.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let folder = Folder::make(&path)?;
        let Some(lock) = folder.try_lock()? else {
            return Ok(None);
        };
        Ok(Some(SourceStore {
            folder,
            runs: Folder::open(folder_of(run))?,
            run_name: name.to_owned(),
            replaces_a_list: false,
            _lock: lock,
        }))
    }

    /// Keeps the texts for the run. What was put before an error stays and is taken away with what nobody needs.
    ///
    /// # Errors
    /// When one of them could not be written.
    pub fn put(&mut self, texts: &[&str]) -> io::Result<()> {
        let sums: Vec<Sha256Sum> = texts.iter().map(|text| sum_of(text)).collect();
        let name = list_name(&self.run_name);
        self.replaces_a_list = self.folder.kind(&name)?.is_some();
        self.write(&name, list_of(&sums).as_bytes())?;
        for (sum, text) in sums.iter().zip(texts) {
            // One that a loss of power has damaged is written again.
            if read_text(&self.folder, sum).is_none() {
                let mut packed = GzEncoder::new(Vec::new(), Compression::default());
                packed.write_all(text.as_bytes())?;
                self.write(&text_name(sum), &packed.finish()?)?;
            }
        }
        self.folder.sync()
    }

    fn write(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        // Whoever has the lock is the only one who writes: what lies there was left behind.
        let temporary = OsStr::new(".new");
        if self.folder.kind(temporary)?.is_some() {
            self.folder.remove(temporary)?;
        }
        let mut file = self.folder.create(temporary)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        self.folder.rename(temporary, name)
    }

    /// Removes the lists of runs that are gone, and the texts that no list names. To be called once the run is saved.
    ///
    /// # Errors
    /// Of the file system. What was not removed before stays.
    pub fn tidy(&self) -> io::Result<()> {
        let names: HashSet<OsString> = self.folder.names()?.into_iter().collect();
        let runs: HashSet<OsString> = self.runs.names()?.into_iter().collect();
        let is_run = |name: &OsStr| runs.contains(name) || runs.contains(&journal_name(name));
        let (kept, gone): (Vec<_>, Vec<_>) = (names.iter())
            .filter(|name| run_of_list(name).is_some())
            .partition(|name| run_of_list(name).is_some_and(is_run));
        if gone.is_empty() && !self.replaces_a_list {
            return Ok(());
        }
        let mut needed: HashSet<OsString> = HashSet::new();
        for list in kept {
            needed.extend(self.listed(list)?);
        }
        let without_list =
            |run: &&OsString| is_run_name(run) && !names.contains(&list_name(run.as_os_str()));
        let unlisted: Vec<&OsString> = runs.iter().filter(without_list).collect();
        for run in unlisted.iter().take(UNKNOWN_RUNS_MAX) {
            needed.extend(self.list_again(run)?);
        }
        if unlisted.len() > UNKNOWN_RUNS_MAX {
            return Ok(()); // the others next time
        }
        for list in gone {
            self.folder.remove(list)?;
        }
        let is_text = |name: &&OsString| name.as_bytes().ends_with(TEXT.as_bytes());
        for text in names.iter().filter(is_text) {
            if !needed.contains(text) {
                self.folder.remove(text)?;
            }
        }
        Ok(())
    }

    /// A run that was renamed or moved here has no list of its name, and may need what another list names. Gives the
    /// names of its texts.
    fn list_again(&self, run: &OsStr) -> io::Result<Vec<OsString>> {
        let sums = self.sums_of_run(run);
        self.write(&list_name(run), list_of(&sums).as_bytes())?;
        Ok(sums.iter().map(text_name).collect())
    }

    fn listed(&self, list: &OsStr) -> io::Result<Vec<OsString>> {
        let mut text = String::new();
        let file = regular(self.folder.read(list)?, LIST_BYTES_MAX)?;
        file.take(LIST_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text
            .lines()
            .map(|sum| format!("{sum}{TEXT}").into())
            .collect())
    }

    /// A run that cannot be read needs nothing.
    fn sums_of_run(&self, name: &OsStr) -> Vec<Sha256Sum> {
        let run = Profile::open_without_texts(&self.runs.path().join(name));
        let info = run.ok().and_then(|profile| profile.run).unwrap_or_default();
        (info.sources_apart.iter())
            .filter_map(|source| source.sha256.as_slice().try_into().ok())
            .collect()
    }
}

/// `.lineheat/sources` for a run in `.lineheat/runs`.
fn folder_beside(run: &Path) -> Option<PathBuf> {
    let run = std::path::absolute(run).ok()?;
    let runs = run.parent()?;
    let workspace = runs.parent()?;
    let is_kept = runs.file_name()? == "runs" && workspace.file_name()? == ".lineheat";
    is_kept.then(|| workspace.join("sources"))
}

fn read_text(folder: &Folder, sum: &Sha256Sum) -> Option<String> {
    let file = regular(folder.read(&text_name(sum)).ok()?, TEXT_BYTES_MAX).ok()?;
    let mut text = String::new();
    GzDecoder::new(file)
        .take(TEXT_BYTES_MAX)
        .read_to_string(&mut text)
        .ok()?;
    (sum_of(&text) == *sum).then_some(text)
}

fn regular(file: File, bytes_max: u64) -> io::Result<File> {
    let metadata = file.metadata()?;
    match metadata.is_file() && metadata.len() <= bytes_max {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file of ours")),
    }
}

fn hex(sum: &Sha256Sum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list_of(sums: &[Sha256Sum]) -> String {
    sums.iter().map(|sum| format!("{}\n", hex(sum))).collect()
}

fn text_name(sum: &Sha256Sum) -> OsString {
    format!("{}{TEXT}", hex(sum)).into()
}

fn list_name(run: &OsStr) -> OsString {
    let mut name = run.to_owned();
    name.push(LIST);
    name
}

fn run_of_list(name: &OsStr) -> Option<&OsStr> {
    let run = name.as_bytes().strip_suffix(LIST.as_bytes())?;
    Some(OsStr::from_bytes(run))
}

/// Neither a journal nor what a recording is writing.
fn is_run_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    !name.starts_with(b".") && !name.ends_with(b".journal")
}
