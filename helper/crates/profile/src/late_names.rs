//! Names and lines for the locations of a profile that has only addresses of them.

use std::collections::HashMap;

use crate::columns::{Function, Profile, SampleLine};
use crate::strings::StringId;

/// Adds functions to a profile, each once.
pub struct LateNames {
    functions: HashMap<Function, u32>,
    texts: HashMap<String, StringId>,
}

impl LateNames {
    pub fn of(profile: &Profile) -> LateNames {
        let functions = profile.functions.iter().zip(0..);
        LateNames {
            functions: functions
                .map(|(function, index)| (*function, index))
                .collect(),
            texts: HashMap::new(),
        }
    }

    /// `start_line` 0: unknown.
    pub fn function(
        &mut self,
        profile: &mut Profile,
        name: &str,
        system_name: &str,
        filename: &str,
        start_line: u32,
    ) -> u32 {
        let function = Function {
            name: self.text(profile, name),
            system_name: self.text(profile, system_name),
            filename: self.text(profile, filename),
            start_line,
        };
        let next = profile.functions.len() as u32;
        let index = *self.functions.entry(function).or_insert(next);
        if index == next {
            profile.functions.push(function);
        }
        index
    }

    /// A table of texts that is full gives the empty one.
    fn text(&mut self, profile: &mut Profile, text: &str) -> StringId {
        if text.is_empty() {
            return 0;
        }
        if let Some(id) = self.texts.get(text) {
            return *id;
        }
        let id = profile.strings.push(text).unwrap_or(0);
        self.texts.insert(text.to_owned(), id);
        id
    }
}

impl Profile {
    /// Gives the locations that have no lines those that `lines_of` finds, innermost inlined callee first, if any. It is
    /// asked with the number of the location.
    pub fn name_locations(
        &mut self,
        mut lines_of: impl FnMut(&mut Profile, usize) -> Vec<SampleLine>,
    ) {
        let locations = self.locations.clone();
        let (mut lines, mut line_ends) = (Vec::new(), Vec::with_capacity(locations.len()));
        for location in 0..locations.len() {
            let present = locations.lines_of(location as u32);
            lines.extend_from_slice(present);
            if present.is_empty() {
                let found = lines_of(self, location);
                if let Some(mapping) = (self.mappings)
                    .get_mut(locations.mapping[location] as usize)
                    .filter(|_| !found.is_empty())
                {
                    mapping.has_functions = true;
                    mapping.has_filenames = true;
                    mapping.has_line_numbers = true;
                    mapping.has_inline_frames = true;
                }
                lines.extend(found);
            }
            line_ends.push(lines.len() as u32);
        }
        self.locations.lines = lines;
        self.locations.line_ends = line_ends;
    }
}
