//! Samples of files that have stacks: equal ones are added up, and the limits of a profile are kept, whatever the file holds.

use std::collections::HashMap;

use profile::{
    LabelValue, Limits, LineOf, MappingOf, Profile, ProfileBuilder, ProfileError, SeededHash,
};

/// Sums of values stay below it, as in every profile.
const VALUE_MAX: u64 = 1 << 53;

/// Of what is kept of a file beside its text, roughly: what is different in it may be far larger than what it says. A million
/// stacks of 25 frames need less.
const BYTES_MAX: usize = 400 << 20;

/// Where a sample was taken; what is `None` or "" is not said.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Owner<'a> {
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub process: &'a str,
    pub thread: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Row {
    stack: u32,
    owner: u32,
    kind: u32,
}

/// The values of a sample are `width` numbers of one kind (an event, say); which sample types they are is said at the end.
pub struct SampleTable<'a, 'l> {
    builder: ProfileBuilder,
    limits: &'l Limits,
    /// The tool, for errors.
    tool: &'static str,
    width: usize,
    mappings: HashMap<String, u32, SeededHash>,
    stacks: HashMap<Box<[u32]>, u32, SeededHash>,
    owners: Vec<Owner<'a>>,
    owner_numbers: HashMap<Owner<'a>, u32, SeededHash>,
    rows: HashMap<Row, u32, SeededHash>,
    samples: Vec<Row>,
    values: Vec<u64>,
    /// Of each kind, `width` of them.
    sums: Vec<u64>,
    frames_left: usize,
    cut_stacks: u64,
    functions: usize,
    locations: usize,
    bytes: usize,
}

impl<'a, 'l> SampleTable<'a, 'l> {
    pub fn new(tool: &'static str, width: usize, limits: &'l Limits) -> SampleTable<'a, 'l> {
        SampleTable {
            builder: ProfileBuilder::new(&[]),
            limits,
            tool,
            width,
            mappings: HashMap::default(),
            stacks: HashMap::default(),
            owners: Vec::new(),
            owner_numbers: HashMap::default(),
            rows: HashMap::default(),
            samples: Vec::new(),
            values: Vec::new(),
            sums: Vec::new(),
            frames_left: limits.frames,
            cut_stacks: 0,
            functions: 0,
            locations: 0,
            bytes: 0,
        }
    }

    /// For a thing that is kept: its place in the tables, and the two that find it again.
    fn spend(&mut self, bytes: usize) -> Result<(), ProfileError> {
        self.bytes += bytes;
        match self.bytes <= BYTES_MAX {
            true => Ok(()),
            false => Err(ProfileError::too_large(format!(
                "The {} file has more different functions, places and stacks than Lineheat reads: they need more than {} MiB.",
                self.tool,
                BYTES_MAX >> 20
            ))),
        }
    }

    /// The mapping of a module whose names are all in the file. The first one is taken for the program.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn mapping(&mut self, filename: &str) -> Result<u32, ProfileError> {
        if let Some(&mapping) = self.mappings.get(filename) {
            return Ok(mapping);
        }
        let mapping = self.add_mapping(MappingOf {
            filename,
            symbolized: true,
            ..MappingOf::default()
        })?;
        self.mappings.insert(filename.to_owned(), mapping);
        Ok(mapping)
    }

    /// # Errors
    /// `TooLarge`.
    pub fn add_mapping(&mut self, mapping: MappingOf) -> Result<u32, ProfileError> {
        self.check_text(mapping.filename)?;
        let index = self.builder.add_mapping(mapping);
        match (index as usize) < self.limits.mappings {
            true => Ok(index),
            false => Err(self.too_many("modules", self.limits.mappings)),
        }
    }

    /// `start_line` 0: unknown.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn function(
        &mut self,
        name: &str,
        filename: &str,
        start_line: u32,
    ) -> Result<u32, ProfileError> {
        self.check_text(name)?;
        self.check_text(filename)?;
        let index = (self.builder).add_function(name, name, filename, start_line);
        if index as usize == self.functions {
            self.functions += 1;
            self.spend(160 + 2 * (name.len() + filename.len()))?;
        }
        Ok(index)
    }

    /// As [`ProfileBuilder::add_location`].
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn location(
        &mut self,
        mapping: Option<u32>,
        address: u64,
        lines: &[LineOf],
    ) -> Result<u32, ProfileError> {
        if lines.len() > self.limits.lines_per_location {
            return Err(self.too_many(
                "functions inlined into one place",
                self.limits.lines_per_location,
            ));
        }
        let index = self.builder.add_location(mapping, address, lines);
        if index as usize == self.locations {
            self.locations += 1;
            self.spend(200 + 32 * lines.len())?;
        }
        Ok(index)
    }

    /// The number of a stack, leaf first; of one that is too deep, without its outermost frames.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn stack(&mut self, frames: &[u32]) -> Result<u32, ProfileError> {
        let kept = &frames[..frames.len().min(self.limits.stack_depth)];
        if let Some(&stack) = self.stacks.get(kept) {
            return Ok(stack);
        }
        self.cut_stacks += u64::from(kept.len() < frames.len());
        self.frames_left = (self.frames_left)
            .checked_sub(kept.len())
            .ok_or_else(|| self.too_many("frames", self.limits.frames))?;
        if self.stacks.len() == self.limits.records {
            return Err(self.too_many("different stacks", self.limits.records));
        }
        self.spend(96 + 12 * kept.len())?;
        let stack = self.builder.keep_stack(kept);
        self.stacks.insert(kept.into(), stack);
        Ok(stack)
    }

    pub fn owner(&mut self, owner: Owner<'a>) -> u32 {
        if let Some(&number) = self.owner_numbers.get(&owner) {
            return number;
        }
        self.bytes += 200;
        let number = self.owners.len() as u32;
        self.owners.push(owner.clone());
        self.owner_numbers.insert(owner, number);
        number
    }

    /// `stack` and `owner` are numbers given here.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn add(
        &mut self,
        stack: u32,
        owner: u32,
        kind: u32,
        values: &[u64],
    ) -> Result<(), ProfileError> {
        assert_eq!(values.len(), self.width);
        let of_kind = kind as usize * self.width;
        if self.sums.len() < of_kind + self.width {
            self.sums.resize(of_kind + self.width, 0);
        }
        let sums = &mut self.sums[of_kind..of_kind + self.width];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = sum.saturating_add(*value);
            if *sum >= VALUE_MAX {
                return Err(ProfileError::too_large(format!(
                    "The values of the {} file add up to 2^53 or more, beyond what Lineheat counts.",
                    self.tool
                )));
            }
        }
        let row = Row { stack, owner, kind };
        let next = self.samples.len() as u32;
        let index = *self.rows.entry(row).or_insert(next);
        if index < next {
            let first = index as usize * self.width;
            let known = &mut self.values[first..first + self.width];
            known
                .iter_mut()
                .zip(values)
                .for_each(|(sum, of)| *sum += of);
            return Ok(());
        }
        if self.samples.len() == self.limits.records {
            return Err(self.too_many("different samples", self.limits.records));
        }
        self.spend(80 + 16 * self.width)?;
        self.samples.push(row);
        self.values.extend_from_slice(values);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// `columns`: for each kind and each of its values the sample type that it is of; `None`: it is left out.
    /// `default_type` is an index into `types`.
    pub fn finish(
        self,
        types: &[(&str, &str)],
        default_type: usize,
        columns: &[Vec<Option<usize>>],
    ) -> Profile {
        let SampleTable {
            mut builder,
            samples,
            values,
            owners,
            width,
            cut_stacks,
            rows,
            stacks,
            ..
        } = self;
        drop((rows, stacks));
        builder.set_sample_types(types);
        builder.set_default_sample_type(default_type);
        let labels: Vec<Vec<(&str, LabelValue)>> = owners.iter().map(labels).collect();
        let mut of_types = vec![0; types.len()];
        for (row, values) in samples.iter().zip(values.chunks_exact(width)) {
            of_types.fill(0);
            let columns = columns[row.kind as usize].iter();
            for (column, value) in columns.zip(values).filter_map(|(c, v)| Some(((*c)?, v))) {
                of_types[column] = *value;
            }
            builder.push_sample_with(row.stack, &of_types, &labels[row.owner as usize]);
        }
        let mut profile = builder.finish();
        if cut_stacks > 0 {
            profile.problems.push(format!(
                "{cut_stacks} stacks have more than {} frames: their outermost frames are left out.",
                self.limits.stack_depth
            ));
        }
        profile
    }

    fn check_text(&self, text: &str) -> Result<(), ProfileError> {
        match text.len() <= self.limits.string_bytes {
            true => Ok(()),
            false => Err(ProfileError::too_large(format!(
                "The {} file has a name of {} bytes; Lineheat reads at most {}.",
                self.tool,
                text.len(),
                self.limits.string_bytes
            ))),
        }
    }

    fn too_many(&self, what: &str, limit: usize) -> ProfileError {
        ProfileError::too_large(format!(
            "The {} file has more than {limit} {what}, the maximum that Lineheat reads.",
            self.tool
        ))
    }
}

fn labels<'a>(owner: &Owner<'a>) -> Vec<(&'static str, LabelValue<'a>)> {
    let number = |number: u32| LabelValue::Number(i64::from(number), "");
    let text = |key, text: &'a str| (!text.is_empty()).then_some((key, LabelValue::Text(text)));
    let mut labels = Vec::new();
    labels.extend(owner.pid.map(|pid| ("pid", number(pid))));
    labels.extend(owner.tid.map(|tid| ("tid", number(tid))));
    labels.extend(text("process", owner.process));
    labels.extend(text("thread", owner.thread));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_that_need_too_much_memory_are_refused() {
        let limits = Limits::default();
        let mut table = SampleTable::new("any", 1, &limits);
        let function = table.function("f", "", 0).unwrap();
        let line = |line| LineOf {
            function,
            line,
            column: 0,
        };
        let locations: Vec<u32> = (0..3000)
            .map(|at| table.location(None, 0, &[line(at)]).unwrap())
            .collect();
        let mut frames = locations[..2000].to_vec();
        let error = (0..100_000).find_map(|at| {
            (frames[0], frames[1]) = (locations[at % 3000], locations[at / 3000]);
            table.stack(&frames).err()
        });
        let error = error.expect("it ends").message;
        assert!(error.contains("need more than 400 MiB"), "{error}");
    }
}
