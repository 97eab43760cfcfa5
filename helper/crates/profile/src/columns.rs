//! A profile in memory: tables of columns, no object per sample.

use crate::run::RunInfo;
use crate::stacks::Stacks;
use crate::strings::{StringId, Strings};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    pub strings: Strings,
    /// At least one when there are samples.
    pub sample_types: Vec<ValueType>,
    pub mappings: Vec<Mapping>,
    pub functions: Vec<Function>,
    pub locations: Locations,
    pub samples: Samples,
    /// Index into `sample_types`; the last one when the file names none, as in pprof.
    pub default_sample_type: usize,
    pub period_type: Option<ValueType>,
    pub period: i64,
    /// Since 1970.
    pub time_nanos: i64,
    pub duration_nanos: i64,
    pub comments: Vec<StringId>,
    pub drop_frames: StringId,
    pub keep_frames: StringId,
    pub doc_url: StringId,
    /// What pprof has no place for; `None` in files of other programs.
    pub run: Option<RunInfo>,
    /// What was cut while reading, as sentences. Not written.
    pub problems: Vec<String>,
    /// The file has addresses, and its modules may have names for them. Not written.
    pub needs_names: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueType {
    pub kind: StringId,
    pub unit: StringId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mapping {
    pub filename: StringId,
    pub build_id: StringId,
    pub memory_start: u64,
    pub memory_limit: u64,
    pub file_offset: u64,
    pub has_functions: bool,
    pub has_filenames: bool,
    pub has_line_numbers: bool,
    pub has_inline_frames: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Function {
    /// Demangled.
    pub name: StringId,
    pub system_name: StringId,
    pub filename: StringId,
    /// 1-based line of the definition; 0: unknown.
    pub start_line: u32,
}

/// One source line of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SampleLine {
    pub function: u32,
    /// 1-based; 0: unknown.
    pub line: u32,
    /// 1-based; 0: unknown.
    pub column: u32,
}

/// All columns have one entry per location, but `lines`, which is cut into runs by `line_ends`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Locations {
    /// Index into `mappings`, or [`Locations::NO_MAPPING`].
    pub mapping: Vec<u32>,
    /// As the producer has it; ours: the ELF virtual address.
    pub address: Vec<u64>,
    pub is_folded: Vec<bool>,
    pub line_ends: Vec<u32>,
    /// Innermost inlined callee first.
    pub lines: Vec<SampleLine>,
}

impl Locations {
    pub const NO_MAPPING: u32 = u32::MAX;

    pub fn len(&self) -> usize {
        self.address.len()
    }

    pub fn is_empty(&self) -> bool {
        self.address.is_empty()
    }

    /// Lines of a location, innermost inlined callee first; empty: not symbolized.
    #[inline]
    pub fn lines_of(&self, location: u32) -> &[SampleLine] {
        run_of(&self.line_ends, &self.lines, location as usize)
    }
}

/// Either text or a number with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    pub key: StringId,
    /// 0: the label is a number.
    pub text: StringId,
    pub number: i64,
    pub unit: StringId,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    pub stacks: Stacks,
    /// Row by row: `sample_types.len()` values for each sample.
    pub values: Vec<u64>,
    pub label_ends: Vec<u32>,
    pub labels: Vec<Label>,
}

impl Samples {
    pub fn len(&self) -> usize {
        self.stacks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stacks.is_empty()
    }

    /// Locations of a sample, leaf first.
    pub fn stack(&self, sample: usize) -> &[u32] {
        self.stacks.of(sample)
    }

    pub fn labels_of(&self, sample: usize) -> &[Label] {
        run_of(&self.label_ends, &self.labels, sample)
    }
}

impl Profile {
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// Value of one sample in the unit of `sample_types[value_type]`.
    #[inline]
    pub fn value(&self, sample: usize, value_type: usize) -> u64 {
        self.samples.values[sample * self.sample_types.len() + value_type]
    }

    /// Index of the sample type `kind`/`unit`.
    pub fn find_sample_type(&self, kind: &str, unit: &str) -> Option<usize> {
        (self.sample_types.iter())
            .position(|t| self.text(t.kind) == kind && self.text(t.unit) == unit)
    }

    /// Sum of one sample type over all samples; below 2^53. 0 when there is no such type.
    pub fn total(&self, value_type: usize) -> u64 {
        if value_type >= self.sample_types.len() {
            return 0;
        }
        (self.samples.values.chunks_exact(self.sample_types.len()))
            .map(|row| row[value_type])
            .sum()
    }

    /// Written by another program than Lineheat.
    pub fn is_foreign(&self) -> bool {
        self.run.as_ref().is_none_or(|run| run.format == 0)
    }
}

#[inline]
fn run_of<'a, T>(ends: &[u32], entries: &'a [T], index: usize) -> &'a [T] {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &entries[start as usize..ends[index] as usize]
}
