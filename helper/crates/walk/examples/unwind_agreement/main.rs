//! Unwinds the samples of a `perf record --call-graph dwarf` file with our walk and compares every frame with perf's own
//! unwinding of the same registers and stack bytes:
//!
//! `unwind_agreement PERF.DATA SCRIPT.TXT`, where SCRIPT.TXT is `perf script --ns --no-inline -F tid,time,ip`.
//! Prints one JSON object.

mod perf_data;
#[allow(dead_code)] // the tests use more of it
#[path = "../../tests/support/mod.rs"]
mod support;

use std::collections::HashMap;

use ::records::StackEnd;
use perf_data::{Record, Sample, records};
use support::{Mapped, Modules};
use walk::x86_64::{SP, Walker};
use walk::{MappingTable, Piece, Stack};

const KERNEL: u64 = 1 << 63;
const SHOWN: usize = 12;

#[derive(Default)]
struct Tally {
    samples: usize,
    identical: usize,
    /// Both stopped where the copied stack ends, and perf left out the caller that it could not go on from.
    identical_to_copy_end: usize,
    /// perf stopped earlier, we agree up to there.
    ours_goes_on: usize,
    perf_goes_on: usize,
    different: usize,
    frames: usize,
    identical_frames: usize,
    whole: usize,
    examples: Vec<String>,
}

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [data, script] = &arguments[..] else {
        panic!("unwind_agreement PERF.DATA SCRIPT.TXT");
    };
    let data = std::fs::read(data).expect("perf's file");
    let script = std::fs::read_to_string(script).expect("perf script's text");
    let mut perf_stacks = parse_script(&script);
    let mut tally = Tally::default();
    let mut modules = Modules::default();
    let mut walker = Walker::default();
    let mut mappings: HashMap<u32, Vec<Mapped>> = HashMap::new();
    let mut tables: HashMap<u32, MappingTable> = HashMap::new();
    let mut samples: Vec<Sample<'_>> = Vec::new();
    // Samples after all mappings: perf's file is not in order of time.
    for record in records(&data).expect("a file of perf record") {
        match record {
            Record::Mapped(pid, mapped) => add(mappings.entry(pid).or_default(), mapped),
            Record::Forked(child, parent) if child != parent => {
                let copy = mappings.get(&parent).cloned().unwrap_or_default();
                mappings.insert(child, copy);
            }
            Record::Forked(..) => {}
            Record::Executed(pid) => drop(mappings.insert(pid, Vec::new())),
            Record::Sample(sample) => samples.push(sample),
        }
    }
    for sample in &samples {
        let table = tables.entry(sample.pid).or_insert_with(|| {
            let mapped = mappings.get(&sample.pid).map_or(&[][..], |m| m);
            modules.mapping_table(mapped, read_module)
        });
        let Some(perf) = perf_stacks.remove(&(sample.tid, sample.time_ns)) else {
            continue;
        };
        let stack = Piece {
            start: sample.registers.general[SP],
            bytes: sample.stack,
        };
        let walked = walker.walk(
            &sample.registers,
            Stack::of(&[stack]),
            table,
            &modules.tables,
        );
        let mut ours = walked.frames.to_vec();
        ours[0] = sample.registers.ip; // perf does not move a system call's return address
        let mapped = mappings.get(&sample.pid).map_or(&[][..], |m| m);
        for address in &mut ours {
            *address = as_perf_shows_it(mapped, *address);
        }
        tally.add(&ours, walked.end, &perf);
    }
    tally.print();
}

/// perf script shows the offset in the file.
fn as_perf_shows_it(mapped: &[Mapped], address: u64) -> u64 {
    let found = mapped.iter().find(|m| (m.start..m.end).contains(&address));
    found.map_or(address, |m| address - m.start + m.file_offset)
}

/// A mapping replaces what it covers.
fn add(mappings: &mut Vec<Mapped>, new: Mapped) {
    mappings.retain(|m| m.end <= new.start || new.end <= m.start);
    mappings.push(new);
    mappings.sort_by_key(|m| m.start);
}

fn read_module(mapped: &Mapped) -> Option<Vec<u8>> {
    match mapped.path.as_str() {
        "[vdso]" => own_vdso(),
        path => std::fs::read(path).ok(),
    }
}

/// The same in all processes of a kernel.
fn own_vdso() -> Option<Vec<u8>> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
    let (start, end) = line.split_ascii_whitespace().next()?.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = (hex(start)?, hex(end)?);
    let memory = std::fs::File::open("/proc/self/mem").ok()?;
    let mut bytes = vec![0; (end - start) as usize];
    std::os::unix::fs::FileExt::read_exact_at(&memory, &mut bytes, start).ok()?;
    Some(bytes)
}

/// User frames of perf's stacks, leaf first, by thread and time.
fn parse_script(script: &str) -> HashMap<(u32, u64), Vec<u64>> {
    let mut stacks = HashMap::new();
    let mut key = None;
    for line in script.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(first), second) = (words.next(), words.next()) else {
            continue;
        };
        if let Some(time) = second.and_then(|time| time.strip_suffix(':')) {
            let Some((seconds, fraction)) = time.split_once('.') else {
                continue;
            };
            let (Ok(tid), Ok(seconds), Ok(fraction)) = (
                first.parse(),
                seconds.parse::<u64>(),
                fraction.parse::<u64>(),
            ) else {
                continue;
            };
            key = Some((tid, seconds * 1_000_000_000 + fraction));
        } else if let (Some(key), Ok(ip)) = (key, u64::from_str_radix(first, 16))
            && ip < KERNEL
        {
            stacks.entry(key).or_insert_with(Vec::new).push(ip);
        }
    }
    stacks
}

impl Tally {
    fn add(&mut self, ours: &[u64], end: StackEnd, perf: &[u64]) {
        self.samples += 1;
        self.whole += usize::from(end == StackEnd::Root);
        let same = ours.iter().zip(perf).take_while(|(a, b)| a == b).count();
        self.frames += ours.len().max(perf.len());
        self.identical_frames += same;
        if same == ours.len() && same == perf.len() {
            self.identical += 1;
            return;
        }
        if end == StackEnd::Unreadable && same == perf.len() && ours.len() == same + 1 {
            self.identical_to_copy_end += 1;
            return;
        }
        if same == perf.len() {
            self.ours_goes_on += 1;
        } else if same == ours.len() {
            self.perf_goes_on += 1;
        } else {
            self.different += 1;
        }
        if self.examples.len() < SHOWN {
            let rest = |frames: &[u64]| {
                let frames = &frames[same.saturating_sub(1)..];
                let shown = frames.iter().take(4).map(|f| format!("{f:x}"));
                shown.collect::<Vec<_>>().join(" ")
            };
            self.examples.push(format!(
                "{same} frames alike, then ours ({}) {}; perf {}",
                end.name(),
                rest(ours),
                rest(perf)
            ));
        }
    }

    fn print(&self) {
        println!("{{");
        for (name, value) in [
            ("samples", self.samples),
            ("identical", self.identical),
            ("identicalToCopyEnd", self.identical_to_copy_end),
            ("oursGoesOn", self.ours_goes_on),
            ("perfGoesOn", self.perf_goes_on),
            ("different", self.different),
            ("frames", self.frames),
            ("identicalFrames", self.identical_frames),
            ("whole", self.whole),
        ] {
            println!("  \"{name}\": {value},");
        }
        let examples: Vec<_> = self
            .examples
            .iter()
            .map(|e| format!("    \"{e}\""))
            .collect();
        println!("  \"examples\": [\n{}\n  ]\n}}", examples.join(",\n"));
    }
}
