//! Mappings, functions and locations of a pprof file, and what their ids mean.

use crate::columns::{Function, Locations, Mapping, Profile, SampleLine};
use crate::decode_checks::{check_string, string_id, too_many};
use crate::error::ProfileError;
use crate::limits::Limits;
use crate::message_reader::MessageReader;
use crate::references::References;

type Result<T> = std::result::Result<T, ProfileError>;

/// Tables as they stand in the file, with the ids that they refer to each other by.
#[derive(Default)]
pub struct Tables {
    mappings: Vec<Mapping>,
    mapping_ids: Vec<u64>,
    functions: Vec<Function>,
    function_ids: Vec<u64>,
    locations: Locations,
    location_ids: Vec<u64>,
    location_mapping_ids: Vec<u64>,
    line_function_ids: Vec<u64>,
}

impl Tables {
    pub fn add_mapping(&mut self, bytes: &[u8], limits: &Limits) -> Result<()> {
        if self.mappings.len() >= limits.mappings {
            return Err(too_many("mappings", limits.mappings));
        }
        let (mut id, mut mapping) = (0, Mapping::default());
        let mut reader = MessageReader::new(bytes, "mapping");
        while let Some((field, content)) = reader.next()? {
            if !(1..=10).contains(&field) {
                continue;
            }
            let number = reader.number(field, content)?;
            match field {
                1 => id = number,
                2 => mapping.memory_start = number,
                3 => mapping.memory_limit = number,
                4 => mapping.file_offset = number,
                5 => mapping.filename = string_id(number, "mapping")?,
                6 => mapping.build_id = string_id(number, "mapping")?,
                7 => mapping.has_functions = number != 0,
                8 => mapping.has_filenames = number != 0,
                9 => mapping.has_line_numbers = number != 0,
                _ => mapping.has_inline_frames = number != 0,
            }
        }
        if mapping.memory_limit != 0 && mapping.memory_limit < mapping.memory_start {
            return Err(ProfileError::damaged(format!(
                "The mapping with the id {id} ends at {:#x}, before its start at {:#x}.",
                mapping.memory_limit, mapping.memory_start
            )));
        }
        self.mapping_ids.push(id);
        self.mappings.push(mapping);
        Ok(())
    }

    pub fn add_function(&mut self, bytes: &[u8], limits: &Limits) -> Result<()> {
        if self.functions.len() >= limits.records {
            return Err(too_many("functions", limits.records));
        }
        let (mut id, mut function) = (0, Function::default());
        let mut reader = MessageReader::new(bytes, "function");
        while let Some((field, content)) = reader.next()? {
            if !(1..=5).contains(&field) {
                continue;
            }
            let number = reader.number(field, content)?;
            match field {
                1 => id = number,
                2 => function.name = string_id(number, "function")?,
                3 => function.system_name = string_id(number, "function")?,
                4 => function.filename = string_id(number, "function")?,
                _ => function.start_line = line_number(number, "function")?,
            }
        }
        self.function_ids.push(id);
        self.functions.push(function);
        Ok(())
    }

    pub fn add_location(&mut self, bytes: &[u8], limits: &Limits) -> Result<()> {
        if self.location_ids.len() >= limits.records {
            return Err(too_many("locations", limits.records));
        }
        let (mut id, mut mapping_id, mut address, mut is_folded) = (0, 0, 0, false);
        let first_line = self.locations.lines.len();
        let mut reader = MessageReader::new(bytes, "location");
        while let Some((field, content)) = reader.next()? {
            match field {
                1 => id = reader.number(field, content)?,
                2 => mapping_id = reader.number(field, content)?,
                3 => address = reader.number(field, content)?,
                4 => {
                    if self.locations.lines.len() - first_line >= limits.lines_per_location {
                        return Err(too_many("lines in one location", limits.lines_per_location));
                    }
                    if self.locations.lines.len() >= limits.lines {
                        return Err(too_many("lines", limits.lines));
                    }
                    self.add_line(reader.bytes(field, content)?)?;
                }
                5 => is_folded = reader.number(field, content)? != 0,
                _ => {}
            }
        }
        self.location_ids.push(id);
        self.location_mapping_ids.push(mapping_id);
        self.locations.address.push(address);
        self.locations.is_folded.push(is_folded);
        self.locations
            .line_ends
            .push(self.locations.lines.len() as u32);
        Ok(())
    }

    fn add_line(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut function_id, mut line, mut column) = (0, 0, 0);
        let mut reader = MessageReader::new(bytes, "line");
        while let Some((field, content)) = reader.next()? {
            match field {
                1 => function_id = reader.number(field, content)?,
                2 => line = line_number(reader.number(field, content)?, "line")?,
                3 => column = line_number(reader.number(field, content)?, "line")?,
                _ => {}
            }
        }
        self.line_function_ids.push(function_id);
        self.locations.lines.push(SampleLine {
            function: 0,
            line,
            column,
        });
        Ok(())
    }

    /// Puts the tables into `profile` with every reference resolved; returns what sample stacks refer to.
    pub fn finish(mut self, profile: &mut Profile) -> Result<References> {
        let mappings = References::new(&self.mapping_ids, "mapping")?;
        let functions = References::new(&self.function_ids, "function")?;
        let locations = References::new(&self.location_ids, "location")?;
        for mapping in &self.mappings {
            for id in [mapping.filename, mapping.build_id] {
                check_string(&profile.strings, id, "mapping")?;
            }
        }
        for function in &self.functions {
            for id in [function.name, function.system_name, function.filename] {
                check_string(&profile.strings, id, "function")?;
            }
        }
        for (line, &id) in self.locations.lines.iter_mut().zip(&self.line_function_ids) {
            line.function = functions.index(id).ok_or_else(|| {
                ProfileError::damaged(format!(
                    "A location refers to the function {id}, which is not in the file."
                ))
            })?;
        }
        self.locations.mapping = (self.location_mapping_ids.iter())
            .map(|&id| match id {
                0 => Ok(Locations::NO_MAPPING),
                id => mappings.index(id).ok_or_else(|| {
                    ProfileError::damaged(format!(
                        "A location refers to the mapping {id}, which is not in the file."
                    ))
                }),
            })
            .collect::<Result<_>>()?;
        profile.mappings = self.mappings;
        profile.functions = self.functions;
        profile.locations = self.locations;
        Ok(locations)
    }
}

fn line_number(raw: u64, of: &str) -> Result<u32> {
    u32::try_from(raw).map_err(|_| {
        ProfileError::damaged(format!(
            "A {of} has the line or column number {}, which no source has.",
            raw as i64
        ))
    })
}
