//! CPU profiles of gperftools: words of the machine that wrote it. Five of a header, then a count, a depth and addresses for each
//! stack, a trailer, and the text of `/proc/self/maps`. Described in gperftools' docs/cpuprofile-fileformat.html.

use std::borrow::Cow;

use profile::{ForeignReader, Limits, Profile, ProfileError};

use crate::proc_maps::ProcMaps;
use crate::sample_table::{Owner, SampleTable};

pub const READER: ForeignReader = ForeignReader {
    name: "a CPU profile of gperftools",
    is_it,
    read,
};

const TOOL: &str = "gperftools CPU profile";
/// Words of the header: how many, that three follow, version, period in microseconds, padding.
const HEADER: usize = 5;
/// As gperftools itself bounds it.
const DEPTH_MAX: u64 = 1 << 16;

fn is_it(bytes: &[u8]) -> bool {
    Words::of(bytes).is_some()
}

/// Four or eight bytes each, in either order.
#[derive(Clone, Copy)]
struct Words<'a> {
    bytes: &'a [u8],
    size: usize,
    is_big_endian: bool,
}

impl<'a> Words<'a> {
    /// By the header; `None`: it is none.
    fn of(bytes: &'a [u8]) -> Option<Words<'a>> {
        let forms = [(8, false), (8, true), (4, false), (4, true)];
        let mut words = forms.into_iter().map(|(size, is_big_endian)| Words {
            bytes,
            size,
            is_big_endian,
        });
        words.find(|words| {
            let header: Option<Vec<u64>> = (0..HEADER).map(|at| words.get(at)).collect();
            matches!(header.as_deref(), Some([0, 3, 0, period, 0]) if *period > 0)
        })
    }

    fn get(&self, at: usize) -> Option<u64> {
        let start = at.checked_mul(self.size)?;
        let bytes = self.bytes.get(start..start.checked_add(self.size)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(match self.is_big_endian {
            true => bytes.iter().fold(0, add),
            false => bytes.iter().rev().fold(0, add),
        })
    }

    fn bytes_from(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at * self.size..).unwrap_or_default()
    }
}

/// Stacks by the place of their first word, and where they end.
struct Stacks {
    starts: Vec<usize>,
    end: usize,
    has_trailer: bool,
}

fn stacks(words: Words, limits: &Limits) -> Result<Stacks, ProfileError> {
    let mut found = Stacks {
        starts: Vec::new(),
        end: HEADER,
        has_trailer: false,
    };
    let mut at = HEADER;
    while let (Some(count), Some(depth)) = (words.get(at), words.get(at + 1)) {
        if count == 0 && depth == 1 && words.get(at + 2) == Some(0) {
            found.has_trailer = true;
            found.end = at + 3;
            return Ok(found);
        }
        if depth == 0 || depth > DEPTH_MAX {
            return Err(ProfileError::damaged(format!(
                "Word {at} of the {TOOL} says that a stack has {depth} frames, where 1 to {DEPTH_MAX} are expected."
            )));
        }
        if words.get(at + 1 + depth as usize).is_none() {
            break;
        }
        if found.starts.len() == limits.records {
            return Err(ProfileError::too_large(format!(
                "The {TOOL} has more than {} stacks, the maximum that Lineheat reads.",
                limits.records
            )));
        }
        found.starts.push(at);
        at += 2 + depth as usize;
        found.end = at;
    }
    Ok(found)
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let words = Words::of(bytes)
        .ok_or_else(|| ProfileError::damaged(format!("The {TOOL} has no header of five words.")))?;
    let period_ns = (words.get(3).unwrap_or(0).checked_mul(1000))
        .filter(|ns| *ns < 1 << 53)
        .ok_or_else(|| ProfileError::damaged(format!("The {TOOL} has a period of centuries.")))?;
    let stacks = stacks(words, limits)?;
    let maps: Cow<str> = match stacks.has_trailer {
        true => String::from_utf8_lossy(words.bytes_from(stacks.end)),
        false => Cow::Borrowed(""),
    };
    let mut maps = ProcMaps::of(&maps);
    let mut table = SampleTable::new(TOOL, 2, limits);
    let owner = table.owner(Owner::default());
    let mut frames = Vec::new();
    for &start in &stacks.starts {
        let word = |at: usize| words.get(at).unwrap_or(0);
        let (count, depth) = (word(start), word(start + 1) as usize);
        frames.clear();
        for frame in 0..depth {
            // Callers: the address behind the call.
            let address = word(start + 2 + frame).saturating_sub(u64::from(frame > 0));
            frames.push(maps.location(&mut table, address)?);
        }
        let stack = table.stack(&frames)?;
        table.add(stack, owner, 0, &[count, count.saturating_mul(period_ns)])?;
    }
    if table.is_empty() {
        return Err(ProfileError::damaged(format!(
            "The {TOOL} has no samples: the program used no CPU time while it was profiled, or the file ends early."
        )));
    }
    let has_maps = !maps.is_empty();
    let types = [("samples", "count"), ("cpu", "nanoseconds")];
    let mut profile = table.finish(&types, 1, &[vec![Some(0), Some(1)]]);
    profile.needs_names = true;
    if !stacks.has_trailer || !has_maps {
        profile.problems.push(format!(
            "The {TOOL} ends before its list of mapped files: samples may be missing, and addresses have no names."
        ));
    }
    Ok(profile)
}
