//! Lineheat's private message of a run file, field 7001, bounded before it is decoded.

use prost::Message;

use crate::columns::Profile;
use crate::decode_checks::too_many;
use crate::error::ProfileError;
use crate::limits::Limits;
use crate::message_reader::{Content, MessageReader};
use crate::run::RunInfo;

type Result<T> = std::result::Result<T, ProfileError>;

/// Field numbers of RunInfo whose packed numbers are the timeline.
const TIMELINE: [u64; 2] = [27, 28];
/// Modules hold lists of their own.
const MODULES: u64 = 25;

/// The parts in file order; protobuf merges them when they stand one after the other.
#[derive(Default)]
pub struct RunParts {
    bytes: Vec<u8>,
    entries: usize,
}

impl RunParts {
    pub fn add(&mut self, part: &[u8], limits: &Limits) -> Result<()> {
        if self.bytes.len() + part.len() > limits.run_bytes {
            return Err(ProfileError::too_large(format!(
                "The run description is larger than {} MiB, the maximum that Lineheat reads.",
                limits.run_bytes >> 20
            )));
        }
        self.count_entries(part, limits)?;
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    /// An empty entry takes two bytes in the file and a hundred in memory, so entries are counted first.
    fn count_entries(&mut self, part: &[u8], limits: &Limits) -> Result<()> {
        let mut reader = MessageReader::new(part, "run description");
        while let Some((field, content)) = reader.next()? {
            if TIMELINE.contains(&field) {
                continue;
            }
            self.entries += 1;
            if let (MODULES, Content::Bytes(module)) = (field, content) {
                let mut module = MessageReader::new(module, "module of the run description");
                while module.next()?.is_some() {
                    self.entries += 1;
                }
            }
            if self.entries > limits.run_entries {
                return Err(too_many(
                    "entries in the run description",
                    limits.run_entries,
                ));
            }
        }
        Ok(())
    }

    /// `None` when the file has no such field. A timeline that does not fit the samples is dropped, with a note.
    pub fn finish(self, profile: &mut Profile) -> Result<Option<RunInfo>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let mut run = RunInfo::decode(self.bytes.as_slice()).map_err(|error| {
            ProfileError::damaged(format!("The run description is damaged: {error}."))
        })?;
        let samples = profile.samples.len();
        let fits = run.time_sample.len() == run.time_delta_ns.len()
            && run
                .time_sample
                .iter()
                .all(|&sample| (sample as usize) < samples);
        if !fits {
            run.time_sample = Vec::new();
            run.time_delta_ns = Vec::new();
            profile.problems.push(
                "The timeline of the run is damaged and was omitted. All samples are present."
                    .into(),
            );
        }
        if (run.wait_times.as_ref()).is_some_and(|times| !times.fit(profile)) {
            run.wait_times = None;
            profile.problems.push(
                "The times of the waits of this run are damaged and were omitted. All waits are present."
                    .into(),
            );
        }
        if (run.memory_in_time.as_ref()).is_some_and(|memory| !memory.fits(profile)) {
            run.memory_in_time = None;
            profile.problems.push(
                "How much memory of this run was in use when is damaged and was omitted. All samples are present."
                    .into(),
            );
        }
        if (run.memory_times.as_ref()).is_some_and(|times| !times.fit(profile)) {
            run.memory_times = None;
            profile.problems.push(
                "The times of the allocations of this run are damaged and were omitted. All samples are present."
                    .into(),
            );
        }
        if run.calls.as_ref().is_some_and(|calls| !calls.fit()) {
            run.calls = None;
            profile.problems.push(
                "The counts of calls of this run are damaged and were omitted. All samples are present."
                    .into(),
            );
        }
        Ok(Some(run))
    }
}
