//! Reads the fields of one protobuf message from bytes, checked, without copying.

use crate::error::ProfileError;

type Result<T> = std::result::Result<T, ProfileError>;

/// A field's number and content. Fixed-width content is skipped by everyone here, so it is not kept.
pub enum Content<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    Fixed,
}

impl<'a> Content<'a> {
    /// The bytes of a packed list of numbers.
    pub fn packed(&self) -> Option<&'a [u8]> {
        match self {
            Content::Bytes(list) => Some(list),
            _ => None,
        }
    }
}

#[derive(Clone)]
pub struct MessageReader<'a> {
    bytes: &'a [u8],
    /// Name of the message, for errors.
    message: &'static str,
}

impl<'a> MessageReader<'a> {
    pub fn new(bytes: &'a [u8], message: &'static str) -> Self {
        MessageReader { bytes, message }
    }

    /// Bytes after the fields so far.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    /// The next field, or `None` at the end.
    #[inline(always)]
    pub fn next(&mut self) -> Result<Option<(u64, Content<'a>)>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let field = tag >> 3;
        if field == 0 || field > 536_870_911 {
            return Err(self.bad_field(field));
        }
        let content = match tag & 7 {
            0 => Content::Varint(self.varint()?),
            1 => self.fixed(8)?,
            2 => {
                let length = self.varint()?;
                if length > self.bytes.len() as u64 {
                    return Err(self.ends_early(field, length));
                }
                let (content, rest) = self.bytes.split_at(length as usize);
                self.bytes = rest;
                Content::Bytes(content)
            }
            5 => self.fixed(4)?,
            other => return Err(self.bad_wire_type(other)),
        };
        Ok(Some((field, content)))
    }

    #[cold]
    fn bad_field(&self, field: u64) -> ProfileError {
        self.malformed(&format!("has the field number {field}"))
    }

    #[cold]
    fn bad_wire_type(&self, kind: u64) -> ProfileError {
        self.malformed(&format!("has the unknown wire type {kind}"))
    }

    #[cold]
    fn ends_early(&self, field: u64, length: u64) -> ProfileError {
        self.malformed(&format!(
            "ends early: field {field} wants {length} bytes and {} are left",
            self.bytes.len()
        ))
    }

    #[cold]
    fn bad_number(&self) -> ProfileError {
        self.malformed("ends inside a number, or the number is larger than 64 bits")
    }

    fn fixed(&mut self, length: usize) -> Result<Content<'a>> {
        match self.bytes.get(length..) {
            Some(rest) => {
                self.bytes = rest;
                Ok(Content::Fixed)
            }
            None => Err(self.malformed("ends inside a number")),
        }
    }

    #[inline(always)]
    fn varint(&mut self) -> Result<u64> {
        match varint(&mut self.bytes) {
            Some(value) => Ok(value),
            None => Err(self.bad_number()),
        }
    }

    pub fn malformed(&self, what: &str) -> ProfileError {
        ProfileError::damaged(format!("A {} of the profile {what}.", self.message))
    }

    /// A single number; anything else in this field is an error.
    #[inline(always)]
    pub fn number(&self, field: u64, content: Content<'a>) -> Result<u64> {
        match content {
            Content::Varint(value) => Ok(value),
            _ => Err(self.wrong_kind(field, "a number")),
        }
    }

    #[inline(always)]
    pub fn bytes(&self, field: u64, content: Content<'a>) -> Result<&'a [u8]> {
        match content {
            Content::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong_kind(field, "a message or text")),
        }
    }

    /// Numbers of a repeated field, packed or not, handed to `each` in order.
    #[inline]
    pub fn numbers(
        &self,
        field: u64,
        content: Content<'a>,
        mut each: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        match content {
            Content::Varint(value) => each(value),
            Content::Bytes(mut packed) => {
                while !packed.is_empty() {
                    match varint(&mut packed) {
                        Some(value) => each(value)?,
                        None => return Err(self.malformed("has a damaged list of numbers")),
                    }
                }
                Ok(())
            }
            Content::Fixed => Err(self.wrong_kind(field, "numbers")),
        }
    }

    #[cold]
    fn wrong_kind(&self, field: u64, wanted: &str) -> ProfileError {
        self.malformed(&format!(
            "holds something else than {wanted} in field {field}"
        ))
    }
}

#[inline(always)]
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    // Most are ids and lengths of few bytes.
    match **bytes {
        [a, ref rest @ ..] if a < 0x80 => {
            *bytes = rest;
            return Some(a.into());
        }
        [a, b, ref rest @ ..] if b < 0x80 => {
            *bytes = rest;
            return Some(u64::from(a & 0x7f) | u64::from(b) << 7);
        }
        [a, b, c, ref rest @ ..] if c < 0x80 => {
            *bytes = rest;
            return Some(u64::from(a & 0x7f) | u64::from(b & 0x7f) << 7 | u64::from(c) << 14);
        }
        _ => {}
    }
    long_varint(bytes)
}

fn long_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        let part = u64::from(byte & 0x7f);
        if index == 9 && part > 1 {
            return None;
        }
        value |= part << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(value);
        }
    }
    None
}
