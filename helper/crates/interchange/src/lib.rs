//! Profiles in the formats of other tools. A format has a module here that reads it into the tables of [`profile`], and a
//! row in [`READERS`]; it is known by what the file holds, never by its name.

mod cost_table;
mod folded;
mod frame_text;
mod perf_script;
mod perf_script_events;
mod perf_script_frame;
mod perf_script_header;
mod sample_table;
mod valgrind;
mod valgrind_line;
mod valgrind_names;
mod valgrind_positions;
mod valgrind_sums;

use std::path::Path;

use profile::{ForeignReader, Opener, Profile, ProfileError};

/// In the order in which they are tried.
pub const READERS: &[ForeignReader] = &[valgrind::READER, perf_script::READER, folded::READER];

/// Opens a run, or a profile of any format that is known.
///
/// # Errors
/// As [`Profile::open`].
pub fn open(path: &Path) -> Result<Profile, ProfileError> {
    opener().open(path)
}

/// The same for one file after the other.
pub fn opener() -> Opener {
    Opener::reading(READERS)
}
