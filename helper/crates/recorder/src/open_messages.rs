//! What the process that opens files (`open_worker`) is asked, and what it answers.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use records::FileId;

/// A file to be opened: the first of `paths` that is regular, not too large, and the wanted one.
pub struct Asked<'a> {
    pub identity: Identity,
    pub paths: &'a [PathBuf],
    pub bytes_max: u64,
}

/// Which file it is to the kernel's mapping records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    Is(FileId),
    /// To be found out.
    Wanted,
    Any,
}

impl Identity {
    pub fn id(self) -> Option<FileId> {
        match self {
            Identity::Is(id) => Some(id),
            Identity::Wanted | Identity::Any => None,
        }
    }
}

pub enum Answer {
    /// A large file on a slow file system that still answers.
    StillReading,
    /// With the file. `is_last`: ask another process from now on, this one may fall asleep.
    Opened {
        id: Option<FileId>,
        is_last: bool,
    },
    Failed {
        why: String,
        is_last: bool,
    },
}

impl Answer {
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Answer::StillReading => vec![b'r'],
            Answer::Opened { id, is_last } => {
                let mut bytes = vec![b'o', u8::from(*is_last)];
                put_id(&mut bytes, *id);
                bytes
            }
            Answer::Failed { why, is_last } => {
                let mut bytes = vec![b'f', u8::from(*is_last)];
                bytes.extend(why.as_bytes());
                bytes
            }
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Answer> {
        match bytes {
            [b'r'] => Some(Answer::StillReading),
            [b'o', last, id @ ..] => Some(Answer::Opened {
                id: take_id(id)?.0,
                is_last: *last != 0,
            }),
            [b'f', last, why @ ..] => Some(Answer::Failed {
                why: String::from_utf8_lossy(why).into_owned(),
                is_last: *last != 0,
            }),
            _ => None,
        }
    }
}

pub fn encode(asked: &Asked) -> Vec<u8> {
    let mut bytes = asked.bytes_max.to_le_bytes().to_vec();
    put_id(&mut bytes, asked.identity.id());
    bytes.push(u8::from(asked.identity == Identity::Any));
    let paths: Vec<&[u8]> = (asked.paths.iter())
        .map(|path| path.as_os_str().as_bytes())
        .collect();
    bytes.extend(paths.join(&0));
    bytes
}

pub fn decode(bytes: &[u8]) -> Option<(Identity, Vec<PathBuf>, u64)> {
    let (bytes_max, rest) = bytes.split_first_chunk()?;
    let (id, rest) = take_id(rest)?;
    let (is_any, rest) = rest.split_first()?;
    let identity = match id {
        Some(id) => Identity::Is(id),
        None if *is_any != 0 => Identity::Any,
        None => Identity::Wanted,
    };
    let path = |path: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()));
    let paths = rest.split(|byte| *byte == 0).map(path).collect();
    Some((identity, paths, u64::from_le_bytes(*bytes_max)))
}

fn put_id(bytes: &mut Vec<u8>, id: Option<FileId>) {
    let of = |number: fn(&FileId) -> u64| id.as_ref().map_or(0, number).to_le_bytes();
    bytes.push(u8::from(id.is_some()));
    bytes.extend(of(|id| u64::from(id.device_major)));
    bytes.extend(of(|id| u64::from(id.device_minor)));
    bytes.extend(of(|id| id.inode));
}

fn take_id(bytes: &[u8]) -> Option<(Option<FileId>, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<25>()?;
    let number = |at: usize| {
        let bytes = head[at..at + 8].try_into();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let id = FileId {
        device_major: u32::try_from(number(1)).ok()?,
        device_minor: u32::try_from(number(9)).ok()?,
        inode: number(17),
    };
    Some(((head[0] != 0).then_some(id), rest))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_asked_and_answered_comes_back_whole() {
        let id = FileId {
            device_major: 8,
            device_minor: 1,
            inode: 1 << 40,
        };
        let paths = ["/a b".into(), "/c".into()];
        for identity in [Identity::Is(id), Identity::Wanted, Identity::Any] {
            let asked = Asked {
                identity,
                paths: &paths,
                bytes_max: 1 << 34,
            };
            let (found, its_paths, bytes_max) = decode(&encode(&asked)).unwrap();
            assert_eq!((found, bytes_max), (identity, 1 << 34));
            assert_eq!(its_paths, [Path::new("/a b"), Path::new("/c")]);
        }
        for id in [Some(id), None] {
            let opened = Answer::Opened { id, is_last: true }.encode();
            let back = Answer::decode(&opened).unwrap();
            assert!(matches!(back, Answer::Opened { id: i, is_last: true } if i == id));
        }
        assert!(Answer::decode(b"o").is_none() && decode(b"short").is_none());
    }
}
