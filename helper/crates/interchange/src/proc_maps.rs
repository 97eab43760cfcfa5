//! What was mapped where, as `/proc/PID/maps` says it, and the locations of addresses in it.

use std::collections::HashMap;

use profile::{MappingOf, ProfileError, SeededHash};

use crate::sample_table::SampleTable;

struct Region<'a> {
    start: u64,
    end: u64,
    offset: u64,
    path: &'a str,
    mapping: Option<u32>,
}

#[derive(Default)]
pub struct ProcMaps<'a> {
    /// By their start.
    regions: Vec<Region<'a>>,
    /// The first one that is code, as it is mapped first: the program.
    program: usize,
    locations: HashMap<u64, u32, SeededHash>,
}

impl<'a> ProcMaps<'a> {
    /// Lines of another form are passed over: settings stand among them.
    pub fn of(text: &'a str) -> ProcMaps<'a> {
        let mut regions: Vec<Region> = text.lines().filter_map(region).collect();
        let program = regions.first().map_or(0, |region| region.start);
        regions.sort_by_key(|region| region.start);
        ProcMaps {
            program: regions
                .iter()
                .position(|of| of.start == program)
                .unwrap_or(0),
            regions,
            locations: HashMap::default(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// # Errors
    /// `TooLarge`.
    pub fn location(&mut self, table: &mut SampleTable, address: u64) -> Result<u32, ProfileError> {
        if let Some(&location) = self.locations.get(&address) {
            return Ok(location);
        }
        if self.locations.is_empty() && !self.regions.is_empty() {
            self.mapping(table, self.program)?;
        }
        let behind = self
            .regions
            .partition_point(|region| region.start <= address);
        let mapping = match behind
            .checked_sub(1)
            .filter(|at| address < self.regions[*at].end)
        {
            Some(at) => Some(self.mapping(table, at)?),
            None => None,
        };
        let location = table.location(mapping, address, &[])?;
        self.locations.insert(address, location);
        Ok(location)
    }

    fn mapping(&mut self, table: &mut SampleTable, at: usize) -> Result<u32, ProfileError> {
        let region = &mut self.regions[at];
        if let Some(mapping) = region.mapping {
            return Ok(mapping);
        }
        let mapping = table.add_mapping(MappingOf {
            filename: region.path,
            memory_start: region.start,
            memory_limit: region.end,
            file_offset: region.offset,
            ..MappingOf::default()
        })?;
        region.mapping = Some(mapping);
        Ok(mapping)
    }
}

/// `start-end perms offset device inode path` of code.
fn region(line: &str) -> Option<Region<'_>> {
    let hex = |word: &str| u64::from_str_radix(word, 16).ok();
    let mut rest = line.trim();
    let mut word = || {
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind.trim_start();
        word
    };
    let (start, end) = word().split_once('-')?;
    let permissions = word();
    let offset = hex(word())?;
    let (_device, _inode) = (word(), word());
    permissions.contains('x').then_some(Region {
        start: hex(start)?,
        end: hex(end)?,
        offset,
        path: rest,
        mapping: None,
    })
}
