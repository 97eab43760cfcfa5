//! Heap profiles of gperftools: text, a line of counts and addresses for each stack that has allocated, and `/proc/self/maps`.

use std::borrow::Cow;

use profile::{ForeignReader, Limits, Profile, ProfileError};

use crate::proc_maps::ProcMaps;
use crate::sample_table::{Owner, SampleTable};

pub const READER: ForeignReader = ForeignReader {
    name: "a heap profile of gperftools",
    is_it,
    read,
};

const TOOL: &str = "gperftools heap profile";
const START: &[u8] = b"heap profile:";
const MAPS: &str = "MAPPED_LIBRARIES:";
const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

fn is_it(bytes: &[u8]) -> bool {
    bytes.starts_with(START)
}

/// In use, and allocated since the start: objects and bytes of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    in_use: [u64; 2],
    allocated: [u64; 2],
}

/// `1000: 16000 [1000: 16000] @ rest`
fn counts(line: &str) -> Option<(Counts, &str)> {
    let (numbers, rest) = line.split_once('@')?;
    let (in_use, allocated) = numbers.trim().strip_suffix(']')?.split_once('[')?;
    let pair = |text: &str| -> Option<[u64; 2]> {
        let (objects, bytes) = text.split_once(':')?;
        Some([objects.trim().parse().ok()?, bytes.trim().parse().ok()?])
    };
    let counts = Counts {
        in_use: pair(in_use)?,
        allocated: pair(allocated)?,
    };
    Some((counts, rest.trim()))
}

/// `Some(rate)`: one allocation in so many bytes is in the file; `None`: all are. The error is what is there.
fn sampling(kind: &str) -> Result<Option<u64>, &str> {
    match kind.split_once('/') {
        None if kind == "heapprofile" => Ok(None),
        Some(("heap_v2" | "heapz_v2", rate)) => match rate.parse() {
            Ok(rate @ 1..) => Ok(Some(rate)),
            _ => Err(kind),
        },
        _ => Err(kind),
    }
}

/// What `objects` of these bytes together stand for, if an allocation of n bytes is taken with probability 1 - exp(-n / rate).
/// 10 objects of 512 KiB at a rate of 512 KiB are 15.8.
fn unsampled([objects, bytes]: [u64; 2], rate: u64) -> [u64; 2] {
    if objects == 0 || bytes == 0 {
        return [objects, bytes];
    }
    let size = bytes as f64 / objects as f64;
    let scale = 1.0 / (1.0 - (-size / rate as f64).exp());
    [objects, bytes].map(|value| (value as f64 * scale).round() as u64)
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let text: Cow<str> = String::from_utf8_lossy(bytes);
    let (stacks, maps) = text.split_once(MAPS).unwrap_or((&text, ""));
    let mut maps = ProcMaps::of(maps);
    let mut lines = stacks.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let counted = header.strip_prefix("heap profile:").and_then(counts);
    let (claimed, kind) = counted.ok_or_else(|| {
        wanted(
            1,
            header,
            "heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ KIND",
        )
    })?;
    let rate = sampling(kind).map_err(|_| {
        wanted(
            1,
            header,
            "the kind heapprofile or heap_v2/RATE behind the @",
        )
    })?;
    let mut table = SampleTable::new(TOOL, 4, limits);
    let owner = table.owner(Owner::default());
    let mut sums = Counts::default();
    let mut frames = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let (of_stack, addresses) = counts(line)
            .ok_or_else(|| wanted(at + 1, line, "OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES"))?;
        frames.clear();
        for word in addresses.split_ascii_whitespace() {
            let address = word
                .strip_prefix("0x")
                .and_then(|hex| u64::from_str_radix(hex, 16).ok());
            let address = address.ok_or_else(|| wanted(at + 1, line, "an address such as 0x1f"))?;
            // All of them are behind a call.
            frames.push(maps.location(&mut table, address.saturating_sub(1))?);
        }
        for at in 0..2 {
            sums.in_use[at] = sums.in_use[at].saturating_add(of_stack.in_use[at]);
            sums.allocated[at] = sums.allocated[at].saturating_add(of_stack.allocated[at]);
        }
        let scaled = |pair| rate.map_or(pair, |rate| unsampled(pair, rate));
        let (in_use, allocated) = (scaled(of_stack.in_use), scaled(of_stack.allocated));
        let stack = table.stack(&frames)?;
        table.add(
            stack,
            owner,
            0,
            &[allocated[0], allocated[1], in_use[0], in_use[1]],
        )?;
    }
    if table.is_empty() {
        return Err(ProfileError::damaged(format!(
            "The {TOOL} has no stacks: nothing was allocated, or the file ends early."
        )));
    }
    let has_maps = !maps.is_empty();
    let mut profile = table.finish(&TYPES, 3, &[(0..4).map(Some).collect()]);
    profile.needs_names = true;
    if claimed != sums {
        profile.problems.push(format!(
            "The stacks add up to {} objects and {} bytes in use, but the first line of the file says {} and {}.",
            sums.in_use[0], sums.in_use[1], claimed.in_use[0], claimed.in_use[1]
        ));
    }
    if let Some(rate) = rate {
        profile.problems.push(format!(
            "One allocation in {rate} bytes was recorded: counts and bytes are estimates of all of them."
        ));
    }
    if !has_maps {
        profile.problems.push(format!(
            "The {TOOL} ends before its list of mapped files, so addresses have no names."
        ));
    }
    Ok(profile)
}

fn wanted(number: usize, line: &str, what: &str) -> ProfileError {
    let start: String = line.chars().take(60).collect();
    ProfileError::damaged(format!(
        "Line {number} of the {TOOL} is \"{start}\", where {what} is expected."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_counts_are_scaled_by_the_chance_to_be_taken() {
        assert_eq!(unsampled([10, 10 * 524_288], 524_288), [16, 8_294_114]);
        assert_eq!(unsampled([1, 16], 524_288), [32_769, 524_296]);
        assert_eq!(unsampled([0, 0], 524_288), [0, 0]);
        assert_eq!(sampling("heap_v2/524288"), Ok(Some(524_288)));
        assert_eq!(sampling("heapprofile"), Ok(None));
        assert_eq!(sampling("growthz"), Err("growthz"));
    }
}
