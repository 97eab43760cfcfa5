//! What a run file says beyond its samples, without reading those.

use std::path::Path;

use crate::columns::Profile;
use crate::decode_run::RunParts;
use crate::error::ProfileError;
use crate::inflate::{inflate, is_gzip};
use crate::limits::Limits;
use crate::message_reader::MessageReader;
use crate::regular_file::read_regular_file;
use crate::run::RunInfo;

/// The description in the run at `path`, without its timeline; `None` in a profile of another program. Takes a small part of the
/// time that opening the run takes.
///
/// # Errors
/// As [`Profile::open`], but samples and tables are not looked at. A run that has only a journal is not read.
pub fn run_description(path: &Path) -> Result<Option<RunInfo>, ProfileError> {
    let limits = Limits::default();
    let file = read_regular_file(path, limits.inflated_bytes)?;
    let mut inflated = Vec::new();
    let (bytes, _alone) = if is_gzip(&file) {
        let alone = inflate(&file, &limits, &mut inflated)?;
        (&inflated, alone)
    } else {
        (&file, None)
    };
    let mut run = RunParts::default();
    let mut reader = MessageReader::new(bytes, "top-level message");
    while let Some((field, content)) = reader.next()? {
        if field == RUN_INFO {
            run.add(reader.bytes(field, content)?, &limits)?;
        }
    }
    run.finish(&mut Profile::default())
}

/// Number of the private field.
const RUN_INFO: u64 = 7001;
