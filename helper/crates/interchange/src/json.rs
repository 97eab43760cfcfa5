//! JSON of profiles: read into columns, and each list is bounded while it is read. serde_json itself bounds how deep values nest.

use std::fmt;
use std::marker::PhantomData;

use profile::ProfileError;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

/// Samples, frames, functions and the like of one file. As many as a profile may have.
pub const RECORDS_MAX: usize = 2_000_000;
/// Numbers of one list.
pub const NUMBERS_MAX: usize = 16_000_000;
/// Frames of all stacks.
const FRAMES_MAX: usize = 48_000_000;
/// What decides which format a file is of stands at its beginning or at its end.
const LOOKED_AT_BYTES: usize = 1 << 20;
const TOO_MANY: &str = "more than ";

/// An object that has `text` near its beginning or end.
pub fn is_object_with(bytes: &[u8], text: &str) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = bytes.trim_ascii_start();
    let has = |part: &[u8]| part.windows(text.len()).any(|at| at == text.as_bytes());
    bytes.starts_with(b"{")
        && (has(&bytes[..bytes.len().min(LOOKED_AT_BYTES)])
            || has(&bytes[bytes.len().saturating_sub(LOOKED_AT_BYTES)..]))
}

/// # Errors
/// `Damaged`, or `TooLarge` where a list is too long.
pub fn parse<'a, T: Deserialize<'a>>(tool: &str, bytes: &'a [u8]) -> Result<T, ProfileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("The {tool} file cannot be read: {error}.");
        match error.to_string().starts_with(TOO_MANY) {
            true => ProfileError::too_large(message),
            false => ProfileError::damaged(message),
        }
    })
}

/// At most `MAX` values; `null` and nothing are none.
#[derive(Debug)]
pub struct List<T, const MAX: usize>(pub Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        List(Vec::new())
    }
}

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            if values.len() == MAX {
                return Err(too_many(MAX));
            }
            values.push(value);
        }
        Ok(List(values))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

pub fn too_many<E: de::Error>(max: usize) -> E {
    E::custom(format!(
        "{TOO_MANY}{max} entries in a list, the maximum that Lineheat reads"
    ))
}

/// A list of lists of numbers, one behind the other.
#[derive(Debug, Default)]
pub struct Lists {
    numbers: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        (starts.zip(&self.ends)).map(|(start, end)| &self.numbers[start as usize..*end as usize])
    }
}

struct Row<'a>(&'a mut Vec<u32>);

impl<'de> de::DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(number) = list.next_element()? {
            if self.0.len() == FRAMES_MAX {
                return Err(too_many(FRAMES_MAX));
            }
            self.0.push(number);
        }
        Ok(())
    }
}

struct ListsVisitor;

impl<'de> Visitor<'de> for ListsVisitor {
    type Value = Lists;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of lists")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Lists, A::Error> {
        let mut lists = Lists::default();
        while list.next_element_seed(Row(&mut lists.numbers))?.is_some() {
            if lists.ends.len() == RECORDS_MAX {
                return Err(too_many(RECORDS_MAX));
            }
            lists.ends.push(lists.numbers.len() as u32);
        }
        lists.numbers.shrink_to_fit();
        Ok(lists)
    }
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lists, D::Error> {
        deserializer.deserialize_seq(ListsVisitor)
    }
}
