//! The stacks of a pprof file: one that was read before is found by its bytes.

use std::collections::HashMap;
use std::hash::BuildHasher;

use crate::decode_checks::too_many;
use crate::error::ProfileError;
use crate::limits::Limits;
use crate::message_reader::{Content, MessageReader};
use crate::references::References;
use crate::seeded_hash::{AlreadyHashed, SeededHash};
use crate::stacks::Stacks;

type Result<T> = std::result::Result<T, ProfileError>;

/// After so many samples it is clear whether stacks repeat.
const TRIED: usize = 1 << 17;

/// The field of a sample that has its stack.
pub const LOCATIONS: u64 = 1;

pub struct StackDecoder<'a> {
    locations: &'a References,
    limits: &'a Limits,
    /// Stacks by the hash of their list of locations in the file: the list itself lies far away in memory, and comparing it
    /// costs more than reading it. `None` where few repeat.
    known: Option<HashMap<u64, Known, AlreadyHashed>>,
    hash: SeededHash,
    /// Frames of all samples so far.
    frames: usize,
    pub cut_stacks: usize,
    /// Of the sample that is being read.
    current: Vec<u32>,
    is_cut: bool,
}

#[derive(Clone, Copy)]
struct Known {
    number: u32,
    is_cut: bool,
}

impl<'a> StackDecoder<'a> {
    pub fn new(locations: &'a References, limits: &'a Limits) -> Self {
        StackDecoder {
            locations,
            limits,
            known: Some(HashMap::default()),
            hash: SeededHash::default(),
            frames: 0,
            cut_stacks: 0,
            current: Vec::new(),
            is_cut: false,
        }
    }

    /// Appends the stack of the next sample. `list` is its one field of locations, in bytes, as all known writers have it;
    /// `None` where it has no such field, or several.
    pub fn add(&mut self, sample: &[u8], list: Option<&[u8]>, stacks: &mut Stacks) -> Result<()> {
        let key = list.filter(|_| self.known.is_some());
        let key = key.map(|list| self.hash.hash_one(list));
        let known = (self.known.as_ref().zip(key)).and_then(|(known, key)| known.get(&key));
        let stack = match known {
            Some(&known) => known,
            None => self.read(sample, list, key, stacks)?,
        };
        self.frames += stacks.numbered(stack.number).len();
        if self.frames > self.limits.frames {
            return Err(too_many(
                "frames in all stacks together",
                self.limits.frames,
            ));
        }
        self.cut_stacks += usize::from(stack.is_cut);
        stacks.push_numbered(stack.number);
        Ok(())
    }

    fn read(
        &mut self,
        sample: &[u8],
        list: Option<&[u8]>,
        key: Option<u64>,
        stacks: &mut Stacks,
    ) -> Result<Known> {
        self.current.clear();
        self.is_cut = false;
        let mut reader = MessageReader::new(sample, "sample");
        if let Some(list) = list {
            self.read_list(&reader, Content::Bytes(list), stacks.len() + 1)?;
        } else {
            while let Some((field, content)) = reader.next()? {
                if field == LOCATIONS {
                    self.read_list(&reader, content, stacks.len() + 1)?;
                }
            }
        }
        let stack = Known {
            number: stacks.keep(&self.current),
            is_cut: self.is_cut,
        };
        if let Some((known, key)) = self.known.as_mut().zip(key) {
            known.insert(key, stack);
            let samples = stacks.len() + 1;
            if samples >= TRIED && known.len() > samples / 2 {
                self.known = None;
            }
        }
        Ok(stack)
    }

    fn read_list(&mut self, reader: &MessageReader, list: Content, sample: usize) -> Result<()> {
        reader.numbers(LOCATIONS, list, |id| {
            let Some(location) = self.locations.index(id) else {
                return Err(no_location(sample, id));
            };
            if self.current.len() >= self.limits.stack_depth {
                self.is_cut = true;
            } else {
                self.current.push(location);
            }
            Ok(())
        })
    }
}

#[cold]
fn no_location(sample: usize, id: u64) -> ProfileError {
    ProfileError::damaged(format!(
        "Sample {sample} refers to the location {id}, which is not in the file."
    ))
}
