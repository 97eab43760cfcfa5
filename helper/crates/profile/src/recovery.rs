//! A run whose recording did not end properly, from the journal that it left.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::Path;

use prost::Message;

use crate::builder::{LineOf, MappingOf, ProfileBuilder};
use crate::columns::Profile;
use crate::error::{ErrorKind, ProfileError};
use crate::journal::{
    Recorder, STEP_BYTES_MAX, STEP_HEAD_BYTES, checksum, journal_name, journal_path, split_head,
};
use crate::kinds::{KindColumns, Sums};
use crate::limits::Limits;
use crate::message_reader::{Content, MessageReader};
use crate::regular_file::{read_regular, read_regular_file};
use crate::run::{JournalModule, JournalStep, JournalThread, RunInfo};
use crate::run_file::RunFile;
use crate::sample_detail::SampleDetail;
use crate::sample_labels::{LABELS_PER_SAMPLE, sample_labels};

type Result<T> = std::result::Result<T, ProfileError>;

/// Of a run that is still being recorded, where nobody looks for them meanwhile.
pub const NAMES_AT_END: &str = "Names and lines are added when it ends.";
/// What a run holds in place of stacks beyond those that it has room for.
pub const OTHER_STACKS: &str = "[other stacks]";
pub const UNKNOWN: &str = "[unknown]";
pub const KERNEL: &str = "[kernel]";

/// Kinds of places in a journal; above them, modules.
pub mod place {
    pub const UNKNOWN: u64 = 0;
    pub const KERNEL: u64 = 1;
    pub const OTHER: u64 = 2;
    pub const MODULES: u64 = 3;
}

/// Several times what a recording keeps.
const TIMES_MAX: usize = 8 << 20;

/// The run at `path` from its journal; None when it has none that counts. A journal whose recorder has ended becomes the
/// run file, if the folder can be written, and goes.
///
/// # Errors
/// When the journal cannot be read, or no step of it.
pub fn recovered(path: &Path, limits: &Limits) -> Result<Option<Profile>> {
    let journal = journal_path(path);
    match fs::symlink_metadata(&journal) {
        Err(e) if e.kind() == IoErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    // Read where it would be written, and as the same user: what only root may read becomes nobody else's run.
    let run_file = RunFile::existing(path).ok();
    let bytes = match &run_file {
        Some(run_file) => (run_file.folder().read(&journal_name(run_file.name())))
            .map_err(|e| ProfileError::io("The journal cannot be read", &e))
            .and_then(|file| read_regular(file, limits.inflated_bytes)),
        None => read_regular_file(&journal, limits.inflated_bytes),
    };
    let bytes = match bytes {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(None), // just gone
        other => other?,
    };
    let run_of_it = |run: &RunInfo| {
        let saved = read_regular_file(path, limits.inflated_bytes);
        let saved = saved.and_then(|bytes| Profile::read(&bytes, limits)).ok();
        saved.filter(|p| (p.run.as_ref()).is_some_and(|r| r.started_unix_ns == run.started_unix_ns))
    };
    let (recorder, profile) = match read(&bytes, limits) {
        // Nothing can be made of it; the run that it was to become may be there all the same.
        Err(_) if path.exists() => return Ok(None),
        other => other?,
    };
    if recorder.is_alive() {
        return Ok(Some(profile));
    }
    if let Some(saved) = profile.run.as_ref().and_then(run_of_it) {
        // Its recorder ended between saving the run and taking the journal away.
        remove_journal(run_file.as_ref());
        return Ok(Some(saved));
    }
    if run_file
        .as_ref()
        .is_some_and(|run_file| run_file.save(&profile).is_ok())
    {
        remove_journal(run_file.as_ref());
    }
    Ok(Some(profile))
}

fn remove_journal(run_file: Option<&RunFile>) {
    if let Some(run_file) = run_file {
        let _ = run_file.folder().remove(&journal_name(run_file.name()));
    }
}

/// # Errors
/// When the bytes are no journal, or its first step is damaged.
fn read(bytes: &[u8], limits: &Limits) -> Result<(Recorder, Profile)> {
    let (recorder, mut rest) = split_head(bytes).ok_or_else(|| {
        ProfileError::damaged("The journal of the recording has no valid first line.")
    })?;
    let mut state = State::default();
    let mut damaged = false;
    while !rest.is_empty() {
        let step = next_step(rest, limits).filter(|(step, _)| state.accepts(step, limits));
        let Some((step, after)) = step else {
            damaged = true;
            break;
        };
        state.apply(step);
        rest = after;
    }
    let mut profile = state.profile().ok_or_else(|| {
        ProfileError::damaged(
            "The recording was cut off, and its journal contains no complete step.",
        )
    })?;
    if let Some(run) = &mut profile.run {
        let alive = recorder.is_alive();
        run.partial = true;
        run.recorder_pid = if alive { recorder.pid } else { 0 };
        let (seconds, samples) = (run.wall_ns as f64 / 1e9, run.samples_kept);
        if alive {
            // The last step may just be written.
            run.problems.push(format!(
                "The recording is still running: this is its first {seconds:.1} s, with {samples} samples."
            ));
            run.problems.push(NAMES_AT_END.to_owned());
        } else {
            run.problems.push(format!(
                "The recording was cut off. Its first {seconds:.1} s, {samples} samples, were recovered, without names.{}",
                if damaged { " The rest of its journal is damaged." } else { "" }
            ));
        }
    }
    Ok((recorder, profile))
}

/// The next step and what follows it; None when it is cut or damaged.
fn next_step<'a>(bytes: &'a [u8], limits: &Limits) -> Option<(JournalStep, &'a [u8])> {
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (length, wanted) = (word(0)? as usize, word(4)?);
    if length > STEP_BYTES_MAX {
        return None;
    }
    let body = bytes.get(STEP_HEAD_BYTES..STEP_HEAD_BYTES + length)?;
    if checksum(body) != wanted {
        return None;
    }
    entries(body).filter(|entries| *entries <= limits.run_entries)?;
    let step = JournalStep::decode(body).ok()?;
    Some((step, &bytes[STEP_HEAD_BYTES + length..]))
}

/// Modules, threads, names and what else has parts of its own, which take far more memory than bytes in the file.
fn entries(step: &[u8]) -> Option<usize> {
    const WITH_PARTS: [u64; 3] = [1, 4, 6];
    const RUN: u64 = 12;
    let mut count = 0;
    let mut reader = MessageReader::new(step, "step");
    while let Some((field, content)) = reader.next().ok()? {
        count += usize::from(WITH_PARTS.contains(&field));
        if let (RUN, Content::Bytes(run)) = (field, content) {
            let mut run = MessageReader::new(run, "run description");
            while run.next().ok()?.is_some() {
                count += 1;
            }
        }
    }
    Some(count)
}

/// All steps so far.
#[derive(Default)]
struct State {
    modules: Vec<JournalModule>,
    /// Kind and number.
    places: Vec<(u64, u64)>,
    frames: Vec<u32>,
    stack_ends: Vec<usize>,
    threads: Vec<JournalThread>,
    groups: Vec<(u32, u32)>,
    /// By group.
    kinds: Vec<u32>,
    /// By group; numbers of `SampleDetail`, 0: none.
    reasons: Vec<u32>,
    sums: Vec<Sums>,
    /// No sum of all groups is greater.
    value: u64,
    kernel_names: HashMap<u32, String>,
    /// Number of the sample, group, time since the start.
    times: Vec<(u64, u32, u64)>,
    time_every: u64,
    run: Option<RunInfo>,
    period_ns: u64,
}

impl State {
    /// Whether all that the step refers to exists, and its numbers stay within the limits of a run.
    fn accepts(&self, step: &JournalStep, limits: &Limits) -> bool {
        let modules = self.modules.len() + step.modules.len();
        let places = self.places.len() + step.places.len() / 2;
        let threads = self.threads.len() + step.threads.len();
        let groups = self.groups.len() + step.groups.len() / 2;
        let pairs = [step.places.len(), step.groups.len(), step.counts.len()];
        let known_place = |pair: &[u64]| match pair[0] {
            place::UNKNOWN | place::OTHER => true,
            place::KERNEL => u32::try_from(pair[1]).is_ok(),
            module => module - place::MODULES < modules as u64,
        };
        let Some(stacks) = stack_count(&step.stacks, places, limits.stack_depth) else {
            return false;
        };
        let stacks = self.stack_ends.len() + stacks;
        let known_group =
            |pair: &[u32]| (pair[0] as usize) < stacks && (pair[1] as usize) < threads;
        let period_ns = step.period_ns.max(1);
        let counted = (step.counts.chunks_exact(2)).map(|pair| pair[1].saturating_mul(period_ns));
        let others = step
            .sums
            .chunks_exact(4)
            .flat_map(|sums| sums[1..].iter().copied());
        let value = counted.chain(others).fold(self.value, u64::saturating_add);
        modules <= limits.mappings
            && places <= limits.records
            && groups.max(stacks) <= limits.records
            && groups * LABELS_PER_SAMPLE <= limits.labels
            && self.frames.len() + step.stacks.len() <= limits.frames
            && self.times.len() + step.time_sample.len() <= TIMES_MAX
            && pairs.iter().all(|n| n.is_multiple_of(2))
            && step.places.chunks_exact(2).all(known_place)
            && step.groups.chunks_exact(2).all(known_group)
            && (step.counts.chunks_exact(2)).all(|pair| pair[0] < groups as u64)
            && (step.sums.len().is_multiple_of(4))
            && (step.sums.chunks_exact(4)).all(|sums| sums[0] < groups as u64)
            && (step.group_kinds.is_empty() || step.group_kinds.len() == step.groups.len() / 2)
            && (step.group_reasons.is_empty() || step.group_reasons.len() == step.groups.len() / 2)
            && value < 1 << 53
            && step.time_sample.len() == step.time_delta_ns.len()
            && step
                .time_sample
                .iter()
                .all(|group| (*group as usize) < groups)
            && (step.run.as_ref())
                .is_some_and(|run| run.modules.is_empty() && run.sources.is_empty())
    }

    fn apply(&mut self, step: JournalStep) {
        self.modules.extend(step.modules);
        let places = step.places.chunks_exact(2);
        self.places.extend(places.map(|pair| (pair[0], pair[1])));
        let mut rest = &step.stacks[..];
        while let Some((length, after)) = rest.split_first() {
            let (stack, after) = after.split_at(*length as usize);
            self.frames.extend_from_slice(stack);
            self.stack_ends.push(self.frames.len());
            rest = after;
        }
        self.threads.extend(step.threads);
        let groups = step.groups.chunks_exact(2);
        self.groups.extend(groups.map(|pair| (pair[0], pair[1])));
        self.kinds.extend(step.group_kinds);
        self.kinds.resize(self.groups.len(), 0);
        self.reasons.extend(step.group_reasons);
        self.reasons.resize(self.groups.len(), 0);
        self.sums.resize(self.groups.len(), Sums::default());
        for pair in step.counts.chunks_exact(2) {
            self.add(pair[0], Sums::of_periods(pair[1], step.period_ns));
        }
        for sums in step.sums.chunks_exact(4) {
            let (samples, weight, value) = (sums[1], sums[2], sums[3]);
            let sums_of_group = Sums {
                samples,
                weight,
                value,
            };
            self.add(sums[0], sums_of_group);
        }
        let names = step.kernel_names.into_iter();
        self.kernel_names.extend(names.map(|k| (k.symbol, k.name)));
        let every = u64::from(step.time_every.max(1));
        if every > self.time_every {
            self.time_every = every;
            self.times
                .retain(|(number, ..)| number.is_multiple_of(every));
        }
        let (mut number, mut time_ns) = (step.time_first, 0i64);
        for (group, delta_ns) in step.time_sample.iter().zip(&step.time_delta_ns) {
            time_ns = time_ns.saturating_add(*delta_ns);
            self.times.push((number, *group, time_ns.max(0) as u64));
            number = number.saturating_add(every);
        }
        self.run = step.run;
        self.period_ns = step.period_ns;
    }

    fn add(&mut self, group: u64, sums: Sums) {
        self.sums[group as usize].add(sums);
        let largest = sums.value.max(sums.weight).max(sums.samples);
        self.value = self.value.saturating_add(largest);
    }

    /// None when there was no step.
    fn profile(self) -> Option<Profile> {
        let mut run = self.run.clone()?;
        let columns =
            KindColumns::of(self.kinds.iter().copied()).with_counters(run.counters.iter());
        let mut builder = ProfileBuilder::new(&columns.sample_types());
        builder.set_default("cpu");
        builder.set_period("cpu", "nanoseconds", self.period_ns as i64);
        builder.set_time(run.started_unix_ns, run.wall_ns as i64);
        let locations = self.locations(&mut builder);
        let mains = self.threads.iter().filter(|t| t.pid == t.tid);
        let processes: HashMap<u32, &str> = mains.map(|t| (t.pid, &*t.name)).collect();
        let kinds = self.kinds.iter().zip(&self.reasons);
        let groups = self.groups.iter().zip(kinds).zip(&self.sums);
        for (((stack, thread), (kind, reason)), sums) in groups {
            let stack = self.stack(*stack as usize).iter();
            let stack: Vec<u32> = stack.map(|p| locations[*p as usize]).collect();
            let thread = &self.threads[*thread as usize];
            let process = processes.get(&thread.pid).copied().unwrap_or(&thread.name);
            let detail = SampleDetail::from_number(*reason).map(SampleDetail::label);
            let labels = sample_labels(
                thread.pid,
                thread.tid,
                process,
                &thread.name,
                thread.repetition,
                detail.as_ref().map(|(key, value)| (*key, &**value)),
            );
            builder.push_sample(&stack, &columns.values(*kind, sums), &labels);
        }
        let every = self.time_every.max(1);
        let mut times: Vec<(u64, u32)> = (self.times.iter())
            .filter(|(number, ..)| number.is_multiple_of(every))
            .map(|(_, group, time_ns)| (*time_ns, *group))
            .collect();
        times.sort_unstable();
        let mut last_ns = 0;
        for (time_ns, group) in times {
            run.time_sample.push(group);
            run.time_delta_ns.push(time_ns - last_ns);
            last_ns = time_ns;
        }
        run.time_every = if every > 1 { every as u32 } else { 0 };
        builder.set_run(run);
        Some(builder.finish())
    }

    fn stack(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |n| self.stack_ends[n]);
        &self.frames[start..self.stack_ends[number]]
    }

    fn locations(&self, builder: &mut ProfileBuilder) -> Vec<u32> {
        let mappings = self.modules.iter().map(|module| {
            builder.add_mapping(MappingOf {
                filename: &module.path,
                memory_start: module.memory_start,
                memory_limit: module.memory_limit,
                file_offset: module.file_offset,
                ..MappingOf::default()
            })
        });
        let mappings: Vec<u32> = mappings.collect();
        let has_kernel = self.places.iter().any(|(kind, _)| *kind == place::KERNEL);
        let kernel = has_kernel.then(|| {
            builder.add_mapping(MappingOf {
                filename: KERNEL,
                symbolized: true,
                ..MappingOf::default()
            })
        });
        let place = |&(kind, number): &(u64, u64)| match kind {
            place::UNKNOWN => named(builder, None, number, UNKNOWN),
            place::OTHER => named(builder, None, number, OTHER_STACKS),
            place::KERNEL => {
                let name = self.kernel_names.get(&(number as u32));
                named(builder, kernel, number, name.map_or(KERNEL, String::as_str))
            }
            module => {
                let mapping = mappings[(module - place::MODULES) as usize];
                builder.add_location(Some(mapping), number, &[])
            }
        };
        self.places.iter().map(place).collect()
    }
}

/// A location that has a name and no line.
fn named(builder: &mut ProfileBuilder, mapping: Option<u32>, address: u64, name: &str) -> u32 {
    let function = builder.add_function(name, name, "", 0);
    let line = LineOf {
        function,
        line: 0,
        column: 0,
    };
    builder.add_location(mapping, address, &[line])
}

/// How many stacks there are; None when one is cut, too deep, or refers to a place that does not exist.
fn stack_count(mut stacks: &[u32], places: usize, depth_max: usize) -> Option<usize> {
    let mut count = 0;
    while let Some((length, after)) = stacks.split_first() {
        let length = *length as usize;
        let stack = after.get(..length)?;
        if length > depth_max + 256 || stack.iter().any(|p| *p as usize >= places) {
            return None;
        }
        stacks = &after[length..];
        count += 1;
    }
    Some(count)
}
