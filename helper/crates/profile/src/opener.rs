//! Run files are opened, those too that a recording left without its end.

use std::path::Path;

use crate::columns::Profile;
use crate::error::ProfileError;
use crate::foreign_reader::ForeignReader;
use crate::journal::{is_journal, run_of_journal};
use crate::limits::Limits;
use crate::recovery::recovered;
use crate::regular_file::{open_file, read_to_end};
use crate::source_texts::bring_back;

type Result<T> = std::result::Result<T, ProfileError>;

impl Profile {
    /// Opens a pprof file within the usual limits. What a recording left that did not end properly is recovered.
    ///
    /// # Errors
    /// As [`Profile::read`]; also `NotFound` and `Io`. The message starts with the path.
    pub fn open(path: &Path) -> Result<Profile> {
        Opener::default().open(path)
    }

    /// The same without the source texts that lie outside of the file.
    pub(crate) fn open_without_texts(path: &Path) -> Result<Profile> {
        Opener::default().open_without_texts(path)
    }
}

/// Of memory between two files.
const KEPT_BYTES: usize = 256 << 20;

/// Opens one file after the other in the same memory: to have it given by the kernel anew for each takes as long as to
/// decompress it.
#[derive(Default)]
pub struct Opener {
    readers: &'static [ForeignReader],
    file: Vec<u8>,
    inflated: Vec<u8>,
}

impl Opener {
    /// Besides runs and pprof files, it opens what these read.
    pub fn reading(readers: &'static [ForeignReader]) -> Opener {
        Opener {
            readers,
            ..Opener::default()
        }
    }

    /// As [`Profile::open`].
    ///
    /// # Errors
    /// The same.
    pub fn open(&mut self, path: &Path) -> Result<Profile> {
        let mut profile = self.open_without_texts(path)?;
        bring_back(&mut profile, path);
        Ok(profile)
    }

    fn open_without_texts(&mut self, path: &Path) -> Result<Profile> {
        let limits = Limits::default();
        recovered(path, &limits)
            .and_then(|profile| match profile {
                Some(profile) => Ok(profile),
                None => self.read(path, &limits),
            })
            .map_err(|error| ProfileError {
                message: format!("{}: {}", path.display(), error.message),
                ..error
            })
    }

    fn read(&mut self, path: &Path, limits: &Limits) -> Result<Profile> {
        self.file.clear();
        read_to_end(open_file(path)?, limits.inflated_bytes, &mut self.file)?;
        refuse_journal(path, &self.file)?;
        let profile = Profile::read_through(&self.file, limits, &mut self.inflated, self.readers);
        for buffer in [&mut self.file, &mut self.inflated] {
            buffer.clear();
            buffer.shrink_to(KEPT_BYTES);
        }
        profile
    }
}

/// A journal is opened by the name of its run.
fn refuse_journal(path: &Path, bytes: &[u8]) -> Result<()> {
    if !is_journal(bytes) {
        return Ok(());
    }
    let what = "The file is the journal of a recording that was not saved, not a run";
    Err(ProfileError::not_a_profile(match run_of_journal(path) {
        Some(run) => format!(
            "{what}. Open {} instead: the run is recovered from the journal.",
            run.display()
        ),
        None => format!(
            "{what}. Rename it to {0}.journal and open {0}: the run is recovered from the journal.",
            path.display()
        ),
    }))
}
