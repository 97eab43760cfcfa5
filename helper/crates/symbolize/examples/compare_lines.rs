//! Compares our chains with those of `addr2line -i` at random addresses of a program's code, and says what differs:
//! `compare_lines FILE [COUNT [binutils|llvm]]`. The last line of its output is one JSON object.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use support::{Peer, Place, agree, comparable, ours, peer, section_range};

const EXAMPLES_MAX: usize = 3;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().expect("a file"));
    let count: usize = (arguments.next()).map_or(20_000, |text| text.parse().expect("a number"));
    let reference = match arguments.next().as_deref() {
        Some("llvm") => Peer::Llvm,
        _ => Peer::Binutils,
    };
    let vaddrs = random_addresses(section_range(&path, ".text").expect("code"), count);
    let expected = peer(reference, &path, &vaddrs);
    let got = ours(&path, &vaddrs);

    let mut classes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((vaddr, expected), got) in vaddrs.iter().zip(expected).zip(got) {
        let (expected, got) = (comparable(expected), comparable(got));
        let shown = format!("{vaddr:#x}\n    addr2line {expected:?}\n    ours      {got:?}");
        classes
            .entry(class(&expected, &got))
            .or_default()
            .push(shown);
    }
    for (class, places) in &classes {
        println!("{class}: {}", places.len());
        if *class != EQUAL {
            for place in places.iter().take(EXAMPLES_MAX) {
                println!("  {place}");
            }
        }
    }
    let counts: Vec<String> = (classes.iter())
        .map(|(class, places)| format!("\"{class}\":{}", places.len()))
        .collect();
    println!("{{{}}}", counts.join(","));
}

const EQUAL: &str = "equal";
const PADDING: &str = "equal, padding that we do not name";

/// LLVM names the outermost frame by the symbol: with the suffix of a clone, or the first of functions made one.
const SYMBOL: &str = "equal, outermost named by another symbol";

fn inner_names(chain: &[Place]) -> Vec<&str> {
    let inner = &chain[..chain.len().saturating_sub(1)];
    inner.iter().map(|(name, _, _)| name.as_str()).collect()
}

/// What kind of difference it is.
fn class(expected: &[Place], got: &[Place]) -> &'static str {
    let has_line = |chain: &[Place]| chain.iter().any(|(_, _, line)| *line > 0);
    let lines = |chain: &[Place]| -> Vec<(String, u32)> {
        (chain.iter())
            .map(|(_, file, line)| (file.clone(), *line))
            .collect()
    };
    let names = |chain: &[Place]| -> Vec<String> {
        (chain.iter()).map(|(name, _, _)| name.clone()).collect()
    };
    match (has_line(expected), has_line(got)) {
        (true, true) if agree(expected, got) => EQUAL,
        // Binutils gives padding to the symbol before it; we leave it unnamed.
        (false, false) if got.is_empty() => "no line, and no name of ours",
        (false, false) if expected.is_empty() => "no line, and no name of addr2line",
        (false, false) if names(expected) == names(got) => "no line, names equal",
        (false, false) => "no line, names differ",
        (false, true) => "only we have a line",
        (true, false) => "only addr2line has a line",
        // Padding between functions is in the line table, but in no function: addr2line stretches the one before it.
        (true, true) if lines(expected) == lines(got) && got[0].0 == "??" => PADDING,
        (true, true)
            if lines(expected) == lines(got) && inner_names(expected) == inner_names(got) =>
        {
            SYMBOL
        }
        (true, true) if lines(expected) == lines(got) => "lines equal, names differ",
        (true, true) if expected.len() != got.len() => "other inlined calls",
        (true, true) if lines(&expected[1..]) == lines(&got[1..]) => {
            "other line of the innermost frame"
        }
        (true, true) => "other lines",
    }
}

/// The same for the same code: a generator of the xorshift family.
fn random_addresses((start, end): (u64, u64), count: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut vaddrs: Vec<u64> = (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            start + state % (end - start).max(1)
        })
        .collect();
    vaddrs.sort_unstable();
    vaddrs
}
