//! A selection as a profile of its own, which can be written to a file.

use std::collections::HashMap;

use profile::{Function, Locations, Profile, RunInfo, SampleLine, Samples, Stacks};

use crate::analyzed::Analyzed;
use crate::path_parts::file_name;
use crate::selected_samples::SelectedSamples;

impl Analyzed {
    /// Its samples alone, with the stacks as the selection has them. The description of the run stays that of all of it, but for the times
    /// of samples, and says in a sentence that it is a part; `words` are those of the selection.
    pub fn to_profile(&self, words: &str) -> Profile {
        let whole = self.profile();
        let mut made = Profile {
            samples: Samples::default(),
            ..whole.clone()
        };
        let Some(selected) = &self.selected else {
            made.samples = whole.samples.clone();
            return made;
        };
        match selected.is_transformed {
            true => self.take_paths(selected, &mut made),
            false => {
                let stacks = selected
                    .samples
                    .iter()
                    .map(|&of| whole.samples.stack(of as usize));
                made.samples.stacks = stacks.collect();
            }
        }
        made.samples.values = selected.values.clone();
        for &sample in &selected.samples {
            let labels = whole.samples.labels_of(sample as usize);
            made.samples.labels.extend_from_slice(labels);
            made.samples
                .label_ends
                .push(made.samples.labels.len() as u32);
        }
        if let Some(run) = &mut made.run {
            self.take_times(selected, run);
            run.memory_in_time = None;
            run.memory_times = None;
            run.problems
                .push(format!("This file is a part of a run: {words}."));
        }
        made
    }

    /// Functions, locations and stacks from the changed call paths. Addresses are not known there.
    fn take_paths(&self, selected: &SelectedSamples, made: &mut Profile) {
        let text = |id| self.text(id);
        made.functions = (self.functions().iter())
            .map(|function| Function {
                name: function.name,
                system_name: function.name,
                filename: function.file,
                start_line: function.line,
            })
            .collect();
        let mut mapping_of: HashMap<&str, u32> = HashMap::new();
        for (index, mapping) in (0u32..).zip(&self.profile().mappings) {
            mapping_of
                .entry(file_name(text(mapping.filename)))
                .or_insert(index);
        }
        let mut locations = Locations::default();
        for chain in 0..self.chain_count() {
            let frames = self.chain(chain);
            let module = text(self.function(frames[0].function).module);
            let mapping = mapping_of.get(module).copied();
            locations
                .mapping
                .push(mapping.unwrap_or(Locations::NO_MAPPING));
            // Equal ones would be one for other readers.
            locations.address.push(u64::from(chain));
            locations.is_folded.push(false);
            locations
                .lines
                .extend(frames.iter().map(|frame| SampleLine {
                    function: frame.function,
                    line: frame.line,
                    column: 0,
                }));
            locations.line_ends.push(locations.lines.len() as u32);
        }
        made.locations = locations;
        let trie = self.stacks();
        let stack_of = |&sample: &u32| -> Vec<u32> {
            let mut node = trie.node_of_sample[sample as usize];
            std::iter::from_fn(|| {
                let chain = (node != 0).then(|| trie.chain[node as usize]);
                node = trie.parent[node as usize];
                chain
            })
            .collect()
        };
        let stacks: Vec<Vec<u32>> = selected.samples.iter().map(stack_of).collect();
        made.samples.stacks = stacks.iter().map(Vec::as_slice).collect::<Stacks>();
    }

    fn take_times(&self, selected: &SelectedSamples, run: &mut RunInfo) {
        let Some(times) = self.sample_times() else {
            return;
        };
        let number_of: HashMap<u32, u32> = selected.samples.iter().copied().zip(0..).collect();
        run.wait_times = (self.wait_times()).map(|waits| selected.wait_times(waits, &number_of));
        let (sample_at, mut before) = (std::mem::take(&mut run.time_sample), 0);
        run.time_delta_ns.clear();
        for (sample, &ns) in sample_at
            .iter()
            .zip(&times.ns)
            .filter(|(sample, ns)| selected.is_in_at(**sample, **ns))
        {
            if let Some(&number) = number_of.get(sample) {
                run.time_sample.push(number);
                run.time_delta_ns.push(ns - before);
                before = ns;
            }
        }
    }
}
