//! Frames: a little-endian u32 length and that many bytes, read with the length checked before anything is allocated.

use std::fmt;
use std::io::{self, Read};

use prost::Message;

/// The longest message of either side.
pub const FRAME_BYTES_MAX: u32 = 16 << 20;

/// Why no further message can be read: the stream is out of step for good.
#[derive(Debug)]
pub enum FrameError {
    /// The announced length, beyond [`FRAME_BYTES_MAX`].
    TooLong(u32),
    /// The stream ended inside a frame.
    Truncated,
    Io(io::Error),
}

impl fmt::Display for FrameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::TooLong(length) => write!(
                formatter,
                "A frame has {length} bytes; the maximum is {FRAME_BYTES_MAX}."
            ),
            FrameError::Truncated => {
                formatter.write_str("The stream ended in the middle of a frame.")
            }
            FrameError::Io(error) => write!(formatter, "Cannot read the stream: {error}."),
        }
    }
}

impl std::error::Error for FrameError {}

/// The bytes of the next frame; `None` at the end of the stream.
///
/// # Errors
/// After any error the stream must be given up.
pub fn read_frame(stream: &mut impl Read) -> Result<Option<Vec<u8>>, FrameError> {
    let mut length = [0; 4];
    match read_up_to(stream, &mut length)? {
        0 => return Ok(None),
        4 => {}
        _ => return Err(FrameError::Truncated),
    }
    let length = u32::from_le_bytes(length);
    if length > FRAME_BYTES_MAX {
        return Err(FrameError::TooLong(length));
    }
    // Grows with what really arrives.
    let mut bytes = Vec::new();
    let got = stream
        .take(u64::from(length))
        .read_to_end(&mut bytes)
        .map_err(FrameError::Io)?;
    if got < length as usize {
        return Err(FrameError::Truncated);
    }
    Ok(Some(bytes))
}

/// The frame of `message`, ready to be written; `None` when it is longer than a frame may be.
pub fn encode_frame(message: &impl Message) -> Option<Vec<u8>> {
    let length = u32::try_from(message.encoded_len()).ok()?;
    if length > FRAME_BYTES_MAX {
        return None;
    }
    let mut frame = Vec::with_capacity(4 + length as usize);
    frame.extend_from_slice(&length.to_le_bytes());
    message.encode_raw(&mut frame);
    Some(frame)
}

/// Fills `buffer` as far as the stream goes; gives how far that was.
fn read_up_to(stream: &mut impl Read, buffer: &mut [u8]) -> Result<usize, FrameError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FrameError::Io(error)),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Done, Reply, View, reply::Body};

    #[test]
    fn frames_follow_each_other_until_the_end() {
        let reply = Reply {
            id: 7,
            r#final: true,
            newest: false,
            body: Some(Body::Done(Done {})),
        };
        let mut bytes = encode_frame(&reply).unwrap();
        bytes.extend(encode_frame(&Reply::default()).unwrap());
        let mut stream = &bytes[..];
        let first = read_frame(&mut stream).unwrap().unwrap();
        assert_eq!(Reply::decode(&first[..]).unwrap(), reply);
        assert_eq!(read_frame(&mut stream).unwrap(), Some(Vec::new()));
        assert_eq!(read_frame(&mut stream).unwrap(), None);
    }

    #[test]
    fn an_absurd_length_is_refused_before_reading() {
        let mut stream = &[0xff, 0xff, 0xff, 0x7f, 1, 2, 3][..];
        assert!(matches!(
            read_frame(&mut stream),
            Err(FrameError::TooLong(0x7fff_ffff))
        ));
        assert_eq!(stream, [1, 2, 3]);
    }

    #[test]
    fn a_cut_frame_is_told_from_the_end() {
        for cut in [&[5u8][..], &[5, 0, 0], &[5, 0, 0, 0, 1]] {
            let mut stream = cut;
            assert!(matches!(
                read_frame(&mut stream),
                Err(FrameError::Truncated)
            ));
        }
    }

    #[test]
    fn a_message_beyond_the_limit_is_not_encoded() {
        let view = View {
            content: vec![0; FRAME_BYTES_MAX as usize],
        };
        assert!(encode_frame(&view).is_none());
    }
}
