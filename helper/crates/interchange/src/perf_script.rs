//! What `perf script` prints: for each sample a line that says what and when, then its stack, leaf first. `-F` chooses what is
//! printed, so each part may be missing.

use std::collections::HashMap;

use profile::{ForeignReader, KERNEL, Limits, LineOf, Profile, ProfileError, SeededHash};

use crate::perf_script_events::Events;
use crate::perf_script_frame::{PerfFrame, is_inlined};
use crate::perf_script_header::Header;
use crate::sample_table::{Owner, SampleTable};

pub const READER: ForeignReader = ForeignReader {
    name: "the text of perf script",
    is_it,
    read,
};

const TOOL: &str = "perf script";
const LOOKED_AT_BYTES: usize = 64 << 10;
/// So many lines decide what a file is, and which module is the program.
const LOOKED_AT_LINES: usize = 2000;
/// Beside time: other records, printed with `--show-mmap-events` and the like.
const RECORD: &str = " PERF_RECORD_";

/// The first line is that of a sample with time and event, or of one with less and a frame below it.
fn is_it(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    if start.contains(&0) {
        return false;
    }
    let text = String::from_utf8_lossy(start);
    let mut lines = (text.lines())
        .filter(|line| !is_nothing(line) && !line.contains(RECORD))
        .take(LOOKED_AT_LINES);
    let Some(first) = lines.next() else {
        return false;
    };
    match Header::of(first) {
        Some(header) if header.is_certain() && !first.starts_with('\t') => true,
        Some(_) if first.starts_with('\t') => is_frame(first),
        Some(_) => lines.next().is_some_and(is_frame),
        None => is_frame(first),
    }
}

/// As perf aligns them: text of other kinds is never like that.
fn is_frame(line: &str) -> bool {
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    line.starts_with('\t') && indent + word.len() == 17 && u64::from_str_radix(word, 16).is_ok()
}

fn is_nothing(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// Lines of a frame in the text: its own, and that of its source line.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    end: usize,
}

/// A sample whose stack is being read.
#[derive(Clone, Copy)]
struct Open<'a> {
    header: Header<'a>,
    /// The frame in the header, until there is a stack.
    own: Option<Entry>,
}

struct Reader<'a, 'l> {
    text: &'a str,
    table: SampleTable<'a, 'l>,
    events: Events<'a>,
    open: Option<Open<'a>>,
    entries: Vec<Entry>,
    /// By the text of a frame with what is inlined into it.
    locations: HashMap<&'a str, u32, SeededHash>,
    stack: Vec<u32>,
    has_places: bool,
    has_stacks: bool,
    first_ns: u64,
    last_ns: u64,
    lost: u64,
    ignored: u64,
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader {
        text: &text,
        table: SampleTable::new(TOOL, 2, limits),
        events: Events::default(),
        open: None,
        entries: Vec::new(),
        locations: HashMap::default(),
        stack: Vec::new(),
        has_places: false,
        has_stacks: false,
        first_ns: u64::MAX,
        last_ns: 0,
        lost: 0,
        ignored: 0,
    };
    if let Some(program) = program(&text) {
        reader.table.mapping(program)?;
    }
    let mut start = 0;
    for (at, line) in text.split('\n').enumerate() {
        reader.take(at + 1, start, line.trim_end_matches('\r'))?;
        start += line.len() + 1;
    }
    reader.close()?;
    reader.finish()
}

/// The first module that is called as the command of its sample, which has at most 15 bytes.
fn program(text: &str) -> Option<&str> {
    let mut comm = "";
    for line in text.lines().take(LOOKED_AT_LINES) {
        let rest = match Header::of(line).filter(|_| !line.starts_with('\t')) {
            Some(header) => {
                comm = header.comm;
                header.rest
            }
            None => line,
        };
        let module = PerfFrame::of(rest).module;
        let name = module.rsplit('/').next().unwrap_or_default();
        if module.starts_with('/') && !comm.is_empty() && name.starts_with(comm) {
            return Some(module);
        }
    }
    None
}

impl<'a> Reader<'a, '_> {
    /// `start`: of the line in the text.
    fn take(&mut self, number: usize, start: usize, line: &'a str) -> Result<(), ProfileError> {
        let entry = Entry {
            start,
            end: start + line.len(),
        };
        if line.trim().is_empty() {
            return self.close();
        }
        if line.starts_with('\t') {
            self.entries.push(entry);
            return Ok(());
        }
        if line.contains(RECORD) {
            self.lost += lost(line);
            return Ok(());
        }
        if line.starts_with('#') {
            return Ok(());
        }
        if let Some(header) = Header::of(line) {
            self.close()?;
            let rest = Entry {
                start: entry.end - header.rest.len(),
                end: entry.end,
            };
            self.open = Some(Open {
                header,
                own: has_address(header.rest).then_some(rest),
            });
            return Ok(());
        }
        self.more(number, entry, line)
    }

    /// A line that belongs to the sample above it.
    fn more(&mut self, number: usize, entry: Entry, line: &'a str) -> Result<(), ProfileError> {
        let is_place = line.starts_with("  ") && !line.starts_with("   ");
        let is_open = self.open.is_some();
        let above = match &mut self.open {
            Some(open) if self.entries.is_empty() => open.own.as_mut(),
            _ => self.entries.last_mut(),
        };
        match above {
            Some(above) if is_place && above.end + 1 == entry.start => above.end = entry.end,
            // Tabs may have been lost on the way.
            _ if line.starts_with("    ") && has_address(line) => self.entries.push(entry),
            _ if is_open => self.ignored += 1,
            _ if line.starts_with('|') => self.ignored += 1,
            _ => {
                let start: String = line.chars().take(60).collect();
                return Err(ProfileError::damaged(format!(
                    "Line {number} of the perf script text is \"{start}\", where a sample (command, thread, time and event) is expected."
                )));
            }
        }
        Ok(())
    }

    /// The sample is whole.
    fn close(&mut self) -> Result<(), ProfileError> {
        let open = self.open.take();
        if self.entries.is_empty() {
            let Some(open) = open else { return Ok(()) };
            self.entries.extend(open.own);
        } else {
            self.has_stacks = true;
        }
        let header = open.map(|open| open.header).unwrap_or_default();
        self.stack.clear();
        let mut first = 0;
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            let is_last = at + 1 == self.entries.len();
            if is_inlined(&self.text[entry.start..entry.end]) && !is_last {
                continue;
            }
            let chain = &self.text[self.entries[first].start..entry.end];
            let location = match self.locations.get(chain) {
                Some(&location) => location,
                None => self.location(first, at, chain)?,
            };
            self.stack.push(location);
            first = at + 1;
        }
        self.entries.clear();
        let stack = self.table.stack(&self.stack)?;
        let owner = self.table.owner(Owner {
            pid: header.pid,
            tid: header.tid,
            process: "",
            thread: header.comm,
        });
        if let Some(ns) = header.time_ns {
            self.first_ns = self.first_ns.min(ns);
            self.last_ns = self.last_ns.max(ns);
        }
        let event = self.events.number(header.event, header.period.is_some())?;
        (self.table).add(stack, owner, event, &[1, header.period.unwrap_or(0)])
    }

    /// Of the entries from `first` to `last`, which is what all others are inlined into.
    fn location(&mut self, first: usize, last: usize, chain: &'a str) -> Result<u32, ProfileError> {
        let frames: Vec<PerfFrame> = (self.entries[first..=last].iter())
            .map(|entry| PerfFrame::of(&self.text[entry.start..entry.end]))
            .collect();
        let outermost = frames[frames.len() - 1];
        let mapping = match outermost.module {
            "" => None,
            KERNEL => Some(self.table.mapping(KERNEL)?),
            module => Some(self.table.mapping(module)?),
        };
        let mut lines = Vec::with_capacity(frames.len());
        for frame in frames
            .iter()
            .filter(|frame| !frame.name.is_empty() || frame.line > 0)
        {
            self.has_places |= frame.line > 0;
            lines.push(LineOf {
                function: self.table.function(frame.name, frame.file, 0)?,
                line: frame.line,
                column: 0,
            });
        }
        let location = self.table.location(mapping, outermost.address, &lines)?;
        self.locations.insert(chain, location);
        Ok(location)
    }

    fn finish(self) -> Result<Profile, ProfileError> {
        if self.table.is_empty() {
            return Err(ProfileError::damaged(
                "The perf script text has no samples: nothing was recorded, or only other records are printed.",
            ));
        }
        let measures = self.events.measures();
        let mut profile =
            self.table
                .finish(&measures.types(), measures.default_type, &measures.columns);
        profile.duration_nanos =
            i64::try_from(self.last_ns.saturating_sub(self.first_ns)).unwrap_or(0);
        let mut problems = Vec::new();
        if !self.has_places {
            problems.push("The text has functions, but no source lines. To see lines, write it with perf script -F +srcline.".to_owned());
        }
        if !self.has_stacks {
            problems.push("The text has no call stacks, so totals equal self. To see callers, record with perf record -g, and let perf script print ip and sym.".to_owned());
        }
        problems.extend(measures.problem);
        if self.lost > 0 {
            problems.push(format!(
                "perf lost {} records, probably samples.",
                self.lost
            ));
        }
        if self.ignored > 0 {
            problems.push(format!(
                "{} lines of the text are no samples, frames or source lines, and are left out.",
                self.ignored
            ));
        }
        profile.problems.splice(0..0, problems);
        Ok(profile)
    }
}

/// It begins with an address, not with what a tracepoint says.
fn has_address(text: &str) -> bool {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    word.len() >= 3 && u64::from_str_radix(word, 16).is_ok()
}

/// `PERF_RECORD_LOST lost 12`
fn lost(line: &str) -> u64 {
    let behind =
        (line.split_once("PERF_RECORD_LOST")).and_then(|(_, rest)| rest.split_once("lost "));
    let number = behind.and_then(|(_, rest)| rest.split_ascii_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}
