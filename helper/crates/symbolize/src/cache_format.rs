//! The bytes of a cache file: columns of little-endian numbers behind a checksum. Foreign input like any other: a
//! count is believed only as far as the bytes behind it reach.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::build::Build;
use crate::debug_file::crc32;
use crate::known::{Address, Known};
use crate::text::Text;
use crate::{Frame, Language};

/// Changed with the layout or with what is known of an address; a file of another one is not read.
pub(crate) const FORMAT: u32 = 4;
const MAGIC: &[u8; 8] = b"LHSYMBOL";

fn language_code(language: Language) -> u8 {
    match language {
        Language::Unknown => 0,
        Language::C => 1,
        Language::Rust => 2,
        Language::Go => 3,
        Language::OCaml => 4,
    }
}

fn language_of(code: u32) -> Option<Language> {
    Some(match code {
        0 => Language::Unknown,
        1 => Language::C,
        2 => Language::Rust,
        3 => Language::Go,
        4 => Language::OCaml,
        _ => return None,
    })
}

pub(crate) fn encode(known: &Known) -> Vec<u8> {
    let mut body = Writer::default();
    body.number(u32::from(known.has_lines));
    body.number(u32::from(known.has_symbols));
    body.number(known.source_sums.len() as u32);
    for (path, sum) in &known.source_sums {
        body.text(path);
        body.bytes.extend_from_slice(sum);
    }
    body.number(known.vaddrs.len() as u32);
    for (vaddr, address) in known.vaddrs.iter().zip(&known.addresses) {
        body.bytes.extend_from_slice(&vaddr.to_le_bytes());
        body.build(address.build.as_deref());
        body.number(address.folded.len() as u32);
        for name in &address.folded {
            body.text(name);
        }
        body.number(address.chain.len() as u32);
        for frame in &address.chain {
            body.text(&frame.name);
            body.text(&frame.system_name);
            match &frame.file {
                Some(file) => body.text(file),
                None => body.number(0),
            }
            body.number(frame.line);
            body.number(frame.column);
            body.number(frame.function_line << 1 | u32::from(frame.inlined));
        }
    }
    let mut texts = Writer::default();
    texts.number(body.order.len() as u32);
    for text in &body.order {
        texts.number(text.len() as u32);
        texts.bytes.extend_from_slice(text.as_bytes());
    }
    let mut bytes = MAGIC.to_vec();
    let sum = crc32(&texts.bytes) ^ crc32(&body.bytes).rotate_left(1);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(&(texts.bytes.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&texts.bytes);
    bytes.extend_from_slice(&body.bytes);
    bytes
}

/// `None`: the bytes are not a whole, undamaged file of this format.
pub(crate) fn decode(bytes: &[u8]) -> Option<Known> {
    let (head, rest) = bytes.split_at_checked(20)?;
    let mut reader = Reader {
        bytes: head.strip_prefix(MAGIC)?,
    };
    let (format, sum, length) = (reader.number()?, reader.number()?, reader.number()?);
    let (texts, body) = rest.split_at_checked(length as usize)?;
    if format != FORMAT || sum != crc32(texts) ^ crc32(body).rotate_left(1) {
        return None;
    }
    let texts = decode_texts(texts)?;
    let mut body = Reader { bytes: body };
    let mut known = Known {
        has_lines: body.number()? != 0,
        has_symbols: body.number()? != 0,
        ..Known::default()
    };
    for _ in 0..body.count(20)? {
        let path = body.text(&texts)?;
        known
            .source_sums
            .insert(path, body.take(16)?.try_into().ok()?);
    }
    let mut builds = FxHashMap::default();
    let count = body.count(20)?;
    known.vaddrs.reserve(count);
    known.addresses.reserve(count);
    for _ in 0..count {
        let vaddr = u64::from_le_bytes(body.take(8)?.try_into().ok()?);
        if known.vaddrs.last().is_some_and(|last| *last >= vaddr) {
            return None;
        }
        known.vaddrs.push(vaddr);
        let build = body.build(&texts, &mut builds)?;
        let folded = (0..body.count(4)?)
            .map(|_| body.text(&texts))
            .collect::<Option<_>>()?;
        let chain = (0..body.count(24)?)
            .map(|_| body.frame(&texts))
            .collect::<Option<_>>()?;
        known.addresses.push(Address {
            chain,
            build,
            folded,
        });
    }
    body.bytes.is_empty().then_some(known)
}

fn decode_texts(bytes: &[u8]) -> Option<Vec<Text>> {
    let mut reader = Reader { bytes };
    let count = reader.count(4)?;
    (0..count)
        .map(|_| {
            let length = reader.number()?;
            let text = std::str::from_utf8(reader.take(length as usize)?).ok()?;
            Some(Text::from(text))
        })
        .collect()
}

/// Texts are written once and referred to by number, from 1 on; 0 is none.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    numbers: FxHashMap<Text, u32>,
    order: Vec<Text>,
}

impl Writer {
    fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &Text) {
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                self.order.push(text.clone());
                let number = self.order.len() as u32;
                self.numbers.insert(text.clone(), number);
                number
            }
        };
        self.number(number);
    }

    fn build(&mut self, build: Option<&Build>) {
        let Some(build) = build else {
            self.number(0);
            return;
        };
        self.text(&Text::from(build.producer.as_str()));
        let language = u32::from(language_code(build.language));
        self.number(language << 1 | u32::from(build.is_unoptimized));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A number of entries that have at least `bytes_each`: no more than can follow.
    fn count(&mut self, bytes_each: usize) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.bytes.len() / bytes_each).then_some(count)
    }

    fn text(&mut self, texts: &[Text]) -> Option<Text> {
        let number = self.number()? as usize;
        texts.get(number.checked_sub(1)?).cloned()
    }

    fn frame(&mut self, texts: &[Text]) -> Option<Frame> {
        let (name, system_name) = (self.text(texts)?, self.text(texts)?);
        let file = match self.number()? as usize {
            0 => None,
            number => Some(texts.get(number - 1)?.clone()),
        };
        let (line, column, last) = (self.number()?, self.number()?, self.number()?);
        Some(Frame {
            name,
            system_name,
            file,
            line,
            column,
            function_line: last >> 1,
            inlined: last & 1 == 1,
        })
    }

    fn build(
        &mut self,
        texts: &[Text],
        known: &mut FxHashMap<(u32, u32), Arc<Build>>,
    ) -> Option<Option<Arc<Build>>> {
        let producer = self.number()?;
        if producer == 0 {
            return Some(None);
        }
        let rest = self.number()?;
        if let Some(build) = known.get(&(producer, rest)) {
            return Some(Some(Arc::clone(build)));
        }
        let build = Arc::new(Build {
            producer: texts.get(producer as usize - 1)?.to_string(),
            language: language_of(rest >> 1)?,
            is_unoptimized: rest & 1 == 1,
        });
        known.insert((producer, rest), Arc::clone(&build));
        Some(Some(build))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Known {
        let frame = |name: &str, file: Option<&str>, inlined| Frame {
            name: name.into(),
            system_name: format!("_Z{name}").into(),
            file: file.map(Text::from),
            line: 7,
            column: 3,
            function_line: 5,
            inlined,
        };
        let build = |is_unoptimized| {
            Some(Arc::new(Build {
                producer: "GNU C17 12.2.0 -O2".to_owned(),
                language: Language::C,
                is_unoptimized,
            }))
        };
        let address = |chain, build, folded: &[&str]| Address {
            chain,
            build,
            folded: folded.iter().map(|name| Text::from(*name)).collect(),
        };
        Known {
            vaddrs: vec![0x1000, 0x1004, u64::MAX],
            addresses: vec![
                address(
                    vec![
                        frame("add", Some("/a.h"), true),
                        frame("sum", Some("/a.c"), false),
                    ],
                    build(false),
                    &[],
                ),
                address(Vec::new(), None, &["_Z5first", "_Z6second"]),
                address(vec![frame("main", None, false)], build(true), &[]),
            ],
            source_sums: [(Text::from("/a.c"), [9; 16])].into(),
            has_lines: true,
            has_symbols: false,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        for known in [example(), Known::default()] {
            assert_eq!(decode(&encode(&known)), Some(known));
        }
    }

    #[test]
    fn a_damaged_file_is_not_read() {
        let whole = encode(&example());
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            assert_eq!(decode(&damaged), None, "changed at {at}");
        }
    }

    #[test]
    fn a_file_made_to_hurt_is_not_believed() {
        // With a right checksum, so that the counts themselves are looked at.
        let whole = encode(&example());
        let texts_end = 20 + u32::from_le_bytes(whole[16..20].try_into().unwrap()) as usize;
        for at in (20..whole.len() - 4).step_by(4) {
            let mut hostile = whole.clone();
            hostile[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            let (texts, body) = hostile[20..].split_at(texts_end - 20);
            let sum = crc32(texts) ^ crc32(body).rotate_left(1);
            hostile[12..16].copy_from_slice(&sum.to_le_bytes());
            // Read or not: it must not panic or take memory for what is not there.
            let _ = decode(&hostile);
        }
    }
}
