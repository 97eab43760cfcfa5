//! Folded stacks: a line for each stack, outermost frame first, frames apart by `;`, and behind the last space how often it was
//! seen. Written by the stackcollapse scripts, inferno, bpftrace, py-spy and async-profiler. Differential files have two counts;
//! those of Austin begin with process and thread, and count microseconds or bytes.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{
    ForeignReader, LabelValue, Limits, LineOf, MappingOf, Profile, ProfileBuilder, ProfileError,
    SeededHash, sample_labels,
};

use crate::frame_text::{FrameText, PlaceStyle, is_inlined, place_behind};

pub const READER: ForeignReader = ForeignReader {
    name: "folded stacks",
    is_it,
    read,
};

/// So many lines decide what a file is.
const LOOKED_AT_LINES: usize = 50;
const LOOKED_AT_BYTES: usize = 1 << 20;
/// Sums of values stay below it, as in every profile.
const VALUE_MAX: u64 = 1 << 53;

/// Lines of stacks and counts, at least one of them of several frames.
fn is_it(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    if start.contains(&0) {
        return false;
    }
    let text = String::from_utf8_lossy(start);
    let is_whole = start.len() == bytes.len();
    let mut lines: Vec<&str> = text.lines().collect();
    if !is_whole {
        lines.pop();
    }
    let stacks: Vec<&str> = (lines.into_iter())
        .filter(|line| !is_comment(line))
        .take(LOOKED_AT_LINES)
        .collect();
    // Fractions are of this format too: they are refused as what they are, not as an unknown text.
    let has_number = |line: &&str| {
        let (_, count) = line.trim_end().rsplit_once(' ').unwrap_or_default();
        count.parse::<f64>().is_ok_and(f64::is_finite)
    };
    stacks.iter().any(|line| line.contains(';')) && stacks.iter().all(has_number)
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("# ")
}

/// One stack.
struct Line<'a> {
    stack: &'a str,
    count: u64,
    /// Of a differential file: the first count.
    before: Option<u64>,
}

impl Line<'_> {
    fn of(line: &str) -> Option<Line<'_>> {
        let (stack, count) = with_number(line.trim_end())?;
        // A name may end in a number of its own, but no tool writes one behind a space.
        let (stack, before) = match with_number(stack) {
            Some((stack, before)) => (stack, Some(before)),
            None => (stack, None),
        };
        Some(Line {
            stack,
            count,
            before,
        })
    }
}

fn with_number(text: &str) -> Option<(&str, u64)> {
    let (rest, number) = text.rsplit_once(' ')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((rest.trim_end(), is_number.then(|| number.parse().ok())??))
}

/// What a file of this format counts, and how.
struct Kind {
    style: PlaceStyle,
    is_differential: bool,
    /// The first two frames are process and thread: "cpu", "wall" or "memory".
    austin: Option<&'static str>,
}

impl Kind {
    fn of(lines: &[(usize, Line)], headers: &[&str]) -> Kind {
        let mode = headers
            .iter()
            .find_map(|line| line.strip_prefix("# mode: "));
        let is_austin = headers.iter().any(|line| line.starts_with("# austin: "))
            || lines
                .iter()
                .all(|(_, line)| process_and_thread(line.stack).is_some());
        let leaves = || {
            lines
                .iter()
                .filter_map(|(_, line)| line.stack.rsplit(';').next())
        };
        let placed = leaves().filter(|leaf| place_behind(leaf).is_some()).count();
        Kind {
            style: match is_austin {
                true => PlaceStyle::Around,
                false if 2 * placed > lines.len() => PlaceStyle::Behind,
                false => PlaceStyle::None,
            },
            is_differential: !is_austin && lines.iter().all(|(_, line)| line.before.is_some()),
            austin: is_austin.then_some(match mode {
                Some("cpu") => "cpu",
                Some("memory") => "memory",
                _ => "wall",
            }),
        }
    }

    fn sample_types(&self) -> Vec<(&'static str, &'static str)> {
        match (self.austin, self.is_differential) {
            (Some("memory"), _) => vec![("samples", "count"), ("memory", "bytes")],
            (Some(time), _) => vec![("samples", "count"), (time, "nanoseconds")],
            (None, true) => vec![("before", "count"), ("samples", "count")],
            (None, false) => vec![("samples", "count")],
        }
    }

    fn values(&self, line: &Line) -> Option<Vec<u64>> {
        Some(match (self.austin, self.is_differential) {
            (Some("memory"), _) => vec![1, line.count],
            (Some(_), _) => vec![1, line.count.checked_mul(1000)?],
            (None, true) => vec![line.before.unwrap_or(0), line.count],
            (None, false) => vec![line.count],
        })
    }
}

/// `P123;T0:456;…`: the numbers of process and thread, and the frames.
fn process_and_thread(stack: &str) -> Option<(u32, u32, &str)> {
    let mut parts = stack.splitn(3, ';');
    let pid = parts.next()?.strip_prefix('P')?.parse().ok()?;
    let thread = parts.next()?.strip_prefix('T')?;
    let tid = thread.rsplit(':').next()?.parse().ok()?;
    Some((pid, tid, parts.next().unwrap_or("")))
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let text: Cow<str> = String::from_utf8_lossy(bytes);
    let numbered = || text.lines().enumerate();
    let headers: Vec<&str> = (numbered().map(|(_, line)| line))
        .filter(|line| is_comment(line))
        .collect();
    let mut lines = Vec::new();
    for (at, line) in numbered().filter(|(_, line)| !is_comment(line)) {
        if lines.len() == limits.records {
            return Err(ProfileError::too_large(format!(
                "The file has more than {} stacks, the maximum that Lineheat reads.",
                limits.records
            )));
        }
        lines.push((
            at + 1,
            Line::of(line).ok_or_else(|| no_count(at + 1, line))?,
        ));
    }
    let kind = Kind::of(&lines, &headers);
    let types = kind.sample_types();
    let mut stacks = Stacks {
        builder: ProfileBuilder::new(&types),
        kernel: None,
        style: kind.style,
        depth_max: limits.stack_depth,
        frames_left: limits.frames,
        cut: 0,
        locations: HashMap::default(),
        current: Vec::new(),
    };
    let mut sums = vec![0u64; types.len()];
    for (number, line) in &lines {
        let values = kind.values(line).filter(|values| {
            let mut sums = sums.iter_mut().zip(values);
            sums.all(|(sum, value)| {
                *sum = sum.saturating_add(*value);
                *sum < VALUE_MAX
            })
        });
        let values = values.ok_or_else(|| {
            ProfileError::too_large(format!(
                "The counts up to line {number} add up to 2^53 or more, beyond what Lineheat counts."
            ))
        })?;
        stacks.add(line.stack, &values, kind.austin.is_some())?;
    }
    let cut = stacks.cut;
    let mut profile = stacks.builder.finish();
    if cut > 0 {
        profile.problems.push(format!(
            "{cut} stacks have more than {} frames: their outermost frames are left out.",
            limits.stack_depth
        ));
    }
    Ok(profile)
}

fn no_count(number: usize, line: &str) -> ProfileError {
    let start: String = line.chars().take(60).collect();
    ProfileError::damaged(format!(
        "Line {number} of the folded stacks has no whole number behind its last space: \"{start}\"."
    ))
}

struct Stacks<'a> {
    builder: ProfileBuilder,
    kernel: Option<u32>,
    style: PlaceStyle,
    depth_max: usize,
    frames_left: usize,
    /// Stacks that were deeper.
    cut: u64,
    /// By the text of a frame and what is inlined into it.
    locations: HashMap<&'a str, u32, SeededHash>,
    /// Of the stack that is being added, outermost first.
    current: Vec<u32>,
}

impl<'a> Stacks<'a> {
    fn add(&mut self, stack: &'a str, values: &[u64], is_austin: bool) -> Result<(), ProfileError> {
        let owner = is_austin.then(|| process_and_thread(stack)).flatten();
        let stack = owner.map_or(stack, |(_, _, frames)| frames);
        let labels: Vec<(&str, LabelValue)> = owner.map_or(Vec::new(), |(pid, tid, _)| {
            sample_labels(pid, tid, "", "", 0, None)
        });
        self.current.clear();
        for chain in chains(stack).filter(|chain| !chain.is_empty()) {
            let location = match self.locations.get(chain) {
                Some(&location) => location,
                None => self.location(chain),
            };
            self.current.push(location);
        }
        if self.current.len() > self.depth_max {
            let deeper = self.current.len() - self.depth_max;
            self.current.drain(..deeper);
            self.cut += 1;
        }
        self.frames_left = (self.frames_left)
            .checked_sub(self.current.len())
            .ok_or_else(|| {
                ProfileError::too_large("The stacks have more frames together than Lineheat reads.")
            })?;
        self.current.reverse();
        self.builder.add_sample(&self.current, values, &labels);
        Ok(())
    }

    fn location(&mut self, chain: &'a str) -> u32 {
        let frames: Vec<FrameText> = (chain.split(';'))
            .filter(|frame| !frame.is_empty())
            .map(|frame| FrameText::of(frame, self.style))
            .collect();
        let lines: Vec<LineOf> = (frames.iter().rev())
            .map(|frame| LineOf {
                function: (self.builder).add_function(frame.name, frame.name, frame.file, 0),
                line: frame.line,
                column: 0,
            })
            .collect();
        let mapping = frames[0].is_kernel.then(|| self.kernel_mapping());
        let location = self.builder.add_location(mapping, 0, &lines);
        self.locations.insert(chain, location);
        location
    }

    fn kernel_mapping(&mut self) -> u32 {
        let builder = &mut self.builder;
        *self.kernel.get_or_insert_with(|| {
            builder.add_mapping(MappingOf {
                filename: "[kernel]",
                symbolized: true,
                ..MappingOf::default()
            })
        })
    }
}

/// Each frame with those that are inlined into it, which are marked and follow it.
fn chains(stack: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(stack);
    std::iter::from_fn(move || {
        let text = rest?;
        let frame_end = |from: usize| text[from..].find(';').map_or(text.len(), |at| from + at);
        let mut end = frame_end(0);
        while end < text.len() {
            let next = frame_end(end + 1);
            if !is_inlined(&text[end + 1..next]) {
                break;
            }
            end = next;
        }
        rest = text.get(end + 1..);
        Some(&text[..end])
    })
}
