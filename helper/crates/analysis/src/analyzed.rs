//! A profile with its names, files and inlined calls resolved: what every view is made from.
//!
//! Equal texts are one id. Locations become *chains*: the frames of one address, innermost inlined callee first;
//! addresses with the same frames on the same lines share a chain.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use profile::{Counting, MeasureInfo, Profile, SeededHash, StringId, Strings, recorded_with};

use crate::amounts::{Amount, FileTally, Tally};
use crate::chains::{Resolved, resolve};
use crate::frames::{
    ChainFrame, FileId, FrameKind, FunctionId, FunctionKind, FunctionOf, Measure, NO_PLACE, Place,
    PlaceId, SourceFile,
};
use crate::interrupts::Interrupts;
use crate::memory_times::MemoryTimes;
use crate::path_parts::ends_with_path;
use crate::sample_times::SampleTimes;
use crate::selected_samples::SelectedSamples;
use crate::stack_trie::{GrowingTrie, StackTrie};
use crate::threads::Threads;
use crate::tracks::Tracks;
use crate::wait_times::WaitTimes;

/// A profile, or a selection of it: what a selection leaves as it is, is shared.
pub struct Analyzed {
    pub(crate) recorded: Arc<Recorded>,
    pub(crate) paths: Arc<Paths>,
    /// `None`: all samples are in.
    pub(crate) selected: Option<SelectedSamples>,
    pub(crate) tallies: Vec<OnceLock<Tally>>,
    pub(crate) file_tallies: Vec<OnceLock<FileTally>>,
}

/// What is the same in every selection.
pub(crate) struct Recorded {
    pub profile: Profile,
    /// One for each sample type.
    pub measures: Vec<MeasureInfo>,
    pub default_measure: Measure,
    files: Vec<SourceFile>,
    places: Vec<Place>,
    function_of_place: Vec<FunctionId>,
    pub times: OnceLock<Option<SampleTimes>>,
    pub wait_times: OnceLock<Option<WaitTimes>>,
    pub memory_times: OnceLock<Option<MemoryTimes>>,
    pub threads: OnceLock<Threads>,
    /// By whether processes are kept together, and by measure.
    pub tracks: Mutex<HashMap<(bool, Measure), Arc<Tracks>, SeededHash>>,
}

/// The call paths, and the functions on them.
pub(crate) struct Paths {
    pub functions: Vec<FunctionOf>,
    pub chain_ends: Vec<u32>,
    pub chain_frames: Vec<ChainFrame>,
    pub stacks: StackTrie,
    /// By sample in the order of time: its call path and thread.
    pub in_time: OnceLock<Vec<(u32, u32)>>,
}

impl Paths {
    /// Frames of a chain, innermost first; never empty.
    #[inline]
    pub fn chain(&self, chain: u32) -> &[ChainFrame] {
        let chain = chain as usize;
        let start = match chain {
            0 => 0,
            chain => self.chain_ends[chain - 1],
        };
        &self.chain_frames[start as usize..self.chain_ends[chain] as usize]
    }
}

impl Analyzed {
    pub fn new(profile: Profile) -> Analyzed {
        let mut profiles = [profile];
        let (tables, strings) = Tables::of(&mut profiles, |_, _| true);
        let [mut profile] = profiles;
        profile.strings = strings;
        tables.analyzed(profile)
    }

    /// Several profiles of the same sample types as one, in which equal functions and call paths are one. Its own profile
    /// has what `together` is given: the profiles without their texts, and for each profile the ids in the common table
    /// of its own texts; those of the first profile are the same. `is_kept`: by profile and sample.
    pub(crate) fn pooled(
        mut profiles: Vec<Profile>,
        is_kept: impl Fn(usize, usize) -> bool,
        together: impl FnOnce(Vec<Profile>, &[Vec<StringId>]) -> Profile,
    ) -> Analyzed {
        let (mut tables, strings) = Tables::of(&mut profiles, is_kept);
        let same = std::mem::take(&mut tables.resolved.texts.same);
        let mut profile = together(profiles, &same);
        profile.strings = strings;
        tables.analyzed(profile)
    }

    pub(crate) fn of_parts(
        recorded: Arc<Recorded>,
        paths: Arc<Paths>,
        selected: Option<SelectedSamples>,
    ) -> Analyzed {
        let types = recorded.profile.sample_types.len();
        Analyzed {
            recorded,
            paths,
            selected,
            tallies: (0..types).map(|_| OnceLock::new()).collect(),
            file_tallies: (0..types).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The whole one, whatever is selected.
    pub fn profile(&self) -> &Profile {
        &self.recorded.profile
    }

    /// The samples that are in, with what they weigh: their numbers in the profile, ascending, and their values as
    /// [`profile::Samples::values`] has them.
    #[inline]
    pub(crate) fn each_sample(&self) -> impl Iterator<Item = (usize, &[u64])> + Clone {
        let types = self.profile().sample_types.len().max(1);
        let (numbers, values): (&[u32], &[u64]) = match &self.selected {
            None => (&[], &self.profile().samples.values),
            Some(selected) => (&selected.samples, &selected.values),
        };
        (values.chunks_exact(types).enumerate()).map(move |(at, row)| match numbers {
            [] => (at, row),
            numbers => (numbers[at] as usize, row),
        })
    }

    /// Texts of functions, files and modules.
    pub fn text(&self, id: StringId) -> &str {
        self.profile().strings.get(id)
    }

    /// The value that views show unless asked: CPU time in our runs, the file's default in others.
    pub fn default_measure(&self) -> Measure {
        self.recorded.default_measure
    }

    /// What is measured, one for each sample type.
    pub fn measures(&self) -> &[MeasureInfo] {
        &self.recorded.measures
    }

    /// Its name, or, where several have that, name/unit.
    ///
    /// # Errors
    /// A sentence that lists the measures.
    pub fn find_measure(&self, wanted: &str) -> Result<Measure, String> {
        let measures = self.measures();
        let is_wanted = |of: &MeasureInfo| {
            of.name == wanted
                || wanted.split_once('/') == Some((of.name.as_str(), of.unit.as_str()))
        };
        let found: Vec<Measure> = (0..measures.len())
            .filter(|&measure| is_wanted(&measures[measure]))
            .collect();
        let names: Vec<String> = (measures.iter())
            .map(|of| format!("{}/{}", of.name, of.unit))
            .collect();
        match found.as_slice() {
            [only] => Ok(*only),
            [] => {
                let how = recorded_with(wanted.split('/').next().unwrap_or(wanted));
                let advice = how.filter(|_| self.profile().run.is_some());
                Err(format!(
                    "This file does not contain the measure {wanted}. It contains: {}.{}",
                    names.join(", "),
                    advice.map_or(String::new(), |how| format!(
                        " To have {wanted}, use `lineheat record` {how}."
                    ))
                ))
            }
            several => {
                let several: Vec<&str> = several.iter().map(|&at| &*names[at]).collect();
                Err(format!(
                    "This file contains several measures {wanted}: {}. Give one with its unit.",
                    several.join(", ")
                ))
            }
        }
    }

    /// "nanoseconds", "bytes", "count" …; "" in a profile without sample types.
    pub fn unit(&self, measure: Measure) -> &str {
        (self.measures().get(measure)).map_or("", |of| &of.unit)
    }

    /// "cpu", "samples", "inuse_space" …; "" in a profile without sample types.
    pub fn value_name(&self, measure: Measure) -> &str {
        (self.measures().get(measure)).map_or("", |of| &of.name)
    }

    /// Whether [`Amount::samples`] of a measure are what was sampled. Where the file does not say, each stack that is stored
    /// is counted once, which tells only that there is something.
    pub fn is_counted(&self, measure: Measure) -> bool {
        (self.measures().get(measure)).is_none_or(MeasureInfo::is_counted)
    }

    /// The samples of an amount. `None`: not known.
    pub fn known_samples(&self, measure: Measure, amount: Amount) -> Option<u64> {
        self.is_counted(measure).then_some(amount.samples)
    }

    /// The samples on which a share rests by chance. `None`: not known, or all events are in it.
    pub fn chance_samples(&self, measure: Measure, amount: Amount) -> Option<u64> {
        (self.known_samples(measure, amount)).filter(|_| !self.is_complete(measure))
    }

    /// Whether all events are in it, so that no figure is a matter of chance.
    pub fn is_complete(&self, measure: Measure) -> bool {
        (self.measures().get(measure)).is_some_and(|of| of.is_complete)
    }

    /// The samples that are in, by their numbers in the profile: how often each was taken, and its value.
    #[inline]
    pub(crate) fn amounts(&self, measure: Measure) -> impl Iterator<Item = (usize, Amount)> {
        let counting = self.counting(measure);
        self.each_sample().map(move |(sample, row)| {
            let amount = Amount {
                samples: counting.samples_of(row, measure),
                value: row[measure],
            };
            (sample, amount)
        })
    }

    /// How often one sample of the whole profile was taken, by the default measure.
    pub(crate) fn taken(&self, sample: usize) -> u64 {
        let measures = &self.recorded.measures;
        let row = &self.profile().samples.values[sample * measures.len()..][..measures.len()];
        let measure = self.default_measure();
        self.counting(measure).samples_of(row, measure)
    }

    fn counting(&self, measure: Measure) -> Counting {
        (self.measures().get(measure)).map_or(Counting::Unknown, |of| of.counting)
    }

    pub fn functions(&self) -> &[FunctionOf] {
        &self.paths.functions
    }

    pub fn function(&self, id: FunctionId) -> FunctionOf {
        self.paths.functions[id as usize]
    }

    /// Recorded paths of the source files that have lines in the profile, in the order of their ids.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.recorded.files.iter().map(|file| self.text(file.path))
    }

    pub(crate) fn file_id(&self, file: FileId) -> StringId {
        self.recorded.files[file as usize].path
    }

    /// By function: the line of its definition, else its first sampled one; 0: neither is known.
    pub(crate) fn first_lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self
            .paths
            .functions
            .iter()
            .map(|function| function.line)
            .collect();
        for frame in &self.paths.chain_frames {
            let function = frame.function as usize;
            if self.paths.functions[function].line == 0 && frame.line != 0 {
                let line = &mut lines[function];
                *line = if *line == 0 {
                    frame.line
                } else {
                    (*line).min(frame.line)
                };
            }
        }
        lines
    }

    pub fn file_path(&self, file: FileId) -> &str {
        self.text(self.recorded.files[file as usize].path)
    }

    pub fn places(&self) -> &[Place] {
        &self.recorded.places
    }

    /// The function that a line belongs to; of several, the first in the file.
    pub fn function_of_place(&self, place: PlaceId) -> FunctionId {
        self.recorded.function_of_place[place as usize]
    }

    /// The recorded line of a file, if it has samples.
    pub fn find_place(&self, file: FileId, line: u32) -> Option<PlaceId> {
        let places = self.places_of(file);
        let of_file = &self.recorded.places[places.start as usize..places.end as usize];
        let index = of_file
            .binary_search_by_key(&line, |place| place.line)
            .ok()?;
        Some(places.start + index as PlaceId)
    }

    /// Places of one file, lines ascending.
    pub fn places_of(&self, file: FileId) -> Range<PlaceId> {
        self.recorded.files[file as usize].places.clone()
    }

    /// Text of the file at recording, if the run saved it.
    pub fn saved_text(&self, path: &str) -> Option<&profile::run::Source> {
        (self.profile().run.as_ref()?.sources.iter()).find(|source| source.path == path)
    }

    /// Whether the file was newer than the program when it was recorded, as far as the run knows.
    pub fn was_newer_than_binary(&self, path: &str) -> bool {
        let sources = |run: &profile::RunInfo| {
            let mut all = run.sources.iter().chain(&run.sources_apart);
            all.any(|source| source.path == path && source.newer_than_binary)
        };
        self.profile().run.as_ref().is_some_and(sources)
    }

    /// The file whose recorded path is `path`; else the one of which `path` names the end, or the other way round,
    /// whole components only. `Err` lists several that fit equally well; `Ok(None)`: none fits.
    pub fn find_file(&self, path: &str) -> Result<Option<FileId>, Vec<&str>> {
        if let Some(exact) = self.files().position(|recorded| recorded == path) {
            return Ok(Some(exact as FileId));
        }
        let fits: Vec<usize> = (0..self.recorded.files.len())
            .filter(|&id| {
                let recorded = self.file_path(id as FileId);
                ends_with_path(recorded, path) || ends_with_path(path, recorded)
            })
            .collect();
        match fits.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only as FileId)),
            several => Err(several
                .iter()
                .map(|&id| self.file_path(id as FileId))
                .collect()),
        }
    }

    /// The call paths of all samples.
    pub(crate) fn stacks(&self) -> &StackTrie {
        &self.paths.stacks
    }

    /// Frames of a chain, innermost first; never empty.
    #[inline]
    pub(crate) fn chain(&self, chain: u32) -> &[ChainFrame] {
        self.paths.chain(chain)
    }

    pub(crate) fn chain_count(&self) -> u32 {
        self.paths.chain_ends.len() as u32
    }

    pub(crate) fn frame_kind(&self, frame: &ChainFrame) -> FrameKind {
        match self.function(frame.function).kind {
            FunctionKind::Native if frame.inlined => FrameKind::Inlined,
            kind => kind.into(),
        }
    }
}

/// What is made from profiles, without them.
struct Tables {
    resolved: Resolved,
    stacks: StackTrie,
}

impl Tables {
    /// And the texts, taken out of the profiles.
    fn of(profiles: &mut [Profile], is_kept: impl Fn(usize, usize) -> bool) -> (Tables, Strings) {
        let mut resolved = resolve(profiles);
        let interrupts = Interrupts::find(&mut resolved);
        let mut growing = GrowingTrie::new(resolved.chain_ends.len());
        for (index, profile) in profiles.iter_mut().enumerate() {
            let chain_of_location = &resolved.chain_of_location[index];
            let chain_of = |&location: &u32| chain_of_location[location as usize];
            let is_kept = |sample: usize| is_kept(index, sample);
            let stacks = &profile.samples.stacks;
            let Some(interrupts) = &interrupts else {
                growing.add_samples(stacks, is_kept, |stack| stack.iter().map(chain_of));
                continue;
            };
            growing.add_samples(stacks, is_kept, |stack| {
                let folded = interrupts.folded_part(stack, chain_of_location);
                let chain = (folded > 0).then(|| interrupts.folded_chain());
                chain
                    .into_iter()
                    .chain(stack[folded..].iter().map(chain_of))
            });
        }
        resolved.chain_of_location = Vec::new();
        let strings = std::mem::take(&mut resolved.texts.strings);
        let stacks = growing.finish();
        (Tables { resolved, stacks }, strings)
    }

    fn analyzed(self, mut profile: Profile) -> Analyzed {
        let Tables {
            mut resolved,
            mut stacks,
        } = self;
        if stacks.cut_samples > 0 {
            profile.problems.push(format!(
                "There are more call paths than Lineheat tracks: {} samples are counted at a caller.",
                stacks.cut_samples
            ));
        }
        let mut function_of_place = vec![0; resolved.places.len()];
        for frame in (resolved.chain_frames.iter().rev()).filter(|frame| frame.place != NO_PLACE) {
            function_of_place[frame.place as usize] = frame.function;
        }
        resolved.order_chains(&mut stacks.chain);
        let recorded = Recorded {
            function_of_place,
            measures: profile.measures(),
            default_measure: profile.default_measure(),
            files: resolved.files,
            places: resolved.places,
            times: OnceLock::new(),
            wait_times: OnceLock::new(),
            memory_times: OnceLock::new(),
            threads: OnceLock::new(),
            tracks: Mutex::default(),
            profile,
        };
        let paths = Paths {
            functions: resolved.functions,
            chain_ends: resolved.chain_ends,
            chain_frames: resolved.chain_frames,
            stacks,
            in_time: OnceLock::new(),
        };
        Analyzed::of_parts(Arc::new(recorded), Arc::new(paths), None)
    }
}
