//! Speedscope's own JSON, which py-spy, dotnet-trace, rbspy and others write: samples with weights, or frames that open and close.
//! Described in speedscope's file-format-spec.

use std::borrow::Cow;
use std::fmt;

use profile::{ForeignReader, Limits, LineOf, Profile, ProfileError};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::json::{List, Lists, RECORDS_MAX, is_object_with, parse, too_many};
use crate::sample_table::{Owner, SampleTable};
use crate::whole_numbers::WholeNumbers;

pub const READER: ForeignReader = ForeignReader {
    name: "a speedscope profile",
    is_it: |bytes| is_object_with(bytes, "speedscope.app/file-format-schema"),
    read,
};

const TOOL: &str = "speedscope";
/// Of stacks that are looked up, all together: a deep stack may change at each event.
const LOOKED_UP_MAX: usize = 1 << 30;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(borrow)]
    shared: Shared<'a>,
    #[serde(borrow)]
    profiles: Profiles<'a>,
    #[serde(default)]
    active_profile_index: Option<usize>,
}

#[derive(Deserialize)]
struct Shared<'a> {
    #[serde(borrow)]
    frames: List<Frame<'a>, RECORDS_MAX>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    file: Option<Cow<'a, str>>,
    #[serde(default)]
    line: Option<f64>,
    #[serde(default)]
    col: Option<f64>,
}

/// Of one thread, say.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    r#type: Kind,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    unit: Unit,
    #[serde(default)]
    end_value: Option<f64>,
    #[serde(default)]
    samples: Lists,
    #[serde(default)]
    weights: List<f64, RECORDS_MAX>,
    #[serde(default)]
    events: List<Event, { 4 * RECORDS_MAX }>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Sampled,
    Evented,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Unit {
    None,
    Bytes,
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
}

#[derive(Deserialize)]
struct Event {
    r#type: EventType,
    at: f64,
    frame: u32,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
enum EventType {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

/// All of them together have no more samples than one may have.
struct Profiles<'a>(Vec<Part<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Profiles<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Vec<Part<'de>>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of profiles")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let (mut parts, mut samples) = (Vec::<Part>::new(), 0);
                while let Some(part) = list.next_element::<Part>()? {
                    samples += 1 + part.samples.len().max(part.weights.0.len());
                    if samples > 2 * RECORDS_MAX {
                        return Err(too_many(RECORDS_MAX));
                    }
                    parts.push(part);
                }
                Ok(parts)
            }
        }
        deserializer.deserialize_seq(Parts).map(Profiles)
    }
}

impl Unit {
    /// The measure, its unit, and how much of it one is.
    fn measure(self) -> (&'static str, &'static str, f64) {
        match self {
            Unit::None => ("value", "count", 1.0),
            Unit::Bytes => ("space", "bytes", 1.0),
            Unit::Nanoseconds => ("time", "nanoseconds", 1.0),
            Unit::Microseconds => ("time", "nanoseconds", 1e3),
            Unit::Milliseconds => ("time", "nanoseconds", 1e6),
            Unit::Seconds => ("time", "nanoseconds", 1e9),
        }
    }

    /// Of samples of these measures.
    fn number(self) -> u32 {
        match self.measure().0 {
            "time" => 0,
            "space" => 1,
            _ => 2,
        }
    }
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let file: File = parse(TOOL, bytes)?;
    let mut table = SampleTable::new(TOOL, 2, limits);
    let mut locations = Vec::with_capacity(file.shared.frames.0.len());
    for frame in &file.shared.frames.0 {
        let whole = |number: Option<f64>| number.filter(|n| *n >= 0.0).unwrap_or(0.0) as u32;
        let function = table.function(&frame.name, frame.file.as_deref().unwrap_or(""), 0)?;
        let line = LineOf {
            function,
            line: whole(frame.line),
            column: whole(frame.col),
        };
        locations.push(table.location(None, 0, &[line])?);
    }
    let mut reading = Reading {
        locations,
        stack: Vec::new(),
        looked_up: 0,
        depth_max: limits.stack_depth,
        unclosed: 0,
    };
    for part in &file.profiles.0 {
        let owner = table.owner(Owner {
            thread: &part.name,
            ..Owner::default()
        });
        match part.r#type {
            Kind::Sampled => reading.sampled(part, owner, &mut table)?,
            Kind::Evented => reading.evented(part, owner, &mut table)?,
        }
    }
    if table.is_empty() {
        return Err(ProfileError::damaged(
            "The speedscope file has no samples: nothing was recorded, or it was not written to its end.",
        ));
    }
    let mut profile = finish(&file, table);
    if reading.unclosed > 0 {
        profile.problems.push(format!(
            "{} frames are never closed: they end where their profile ends.",
            reading.unclosed
        ));
    }
    Ok(profile)
}

fn finish(file: &File, table: SampleTable) -> Profile {
    let parts = &file.profiles.0;
    let has_samples = parts.iter().any(|part| part.r#type == Kind::Sampled);
    let mut types = Vec::new();
    types.extend(has_samples.then_some(("samples", "count")));
    let mut columns = vec![vec![has_samples.then_some(0), None]; 3];
    for part in parts {
        let (name, unit, _) = part.unit.measure();
        let column = &mut columns[part.unit.number() as usize][1];
        if column.is_none() {
            *column = Some(types.len());
            types.push((name, unit));
        }
    }
    let active = file.active_profile_index.and_then(|at| parts.get(at));
    let shown = active
        .or(parts.first())
        .map_or(0, |part| part.unit.number());
    let default_type = columns[shown as usize][1].unwrap_or(0);
    let mut profile = table.finish(&types, default_type, &columns);
    if parts.iter().any(|part| part.r#type == Kind::Evented) {
        profile.problems.push(
            "The file says when functions began and ended, so there are no samples to count: one execution does not show how much its times vary.".to_owned(),
        );
    }
    let has_lines = profile.locations.lines.iter().any(|line| line.line > 0);
    if !has_lines {
        profile
            .problems
            .push("The file has functions, but no source lines.".to_owned());
    }
    profile
}

struct Reading {
    /// By frame.
    locations: Vec<u32>,
    /// Of the sample that is being added, leaf first.
    stack: Vec<u32>,
    looked_up: usize,
    depth_max: usize,
    unclosed: usize,
}

impl Reading {
    fn sampled<'a>(
        &mut self,
        part: &'a Part<'a>,
        owner: u32,
        table: &mut SampleTable<'a, '_>,
    ) -> Result<(), ProfileError> {
        if part.samples.len() != part.weights.0.len() {
            return Err(ProfileError::damaged(format!(
                "The profile \"{}\" of the speedscope file has {} samples and {} weights, where as many are expected.",
                part.name,
                part.samples.len(),
                part.weights.0.len()
            )));
        }
        let (_, _, scale) = part.unit.measure();
        let mut numbers = WholeNumbers::default();
        for (at, (frames, weight)) in part.samples.iter().zip(&part.weights.0).enumerate() {
            let value = numbers.next(weight * scale).ok_or_else(|| {
                ProfileError::damaged(format!(
                    "Sample {at} of the profile \"{}\" has the weight {weight}, where a number from 0 is expected, and a sum below 2^53.",
                    part.name
                ))
            })?;
            self.add(frames, owner, part, [1, value], table)?;
        }
        Ok(())
    }

    fn evented<'a>(
        &mut self,
        part: &'a Part<'a>,
        owner: u32,
        table: &mut SampleTable<'a, '_>,
    ) -> Result<(), ProfileError> {
        let wanted = |at: usize, what: &str| {
            ProfileError::damaged(format!(
                "Event {at} of the profile \"{}\" of the speedscope file {what}.",
                part.name
            ))
        };
        let (_, _, scale) = part.unit.measure();
        let mut numbers = WholeNumbers::default();
        let mut open: Vec<u32> = Vec::new();
        let mut last = part.events.0.first().map_or(0.0, |event| event.at);
        let end = part.end_value.map(|at| (at, None));
        let events = (part.events.0.iter()).map(|event| (event.at, Some(event)));
        for (number, (at, event)) in events.chain(end).enumerate() {
            if event.is_none() && open.is_empty() {
                break;
            }
            let value = numbers.next((at - last) * scale).ok_or_else(|| {
                wanted(number, "is before the one above it, or too late to count")
            })?;
            last = at;
            if value > 0 && !open.is_empty() {
                self.add(&open, owner, part, [0, value], table)?;
            }
            match event {
                None => self.unclosed += open.len(),
                Some(event) if event.r#type == EventType::Open => open.push(event.frame),
                Some(event) => {
                    if open.pop() != Some(event.frame) {
                        return Err(wanted(
                            number,
                            "closes a frame that is not the innermost one",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// `frames`: outermost first.
    fn add(
        &mut self,
        frames: &[u32],
        owner: u32,
        part: &Part,
        values: [u64; 2],
        table: &mut SampleTable,
    ) -> Result<(), ProfileError> {
        // One more than are kept, so that it is seen that some are not.
        let frames = &frames[frames.len().saturating_sub(self.depth_max + 1)..];
        self.looked_up += frames.len();
        if self.looked_up > LOOKED_UP_MAX {
            return Err(ProfileError::too_large(
                "The stacks of the speedscope file are deeper together than Lineheat reads.",
            ));
        }
        self.stack.clear();
        for frame in frames.iter().rev() {
            let location = self.locations.get(*frame as usize).ok_or_else(|| {
                ProfileError::damaged(format!(
                    "The profile \"{}\" of the speedscope file names frame {frame}, but the file has {} frames.",
                    part.name,
                    self.locations.len()
                ))
            })?;
            self.stack.push(*location);
        }
        let stack = table.stack(&self.stack)?;
        table.add(stack, owner, part.unit.number(), &values)
    }
}
