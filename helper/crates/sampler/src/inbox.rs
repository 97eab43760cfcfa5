//! Messages from the engine, read without blocking the drain of samples.

use std::io::{self, Read};

use records::{MESSAGE_BYTES_MAX, MessageError, MessageReader, ToSampler};

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
    ended: bool,
}

impl Inbox {
    /// Reads what is there, once. Call when the descriptor is readable.
    pub fn fill(&mut self, stream: &mut impl Read) -> io::Result<()> {
        let mut part = [0; MESSAGE_BYTES_MAX];
        let n = stream.read(&mut part)?;
        self.bytes.extend_from_slice(&part[..n]);
        self.ended |= n == 0;
        Ok(())
    }

    /// # Errors
    /// As [`MessageReader::next_message`] and [`ToSampler::parse`].
    pub fn next_message(&mut self) -> Result<Received, MessageError> {
        let complete = self
            .bytes
            .first_chunk::<4>()
            .map(|l| u32::from_le_bytes(*l))
            .is_some_and(|l| l as usize > MESSAGE_BYTES_MAX || self.bytes.len() >= 4 + l as usize);
        if !complete {
            return Ok(if self.ended {
                Received::End
            } else {
                Received::Nothing
            });
        }
        let mut reader = MessageReader::new(&self.bytes[..]);
        let (message, used) = match reader.next_message()? {
            Some((kind, body)) => (ToSampler::parse(kind, body)?, 4 + 4 + body.len()),
            None => return Ok(Received::End),
        };
        self.bytes.drain(..used);
        Ok(Received::Message(message))
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
