//! Messages from the engine, read without blocking the drain of samples.

use std::io::{self, Read};

use records::{MESSAGE_BYTES_MAX, MessageError, ToSampler};

pub enum Received {
    Message(ToSampler),
    /// More bytes are needed.
    Nothing,
    /// The engine is gone.
    End,
}

#[derive(Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    /// So many of them were given out as messages.
    used: usize,
    ended: bool,
}

impl Inbox {
    /// Reads what is there, once. Call when the descriptor is readable.
    pub fn fill(&mut self, stream: &mut impl Read) -> io::Result<()> {
        self.bytes.drain(..std::mem::take(&mut self.used));
        let held = self.bytes.len();
        self.bytes.resize(held + MESSAGE_BYTES_MAX, 0);
        let n = stream.read(&mut self.bytes[held..]);
        self.bytes.truncate(held + n.as_ref().unwrap_or(&0));
        self.ended |= n? == 0;
        Ok(())
    }

    /// # Errors
    /// A length out of range, and as [`ToSampler::parse`].
    pub fn next_message(&mut self) -> Result<Received, MessageError> {
        let unused = &self.bytes[self.used..];
        let Some((length, rest)) = unused.split_first_chunk::<4>() else {
            return Ok(self.nothing());
        };
        let length = u32::from_le_bytes(*length);
        if !(4..=MESSAGE_BYTES_MAX as u32).contains(&length) {
            return Err(MessageError::BadLength(length));
        }
        let Some(message) = rest.get(..length as usize) else {
            return Ok(self.nothing());
        };
        self.used += 4 + message.len();
        let (kind, body) = message.split_at(4);
        let kind = u32::from_le_bytes(kind.try_into().expect("four bytes"));
        Ok(Received::Message(ToSampler::parse(kind, body)?))
    }

    fn nothing(&self) -> Received {
        match self.ended {
            true => Received::End,
            false => Received::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_in_two_parts_arrives_once_complete() {
        let mut bytes = Vec::new();
        ToSampler::Stop.write(&mut bytes).unwrap();
        let mut inbox = Inbox::default();
        inbox.fill(&mut &bytes[..5]).unwrap();
        assert!(matches!(inbox.next_message(), Ok(Received::Nothing)));
        inbox.fill(&mut &bytes[5..]).unwrap();
        assert!(matches!(
            inbox.next_message(),
            Ok(Received::Message(ToSampler::Stop))
        ));
        inbox.fill(&mut &[][..]).unwrap();
        assert!(matches!(inbox.next_message(), Ok(Received::End)));
    }

    #[test]
    fn an_absurd_length_is_an_error_at_once() {
        let mut inbox = Inbox::default();
        inbox.fill(&mut &u32::MAX.to_le_bytes()[..]).unwrap();
        assert!(inbox.next_message().is_err());
    }
}
