//! A pprof file to columns: first the tables, then, when their ids are known, the samples.

use crate::columns::{Profile, ValueType};
use crate::decode_checks::{check_string, string_id, too_many};
use crate::decode_run::RunParts;
use crate::decode_samples::decode_samples;
use crate::decode_tables::Tables;
use crate::error::{ErrorKind, ProfileError};
use crate::foreign_reader::ForeignReader;
use crate::inflate::{alone_if_large, inflate, is_gzip};
use crate::limits::Limits;
use crate::message_reader::{Content, MessageReader};
use crate::strings::{StringId, Strings};

type Result<T> = std::result::Result<T, ProfileError>;

impl Profile {
    /// Reads a pprof profile, gzip'd (also in several members) or plain.
    ///
    /// # Errors
    /// `NotAProfile` for another kind of file, `Damaged` for what `go tool pprof` refuses and for negative or
    /// overflowing values, `TooLarge` past `limits`. The message names the cause.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Profile> {
        Profile::read_through(bytes, limits, &mut Vec::new(), &[])
    }

    /// The same; what is decompressed goes through `inflated`.
    pub(crate) fn read_through(
        bytes: &[u8],
        limits: &Limits,
        inflated: &mut Vec<u8>,
        readers: &[ForeignReader],
    ) -> Result<Profile> {
        let foreign = |bytes: &[u8]| readers.iter().find(|reader| (reader.is_it)(bytes));
        if bytes.is_empty() {
            return Err(ProfileError::not_a_profile(
                "The file is empty, not a pprof profile.",
            ));
        }
        if is_gzip(bytes) {
            let _alone = inflate(bytes, limits, inflated)?;
            return match foreign(inflated) {
                Some(reader) => (reader.read)(inflated, limits),
                None => decode_message(inflated, limits),
            };
        }
        if let Some(reader) = foreign(bytes) {
            let _alone = alone_if_large(bytes.len());
            return (reader.read)(bytes, limits);
        }
        if let Some(other) = other_format(bytes) {
            return Err(ProfileError::not_a_profile(format!(
                "The file is {other}, not a pprof profile (.pb.gz or .pprof)."
            )));
        }
        if bytes.len() > limits.inflated_bytes {
            return Err(ProfileError::too_large(format!(
                "The profile is larger than {} MiB, the maximum that Lineheat reads.",
                limits.inflated_bytes >> 20
            )));
        }
        let _alone = alone_if_large(bytes.len());
        decode_message(bytes, limits)
    }
}

/// A file that does not even start as a profile is another kind of file, not a damaged profile.
fn decode_message(bytes: &[u8], limits: &Limits) -> Result<Profile> {
    decode(bytes, limits).map_err(|error| {
        let starts_well = bytes.first().is_some_and(|key| FIELD_KEYS.contains(key));
        match error.kind {
            ErrorKind::Damaged if !starts_well => ProfileError::not_a_profile(
                "The file is not a pprof profile (.pb.gz or .pprof): it starts with none of its fields.",
            ),
            _ => error,
        }
    })
}

/// Number and wire type of the fields that a pprof file may start with, in a byte. RunInfo (7001) is never first.
const FIELD_KEYS: [u8; 16] = [
    0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x32, 0x38, 0x40, 0x48, 0x50, 0x5a, 0x60, 0x68, 0x6a, 0x70, 0x7a,
];

fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(512)];
    match start {
        [0x7f, b'E', b'L', b'F', ..] => Some("an ELF program or library"),
        [b'P', b'E', b'R', b'F', b'I', b'L', b'E', b'2', ..] => {
            Some("a recording of perf (perf.data)")
        }
        // A dictionary with tuples as its keys, by `marshal`.
        [
            0x7b | 0xfb,
            0x28 | 0x29 | 0xa8 | 0xa9,
            1..=9,
            0x7a | 0xda | 0xfa,
            ..,
        ] => Some("a profile of Python's cProfile"),
        // Words of the machine: header of three words, version 0, the period, padding.
        [0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, ..] => Some("a CPU profile of gperftools"),
        [b'M', b'O', b'J', ..] => Some("a recording of Austin (MOJO)"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("compressed with zstd"),
        [b'P', b'K', 3, 4, ..] => Some("a ZIP archive"),
        [b'{' | b'[', ..] if is_text(start) => Some("JSON text"),
        _ if is_text(start) => Some("text"),
        _ => None,
    }
}

/// A pprof message always holds bytes that no text has: its short lengths and small numbers.
fn is_text(start: &[u8]) -> bool {
    start
        .iter()
        .all(|&b| b >= 0x80 || matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e))
}

fn decode(bytes: &[u8], limits: &Limits) -> Result<Profile> {
    let mut heading = Heading::default();
    let mut strings: Option<Strings> = None;
    let mut tables = Tables::default();
    let mut run = RunParts::default();
    let mut sample_count = 0usize;
    let mut with_samples = bytes.len()..0;

    let mut reader = MessageReader::new(bytes, "top-level message");
    loop {
        let start = bytes.len() - reader.left();
        let Some((field, content)) = reader.next()? else {
            break;
        };
        match field {
            2 => {
                reader.bytes(field, content)?;
                with_samples = with_samples.start.min(start)..bytes.len() - reader.left();
                sample_count += 1;
                if sample_count > limits.records {
                    return Err(too_many("samples", limits.records));
                }
            }
            3 => tables.add_mapping(reader.bytes(field, content)?, limits)?,
            4 => tables.add_location(reader.bytes(field, content)?, limits)?,
            5 => tables.add_function(reader.bytes(field, content)?, limits)?,
            6 => add_string(&mut strings, reader.bytes(field, content)?, limits)?,
            7001 => run.add(reader.bytes(field, content)?, limits)?,
            _ => heading.add(&reader, field, content, limits)?,
        }
    }

    let strings = strings.ok_or_else(|| {
        ProfileError::not_a_profile(
            "The file has no string table, so it is probably not a pprof profile.",
        )
    })?;
    let mut profile = Profile {
        strings,
        ..Profile::default()
    };
    heading.finish(&mut profile)?;
    let locations = tables.finish(&mut profile)?;
    let with_samples = bytes.get(with_samples).unwrap_or_default();
    decode_samples(with_samples, sample_count, &locations, &mut profile, limits)?;
    profile.run = run.finish(&mut profile)?;
    Ok(profile)
}

fn add_string(strings: &mut Option<Strings>, bytes: &[u8], limits: &Limits) -> Result<()> {
    let known = strings.as_ref().map_or(0, Strings::len);
    if bytes.len() > limits.string_bytes {
        return Err(ProfileError::too_large(format!(
            "Entry {known} of the string table has {} bytes; Lineheat reads at most {}.",
            bytes.len(),
            limits.string_bytes
        )));
    }
    if known >= limits.strings {
        return Err(too_many("strings", limits.strings));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ProfileError::damaged(format!(
            "Entry {known} of the string table is not valid UTF-8 after {} bytes.",
            error.valid_up_to()
        ))
    })?;
    match strings {
        None if text.is_empty() => *strings = Some(Strings::default()),
        None => {
            return Err(ProfileError::damaged(
                "The string table does not start with the empty string, as pprof requires.",
            ));
        }
        Some(strings) => {
            strings
                .push(text)
                .ok_or_else(|| too_many("bytes of text", u32::MAX as usize))?;
        }
    }
    Ok(())
}

/// What stands once in a profile.
#[derive(Default)]
struct Heading {
    sample_types: Vec<ValueType>,
    period_type: Option<ValueType>,
    period: i64,
    time_nanos: i64,
    duration_nanos: i64,
    drop_frames: StringId,
    keep_frames: StringId,
    doc_url: StringId,
    comments: Vec<StringId>,
    default_sample_type: StringId,
}

impl Heading {
    fn add(
        &mut self,
        reader: &MessageReader,
        field: u64,
        content: Content,
        limits: &Limits,
    ) -> Result<()> {
        match field {
            1 => {
                if self.sample_types.len() >= limits.sample_types {
                    return Err(too_many("sample types", limits.sample_types));
                }
                self.sample_types
                    .push(value_type(reader.bytes(field, content)?)?);
            }
            7 => self.drop_frames = string_id(reader.number(field, content)?, "drop_frames")?,
            8 => self.keep_frames = string_id(reader.number(field, content)?, "keep_frames")?,
            9 => {
                if self.time_nanos != 0 {
                    return Err(ProfileError::damaged(
                        "This file contains several concatenated profiles. Split it and open them one by one.",
                    ));
                }
                self.time_nanos = reader.number(field, content)? as i64;
            }
            10 => self.duration_nanos = reader.number(field, content)? as i64,
            11 => self.period_type = Some(value_type(reader.bytes(field, content)?)?),
            12 => self.period = reader.number(field, content)? as i64,
            13 => reader.numbers(field, content, |raw| {
                if self.comments.len() >= limits.comments {
                    return Err(too_many("comments", limits.comments));
                }
                self.comments.push(string_id(raw, "comment")?);
                Ok(())
            })?,
            14 => {
                self.default_sample_type =
                    string_id(reader.number(field, content)?, "default_sample_type")?
            }
            15 => self.doc_url = string_id(reader.number(field, content)?, "doc_url")?,
            _ => {}
        }
        Ok(())
    }

    fn finish(self, profile: &mut Profile) -> Result<()> {
        let types = self.sample_types.iter().chain(self.period_type.iter());
        let single = [
            self.drop_frames,
            self.keep_frames,
            self.doc_url,
            self.default_sample_type,
        ];
        let all = (types.flat_map(|t| [t.kind, t.unit]))
            .chain(self.comments.iter().copied())
            .chain(single);
        for id in all {
            check_string(&profile.strings, id, "value type, comment or option")?;
        }
        let wanted = profile.strings.get(self.default_sample_type);
        let last = self.sample_types.len().saturating_sub(1);
        profile.default_sample_type = match wanted {
            "" => last,
            wanted => (self.sample_types.iter())
                .position(|t| profile.strings.get(t.kind) == wanted)
                .unwrap_or(last),
        };
        profile.sample_types = self.sample_types;
        profile.period_type = self.period_type;
        profile.period = self.period;
        profile.time_nanos = self.time_nanos;
        profile.duration_nanos = self.duration_nanos;
        profile.drop_frames = self.drop_frames;
        profile.keep_frames = self.keep_frames;
        profile.doc_url = self.doc_url;
        profile.comments = self.comments;
        Ok(())
    }
}

fn value_type(bytes: &[u8]) -> Result<ValueType> {
    let mut value = ValueType { kind: 0, unit: 0 };
    let mut reader = MessageReader::new(bytes, "value type");
    while let Some((field, content)) = reader.next()? {
        match field {
            1 => value.kind = string_id(reader.number(field, content)?, "value type")?,
            2 => value.unit = string_id(reader.number(field, content)?, "value type")?,
            _ => {}
        }
    }
    Ok(value)
}
