//! The costs of lines, each added up over the file, as a profile: a line is one sample of a single frame.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{
    LabelValue, Limits, LineOf, MappingOf, Profile, ProfileBuilder, ProfileError, SeededHash,
    sample_labels,
};

use crate::valgrind_names::{Name, Names};

/// Sums of values stay below it, as in every profile.
pub const VALUE_MAX: u64 = 1 << 53;
/// Values of all lines together: 128 MiB.
const VALUES_MAX: usize = 1 << 24;
/// The measure of how often functions were called.
pub const CALLS: &str = "calls";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    pub object: Name,
    pub file: Name,
    pub function: Name,
    /// 0: unknown.
    pub line: u32,
    /// 0: the file does not say.
    pub thread: u32,
}

pub struct CostTable<'a> {
    events: Vec<&'a str>,
    rows_max: usize,
    rows: HashMap<Place, u32, SeededHash>,
    places: Vec<Place>,
    /// Of the last costs: the next ones are often of the same line.
    last_row: usize,
    /// Row by row, one of each event.
    costs: Vec<u64>,
    /// How often the function was entered at the line of the row.
    calls: Vec<u64>,
    /// One of each event, then calls.
    sums: Vec<u64>,
    has_calls: bool,
}

impl<'a> CostTable<'a> {
    pub fn new(events: Vec<&'a str>, limits: &Limits) -> CostTable<'a> {
        CostTable {
            rows_max: limits.records.min(VALUES_MAX / (events.len() + 1)),
            rows: HashMap::default(),
            places: Vec::new(),
            last_row: 0,
            costs: Vec::new(),
            calls: Vec::new(),
            sums: vec![0; events.len() + 1],
            has_calls: false,
            events,
        }
    }

    pub fn events(&self) -> &[&'a str] {
        &self.events
    }

    /// `costs` are of the first events; the others are 0, and so is what is negative. `line` is that of the file, for errors.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn add(
        &mut self,
        place: Place,
        costs: &[i64],
        tool: &str,
        line: usize,
    ) -> Result<(), ProfileError> {
        let row = self.row(place, tool)? * self.events.len();
        let mut is_too_much = false;
        for (at, cost) in costs.iter().enumerate() {
            let cost = u64::try_from(*cost).unwrap_or(0);
            self.costs[row + at] += cost;
            self.sums[at] += cost;
            is_too_much |= self.sums[at] >= VALUE_MAX;
        }
        match is_too_much {
            true => Err(CostTable::too_much(tool, line)),
            false => Ok(()),
        }
    }

    /// The function of `place` was entered there, `count` times.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn add_calls(
        &mut self,
        place: Place,
        count: u64,
        tool: &str,
        line: usize,
    ) -> Result<(), ProfileError> {
        self.has_calls = true;
        if count == 0 {
            return Ok(());
        }
        let sum = self.sums.last_mut().expect("there is one more than events");
        *sum = sum.saturating_add(count);
        if *sum >= VALUE_MAX {
            return Err(CostTable::too_much(tool, line));
        }
        let row = self.row(place, tool)?;
        self.calls[row] += count;
        Ok(())
    }

    pub fn too_much(tool: &str, line: usize) -> ProfileError {
        ProfileError::too_large(format!(
            "The counts up to line {line} of the {tool} file add up to 2^53 or more, beyond what Lineheat counts."
        ))
    }

    fn row(&mut self, mut place: Place, tool: &str) -> Result<usize, ProfileError> {
        // A line of an unknown function in an unknown file is no place: all of them are one.
        if [place.function, place.file] == [Name::default(); 2] {
            place.line = 0;
        }
        if self.places.get(self.last_row) == Some(&place) {
            return Ok(self.last_row);
        }
        let next = self.places.len();
        let row = *self.rows.entry(place).or_insert(next as u32) as usize;
        if row == next {
            if next == self.rows_max {
                return Err(ProfileError::too_large(format!(
                    "The {tool} file has costs of more than {} source lines, the maximum that Lineheat reads.",
                    self.rows_max
                )));
            }
            self.places.push(place);
            self.costs.resize(self.costs.len() + self.events.len(), 0);
            self.calls.push(0);
        }
        self.last_row = row;
        Ok(row)
    }

    /// A sample for each line with costs or calls. `program`: what was run, "" if unknown. `pid` 0: unknown.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(
        self,
        names: &Names<'a>,
        program: &[u8],
        pid: u32,
        limits: &Limits,
    ) -> Result<Profile, ProfileError> {
        let CostTable {
            events,
            rows,
            places,
            costs,
            calls,
            has_calls,
            ..
        } = self;
        drop(rows);
        let has_calls = has_calls && !events.contains(&CALLS);
        let types: Vec<(&str, &str)> = (events.iter().copied())
            .chain(has_calls.then_some(CALLS))
            .map(|name| (name, "count"))
            .collect();
        let mut builder = ProfileBuilder::new(&types);
        builder.set_default_sample_type(0);
        let mappings = Mappings::of(&mut builder, names, &places, program, limits)?;
        let mut values = Vec::with_capacity(types.len());
        for (row, place) in places.iter().enumerate() {
            values.clear();
            values.extend_from_slice(&costs[row * events.len()..][..events.len()]);
            values.extend(has_calls.then_some(calls[row]));
            if values.iter().all(|value| *value == 0) {
                continue;
            }
            let location = location(&mut builder, names, *place, mappings.get(place.object));
            let labels: Vec<(&str, LabelValue)> = match place.thread {
                0 => Vec::new(),
                thread => sample_labels(pid, thread, "", "", 0, None),
            };
            builder.push_sample(&[location], &values, &labels);
        }
        Ok(builder.finish())
    }
}

fn location(
    builder: &mut ProfileBuilder,
    names: &Names,
    place: Place,
    mapping: Option<u32>,
) -> u32 {
    let (name, file) = (names.text(place.function), names.text(place.file));
    if name.is_empty() && file.is_empty() {
        return builder.add_location(mapping, 0, &[]);
    }
    let line = LineOf {
        function: builder.add_function(&name, &name, &file, 0),
        line: place.line,
        column: 0,
    };
    builder.add_location(mapping, 0, &[line])
}

/// Objects are programs and libraries.
struct Mappings {
    of_object: HashMap<Name, u32, SeededHash>,
}

impl Mappings {
    /// The first one is that of the program, as everywhere.
    fn of(
        builder: &mut ProfileBuilder,
        names: &Names,
        places: &[Place],
        program: &[u8],
        limits: &Limits,
    ) -> Result<Mappings, ProfileError> {
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let program = String::from_utf8_lossy(program);
        let mut objects: Vec<Name> = Vec::new();
        let mut seen: std::collections::HashSet<Name, SeededHash> = Default::default();
        objects.extend(
            (places.iter().map(|place| place.object))
                .filter(|object| *object != Name::default() && seen.insert(*object)),
        );
        if objects.len() >= limits.mappings {
            return Err(ProfileError::too_large(format!(
                "The file names {} programs and libraries, more than Lineheat reads.",
                objects.len()
            )));
        }
        let own = (objects.iter())
            .position(|object| file_name(&names.text(*object)) == file_name(&program));
        match own {
            Some(own) => objects[..=own].rotate_right(1),
            None if program.is_empty() => {}
            None => {
                add(builder, program);
            }
        }
        let of_object = (objects.into_iter())
            .map(|object| (object, add(builder, names.text(object))))
            .collect();
        Ok(Mappings { of_object })
    }

    fn get(&self, object: Name) -> Option<u32> {
        self.of_object.get(&object).copied()
    }
}

fn add(builder: &mut ProfileBuilder, filename: Cow<str>) -> u32 {
    builder.add_mapping(MappingOf {
        filename: &filename,
        symbolized: true,
        ..MappingOf::default()
    })
}
