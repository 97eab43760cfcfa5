//! Makes a profile piece by piece: equal strings, functions, locations and samples become one.

use std::collections::HashMap;

use crate::columns::{Function, Label, Mapping, Profile, SampleLine, Samples, ValueType};
use crate::run::RunInfo;
use crate::seeded_hash::SeededHash;
use crate::strings::StringId;

/// A mapping to add; texts are interned.
#[derive(Debug, Clone, Copy, Default)]
pub struct MappingOf<'a> {
    pub filename: &'a str,
    /// Lower-case hexadecimal; empty: none.
    pub build_id: &'a str,
    pub memory_start: u64,
    pub memory_limit: u64,
    pub file_offset: u64,
    /// Names, files and lines of its locations are as good as they will get.
    pub symbolized: bool,
}

/// One source line of a location to add.
pub type LineOf = SampleLine;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelValue<'a> {
    Text(&'a str),
    /// A number and its unit, "" for none.
    Number(i64, &'a str),
}

/// Stack and labels.
type SampleKey = (Box<[u32]>, Box<[Label]>);

/// Ids that it returns are indices of the finished profile.
#[derive(Default)]
pub struct ProfileBuilder {
    profile: Profile,
    string_ids: HashMap<Box<str>, StringId, SeededHash>,
    functions: HashMap<Function, u32, SeededHash>,
    locations: HashMap<(u32, u64, Box<[SampleLine]>), u32, SeededHash>,
    samples: HashMap<SampleKey, u32, SeededHash>,
}

impl ProfileBuilder {
    /// `sample_types` are (type, unit), `("samples", "count")` first by convention.
    pub fn new(sample_types: &[(&str, &str)]) -> Self {
        let mut builder = ProfileBuilder::default();
        builder.string_ids.insert("".into(), 0);
        builder.set_sample_types(sample_types);
        builder
    }

    /// For files that name them last. Panics when there are samples already.
    pub fn set_sample_types(&mut self, sample_types: &[(&str, &str)]) {
        assert!(self.profile.samples.is_empty(), "before any sample");
        self.profile.sample_types = (sample_types.iter())
            .map(|(kind, unit)| self.value_type(kind, unit))
            .collect();
        self.profile.default_sample_type = sample_types.len().saturating_sub(1);
    }

    /// Panics past 4 GiB of text, far beyond what a recording keeps.
    pub fn intern(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.string_ids.get(text) {
            return id;
        }
        let id = self
            .profile
            .strings
            .push(text)
            .expect("a recording holds less than 4 GiB of names");
        self.string_ids.insert(text.into(), id);
        id
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.intern(kind),
            unit: self.intern(unit),
        }
    }

    /// The sample type of this name.
    pub fn set_default(&mut self, name: &str) {
        let types = &self.profile.sample_types;
        let found = types
            .iter()
            .position(|of| self.profile.text(of.kind) == name);
        self.set_default_sample_type(found.expect("one of those given to `new`"));
    }

    /// Index into the sample types given to `new`.
    pub fn set_default_sample_type(&mut self, index: usize) {
        assert!(index < self.profile.sample_types.len());
        self.profile.default_sample_type = index;
    }

    pub fn set_period(&mut self, kind: &str, unit: &str, period: i64) {
        self.profile.period_type = Some(self.value_type(kind, unit));
        self.profile.period = period;
    }

    /// Start since 1970 and length.
    pub fn set_time(&mut self, start_nanos: i64, duration_nanos: i64) {
        self.profile.time_nanos = start_nanos;
        self.profile.duration_nanos = duration_nanos;
    }

    /// The first mapping added is taken for the program itself by other readers.
    pub fn add_mapping(&mut self, mapping: MappingOf) -> u32 {
        let mapping = Mapping {
            filename: self.intern(mapping.filename),
            build_id: self.intern(mapping.build_id),
            memory_start: mapping.memory_start,
            memory_limit: mapping.memory_limit,
            file_offset: mapping.file_offset,
            has_functions: mapping.symbolized,
            has_filenames: mapping.symbolized,
            has_line_numbers: mapping.symbolized,
            has_inline_frames: mapping.symbolized,
        };
        self.profile.mappings.push(mapping);
        self.profile.mappings.len() as u32 - 1
    }

    /// `start_line` 0: unknown. An equal function is returned again.
    pub fn add_function(
        &mut self,
        name: &str,
        system_name: &str,
        filename: &str,
        start_line: u32,
    ) -> u32 {
        let function = Function {
            name: self.intern(name),
            system_name: self.intern(system_name),
            filename: self.intern(filename),
            start_line,
        };
        let next = self.profile.functions.len() as u32;
        let index = *self.functions.entry(function).or_insert(next);
        if index == next {
            self.profile.functions.push(function);
        }
        index
    }

    /// `lines`: innermost inlined callee first; empty: nothing is known but the address.
    /// Panics when a mapping or function is not of this builder. An equal location is returned again.
    pub fn add_location(&mut self, mapping: Option<u32>, address: u64, lines: &[LineOf]) -> u32 {
        assert!(mapping.is_none_or(|m| (m as usize) < self.profile.mappings.len()));
        assert!(
            lines
                .iter()
                .all(|line| (line.function as usize) < self.profile.functions.len())
        );
        let mapping = mapping.unwrap_or(crate::Locations::NO_MAPPING);
        let locations = &mut self.profile.locations;
        let next = locations.len() as u32;
        let index = *self
            .locations
            .entry((mapping, address, lines.into()))
            .or_insert(next);
        if index == next {
            locations.mapping.push(mapping);
            locations.address.push(address);
            locations.is_folded.push(false);
            locations.lines.extend_from_slice(lines);
            locations.line_ends.push(locations.lines.len() as u32);
        }
        index
    }

    /// Says that several functions have the code of a location (identical-code folding).
    pub fn mark_folded(&mut self, location: u32) {
        self.profile.locations.is_folded[location as usize] = true;
    }

    /// Adds `values` (one per sample type) to the sample with the same stack (leaf first) and labels, or makes it.
    /// Returns its index, which `RunInfo.time_sample` uses. Panics on a foreign location or a wrong number of values.
    pub fn add_sample(
        &mut self,
        stack: &[u32],
        values: &[u64],
        labels: &[(&str, LabelValue)],
    ) -> u32 {
        self.check_stack(stack);
        let types = self.check_values(values);
        let labels = self.sorted_labels(labels);
        let samples = &mut self.profile.samples;
        let next = samples.len() as u32;
        let index = *(self.samples.entry((stack.into(), labels.as_slice().into()))).or_insert(next);
        if index == next {
            let stack = samples.stacks.keep(stack);
            append(samples, stack, values, &labels);
        } else {
            let row = index as usize * types;
            for (sum, value) in samples.values[row..row + types].iter_mut().zip(values) {
                *sum += value;
            }
        }
        index
    }

    /// The same without a look for an equal sample, which is to be added in another way never: for callers that have
    /// told them apart already, of very many.
    pub fn push_sample(
        &mut self,
        stack: &[u32],
        values: &[u64],
        labels: &[(&str, LabelValue)],
    ) -> u32 {
        let stack = self.keep_stack(stack);
        self.push_sample_with(stack, values, labels)
    }

    /// The number of a stack for [`ProfileBuilder::push_sample_with`], so that many samples share its frames. Panics on a
    /// foreign location.
    pub fn keep_stack(&mut self, stack: &[u32]) -> u32 {
        self.check_stack(stack);
        self.profile.samples.stacks.keep(stack)
    }

    /// As [`ProfileBuilder::push_sample`]. Panics on the number of a stack that was not kept.
    pub fn push_sample_with(
        &mut self,
        stack: u32,
        values: &[u64],
        labels: &[(&str, LabelValue)],
    ) -> u32 {
        self.check_values(values);
        assert!((stack as usize) < self.profile.samples.stacks.kept());
        let labels = self.sorted_labels(labels);
        let samples = &mut self.profile.samples;
        append(samples, stack, values, &labels);
        samples.len() as u32 - 1
    }

    fn check_stack(&self, stack: &[u32]) {
        let locations = self.profile.locations.len();
        assert!(stack.iter().all(|&l| (l as usize) < locations));
    }

    /// The number of sample types.
    fn check_values(&self, values: &[u64]) -> usize {
        let types = self.profile.sample_types.len();
        assert_eq!(values.len(), types, "one value per sample type");
        types
    }

    fn sorted_labels(&mut self, labels: &[(&str, LabelValue)]) -> Vec<Label> {
        let mut labels: Vec<Label> = (labels.iter())
            .map(|(key, value)| {
                let key = self.intern(key);
                match *value {
                    LabelValue::Text(text) => Label {
                        key,
                        text: self.intern(text),
                        number: 0,
                        unit: 0,
                    },
                    LabelValue::Number(number, unit) => Label {
                        key,
                        text: 0,
                        number,
                        unit: self.intern(unit),
                    },
                }
            })
            .collect();
        labels.sort_unstable();
        labels
    }

    pub fn set_run(&mut self, run: RunInfo) {
        self.profile.run = Some(run);
    }

    pub fn finish(self) -> Profile {
        self.profile
    }
}

fn append(samples: &mut Samples, stack: u32, values: &[u64], labels: &[Label]) {
    samples.stacks.push_numbered(stack);
    samples.labels.extend_from_slice(labels);
    samples.label_ends.push(samples.labels.len() as u32);
    samples.values.extend_from_slice(values);
}
