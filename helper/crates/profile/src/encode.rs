//! Columns to a gzip'd pprof file, record by record, without a second copy in memory.

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use prost::encoding::encode_varint;

use crate::columns::{Locations, Profile, ValueType};

/// Frames of all stacks up to which a run is packed as small as can be: it takes some tens of milliseconds, and a third
/// off the size. A larger one is written quickly.
const SMALL_FRAMES_MAX: usize = 2_000_000;

impl Profile {
    /// Writes the profile as pprof, with `run` in the private field 7001.
    pub fn write(&self, to: impl Write) -> io::Result<()> {
        let level = match self.samples.stacks.frames() {
            0..=SMALL_FRAMES_MAX => Compression::default(),
            _ => Compression::fast(),
        };
        let mut out = Records {
            gzip: BufWriter::with_capacity(64 << 10, GzEncoder::new(to, level)),
            scratch: Vec::new(),
        };
        for value_type in &self.sample_types {
            out.record(1, |m| write_value_type(m, value_type))?;
        }
        for sample in 0..self.samples.len() {
            out.record(2, |m| self.write_sample(m, sample))?;
        }
        for index in 0..self.mappings.len() {
            out.record(3, |m| self.write_mapping(m, index))?;
        }
        for location in 0..self.locations.len() {
            out.record(4, |m| self.write_location(m, location))?;
        }
        for (index, function) in self.functions.iter().enumerate() {
            out.record(5, |m| {
                number(m, 1, index as u64 + 1);
                number(m, 2, function.name.into());
                number(m, 3, function.system_name.into());
                number(m, 4, function.filename.into());
                number(m, 5, function.start_line.into());
            })?;
        }
        for text in self.strings.iter() {
            out.record(6, |m| m.extend_from_slice(text.as_bytes()))?;
        }
        out.fields(|m| self.write_heading(m))?;
        if let Some(period_type) = &self.period_type {
            out.record(11, |m| write_value_type(m, period_type))?;
        }
        if let Some(run) = &self.run {
            out.record(7001, |m| m.extend_from_slice(&run.encode_to_vec()))?;
        }
        out.gzip.into_inner()?.finish()?.flush()
    }

    fn write_heading(&self, m: &mut Vec<u8>) {
        number(m, 7, self.drop_frames.into());
        number(m, 8, self.keep_frames.into());
        number(m, 9, self.time_nanos as u64);
        number(m, 10, self.duration_nanos as u64);
        number(m, 12, self.period as u64);
        packed(m, 13, self.comments.iter().map(|&id| id.into()));
        if let Some(default) = self.sample_types.get(self.default_sample_type) {
            number(m, 14, default.kind.into());
        }
        number(m, 15, self.doc_url.into());
    }

    fn write_sample(&self, m: &mut Vec<u8>, sample: usize) {
        let types = self.sample_types.len();
        packed(
            m,
            1,
            self.samples.stack(sample).iter().map(|&l| u64::from(l) + 1),
        );
        packed(
            m,
            2,
            self.samples.values[sample * types..][..types]
                .iter()
                .copied(),
        );
        for label in self.samples.labels_of(sample) {
            let mut content = Vec::with_capacity(16);
            number(&mut content, 1, label.key.into());
            number(&mut content, 2, label.text.into());
            number(&mut content, 3, label.number as u64);
            number(&mut content, 4, label.unit.into());
            bytes(m, 3, &content);
        }
    }

    fn write_mapping(&self, m: &mut Vec<u8>, index: usize) {
        let mapping = &self.mappings[index];
        number(m, 1, index as u64 + 1);
        number(m, 2, mapping.memory_start);
        number(m, 3, mapping.memory_limit);
        number(m, 4, mapping.file_offset);
        number(m, 5, mapping.filename.into());
        number(m, 6, mapping.build_id.into());
        number(m, 7, mapping.has_functions.into());
        number(m, 8, mapping.has_filenames.into());
        number(m, 9, mapping.has_line_numbers.into());
        number(m, 10, mapping.has_inline_frames.into());
    }

    fn write_location(&self, m: &mut Vec<u8>, location: usize) {
        number(m, 1, location as u64 + 1);
        if self.locations.mapping[location] != Locations::NO_MAPPING {
            number(m, 2, u64::from(self.locations.mapping[location]) + 1);
        }
        number(m, 3, self.locations.address[location]);
        for line in self.locations.lines_of(location as u32) {
            let mut content = Vec::with_capacity(16);
            number(&mut content, 1, u64::from(line.function) + 1);
            number(&mut content, 2, line.line.into());
            number(&mut content, 3, line.column.into());
            bytes(m, 4, &content);
        }
        number(m, 5, self.locations.is_folded[location].into());
    }
}

struct Records<W: Write> {
    /// Buffered, since the encoder clears its own 32 KiB for every piece that it is given.
    gzip: BufWriter<GzEncoder<W>>,
    scratch: Vec<u8>,
}

impl<W: Write> Records<W> {
    /// One length-prefixed field of the profile.
    fn record(&mut self, field: u64, content: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.scratch.clear();
        content(&mut self.scratch);
        let mut prefix = Vec::with_capacity(8);
        encode_varint(field << 3 | 2, &mut prefix);
        encode_varint(self.scratch.len() as u64, &mut prefix);
        self.gzip.write_all(&prefix)?;
        self.gzip.write_all(&self.scratch)
    }

    /// Fields of the profile itself.
    fn fields(&mut self, content: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.scratch.clear();
        content(&mut self.scratch);
        self.gzip.write_all(&self.scratch)
    }
}

fn write_value_type(m: &mut Vec<u8>, value_type: &ValueType) {
    number(m, 1, value_type.kind.into());
    number(m, 2, value_type.unit.into());
}

/// A zero is left out, as proto3 does.
fn number(m: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        encode_varint(field << 3, m);
        encode_varint(value, m);
    }
}

pub fn bytes(m: &mut Vec<u8>, field: u64, content: &[u8]) {
    encode_varint(field << 3 | 2, m);
    encode_varint(content.len() as u64, m);
    m.extend_from_slice(content);
}

fn packed(m: &mut Vec<u8>, field: u64, values: impl Iterator<Item = u64>) {
    let mut content = Vec::new();
    values.for_each(|value| encode_varint(value, &mut content));
    if !content.is_empty() {
        bytes(m, field, &content);
    }
}
