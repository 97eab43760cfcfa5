//! Profiles of Valgrind: Callgrind's format, which KCachegrind reads and other tools write too, and Cachegrind's, which is a part
//! of it. The cost of each line is exact; there are no call stacks. Described in Valgrind's manual, "Callgrind Format
//! Specification".

use profile::{ForeignReader, Limits, Profile, ProfileError};

use crate::cost_table::{CALLS, CostTable, Place, VALUE_MAX};
use crate::valgrind_line::{Key, Line};
use crate::valgrind_names::{Kind, Name, Names};
use crate::valgrind_positions::{Positions, number, words};
use crate::valgrind_sums::{Claim, Sums};

pub const READER: ForeignReader = ForeignReader {
    name: "a profile of Callgrind or Cachegrind",
    is_it,
    read,
};

const LOOKED_AT_BYTES: usize = 1 << 20;
/// Callgrind has some twenty.
const EVENTS_MAX: usize = 63;
/// Parts may be many; what does not add up is said of so many.
const DIFFERENCES_MAX: usize = 20;
const FORMAT: &[u8] = b"# callgrind format";
/// What may stand above the costs, for [`is_it`].
const HEADERS: [&str; 12] = [
    "version",
    "creator",
    "pid",
    "cmd",
    "part",
    "thread",
    "desc",
    "event",
    "events",
    "positions",
    "summary",
    "totals",
];

/// It says so, or it begins with headers that name events.
fn is_it(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    for line in lines(start) {
        if line.starts_with(FORMAT) {
            return true;
        }
        match Line::of(line) {
            Line::Nothing => {}
            Line::Header("events", _) => return true,
            Line::Header(key, _) if HEADERS.contains(&key) => {}
            _ => return false,
        }
    }
    false
}

/// Without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii_end())
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let mut reader = Reader::new(tool_of(bytes), limits);
    for (at, line) in lines(bytes).enumerate() {
        reader.number = at + 1;
        reader.text = line;
        reader.take()?;
    }
    reader.finish()
}

/// Cachegrind writes none of the headers that Callgrind's format begins with.
fn tool_of(bytes: &[u8]) -> &'static str {
    for line in lines(bytes) {
        match Line::of(line) {
            _ if line.starts_with(FORMAT) => return "Callgrind",
            Line::Header("version" | "creator" | "positions" | "part", _) => return "Callgrind",
            Line::Header("events", _) => break,
            _ => {}
        }
    }
    "Cachegrind"
}

/// What the next line of costs is of.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Own,
    /// The cost of a call, inclusive, which the line of this number says.
    Call(usize),
}

struct Reader<'a> {
    tool: &'static str,
    limits: &'a Limits,
    /// Of the line that is being read, from 1.
    number: usize,
    text: &'a [u8],
    names: Names<'a>,
    costs: Option<CostTable<'a>>,
    program: &'a [u8],
    pid: u32,
    positions: Positions,
    place: Place,
    called: Called,
    next: Next,
    is_in_body: bool,
    sums: Sums,
    /// Calls whose inclusive costs were left out.
    calls_left_out: u64,
    negative: u64,
    has_only_addresses: bool,
    /// Sums that are not those in the file.
    differences: Vec<String>,
    more_differences: u64,
}

/// Where the next call goes; what is not said is as in the caller.
#[derive(Default)]
struct Called {
    object: Option<Name>,
    file: Option<Name>,
    function: Option<Name>,
}

impl<'a> Reader<'a> {
    fn new(tool: &'static str, limits: &'a Limits) -> Reader<'a> {
        Reader {
            tool,
            limits,
            number: 0,
            text: &[],
            names: Names::default(),
            costs: None,
            program: &[],
            pid: 0,
            positions: Positions::default(),
            place: Place::default(),
            called: Called::default(),
            next: Next::Own,
            is_in_body: false,
            sums: Sums::default(),
            calls_left_out: 0,
            negative: 0,
            has_only_addresses: false,
            differences: Vec::new(),
            more_differences: 0,
        }
    }

    fn take(&mut self) -> Result<(), ProfileError> {
        let line = Line::of(self.text);
        if let (Next::Call(call), Line::Header(..) | Line::Position(..)) = (self.next, &line) {
            return Err(self.wanted(&format!("the cost of the call in line {call}")));
        }
        match line {
            Line::Nothing => Ok(()),
            Line::Costs(text) => self.costs(text),
            Line::Position(key, value) => {
                self.is_in_body = true;
                self.position(key, value)
            }
            Line::Header(key, value) => self.header(key, value),
            Line::Other => Err(self.wanted("a header, a position or costs")),
        }
    }

    fn header(&mut self, key: &'a str, value: &'a [u8]) -> Result<(), ProfileError> {
        match key {
            "summary" | "totals" => {
                let events = self.costs.as_ref().map_or(0, |costs| costs.events().len());
                let mut claimed: Vec<i128> = Vec::new();
                for word in words(value) {
                    claimed.push(self.cost(word)?.into());
                }
                if claimed.len() > events {
                    return Err(self.wanted("no more than one sum of each event"));
                }
                self.sums.claim(match key {
                    "totals" => Claim::totals(claimed),
                    _ => Claim::summary(claimed),
                });
                return Ok(());
            }
            _ if self.is_in_body => self.start_part(),
            _ => {}
        }
        match key {
            "version" if value != b"1" => Err(self.wanted("version 1")),
            "events" => self.events(value),
            "positions" => {
                self.positions = Positions::of(value).map_err(|what| self.wanted(what))?;
                self.has_only_addresses |= !self.positions.have_lines();
                Ok(())
            }
            "cmd" => {
                self.program = words(value).next().unwrap_or_default();
                Ok(())
            }
            "pid" | "thread" => {
                let number = number(value).and_then(|number| u32::try_from(number).ok());
                let number = number.ok_or_else(|| self.wanted("a whole number"))?;
                match key {
                    "pid" => self.pid = number,
                    _ => self.place.thread = number,
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Several dumps stand in one file; names that have numbers keep them.
    fn start_part(&mut self) {
        self.is_in_body = false;
        self.positions.start_anew();
        self.place = Place::default();
        self.called = Called::default();
        self.close_part();
    }

    fn close_part(&mut self) {
        let events = self.costs.as_ref().map_or(&[][..], CostTable::events);
        for difference in self.sums.finish(self.tool, events) {
            match self.differences.len() {
                DIFFERENCES_MAX => self.more_differences += 1,
                _ => self.differences.push(difference),
            }
        }
    }

    fn events(&mut self, value: &'a [u8]) -> Result<(), ProfileError> {
        let events: Vec<&str> = words(value)
            .map(|word| std::str::from_utf8(word).ok())
            .collect::<Option<_>>()
            .ok_or_else(|| self.wanted("names of events"))?;
        if events.is_empty() {
            return Err(self.wanted("the name of an event"));
        }
        if let Some(costs) = &self.costs {
            return match costs.events() == events {
                true => Ok(()),
                false => Err(self.wanted(&format!("events: {}", costs.events().join(" ")))),
            };
        }
        if (1..events.len()).any(|at| events[..at].contains(&events[at])) {
            return Err(self.wanted("each event once"));
        }
        // One more is the number of calls.
        let events_max = EVENTS_MAX.min(self.limits.sample_types - 1);
        if events.len() > events_max {
            return Err(ProfileError::too_large(format!(
                "The {} file counts {} events, more than the {events_max} that Lineheat reads.",
                self.tool,
                events.len(),
            )));
        }
        self.costs = Some(CostTable::new(events, self.limits));
        Ok(())
    }

    fn position(&mut self, key: Key, value: &'a [u8]) -> Result<(), ProfileError> {
        let kind = match key {
            Key::Calls => return self.calls(value),
            // They cost nothing.
            Key::Jump => return Ok(()),
            Key::Object | Key::CalledObject => Kind::Object,
            Key::Function | Key::CalledFunction | Key::JumpFunction => Kind::Function,
            Key::File | Key::CalledFile | Key::JumpFile => Kind::File,
        };
        let name = (self.names)
            .of(kind, value, self.limits)
            .map_err(|problem| problem.of_line(self.tool, self.number))?;
        match key {
            Key::Object => self.place.object = name,
            Key::File => self.place.file = name,
            Key::Function => self.place.function = name,
            Key::CalledObject => self.called.object = Some(name),
            Key::CalledFile => self.called.file = Some(name),
            Key::CalledFunction => self.called.function = Some(name),
            // Read for the numbers that they give to names.
            Key::JumpFile | Key::JumpFunction | Key::Jump | Key::Calls => {}
        }
        Ok(())
    }

    /// `calls=N` and where to; the next line has where from, and the cost.
    fn calls(&mut self, value: &'a [u8]) -> Result<(), ProfileError> {
        let mut words = words(value);
        let count = (words.next().and_then(number)).ok_or_else(|| self.wanted("calls=NUMBER"))?;
        // Xdebug writes one position too many.
        let target = (self.positions.moved(&mut words)).map_err(|what| self.wanted(what))?;
        let called = std::mem::take(&mut self.called);
        let Some(function) = called.function else {
            return Err(self.wanted("cfn= before the call"));
        };
        let place = Place {
            object: called.object.unwrap_or(self.place.object),
            file: called.file.unwrap_or(self.place.file),
            function,
            line: target.line(),
            thread: self.place.thread,
        };
        self.next = Next::Call(self.number);
        self.calls_left_out += 1;
        let (tool, number) = (self.tool, self.number);
        self.table()?.add_calls(place, count, tool, number)
    }

    fn costs(&mut self, text: &'a [u8]) -> Result<(), ProfileError> {
        self.is_in_body = true;
        let mut words = words(text);
        self.positions = (self.positions.moved(&mut words)).map_err(|what| self.wanted(what))?;
        let line = self.positions.line();
        let events = self.table()?.events().len();
        let mut costs = [0i64; EVENTS_MAX];
        let mut count = 0;
        for word in words {
            if count == events {
                return Err(self.wanted("no more than one cost of each event"));
            }
            costs[count] = self.cost(word)?;
            count += 1;
        }
        let costs = &costs[..count];
        if std::mem::replace(&mut self.next, Next::Own) != Next::Own || costs.is_empty() {
            return Ok(());
        }
        self.sums.add(costs);
        self.negative += costs.iter().filter(|cost| **cost < 0).count() as u64;
        let place = Place { line, ..self.place };
        let (tool, number) = (self.tool, self.number);
        self.table()?.add(place, costs, tool, number)
    }

    fn table(&mut self) -> Result<&mut CostTable<'a>, ProfileError> {
        match self.costs {
            Some(ref mut costs) => Ok(costs),
            None => Err(wanted(self.tool, self.number, self.text, "events:")),
        }
    }

    fn cost(&self, word: &[u8]) -> Result<i64, ProfileError> {
        let (is_negative, digits) = match word {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let cost = number(digits).ok_or_else(|| self.wanted("a whole number"))?;
        if cost >= VALUE_MAX {
            return Err(CostTable::too_much(self.tool, self.number));
        }
        Ok(if is_negative {
            -(cost as i64)
        } else {
            cost as i64
        })
    }

    fn wanted(&self, what: &str) -> ProfileError {
        wanted(self.tool, self.number, self.text, what)
    }

    fn finish(mut self) -> Result<Profile, ProfileError> {
        let tool = self.tool;
        if let Next::Call(call) = self.next {
            return Err(ProfileError::damaged(format!(
                "The {tool} file ends after line {call}, a call, without the cost of the call."
            )));
        }
        self.close_part();
        let Some(costs) = self.costs.take() else {
            return Err(ProfileError::damaged(format!(
                "The {tool} file has no line \"events:\", which names what it counts."
            )));
        };
        let problems = self.problems(costs.events().contains(&CALLS));
        let mut profile = costs.finish(&self.names, self.program, self.pid, self.limits)?;
        if profile.samples.is_empty() {
            return Err(ProfileError::damaged(format!(
                "The {tool} file has no costs: nothing was counted, or the file ends early."
            )));
        }
        profile.problems = problems;
        Ok(profile)
    }

    /// What the file lacks, and what is wrong with it. What holds for every file is one sentence: alone, the page shows it whole.
    fn problems(&self, has_event_of_calls: bool) -> Vec<String> {
        let mut lack = format!(
            "{} files have no call stacks, only the cost of each line: totals equal self, and functions in the flame graph have no callers.",
            self.tool
        );
        let counts = match has_event_of_calls {
            true => "how often functions were called is not shown, as an event has the name calls",
            false => "how often each function was called is the measure calls",
        };
        match self.calls_left_out {
            0 => {}
            1 => lack.push_str(&format!(
                " The inclusive cost of 1 call is left out; {counts}."
            )),
            calls => lack.push_str(&format!(
                " The inclusive costs of {calls} calls are left out; {counts}."
            )),
        }
        let mut problems = vec![lack];
        if self.has_only_addresses {
            problems.push(
                "Costs are known by function, not by line: a part of the file has \"positions: instr\". Record with --dump-line=yes.".to_owned()
            );
        }
        if self.negative > 0 {
            problems.push(format!(
                "Costs below 0 count as 0. The file has {}.",
                self.negative
            ));
        }
        problems.extend(self.differences.iter().cloned());
        if self.more_differences > 0 {
            problems.push(format!(
                "{} more sums of the file differ in this way.",
                self.more_differences
            ));
        }
        problems
    }
}

fn wanted(tool: &str, number: usize, line: &[u8], what: &str) -> ProfileError {
    let line = String::from_utf8_lossy(line);
    let start: String = line.chars().take(60).collect();
    ProfileError::damaged(format!(
        "Line {number} of the {tool} file is \"{start}\", where {what} is expected."
    ))
}
