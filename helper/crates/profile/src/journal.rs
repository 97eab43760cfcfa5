//! The journal of a recording in progress, `RUN.journal`: a line that names its recorder, then steps, each with its
//! length and CRC-32. Steps are only appended, so what was written stays readable whatever happens to the writer.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Crc;
use prost::Message;

use crate::run::JournalStep;
use crate::run_file::RunFile;

const MAGIC: &str = "lineheat-journal 1";
/// Longer than any first line.
const HEAD_BYTES_MAX: u64 = 128;
/// Of one step: some ten times what a second at the highest rate can bring.
pub const STEP_BYTES_MAX: usize = 64 << 20;
/// Length and checksum.
pub const STEP_HEAD_BYTES: usize = 8;

/// Where the journal of a run is.
pub fn journal_path(run: &Path) -> PathBuf {
    journal_name(run.as_os_str()).into()
}

/// The journal of the run that has this name.
pub fn journal_name(run: &OsStr) -> OsString {
    let mut name = OsString::from(run);
    name.push(".journal");
    name
}

/// The run that a journal of this name belongs to; None when no journal is named so.
pub fn run_of_journal(journal: &Path) -> Option<PathBuf> {
    (journal.extension()? == "journal").then(|| journal.with_extension(""))
}

/// A journal that this process writes.
pub struct Journal {
    /// In whose folder it is.
    run: Arc<RunFile>,
    name: OsString,
    file: File,
    /// All before this is whole.
    written_bytes: u64,
    has_steps: bool,
}

impl Journal {
    /// Begins a journal for `run`, mode 0600. One that another recording left there is taken away.
    pub fn create(run: &Arc<RunFile>) -> io::Result<Journal> {
        Journal::begin(run, journal_name(run.name()))
    }

    fn begin(run: &Arc<RunFile>, name: OsString) -> io::Result<Journal> {
        match run.folder().remove(&name) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut journal = Journal {
            file: run.folder().create(&name)?,
            run: Arc::clone(run),
            name,
            written_bytes: 0,
            has_steps: false,
        };
        let recorder = Recorder::own();
        let head = format!("{MAGIC} {} {}\n", recorder.pid, recorder.started_ticks);
        if let Err(e) = journal.write(head.as_bytes()) {
            journal.remove();
            return Err(e);
        }
        Ok(journal)
    }

    /// Puts one step that holds all in place of all steps so far. After an error the journal is as it was before.
    pub fn fold(&mut self, whole: &JournalStep) -> io::Result<()> {
        let mut name = self.name.clone();
        name.push(".new");
        let mut new = Journal::begin(&self.run, name)?;
        let done = new.append(whole);
        if let Err(e) = done.and_then(|()| self.run.folder().rename(&new.name, &self.name)) {
            new.remove();
            return Err(e);
        }
        new.name.clone_from(&self.name);
        *self = new;
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Appends a step. After an error the journal is as it was before, and may be tried again.
    pub fn append(&mut self, step: &JournalStep) -> io::Result<()> {
        let length = step.encoded_len();
        if length > STEP_BYTES_MAX {
            return Err(io::Error::other(format!(
                "a step of {length} bytes is too long for the journal"
            )));
        }
        let mut bytes = vec![0; STEP_HEAD_BYTES];
        bytes.reserve_exact(length);
        step.encode(&mut bytes).map_err(io::Error::other)?;
        let checksum = checksum(&bytes[STEP_HEAD_BYTES..]);
        bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        self.write(&bytes)?;
        self.has_steps = true;
        Ok(())
    }

    /// Whether there is something to be recovered.
    pub fn has_steps(&self) -> bool {
        self.has_steps
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written_bytes))?;
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.written_bytes += bytes.len() as u64;
                Ok(())
            }
            Err(e) => {
                // Half a step would be found by its checksum, too.
                let _ = self.file.set_len(self.written_bytes);
                Err(e)
            }
        }
    }

    /// Takes the journal away, when its run has been saved or is not wanted.
    pub fn remove(self) {
        // Another recording of the same name may have put its own there.
        if self.run.folder().holds(&self.name, &self.file) {
            let _ = self.run.folder().remove(&self.name);
        }
    }
}

pub fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Whether the engine that writes the journal of `run` still runs. False when there is no journal.
pub fn is_being_recorded(run: &Path) -> bool {
    let head = File::open(journal_path(run)).and_then(|file| {
        let mut head = Vec::new();
        file.take(HEAD_BYTES_MAX).read_to_end(&mut head)?;
        Ok(head)
    });
    head.ok()
        .and_then(|head| split_head(&head).map(|(recorder, _)| recorder))
        .is_some_and(|recorder| recorder.is_alive())
}

/// A process that records. Numbers of processes come back; with the time of their start they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorder {
    pub pid: u32,
    /// Since the machine's start, in the kernel's ticks.
    started_ticks: u64,
}

impl Recorder {
    fn own() -> Recorder {
        let pid = std::process::id();
        Recorder {
            pid,
            started_ticks: started_ticks(pid).unwrap_or(0),
        }
    }

    pub fn is_alive(self) -> bool {
        self.pid != 0 && started_ticks(self.pid) == Some(self.started_ticks)
    }
}

/// Field 22 of /proc/PID/stat (proc_pid_stat(5)), none of a process that has ended and was not waited for.
fn started_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    match fields.next()? {
        "Z" | "X" => None,
        _ => fields.nth(18)?.parse().ok(),
    }
}

/// Whether a file begins as a journal does, of whatever version.
pub fn is_journal(bytes: &[u8]) -> bool {
    bytes.starts_with(b"lineheat-journal ")
}

/// The recorder and the steps that follow; None: this is no journal.
pub fn split_head(bytes: &[u8]) -> Option<(Recorder, &[u8])> {
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut words = line.strip_prefix(MAGIC)?.strip_prefix(' ')?.split(' ');
    let recorder = Recorder {
        pid: words.next()?.parse().ok()?,
        started_ticks: words.next()?.parse().ok()?,
    };
    Some((recorder, &bytes[end + 1..]))
}
