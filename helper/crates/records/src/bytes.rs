//! Framing of messages and checked reading of their fields.

use std::fmt;
use std::io::{self, Read, Write};

use crate::MESSAGE_BYTES_MAX;

#[derive(Debug)]
pub enum MessageError {
    /// The stream ended inside a message.
    Truncated,
    /// A length above [`MESSAGE_BYTES_MAX`] or below 4.
    BadLength(u32),
    UnknownKind(u32),
    /// A body that is shorter or longer than its kind allows, or holds a value out of range.
    BadBody {
        kind: u32,
    },
    Io(io::Error),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the stream ended inside a message"),
            Self::BadLength(n) => {
                write!(
                    f,
                    "a message has {n} bytes: expected 4 to {MESSAGE_BYTES_MAX}"
                )
            }
            Self::UnknownKind(kind) => write!(f, "a message of unknown kind {kind}"),
            Self::BadBody { kind } => write!(f, "a malformed message of kind {kind}"),
            Self::Io(e) => write!(f, "the pipe failed: {e}"),
        }
    }
}

impl std::error::Error for MessageError {}

/// Writes one message.
///
/// # Panics
/// When the body does not fit: callers split what may be longer.
pub fn write_message(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = body.len() + 4;
    assert!(
        length <= MESSAGE_BYTES_MAX,
        "message of kind {kind} has {length} bytes"
    );
    out.write_all(&(length as u32).to_le_bytes())?;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(body)
}

/// Reads messages from a stream into one buffer that is reused.
pub struct MessageReader<R> {
    stream: R,
    body: Vec<u8>,
}

impl<R: Read> MessageReader<R> {
    pub fn new(stream: R) -> Self {
        Self {
            stream,
            body: Vec::with_capacity(MESSAGE_BYTES_MAX),
        }
    }

    /// The stream that messages are read from.
    pub fn stream(&self) -> &R {
        &self.stream
    }

    /// The next message as (kind, body); None at the end of the stream.
    ///
    /// # Errors
    /// A length out of range or a stream that ends inside a message.
    pub fn next_message(&mut self) -> Result<Option<(u32, &[u8])>, MessageError> {
        let mut length = [0; 4];
        match self.stream.read(&mut length).map_err(MessageError::Io)? {
            0 => return Ok(None),
            n => self.fill(&mut length[n..])?,
        }
        let length = u32::from_le_bytes(length);
        if !(4..=MESSAGE_BYTES_MAX as u32).contains(&length) {
            return Err(MessageError::BadLength(length));
        }
        let mut body = std::mem::take(&mut self.body);
        body.resize(length as usize, 0);
        let filled = self.fill(&mut body);
        self.body = body;
        filled?;
        let (kind, rest) = self.body.split_at(4);
        let kind = u32::from_le_bytes(kind.try_into().expect("four bytes"));
        Ok(Some((kind, rest)))
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), MessageError> {
        self.stream.read_exact(buffer).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => MessageError::Truncated,
            _ => MessageError::Io(e),
        })
    }
}

/// Takes little-endian fields off the front of a body; None when the body is too short.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }
    pub fn u8(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }
    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.bytes(2)?.try_into().ok()?))
    }
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }
    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }
    /// Some(()) when nothing is left.
    pub fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Appends little-endian fields to a body.
#[derive(Default)]
pub struct Body(pub Vec<u8>);

impl Body {
    pub fn u8(mut self, v: u8) -> Self {
        self.0.push(v);
        self
    }
    pub fn u32(mut self, v: u32) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }
    pub fn u64(mut self, v: u64) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }
    pub fn bytes(mut self, v: &[u8]) -> Self {
        self.0.extend_from_slice(v);
        self
    }
}
