//! Profiles in the formats of other tools. A format has a module here that reads it into the tables of [`profile`], and a
//! row in [`READERS`]; it is known by what the file holds, never by its name.

mod austin_mojo;
mod cost_table;
mod cpuprofile;
mod firefox;
mod firefox_columns;
mod folded;
mod frame_text;
mod gperf_cpu;
mod gperf_heap;
mod json;
mod module_files;
mod module_names;
mod not_read;
mod perf_script;
mod perf_script_events;
mod perf_script_frame;
mod perf_script_header;
mod proc_maps;
mod sample_table;
mod speedscope;
mod valgrind;
mod valgrind_line;
mod valgrind_names;
mod valgrind_positions;
mod valgrind_sums;
mod whole_numbers;

use std::path::Path;

use profile::{ForeignReader, Profile, ProfileError};

pub use module_names::Symbolize;

/// In the order in which they are tried.
pub const READERS: &[ForeignReader] = &[
    valgrind::READER,
    austin_mojo::READER,
    gperf_cpu::READER,
    gperf_heap::READER,
    speedscope::READER,
    cpuprofile::READER,
    firefox::READER,
    perf_script::READER,
    folded::READER,
    not_read::READER,
];

/// Opens a run, or a profile of any format that is known. Names that it lacks are looked for in the files of its modules.
///
/// # Errors
/// As [`Profile::open`].
pub fn open(path: &Path, symbolize: Symbolize) -> Result<Profile, ProfileError> {
    Opener::naming_by(symbolize).open(path)
}

/// The same for one file after the other.
pub struct Opener {
    opener: profile::Opener,
    symbolize: Symbolize,
}

impl Opener {
    pub fn naming_by(symbolize: Symbolize) -> Opener {
        Opener {
            opener: profile::Opener::reading(READERS),
            symbolize,
        }
    }

    /// # Errors
    /// As [`Profile::open`].
    pub fn open(&mut self, path: &Path) -> Result<Profile, ProfileError> {
        if let Some(refusal) = not_read::refusal_of_folder(path) {
            return Err(refusal);
        }
        let mut profile = self.opener.open(path)?;
        module_names::name(&mut profile, path, self.symbolize);
        Ok(profile)
    }
}
