//! Austin's binary format (`austin -b`), version 3: events of one byte with numbers and texts behind them. Texts and frames are
//! numbered where they are first met. Described in Austin's wiki, "The MOJO file format".

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{ForeignReader, KERNEL, Limits, LineOf, Profile, ProfileError, SeededHash};

use crate::sample_table::{Owner, SampleTable};

pub const READER: ForeignReader = ForeignReader {
    name: "a recording of Austin (MOJO)",
    is_it: |bytes| bytes.starts_with(MAGIC),
    read,
};

const TOOL: &str = "Austin";
const MAGIC: &[u8] = b"MOJ";
const VERSION: u64 = 3;
/// As Austin's text names what has no code.
const COLLECTOR: &str = ":GC:";
const INVALID: &str = ":INVALID:";
/// Texts that are never written.
const KNOWN_TEXTS: [(u64, &str); 2] = [(0, ""), (1, "<unknown>")];

mod event {
    pub const METADATA: u8 = 1;
    pub const STACK: u8 = 2;
    pub const FRAME: u8 = 3;
    pub const FRAME_INVALID: u8 = 4;
    pub const FRAME_REF: u8 = 5;
    pub const FRAME_KERNEL: u8 = 6;
    pub const GC: u8 = 7;
    pub const IDLE: u8 = 8;
    pub const METRIC_TIME: u8 = 9;
    pub const METRIC_MEMORY: u8 = 10;
    pub const STRING: u8 = 11;
}

/// Bytes that are still to be read.
struct Bytes<'a>(&'a [u8]);

/// The file ends in the middle of something.
struct Cut;

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8, Cut> {
        let (first, rest) = self.0.split_first().ok_or(Cut)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Six bits and the sign, then seven at a time, low ones first. What does not fit is lost.
    fn signed(&mut self) -> Result<(bool, u64), Cut> {
        let mut byte = self.byte()?;
        let is_negative = byte & 0x40 != 0;
        let (mut number, mut shift) = (u64::from(byte & 0x3f), 6);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
        }
        Ok((is_negative, number))
    }

    fn number(&mut self) -> Result<u64, Cut> {
        self.signed().map(|(_, number)| number)
    }

    fn text(&mut self) -> Result<Cow<'a, str>, Cut> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(Cut)?;
        let text = String::from_utf8_lossy(&self.0[..end]);
        self.0 = &self.0[end + 1..];
        Ok(text)
    }
}

enum Stop {
    Cut,
    Error(ProfileError),
}

impl From<Cut> for Stop {
    fn from(_: Cut) -> Stop {
        Stop::Cut
    }
}

impl From<ProfileError> for Stop {
    fn from(error: ProfileError) -> Stop {
        Stop::Error(error)
    }
}

/// The sample that is being read.
#[derive(Default)]
struct Open {
    owner: u32,
    /// Outermost first.
    frames: Vec<u32>,
    time_us: Option<u64>,
    memory: Option<u64>,
    is_idle: bool,
}

struct Reader<'a, 'l> {
    table: SampleTable<'a, 'l>,
    texts: HashMap<u64, Cow<'a, str>, SeededHash>,
    frames: HashMap<u64, u32, SeededHash>,
    mode: Cow<'a, str>,
    open: Option<Open>,
    freed: u64,
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let mut rest = Bytes(&bytes[MAGIC.len()..]);
    match rest.number() {
        Ok(VERSION) => {}
        version => {
            return Err(ProfileError::damaged(format!(
                "The {TOOL} recording has version {} of its format, where {VERSION} is expected. Record without -b: Lineheat opens Austin's text.",
                version.map_or("no".to_owned(), |version| version.to_string())
            )));
        }
    }
    let texts = KNOWN_TEXTS.map(|(key, text)| (key, Cow::Borrowed(text)));
    let mut reader = Reader {
        table: SampleTable::new(TOOL, 4, limits),
        texts: texts.into_iter().collect(),
        frames: HashMap::default(),
        mode: Cow::Borrowed("wall"),
        open: None,
        freed: 0,
    };
    let mut is_cut = false;
    while !rest.0.is_empty() {
        let at = bytes.len() - rest.0.len();
        match reader.event(&mut rest, at) {
            Ok(()) => {}
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Cut) => {
                is_cut = true;
                reader.open = None;
                break;
            }
        }
    }
    reader.close()?;
    reader.finish(is_cut)
}

impl<'a> Reader<'a, '_> {
    /// `at`: its place in the file, for errors.
    fn event(&mut self, rest: &mut Bytes<'a>, at: usize) -> Result<(), Stop> {
        let kind = rest.byte()?;
        match kind {
            event::METADATA => {
                let key = rest.text()?;
                let value = rest.text()?;
                if key == "mode" {
                    self.mode = value;
                }
            }
            event::STACK => {
                self.close()?;
                let (pid, _interpreter) = (rest.number()?, rest.number()?);
                let tid = rest.text()?;
                let owner = self.table.owner(Owner {
                    pid: u32::try_from(pid).ok(),
                    tid: u32::from_str_radix(&tid, 16).ok(),
                    ..Owner::default()
                });
                self.open = Some(Open {
                    owner,
                    ..Open::default()
                });
            }
            event::FRAME => {
                let key = rest.number()?;
                let (file, name) = (rest.number()?, rest.number()?);
                let (line, _line_end) = (rest.number()?, rest.number()?);
                let (column, _column_end) = (rest.number()?, rest.number()?);
                let [file, name] = [self.text(file, at)?, self.text(name, at)?];
                let whole = |number| u32::try_from(number).unwrap_or(0);
                let line = LineOf {
                    function: self.table.function(&name, &file, 0)?,
                    line: whole(line),
                    column: whole(column),
                };
                let location = self.table.location(None, 0, &[line])?;
                self.frames.insert(key, location);
            }
            event::FRAME_REF => {
                let key = rest.number()?;
                let frame = self.frames.get(&key).copied();
                let frame = frame.ok_or_else(|| {
                    damaged(at, &format!("names the frame {key}, which is not there"))
                })?;
                self.open(at)?.frames.push(frame);
            }
            event::FRAME_INVALID => self.push_named(INVALID, None, at)?,
            event::FRAME_KERNEL => {
                let name = rest.text()?;
                let kernel = self.table.mapping(KERNEL)?;
                self.push_named(&name, Some(kernel), at)?;
            }
            event::GC => self.push_named(COLLECTOR, None, at)?,
            event::IDLE => self.open(at)?.is_idle = true,
            event::METRIC_TIME => self.open(at)?.time_us = Some(rest.number()?),
            event::METRIC_MEMORY => {
                let (is_freed, bytes) = rest.signed()?;
                self.freed += u64::from(is_freed);
                self.open(at)?.memory = Some(if is_freed { 0 } else { bytes });
            }
            event::STRING => {
                let key = rest.number()?;
                let text = rest.text()?;
                self.texts.insert(key, text);
            }
            kind => {
                return Err(
                    damaged(at, &format!("is of the kind {kind}, which is unknown")).into(),
                );
            }
        }
        Ok(())
    }

    fn text(&self, key: u64, at: usize) -> Result<Cow<'a, str>, ProfileError> {
        let text = self.texts.get(&key).cloned();
        text.ok_or_else(|| damaged(at, &format!("names the text {key}, which is not there")))
    }

    fn open(&mut self, at: usize) -> Result<&mut Open, ProfileError> {
        let open = self.open.as_mut();
        open.ok_or_else(|| damaged(at, "is before the first stack"))
    }

    fn push_named(
        &mut self,
        name: &str,
        mapping: Option<u32>,
        at: usize,
    ) -> Result<(), ProfileError> {
        let line = LineOf {
            function: self.table.function(name, "", 0)?,
            line: 0,
            column: 0,
        };
        let location = self.table.location(mapping, 0, &[line])?;
        self.open(at)?.frames.push(location);
        Ok(())
    }

    fn close(&mut self) -> Result<(), ProfileError> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        open.frames.reverse();
        let stack = self.table.stack(&open.frames)?;
        let ns = open.time_us.unwrap_or(0).saturating_mul(1000);
        let on_cpu = if open.is_idle { 0 } else { ns };
        let values = [1, ns, on_cpu, open.memory.unwrap_or(0)];
        self.table.add(stack, open.owner, 0, &values)
    }

    fn finish(self, is_cut: bool) -> Result<Profile, ProfileError> {
        if self.table.is_empty() {
            return Err(ProfileError::damaged(format!(
                "The {TOOL} recording has no samples: nothing was recorded, or the file ends early."
            )));
        }
        let (types, columns): (&[(&str, &str)], [Option<usize>; 4]) = match &*self.mode {
            "memory" => (
                &[("samples", "count"), ("memory", "bytes")],
                [Some(0), None, None, Some(1)],
            ),
            "full" => (
                &[
                    ("samples", "count"),
                    ("memory", "bytes"),
                    ("cpu", "nanoseconds"),
                    ("wall", "nanoseconds"),
                ],
                [Some(0), Some(3), Some(2), Some(1)],
            ),
            "cpu" => (
                &[("samples", "count"), ("cpu", "nanoseconds")],
                [Some(0), Some(1), None, None],
            ),
            _ => (
                &[("samples", "count"), ("wall", "nanoseconds")],
                [Some(0), Some(1), None, None],
            ),
        };
        let mut profile = self
            .table
            .finish(types, types.len() - 1, &[columns.to_vec()]);
        if self.freed > 0 {
            profile.problems.push(format!(
                "{} samples freed memory: they count as 0 bytes.",
                self.freed
            ));
        }
        if is_cut {
            profile.problems.push("The file ends in the middle of a sample, which is left out: later ones may be missing.".to_owned());
        }
        Ok(profile)
    }
}

fn damaged(at: usize, what: &str) -> ProfileError {
    ProfileError::damaged(format!(
        "The event at byte {at} of the {TOOL} recording {what}."
    ))
}
